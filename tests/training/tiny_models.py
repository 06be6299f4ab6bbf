"""BERT, Qwen3.5 and CLIP as small as they come: the real classes of transformers and open_clip with random weights."""

import os
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"

import torch

from retrieval.fashion_am.torchvision_import import ensure_torchvision

ensure_torchvision()

WORDS = "you find clothes for a shopper picture turn request red blue green dress shirt skirt sleeves longer the same"
VISION = ["<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>"]
VOCABULARY = 640


def tiny_bert():
    """One layer, with the real vocabulary."""
    from transformers import BertConfig, BertModel

    torch.manual_seed(0)
    config = BertConfig(hidden_size=48, num_hidden_layers=1, num_attention_heads=4, intermediate_size=64,
                        hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)  # fmt: skip
    return BertModel(config, add_pooling_layer=False)


def tiny_query_encoder(settings, dim: int, moved: float = 0.0):
    """`mini`'s query encoder over a tiny BERT. moved: how far from its start it is, as after training."""
    from retrieval.fashion_am.backbones import MiniQueryEncoder

    model = MiniQueryEncoder(tiny_bert(), dim, settings.suffix, settings.picture_tokens, settings.residual)
    for parameter in model.parameters():
        if parameter.requires_grad:
            parameter.data += moved * torch.randn_like(parameter)
    return model.eval()


def made_bank(texts, seed=0):
    """Hidden states of texts as if they had been read: as many words as there are, between two ends."""
    from retrieval.fashion_am.texts import TextBank

    distinct = sorted(set(texts))
    starts = [0]
    for text in distinct:
        starts.append(starts[-1] + len(text.split()) + 2)
    generator = torch.Generator().manual_seed(seed)
    return TextBank(distinct, starts, torch.randn(starts[-1], 384, generator=generator).half())


def save_qwen(folder: Path, hidden: int = 64) -> Path:
    """A model with its processor, as a hub would give it, of linear and full attention."""
    from transformers import (
        Qwen2VLImageProcessorPil,
        Qwen3_5Config,
        Qwen3_5ForConditionalGeneration,
        Qwen3VLProcessor,
        Qwen3VLVideoProcessor,
    )

    tokenizer = qwen_tokenizer()
    ids = dict(zip(VISION, tokenizer.convert_tokens_to_ids(VISION), strict=True))
    rope = {"rope_type": "default", "rope_theta": 10000.0, "partial_rotary_factor": 0.25}
    config = Qwen3_5Config(
        text_config={
            "vocab_size": VOCABULARY,
            "initializer_range": 0.2,
            "hidden_size": hidden,
            "intermediate_size": 2 * hidden,
            "num_hidden_layers": 2,
            "layer_types": ["linear_attention", "full_attention"],
            "num_attention_heads": 2,
            "num_key_value_heads": 1,
            "head_dim": 32,
            "linear_key_head_dim": 16,
            "linear_value_head_dim": 16,
            "linear_num_key_heads": 2,
            "linear_num_value_heads": 4,
            "rope_parameters": {**rope, "mrope_section": [2, 1, 1], "mrope_interleaved": True},
        },
        vision_config={
            "depth": 1,
            "initializer_range": 0.2,
            "hidden_size": 32,
            "intermediate_size": 64,
            "num_heads": 2,
            "patch_size": 16,
            "spatial_merge_size": 2,
            "temporal_patch_size": 2,
            "out_hidden_size": hidden,
            "num_position_embeddings": 64,
        },
        image_token_id=ids["<|image_pad|>"],
        video_token_id=ids["<|video_pad|>"],
        vision_start_token_id=ids["<|vision_start|>"],
        vision_end_token_id=ids["<|vision_end|>"],
        tie_word_embeddings=True,
    )
    torch.manual_seed(0)
    model = Qwen3_5ForConditionalGeneration(config).eval()
    torch.nn.init.normal_(model.model.language_model.norm.weight)  # or it would only scale
    model.save_pretrained(folder)
    Qwen3VLProcessor(
        image_processor=Qwen2VLImageProcessorPil(patch_size=16, temporal_patch_size=2, merge_size=2),
        tokenizer=tokenizer,
        video_processor=Qwen3VLVideoProcessor(),
    ).save_pretrained(folder)
    return folder


def qwen_tokenizer():
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    whole = Tokenizer(models.BPE())
    whole.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    whole.decoder = decoders.ByteLevel()
    special = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", *VISION]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    whole.train_from_iterator(
        [WORDS] * 3, trainers.BpeTrainer(vocab_size=400, special_tokens=special, initial_alphabet=alphabet)
    )
    named = {"image": "image_pad", "video": "video_pad", "vision_start": "vision_start", "vision_end": "vision_end"}
    return PreTrainedTokenizerFast(
        tokenizer_object=whole,
        pad_token="<|endoftext|>",
        eos_token="<|im_end|>",
        extra_special_tokens={f"{ours}_token": f"<|{theirs}|>" for ours, theirs in named.items()},
    )


def tiny_open_clip(quick_gelu: bool):
    """A model of open_clip with its real vocabulary."""
    import open_clip

    torch.manual_seed(0)
    eyes = {"layers": 3, "width": 32, "head_width": 16, "patch_size": 8, "image_size": 32}
    text = {"context_length": 77, "vocab_size": 49408, "width": 32, "heads": 2, "layers": 2}
    return open_clip.CLIP(16, eyes, text, quick_gelu=quick_gelu).eval()


def save_clip(folder: Path) -> Path:
    """A CLIPModel with tokenizer and preprocessing, as a hub would give it."""
    from retrieval.fashion_am.clip_conversion import converted

    converted(tiny_open_clip(True)).save(folder)
    return folder
