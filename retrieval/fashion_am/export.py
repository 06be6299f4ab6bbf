"""Trained towers -> `assets/encoder`: two ONNX files that run without torch, the tokenizer and a card.

Weights are stored in 16 bits (the word embeddings in 8) and computed with in 32: the files are small, and a vector
depends on nothing but its own input, which dynamic activation quantisation would break.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import logging
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from safetensors.torch import save_file
from torch import Tensor, nn

from retrieval import command
from retrieval.encoders import cards
from retrieval.encoders.fashion_am import QUERY
from retrieval.encoders.preprocess import INPUT_HEIGHT, INPUT_WIDTH, PREPROCESSING
from retrieval.encoders.towers import (
    DEFAULT_FOLDER,
    PICTURE,
    SENTENCE_DIM,
    TEXT,
    TOKENIZER,
    find_file,
    read_card,
)
from retrieval.encoders.words import WORDS
from retrieval.fashion_am.backbones import MiniQueryEncoder, merged
from retrieval.fashion_am.packing import WORD_DIM, Padded
from retrieval.fashion_am.text_trunk import TextTrunk
from retrieval.fashion_am.texts import MAX_TOKENS
from retrieval.fashion_am.towers import PictureTower, TextTower

if TYPE_CHECKING:
    from retrieval.fashion_am.context import Template
    from retrieval.fashion_am.query_inputs import QuerySettings

log = logging.getLogger(__name__)
_CONTEXT = {0: "n", 1: "t"}
_SHOWN = {0: "n", 1: "p"}
QUERY_AXES = (_CONTEXT, _CONTEXT, _CONTEXT, _SHOWN, _SHOWN, _SHOWN, {0: "n"})
"""Of `packing.Padded`."""

SMALL = 1024
"""Tensors with fewer numbers stay as they are."""
TABLE_ROWS = 20_000
"""Tables with more rows (the word embeddings, half of the text tower) are stored in 8 bits."""


class _Trunk(nn.Module):
    def __init__(self, tower: PictureTower) -> None:
        super().__init__()
        self.tower = tower

    def forward(self, pixels: Tensor) -> tuple[Tensor, Tensor]:
        return self.tower.trunk(pixels)


class _Words(nn.Module):
    def __init__(self, tower: TextTower) -> None:
        super().__init__()
        self.tower = tower

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        return self.tower.trunk(ids, mask.bool())


class _Text(nn.Module):
    def __init__(self, tower: TextTower) -> None:
        super().__init__()
        self.tower = tower

    def forward(self, ids: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        joint, sentence = self.tower(ids, mask.bool())
        return joint, sentence


def export_trunk(tower: PictureTower, file: Path) -> None:
    """The frozen trunk alone, in 32 bits, for caching training features."""
    example = torch.zeros(2, 3, INPUT_HEIGHT, INPUT_WIDTH, dtype=torch.uint8)
    _to_onnx(_Trunk(tower).eval(), (example,), ["pixels"], ["features", "low"], ({0: "n"},), file)


def export_encoder(
    picture: PictureTower, text: TextTower, tokenizer_file: Path, out: Path, card: dict[str, Any]
) -> None:
    """Write picture.onnx, text.onnx, tokenizer.json and card.json into `out`, in place of an encoder that is there.

    card: what the training knows of itself (data, settings, scores); format, revision, shape and checksums are added.
    Raises EncoderError for a folder of something else: the whole of it would be replaced.
    """
    with cards.replaced(out) as building:
        _export_picture(picture, building)
        _export_text(_Text(text), ["joint", "sentence"], building / TEXT)
        shutil.copyfile(tokenizer_file, building / TOKENIZER)
        files = {file.name: cards.sha256(file) for file in sorted(building.iterdir())}
        whole = {
            "format": cards.FORMAT,
            "name": "dimity-embedded",
            "revision": _revision(files),
            "dim": picture.head.linear.out_features,
            "max_tokens": MAX_TOKENS,
            "preprocessing": PREPROCESSING,
            "sha256": files,
            **card,
        }
        cards.write(building, whole)


def export_towers(picture: PictureTower, base: Path, out: Path, card: dict[str, Any]) -> None:
    """Write the system `out`: late fusion over a picture tower that stage 1 or 2 adapted, and the text tower of `base`,
    which stays where it is."""
    base_card = read_card(base)
    texts_in = cards.base_of(base, base_card) or base
    with cards.replaced(out, texts_in) as building:
        _export_picture(picture, building)
        files = {name: cards.sha256(find_file(base, base_card, name)) for name in (TEXT, TOKENIZER)}
        files[PICTURE] = cards.sha256(building / PICTURE)
        whole = {
            **{key: base_card[key] for key in ("format", "name", "dim", "max_tokens", "preprocessing")},
            "kind": "late_fusion",
            "revision": _revision(files),
            "base": os.path.relpath(texts_in.resolve(), out.resolve()),
            "sha256": files,
            "training": card,
        }
        cards.write(building, whole)


def export_query(
    model: MiniQueryEncoder, towers: Path, template: Template, settings: QuerySettings, out: Path, card: dict[str, Any]
) -> None:
    """Write the system `out` over the towers of another: query.onnx, words.onnx and card.json, and picture.onnx where
    the towers' folder has a base; what lies in the base stays there.

    card: what the training knows of itself. Raises EncoderError for a folder of something else.
    """
    tower_card = read_card(towers)
    base = cards.base_of(towers, tower_card)
    stays_in = base or towers
    with cards.replaced(out, stays_in) as building:
        write_query_onnx(model, building / QUERY)
        write_words_onnx(building / WORDS)
        if base is not None:  # otherwise the picture tower stays too
            shutil.copyfile(find_file(towers, tower_card, PICTURE), building / PICTURE)
        files = {name: cards.sha256(find_file(towers, tower_card, name)) for name in (PICTURE, TEXT, TOKENIZER)}
        files |= {name: cards.sha256(building / name) for name in (QUERY, WORDS)}
        whole = {
            **{key: tower_card[key] for key in ("format", "revision", "dim", "max_tokens", "preprocessing")},
            "kind": "fashion_am",
            "name": "fashion-am",
            "towers": tower_card.get("towers", tower_card["name"]),
            "query_revision": _revision({QUERY: files[QUERY], WORDS: files[WORDS], "template": template.revision}),
            "template": {"name": template.name, "revision": template.revision},
            "query": {"max_tokens": settings.max_tokens, "picture_tokens": settings.picture_tokens},
            "base": os.path.relpath(stays_in.resolve(), out.resolve()),
            "sha256": files,
            "training": card,
        }
        cards.write(building, whole)


def _export_picture(tower: PictureTower, folder: Path) -> None:
    pixels = torch.zeros(2, 3, INPUT_HEIGHT, INPUT_WIDTH, dtype=torch.uint8)
    _to_onnx(tower.eval(), (pixels,), ["pixels"], ["embedding"], ({0: "n"},), folder / PICTURE)
    store_small(folder / PICTURE)


def _export_text(module: nn.Module, outputs: Sequence[str], file: Path) -> None:
    ids, mask = torch.full((2, 7), 5), torch.ones(2, 7, dtype=torch.int64)  # two tensors: one would count as one
    _to_onnx(module.eval(), (ids, mask), ["ids", "mask"], outputs, (_CONTEXT, _CONTEXT), file)
    store_small(file)


def _revision(made_of: Mapping[str, str]) -> str:
    return hashlib.sha256(json.dumps(made_of, sort_keys=True).encode()).hexdigest()[:16]


def write_query_onnx(model: MiniQueryEncoder, file: Path) -> None:
    inputs = [each.name for each in fields(Padded)]
    _to_onnx(merged(model).cpu().eval(), _query_example(model), inputs, ["query"], QUERY_AXES, file)
    store_small(file)


def write_words_onnx(file: Path) -> None:
    """The layers of the text tower whose hidden states the query encoder reads."""
    _export_text(_Words(TextTrunk().tower), ["states"], file)


def write_query_encoder(model: MiniQueryEncoder, out: Path, card: dict[str, Any]) -> None:
    """`query.safetensors`, LoRA apart, and its card, for training on."""
    save_file({name: value.contiguous() for name, value in model.state_dict().items()}, out / "query.tmp")
    (out / "query.tmp").replace(out / "query.safetensors")
    cards.write(out, {"sha256": cards.sha256(out / "query.safetensors"), **card}, "query.json")


def _query_example(model: MiniQueryEncoder) -> tuple[Tensor, ...]:
    """Sizes differ from each other and from 1: equal ones would be taken for one."""
    n, p, k, t = 2, 3, model.picture_tokens, 29
    slots = torch.zeros(n, t, dtype=torch.int64)
    slots[:, 2 : 2 + p * k] = torch.arange(1, p * k + 1)
    mask = torch.ones(n, t, dtype=torch.int64)
    mask[1, -3:] = 0
    dim = model.encoder.head.linear.out_features
    pictures, roles = torch.randn(n, p, dim), torch.ones(n, p, dtype=torch.int64)
    words = torch.randn(n, t, WORD_DIM)
    return words, slots, mask, pictures, roles, torch.randn(n, p, dim), torch.randn(n, dim + SENTENCE_DIM)


def _to_onnx(
    module: nn.Module,
    example: tuple[Tensor, ...],
    inputs: Sequence[str],
    outputs: Sequence[str],
    axes: Sequence[dict[int, str]],
    file: Path,
) -> None:
    dims = {name: torch.export.Dim(name) for axis in axes for name in axis.values()}
    shapes = tuple({i: dims[name] for i, name in axis.items()} for axis in axes)
    torch.onnx.export(
        module,
        example,
        str(file),
        input_names=list(inputs),
        output_names=list(outputs),
        dynamic_shapes=shapes,
        dynamo=True,
        external_data=False,
        verbose=False,
    )


def store_small(file: Path) -> None:
    """Store large float32 weights as float16, or int8 with one scale a row; ONNX Runtime unfolds them on loading."""
    model = onnx.load(str(file))
    graph = model.graph
    nodes = []
    for tensor in list(graph.initializer):
        values = numpy_helper.to_array(tensor)
        if values.dtype != np.float32 or values.size < SMALL:
            continue
        graph.initializer.remove(tensor)
        small = _as_int8 if values.shape[0] > TABLE_ROWS else _as_float16
        nodes += small(graph, tensor.name, values)
    for node in reversed(nodes):
        graph.node.insert(0, node)
    onnx.checker.check_model(model)
    onnx.save(model, str(file))


def _as_float16(graph: Any, name: str, values: np.ndarray[Any, Any]) -> list[Any]:
    graph.initializer.append(numpy_helper.from_array(values.astype(np.float16), f"{name}.f16"))
    return [helper.make_node("Cast", [f"{name}.f16"], [name], to=TensorProto.FLOAT)]


def _as_int8(graph: Any, name: str, values: np.ndarray[Any, Any]) -> list[Any]:
    """Symmetric, one scale per row of (rows, columns)."""
    scale = np.maximum(np.abs(values).max(axis=1), 1e-8).astype(np.float32) / 127
    small = np.clip(np.round(values / scale[:, None]), -127, 127).astype(np.int8)
    graph.initializer.append(numpy_helper.from_array(small, f"{name}.i8"))
    graph.initializer.append(numpy_helper.from_array(scale, f"{name}.scale"))
    return [helper.make_node("DequantizeLinear", [f"{name}.i8", f"{name}.scale"], [name], axis=0)]


def main(argv: Sequence[str] | None = None) -> int:
    """Late fusion over the tower that stage 1 or 2 left, for `train query --towers` and for comparison."""
    parser = argparse.ArgumentParser(prog="python -m retrieval.fashion_am.export", description=main.__doc__)
    parser.add_argument("--start", type=Path, required=True, help="--out of stage background or language")
    parser.add_argument("--base", type=Path, default=DEFAULT_FOLDER, help="system with the text tower; %(default)s")
    parser.add_argument("--out", type=Path, required=True, help="the system's folder that is written")
    arguments = parser.parse_args(argv)

    def export() -> int:
        from retrieval.fashion_am.stage_files import read_picture_tower

        tower = read_picture_tower(arguments.start)
        export_towers(tower, arguments.base, arguments.out, cards.read(arguments.start))
        return 0

    return command.run(export, "nothing was written")


if __name__ == "__main__":
    sys.exit(main())
