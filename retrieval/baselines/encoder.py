"""A trained baseline as a system folder, and as an encoder over the towers that it was trained with.

The folder holds card.json and weights.safetensors; the towers stay where they are, in the folder that the card's `base`
names. Items are encoded by the towers alone: a baseline and late fusion over the same towers share an index.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from retrieval.baselines.cfir import Cfir
from retrieval.baselines.conversation_model import ConversationModel, ModelSettings
from retrieval.baselines.dialog_manager import DialogManager
from retrieval.baselines.mai import Mai
from retrieval.baselines.turn_inputs import Features, TowerFeatures
from retrieval.encoders import cards
from retrieval.encoders.cards import CARD
from retrieval.encoders.towers import PICTURE, TEXT, TOKENIZER, Towers, find_file, read_card
from retrieval.errors import DependencyError, EncoderError, MessageError

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

    from retrieval.protocols import Embeddings, Manifest
    from retrieval.schema import Item, Query

KINDS: dict[str, type[ConversationModel]] = {"dialog_manager": DialogManager, "cfir": Cfir, "mai": Mai}
WEIGHTS = "weights.safetensors"
BATCH = 128


class BaselineEncoder:
    """Implements `protocols.Encoder`. Reads history, references and the request; filters and unwanted ones are not."""

    def __init__(self, model: ConversationModel, towers: Towers, features: Features | None = None) -> None:
        self._model = model.eval()
        self.towers = towers
        self._features = features or TowerFeatures(towers)

    @property
    def manifest(self) -> Manifest:
        return self.towers.manifest

    def encode_items(self, items: Sequence[Item], pictures: Sequence[Picture]) -> Embeddings:
        return self.towers.encode_items(items, pictures)

    def encode_queries(self, queries: Sequence[Query]) -> Embeddings:
        for query in queries:
            if not (query.as_said or query.references):
                raise MessageError("There is nothing to search for: write a few words or add a picture.")
        return encoded(self._model, queries, self._features)


def encoded(model: ConversationModel, queries: Sequence[Query], features: Features) -> Embeddings:
    """Float32 unit rows (len(queries), dim) of a model in evaluation mode; queries of one session share their work."""
    vectors = np.zeros((len(queries), model.settings.dim), np.float32)
    with torch.no_grad():
        for at in range(0, len(queries), BATCH):
            vectors[at : at + BATCH] = model.encode(queries[at : at + BATCH], features).numpy()
    return vectors


def export_baseline(kind: str, model: ConversationModel, base: Path, out: Path, card: Mapping[str, Any]) -> None:
    """Write the system folder `out`, in place of one that is there, over the towers in `base`.

    card: what the training knows of itself. Raises EncoderError for a folder of something else.
    """
    from safetensors.torch import save_file

    tower_card = read_card(base)
    with cards.replaced(out, base) as building:
        save_file({name: tensor.contiguous() for name, tensor in model.state_dict().items()}, building / WEIGHTS)
        files = {name: cards.sha256(find_file(base, tower_card, name)) for name in (PICTURE, TEXT, TOKENIZER)}
        files[WEIGHTS] = cards.sha256(building / WEIGHTS)
        whole = {
            **{key: tower_card[key] for key in ("format", "revision", "dim", "max_tokens", "preprocessing")},
            "kind": kind,
            "name": kind,
            "towers": tower_card.get("towers", tower_card["name"]),
            "query_revision": files[WEIGHTS][:16],
            "base": os.path.relpath(base.resolve(), out.resolve()),
            "sha256": files,
            "model": asdict(model.settings),
            "training": dict(card),
        }
        cards.write(building, whole)


def open_baseline(folder: Path, towers: Towers | None = None, caption_weight: float = 0.0) -> BaselineEncoder:
    """towers: those of the card's base where they are open already.

    Raises EncoderError for a folder without a trained baseline, a damaged one, or one over other towers.
    """
    card = read_card(folder)
    if card.get("kind") not in KINDS:
        raise EncoderError(f"{folder / CARD} is not the card of a trained baseline ({', '.join(KINDS)}).")
    towers = towers or Towers.open(folder, caption_weight)
    there = towers.manifest.revision.split("/")[0]
    if there != card["revision"]:
        raise EncoderError(
            f"The {card['kind']} in {folder} was trained over the towers {card.get('towers', card['name'])} "
            f"{card['revision']}, not over {towers.manifest.encoder} {there}: train it again, or restore those towers."
        )
    return BaselineEncoder(_read_model(folder, card), towers)


def _read_model(folder: Path, card: Mapping[str, Any]) -> ConversationModel:
    try:
        from safetensors import SafetensorError
        from safetensors.torch import load_file
    except ImportError as error:
        raise DependencyError(f"{error}: pip install -r requirements-train.txt") from error
    damaged = f"The trained baseline in {folder} is damaged"
    try:
        if cards.sha256(folder / WEIGHTS) != card["sha256"][WEIGHTS]:
            raise EncoderError(f"{damaged} ({WEIGHTS} is not the file of its {CARD}): train it again.")
        model = KINDS[card["kind"]](ModelSettings(**card["model"]))
        model.load_state_dict(load_file(folder / WEIGHTS))
    except (OSError, KeyError, TypeError, RuntimeError, SafetensorError) as error:
        raise EncoderError(f"{damaged} ({error}): train it again.") from error
    return model
