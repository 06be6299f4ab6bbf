"""A conversation as the chat message that a vision-language model reads: one form for training, export and client.

Whoever asks a served model has to show it exactly what it was trained on: the same words, the same pictures at the same
size, the suffix at the same place. So the layout is a template of ours, which the exported model carries, and pictures
are brought to their final size here, where no server's own resizing changes them any more. It imports no torch.
"""

from __future__ import annotations

import base64
import io
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retrieval.errors import EncoderError
from retrieval.fashion_am.context import FOLDER, Context
from retrieval.schema import Image

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

CELL = 32
"""Side of the square of pixels that becomes one token of Qwen3.5: patches of 16, merged 2 by 2."""
LEFT_OUT = "(no longer shown)\n"
CHAT_FILE = FOLDER / "chat.jinja"


@dataclass(frozen=True, slots=True)
class ChatLimits:
    """How much of a conversation a model sees; a trained model depends on it."""

    pictures: int = 12
    """Pictures in one context. Of more, the oldest are left out."""
    picture_tokens: int = 196
    """Tokens of one picture, at most: 196 are 448 x 448 pixels. (The paper does not say.)"""
    least_tokens: int = 16

    def __post_init__(self) -> None:
        if not (self.pictures >= 1 and 1 <= self.least_tokens <= self.picture_tokens):
            raise EncoderError(f"{self} cannot be met: a picture needs a token, and not more at least than at most.")


def chat_template(suffix: int = 0) -> str:
    """Jinja source that renders messages up to where the answer would begin, then `suffix` suffix tokens."""
    return CHAT_FILE.read_text("utf8").rstrip("\n") + "".join(suffix_tokens(suffix))


def suffix_tokens(n: int) -> list[str]:
    """What the suffix embeddings are called where they are words of a vocabulary."""
    return [f"<|suffix_{i}|>" for i in range(n)]


def message_of(context: Context, limits: ChatLimits) -> Context:
    """What the user's message holds: fewer pictures where there are too many, and no text that reads as a token."""
    too_many = sum(isinstance(part, Image) for part in context) - limits.pictures
    parts: list[str | Image] = []
    for part in context:
        if isinstance(part, Image) and too_many > 0:
            too_many -= 1
            part = LEFT_OUT
        if isinstance(part, Image):
            parts.append(part)
        elif parts and isinstance(parts[-1], str):
            parts[-1] += _plain(part)
        else:
            parts.append(_plain(part))
    return tuple(parts)


def _plain(text: str) -> str:
    """Special tokens begin with "<|", in no other way; a shopper's words must not become one."""
    return text.replace("<|", "< |")


def fitted(picture: Picture, limits: ChatLimits) -> Picture:
    """An RGB picture at the size that the model sees: both sides are multiples of CELL, the shape is nearly kept."""
    from PIL import Image as Pictures

    size = fitted_size(picture.width, picture.height, limits)
    return picture if picture.size == size else picture.resize(size, Pictures.Resampling.BICUBIC, reducing_gap=3.0)


def fitted_size(width: int, height: int, limits: ChatLimits) -> tuple[int, int]:
    """As large as it is, if the limits allow it: never more than `picture_tokens` nor fewer than `least_tokens`."""
    tokens = width * height / CELL**2
    scale = math.sqrt(min(max(tokens, limits.least_tokens), limits.picture_tokens) / tokens)
    columns, rows = (max(1, round(side * scale / CELL)) for side in (width, height))
    while columns * rows > limits.picture_tokens:
        columns, rows = (columns - 1, rows) if columns > rows else (columns, rows - 1)
    while columns * rows < limits.least_tokens:
        columns, rows = (columns + 1, rows) if columns > rows else (columns, rows + 1)
    return columns * CELL, rows * CELL


def data_url(picture: Picture) -> str:
    """The picture without loss."""
    file = io.BytesIO()
    picture.save(file, "PNG")
    return "data:image/png;base64," + base64.b64encode(file.getvalue()).decode("ascii")
