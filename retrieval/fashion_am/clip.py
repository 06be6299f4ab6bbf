"""CLIP's two towers at the paper's size, as stages 1 and 2 train them: a transformers CLIPModel, wherever it came from.

`open_clip:ViT-L-14/openai` names a model of open_clip and its weights, which are converted; anything else is the name
of a hub or a folder for transformers. Which activation a model was trained with is part of its configuration, and is
kept with the weights.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from retrieval.errors import DependencyError, EncoderError
from retrieval.fashion_am.data import RECIPE
from retrieval.fashion_am.torchvision_import import ensure_torchvision

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from PIL.Image import Image as Picture

OPEN_CLIP = "open_clip:"
ClipScope = Literal["all", "last1", "last2", "last3", "last2+text"]
"""Rows of the paper's Table 9. "all" is the whole picture tower (stage 1), "last2" the paper's stage 2."""
MEAN, STD = (0.48145466, 0.4578275, 0.40821073), (0.26862954, 0.26130258, 0.27577711)
"""CLIP's own scaling of pixels in 0..1."""


class Clip(nn.Module):
    """Both towers of a CLIPModel; vectors have unit length. Dropout there is none, so training and use agree."""

    mean: Tensor
    std: Tensor

    def __init__(self, model: Any, tokenizer: Any, mean: Sequence[float] = MEAN, std: Sequence[float] = STD) -> None:
        super().__init__()
        self.model = model
        self.tokenizer = tokenizer
        self.dim: int = model.config.projection_dim
        self.side: int = model.config.vision_config.image_size
        self.context: int = model.config.text_config.max_position_embeddings
        for name, values in (("mean", mean), ("std", std)):
            self.register_buffer(name, torch.tensor(values)[:, None, None], persistent=False)

    def encode(self, pixels: Tensor) -> Tensor:
        """0..255, shape (n, 3, side, side) -> (n, dim)."""
        scaled = (pixels.to(self.mean) / 255 - self.mean) / self.std
        seen = self.model.vision_model(pixel_values=scaled.to(self.model.dtype)).pooler_output
        return F.normalize(self.model.visual_projection(seen).float(), dim=1)

    def embed(self, batch: tuple[Tensor, Tensor]) -> Tensor:
        """What stages 1 and 2 train: pixels, for no part is frozen that could be cached; the second tensor is empty."""
        return self.encode(batch[0])

    def encode_texts(self, texts: Sequence[str]) -> Tensor:
        """(n, dim). What does not fit the context is cut between words."""
        kept = [cut_between_words(text, self._fits) for text in texts]
        read = self.tokenizer(kept, padding=True, truncation=True, max_length=self.context, return_tensors="pt")
        read = {name: read[name].to(self.mean.device) for name in ("input_ids", "attention_mask")}
        said = self.model.text_model(**read).pooler_output
        return F.normalize(self.model.text_projection(said).float(), dim=1)

    def parameters_in(self, scope: ClipScope) -> list[nn.Parameter]:
        """What a stage trains. Raises EncoderError for a scope that there is not."""
        eyes = self.model.vision_model
        modules: dict[str, list[nn.Module]] = {"all": [eyes, self.model.visual_projection]}
        for n in (1, 2, 3):
            blocks = eyes.encoder.layers[-n:]
            modules[f"last{n}"] = [*blocks, eyes.post_layernorm, self.model.visual_projection]
        modules["last2+text"] = [*modules["last2"], self.model.text_model, self.model.text_projection]
        if scope not in modules:
            raise EncoderError(f"There is no scope {scope!r}: choose one of {', '.join(modules)}.")
        return [parameter for module in modules[scope] for parameter in module.parameters()]

    def pixels(self, picture: Picture) -> NDArray[np.uint8]:
        """CLIP's own: the shorter side scaled to `side`, the middle cut out; uint8 (3, side, side)."""
        from PIL import Image

        scale = self.side / min(picture.size)
        width, height = (max(self.side, int(edge * scale)) for edge in picture.size)
        left, top = (width - self.side) // 2, (height - self.side) // 2
        scaled = picture.resize((width, height), Image.Resampling.BICUBIC)
        middle = scaled.crop((left, top, left + self.side, top + self.side))
        return np.ascontiguousarray(np.asarray(middle).transpose(2, 0, 1))

    def revision(self) -> str:
        """Equal for equal weights, preprocessing and activation."""
        looks = [self.side, self.mean.flatten().tolist(), self.std.flatten().tolist()]
        digest = hashlib.sha256(json.dumps([self.model.config.vision_config.hidden_act, *looks]).encode())
        for name, tensor in sorted(self.model.state_dict().items()):
            digest.update(name.encode())
            digest.update(tensor.detach().cpu().float().numpy().tobytes())
        return digest.hexdigest()[:16]

    def save(self, folder: Path) -> None:
        """As `open_towers` opens it again."""
        from transformers import CLIPImageProcessorPil

        mean, std = (values.flatten().tolist() for values in (self.mean, self.std))
        looks = {"size": {"shortest_edge": self.side}, "crop_size": self.side, "image_mean": mean, "image_std": std}
        for part in (self.model, self.tokenizer, CLIPImageProcessorPil(**looks)):
            part.save_pretrained(folder)

    def _fits(self, text: str) -> bool:
        return len(self.tokenizer(text, verbose=False)["input_ids"]) <= self.context


class PixelTrunk:
    """Implements `trunk_cache.AnyTrunk`: what stages 1 and 2 cache for CLIP is the pixels themselves, 150 kB a view."""

    dtype, file = np.dtype(np.uint8), "pixels.u8"

    def __init__(self, towers: Clip) -> None:
        self.shape = (3, towers.side, towers.side)
        self.recipe = f"{RECIPE}/clip-{towers.side}"
        self.pixels = towers.pixels

    def __call__(self, batch: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
        return batch, np.zeros((len(batch), 0), np.float32)


def cut_between_words(text: str, fits: Callable[[str], bool]) -> str:
    """The longest beginning that fits, in whole words; the first word, where not even that fits."""
    if fits(text):
        return text
    words = text.split()
    fitting, too_many = 1, len(words)
    while too_many - fitting > 1:
        middle = (fitting + too_many) // 2
        fitting, too_many = (middle, too_many) if fits(" ".join(words[:middle])) else (fitting, middle)
    return " ".join(words[:fitting])


def open_towers(name: str) -> Clip:
    """Raises EncoderError for a name without such a model, DependencyError when a library is missing."""
    ensure_torchvision()
    try:
        import transformers
    except ImportError as error:
        raise DependencyError(f"{error}: pip install -r requirements-train.txt") from error
    if name.startswith(OPEN_CLIP):
        from retrieval.fashion_am.clip_conversion import from_open_clip

        model_name, _, pretrained = name.removeprefix(OPEN_CLIP).partition("/")
        return from_open_clip(model_name, pretrained)
    try:
        model = transformers.CLIPModel.from_pretrained(name)
        tokenizer = transformers.AutoTokenizer.from_pretrained(name)
        looks = transformers.CLIPImageProcessorPil.from_pretrained(name)
    except (OSError, ValueError) as error:
        raise EncoderError(f"{name} is no CLIP that transformers can load: {error}") from error
    return Clip(model.eval(), tokenizer, looks.image_mean, looks.image_std)
