"""Models of open_clip as transformers CLIPModels: the same numbers under other names, so that one code trains both."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from retrieval.errors import DependencyError, EncoderError
from retrieval.fashion_am.clip import MEAN, STD, Clip

BLOCK = {
    "ln_1": "layer_norm1",
    "ln_2": "layer_norm2",
    "attn.out_proj": "self_attn.out_proj",
    "mlp.c_fc": "mlp.fc1",
    "mlp.c_proj": "mlp.fc2",
}


def from_open_clip(name: str, pretrained: str) -> Clip:
    """pretrained: one of open_clip's tags, or a file; "" for random weights.

    Raises EncoderError for a name, tag or architecture that cannot be had, DependencyError without open_clip.
    """
    try:
        import open_clip
    except ImportError as error:
        raise DependencyError(f"{error}: pip install -r requirements-train.txt") from error
    try:
        model = open_clip.create_model(name, pretrained=pretrained or None)
    except (OSError, RuntimeError, ValueError) as error:
        raise EncoderError(f"open_clip has no {name} with weights {pretrained!r}: {error}") from error
    return converted(model.float().eval())


def converted(model: Any) -> Clip:
    """Raises EncoderError unless both towers are CLIP's plain transformers."""
    import open_clip
    from transformers import CLIPModel

    if not (isinstance(model, open_clip.CLIP) and isinstance(model.visual, open_clip.transformer.VisionTransformer)):
        raise EncoderError(f"{type(model).__name__} of open_clip is no CLIP with a vision transformer: take another.")
    whole = CLIPModel(_config(model))
    try:
        whole.load_state_dict(_renamed(model.state_dict()))
    except (KeyError, RuntimeError) as error:
        raise EncoderError(f"This model of open_clip has parts that CLIP has not: {error}") from error
    mean, std = (getattr(model.visual, name, None) for name in ("image_mean", "image_std"))
    return Clip(whole.eval(), _tokenizer(), mean or MEAN, std or STD)


def _config(model: Any) -> Any:
    import open_clip
    from transformers import CLIPConfig

    def tower(transformer: Any) -> dict[str, Any]:
        block = transformer.resblocks[0]
        quick = isinstance(block.mlp.gelu, open_clip.transformer.QuickGELU)
        return {
            "hidden_size": transformer.width,
            "intermediate_size": block.mlp.c_fc.out_features,
            "num_hidden_layers": len(transformer.resblocks),
            "num_attention_heads": block.attn.num_heads,
            "hidden_act": "quick_gelu" if quick else "gelu",
        }

    text = {"vocab_size": model.vocab_size, "max_position_embeddings": model.context_length}
    ends = {"bos_token_id": model.vocab_size - 2, "eos_token_id": model.vocab_size - 1}
    eyes = {"image_size": model.visual.image_size[0], "patch_size": model.visual.patch_size[0]}
    return CLIPConfig(
        text_config={**tower(model.transformer), **text, **ends},
        vision_config={**tower(model.visual.transformer), **eyes},
        projection_dim=model.visual.output_dim,
    )


def _renamed(theirs: dict[str, Tensor]) -> dict[str, Tensor]:
    """Linear maps that are applied as x @ W are transposed; query, key and value are taken apart."""
    ours = {
        "logit_scale": theirs["logit_scale"].reshape(()),
        "text_projection.weight": theirs["text_projection"].T.contiguous(),
        "visual_projection.weight": theirs["visual.proj"].T.contiguous(),
        "text_model.embeddings.token_embedding.weight": theirs["token_embedding.weight"],
        "text_model.embeddings.position_embedding.weight": theirs["positional_embedding"],
        "vision_model.embeddings.class_embedding": theirs["visual.class_embedding"],
        "vision_model.embeddings.patch_embedding.weight": theirs["visual.conv1.weight"],
        "vision_model.embeddings.position_embedding.weight": theirs["visual.positional_embedding"],
    }
    norms = {"ln_final": "text_model.final_layer_norm", "visual.ln_pre": "vision_model.pre_layrnorm"}
    for theirs_name, ours_name in {**norms, "visual.ln_post": "vision_model.post_layernorm"}.items():
        for part in ("weight", "bias"):
            ours[f"{ours_name}.{part}"] = theirs[f"{theirs_name}.{part}"]
    for prefix, tower in (("visual.transformer.", "vision_model."), ("transformer.", "text_model.")):
        for name, tensor in theirs.items():
            if name.startswith(f"{prefix}resblocks."):
                ours.update(_block_part(name.removeprefix(f"{prefix}resblocks."), tensor, f"{tower}encoder.layers."))
    return ours


def _block_part(name: str, tensor: Tensor, prefix: str) -> dict[str, Tensor]:
    """name: `3.attn.in_proj_weight`. Raises KeyError for a part that CLIP's block has not."""
    block, _, rest = name.partition(".")
    if rest.startswith("attn.in_proj_"):
        part = rest.removeprefix("attn.in_proj_")
        pieces = zip("qkv", tensor.chunk(3), strict=True)
        return {f"{prefix}{block}.self_attn.{letter}_proj.{part}": piece.contiguous() for letter, piece in pieces}
    module, _, part = rest.rpartition(".")
    return {f"{prefix}{block}.{BLOCK[module]}.{part}": tensor}


def _tokenizer() -> Any:
    """CLIP's byte pairs, from the file that open_clip brings."""
    import open_clip
    from transformers import CLIPTokenizer

    simple = open_clip.tokenizer.SimpleTokenizer()
    ends = {simple.sot_token_id: "<|startoftext|>", simple.eot_token_id: "<|endoftext|>"}  # as transformers calls them
    vocabulary = {ends.get(token_id, token): token_id for token, token_id in simple.encoder.items()}
    merges = [pair for pair, _ in sorted(simple.bpe_ranks.items(), key=lambda item: item[1])]
    return CLIPTokenizer(vocab=vocabulary, merges=merges, model_max_length=simple.context_length)
