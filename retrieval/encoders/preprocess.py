"""Picture to pixels: the one preprocessing that training and the running encoder share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from PIL.Image import Image as Picture

INPUT_HEIGHT, INPUT_WIDTH = 160, 128
"""Clothes stand upright: catalogue pictures are 3:4 mostly, and a square input would spend a quarter on white."""

PREPROCESSING = f"letterbox-white-{INPUT_HEIGHT}x{INPUT_WIDTH}-bicubic-1"
"""Part of the encoder's revision: change it whenever `pixels` gives other numbers."""


def pixels(picture: Picture) -> NDArray[np.uint8]:
    """Fit an RGB picture into the input, centred on white: uint8, shape (3, INPUT_HEIGHT, INPUT_WIDTH)."""
    from PIL import Image

    scale = min(INPUT_WIDTH / picture.width, INPUT_HEIGHT / picture.height)
    width = max(1, round(picture.width * scale))
    height = max(1, round(picture.height * scale))
    small = picture.resize((width, height), Image.Resampling.BICUBIC, reducing_gap=3.0)
    canvas = Image.new("RGB", (INPUT_WIDTH, INPUT_HEIGHT), "white")
    canvas.paste(small, ((INPUT_WIDTH - width) // 2, (INPUT_HEIGHT - height) // 2))
    return np.ascontiguousarray(np.asarray(canvas).transpose(2, 0, 1))
