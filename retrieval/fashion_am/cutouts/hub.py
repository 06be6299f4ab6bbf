"""RMBG-2.0 and BiRefNet from a model hub, through transformers (needs requirements-train.txt).

Both come with code of their own that transformers runs. That has to be allowed, and the commit of the model's
repository named, so that what runs tomorrow is what was looked at today. RMBG-2.0 is for non-commercial use
(CC BY-NC 4.0) and asks for an account that accepted its terms; BiRefNet is MIT.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from PIL import Image

from retrieval.errors import DependencyError, EncoderError

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

MODELS: Mapping[str, str] = {"rmbg": "briaai/RMBG-2.0", "birefnet": "ZhengPeng7/BiRefNet"}
SIDE = 1024
MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


class HubCutter:
    """Implements `Cutter` over a module of both models' form: (1, 3, 1024, 1024) -> a list, finest logits last."""

    def __init__(self, model: torch.nn.Module, name: str) -> None:
        self._device = "cuda" if torch.cuda.is_available() else "cpu"
        self._model = model.to(self._device).float().eval()
        self._name = name

    @classmethod
    def open(cls, cutter: str, revision: str, trust_remote_code: bool) -> HubCutter:
        """`cutter` is a key of MODELS, `revision` a commit of its repository, 40 hexadecimal digits.

        Raises DependencyError when the model's code is not allowed to run, or what it needs is not installed;
        EncoderError when the model cannot be had.
        """
        repository = MODELS[cutter]
        if not trust_remote_code or not re.fullmatch(r"[0-9a-f]{40}", revision):
            raise DependencyError(
                f"{repository} runs code from its repository. Look at it, then name the commit that you looked at: "
                f"--trust-remote-code --revision COMMIT (40 digits, from https://huggingface.co/{repository}/commits)."
            )
        return cls(_load(repository, revision), f"{cutter}-{revision[:8]}-{SIDE}")

    @property
    def name(self) -> str:
        return self._name

    def cut(self, picture: Picture) -> Picture:
        square = picture.convert("RGB").resize((SIDE, SIDE), Image.Resampling.BILINEAR)
        pixels = (np.asarray(square, np.float32) / 255 - np.array(MEAN, np.float32)) / np.array(STD, np.float32)
        batch = torch.from_numpy(pixels.transpose(2, 0, 1)[None].copy()).to(self._device)
        with torch.inference_mode():
            shares = self._model(batch)[-1].sigmoid().float().cpu()[0, 0].numpy()
        mask = Image.fromarray((shares * 255).round().astype(np.uint8))
        return mask.resize(picture.size, Image.Resampling.BILINEAR)


def _load(repository: str, revision: str) -> Any:
    from retrieval.fashion_am.torchvision_import import ensure_torchvision

    ensure_torchvision()
    try:
        from transformers import AutoModelForImageSegmentation
    except ImportError as error:
        raise DependencyError(f"{error}: pip install -r requirements-train.txt") from error
    try:
        return AutoModelForImageSegmentation.from_pretrained(repository, revision=revision, trust_remote_code=True)
    except ImportError as error:  # its own code needs more
        raise DependencyError(
            f"The code of {repository} needs more packages ({error}): pip install kornia timm."
        ) from error
    except (OSError, ValueError) as error:
        said = " ".join(str(error).split())[:300]
        raise EncoderError(
            f"{repository} cannot be had at {revision[:8]} ({said}). Is the hub reachable, and are its terms accepted? "
            "Without it, --cutter isnet."
        ) from error
