"""A trained query encoder as a folder that a model server can serve: no LoRA, no loose embeddings, plain transformers.

LoRA is added to the weights it belongs to, and the suffix embeddings become words of the vocabulary, which the chat
template of the folder writes after every conversation. vLLM serves the folder as a pooling model, in an environment of
its own (requirements-gpu.txt):

    vllm serve FOLDER --served-model-name fashion-am --runner pooling --convert embed \\
        --pooler-config '{"task": "token_embed", "pooling_type": "ALL", "use_activation": false}' \\
        --chat-template-content-format openai --limit-mm-per-prompt '{"image": 12, "video": 0}' \\
        --max-model-len 8192 --dtype bfloat16 --no-enable-prefix-caching

`ALL` gives the state of every token, of which `encoders/remote.py` takes the last M; without `"use_activation": false`
vLLM would scale each state to length 1. Its states are those after the final norm, as are transformers'
`last_hidden_state` and ours; `hidden_states[-1]` of newer Qwen classes in transformers is the one before. Whether a
server answers with the right ones is not left to faith: the card holds what a probe must give.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from retrieval.encoders import cards
from retrieval.encoders.remote import HEAD, KIND, PROBE, probe_picture
from retrieval.fashion_am.chat import chat_template, suffix_tokens
from retrieval.fashion_am.qwen import ContextReader, QwenQueryEncoder

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retrieval.protocols import Manifest

LANGUAGE, WORDS = "model.", "language_model.embed_tokens.weight"


def export_server(
    encoder: QwenQueryEncoder, reader: ContextReader, gallery: Manifest, out: Path, card: Mapping[str, Any]
) -> None:
    """Write the folder under a temporary name, then replace `out`, if that is such a folder.

    gallery: of the towers whose vectors the encoder was trained against. card: what more is worth knowing.
    Raises EncoderError when `out` holds something else.
    """
    with cards.replaced(out) as building:
        _save_model(encoder, _save_processor(reader, encoder.settings.suffix, building), building)
        _save_head(encoder, building / HEAD)
        files = {file.name: cards.sha256(file) for file in sorted(building.iterdir())}
        whole = {
            "format": cards.FORMAT,
            "kind": KIND,
            "name": gallery.encoder,
            "revision": gallery.revision,
            "dim": gallery.dim,
            "query_revision": hashlib.sha256(json.dumps([files, reader.template.revision]).encode()).hexdigest()[:16],
            "suffix": encoder.settings.suffix,
            "width": encoder.encoder.suffix.shape[1],
            "template": {"name": reader.template.name, "revision": reader.template.revision},
            "pictures": reader.limits.pictures,
            "picture_tokens": reader.limits.picture_tokens,
            "least_tokens": reader.limits.least_tokens,
            "probe": _probed(encoder, reader),
            "sha256": files,
            **card,
        }
        cards.write(building, whole)


def merged_weights(backbone: Any) -> dict[str, Tensor]:
    """Weights of the backbone under its own names, LoRA added; the backbone stays as it is."""
    from peft.tuners.lora import Linear

    weights = {
        name.replace(".base_layer.", "."): tensor
        for name, tensor in backbone.state_dict(keep_vars=True).items()
        if "lora_" not in name
    }
    for name, module in backbone.named_modules():
        if isinstance(module, Linear):
            (adapter,) = module.active_adapters
            own = module.get_base_layer().weight
            change = module.get_delta_weight(adapter)
            weights[f"{name}.weight"] = (own.float() + change.float()).to(own.dtype)
    return {name: tensor.detach().cpu() for name, tensor in weights.items()}


def _save_processor(reader: ContextReader, suffix: int, out: Path) -> list[int]:
    """The processor with our chat template and the suffix tokens; returns their ids. The reader's own is left alone."""
    import copy

    from transformers import AddedToken

    processor = copy.deepcopy(reader.processor)
    tokens = [AddedToken(token, special=True, normalized=False) for token in suffix_tokens(suffix)]
    processor.tokenizer.add_tokens(tokens, special_tokens=True)
    processor.chat_template = processor.tokenizer.chat_template = chat_template(suffix)
    processor.save_pretrained(out)
    ids: list[int] = processor.tokenizer.convert_tokens_to_ids(suffix_tokens(suffix))
    return ids


def _save_model(encoder: QwenQueryEncoder, suffix_ids: list[int], out: Path) -> None:
    """As the class that model servers know; the output layer is the input embeddings, for nothing is generated."""
    import copy

    from transformers import Qwen3_5ForConditionalGeneration

    config = copy.deepcopy(encoder.backbone.config)
    config.tie_word_embeddings = config.text_config.tie_word_embeddings = True
    weights = merged_weights(encoder.backbone)
    words = weights[WORDS]
    missing = max(suffix_ids) + 1 - len(words)
    if missing > 0:
        words = torch.cat([words, words.new_zeros(missing, words.shape[1])])
    words = words.clone()
    words[suffix_ids] = encoder.encoder.suffix.detach().cpu().to(words.dtype)
    weights[WORDS], config.text_config.vocab_size = words, len(words)
    with torch.device("meta"):
        whole = Qwen3_5ForConditionalGeneration(config)
    named = {LANGUAGE + name: tensor for name, tensor in weights.items()}
    whole.load_state_dict({**named, "lm_head.weight": words}, assign=True)
    whole.tie_weights()
    whole.to(words.dtype).save_pretrained(out)


def _save_head(encoder: QwenQueryEncoder, file: Path) -> None:
    from safetensors.torch import save_file

    head = encoder.encoder.head
    save_file({name: value.detach().cpu().float().contiguous() for name, value in head.state_dict().items()}, file)


def _probed(encoder: QwenQueryEncoder, reader: ContextReader) -> list[float]:
    """The vector that the probe has, by which a client knows a server that sees and reads as it should."""
    from dataclasses import replace

    was_training = encoder.training
    inputs = replace(reader, open_picture=lambda _: probe_picture())([PROBE])
    with torch.no_grad():
        vector = encoder.eval()(*inputs)[0].cpu()
    encoder.train(was_training)
    return [round(number, 6) for number in vector.float().tolist()]
