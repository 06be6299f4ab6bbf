"""Opens the encoder of a system's folder, whatever kind its card names."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from retrieval.encoders import cards
from retrieval.encoders.cards import CARD
from retrieval.encoders.embedded import EmbeddedEncoder
from retrieval.encoders.fashion_am import FashionAMEncoder
from retrieval.errors import DependencyError, EncoderError

if TYPE_CHECKING:
    from collections.abc import Callable

    from retrieval.protocols import Encoder

LATE_FUSION = "late_fusion"
"""Of a card without a kind."""


def open_encoder(folder: Path, caption_weight: float = 0.0) -> Encoder:
    """caption_weight: how much an item's name counts beside its picture, 0 as benchmarks want.

    Raises EncoderError for a folder without a card, a damaged card, an unknown kind, or what the kind's own opening
    refuses; DependencyError when the kind needs a library that is not installed.
    """
    card = cards.read(folder)
    kind = card.get("kind", LATE_FUSION)
    if not isinstance(kind, str) or kind not in OPENED_BY:
        raise EncoderError(
            f"The card in {folder} is of kind {kind!r}, which this version does not know. It knows: "
            f"{', '.join(sorted(OPENED_BY))}."
        )
    try:
        return OPENED_BY[kind](folder, caption_weight)
    except ModuleNotFoundError as error:
        raise DependencyError(
            f"A system of kind {kind} needs {error.name}. Install it: pip install -r requirements-train.txt"
        ) from error


def _baseline(folder: Path, caption_weight: float) -> Encoder:
    from retrieval.baselines.encoder import open_baseline

    return open_baseline(folder, caption_weight=caption_weight)


def _textification(folder: Path, caption_weight: float) -> Encoder:
    from retrieval.baselines.textification import open_textification

    return open_textification(folder, _base(folder, caption_weight))


def _imagescope(folder: Path, caption_weight: float) -> Encoder:
    from retrieval.baselines.imagescope import open_imagescope

    return open_imagescope(folder, _base(folder, caption_weight))


def _tracker(folder: Path, caption_weight: float) -> Encoder:
    from retrieval.baselines.tracker import AttributeTracker

    return AttributeTracker(_base(folder, caption_weight))


def _remote(folder: Path, caption_weight: float) -> Encoder:
    from retrieval.encoders.remote import RemoteEncoder

    card = cards.read(folder)
    if not isinstance(card.get("url"), str):
        raise EncoderError(f'The card in {folder} names no server: add "url": "http://HOST:PORT" to it.')
    base = cards.base_of(folder, card)
    if base is not None and (base / CARD).is_file() and cards.read(base).get("kind") == "clip":
        return RemoteEncoder.open(folder, card["url"], _clip(base, caption_weight))
    return RemoteEncoder.open(folder, card["url"], _base(folder, caption_weight))


def _clip(folder: Path, _caption_weight: float) -> Encoder:
    """Names do not count beside a CLIP's pictures."""
    from retrieval.fashion_am.clip import open_towers
    from retrieval.fashion_am.clip_encoder import ClipEncoder

    return ClipEncoder(open_towers(str(folder)))


def _base(folder: Path, caption_weight: float) -> EmbeddedEncoder:
    """The towers that a system stands on. Raises EncoderError when its card names none, or they are gone."""
    base = cards.base_of(folder, cards.read(folder))
    if base is None:
        raise EncoderError(
            f'The card in {folder} does not say over which towers it was made ("base"): export it again.'
        )
    if not (base / CARD).is_file():
        raise EncoderError(
            f"The system in {folder} stands on the towers in {base}, which are gone: restore that folder."
        )
    return EmbeddedEncoder.open(base, caption_weight)


OPENED_BY: dict[str, Callable[[Path, float], Encoder]] = {
    LATE_FUSION: EmbeddedEncoder.open,
    "fashion_am": FashionAMEncoder.open,
    "dialog_manager": _baseline,
    "cfir": _baseline,
    "mai": _baseline,
    "imagescope": _imagescope,
    "textification": _textification,
    "tracker": _tracker,
    "fashion_am_remote": _remote,
    "clip": _clip,
}
