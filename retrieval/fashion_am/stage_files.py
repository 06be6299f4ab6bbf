"""What stages 1 and 2 read and leave: towers as safetensors with a card, sources of pictures, held-out scores."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from retrieval.benchmark import Benchmark, read_benchmark
from retrieval.encoders import cards
from retrieval.encoders.embedded import DEFAULT_FOLDER, EmbeddedEncoder
from retrieval.encoders.towers import PICTURE as EXPORTED
from retrieval.errors import EncoderError, TrainingError
from retrieval.fashion_am import data, items, trunk_cache, trunk_folder
from retrieval.fashion_am.clip import Clip, PixelTrunk, open_towers
from retrieval.fashion_am.clip_encoder import ClipEncoder
from retrieval.fashion_am.kept_texts import file_of, text_vectors
from retrieval.fashion_am.processes import launched, open_accelerator
from retrieval.fashion_am.towers import PictureTower
from retrieval.fashion_am.trunk_cache import CachedProducts
from retrieval.fashion_am.vlp import embed_views, name_success
from retrieval.schema import Query

if TYPE_CHECKING:
    from retrieval.protocols import Embeddings

PICTURE = "picture.safetensors"
S = TypeVar("S")
UNREAD = {"paper": ("texts",)}
"""CLIP reads texts itself."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--size", choices=["mini", "paper"], default="mini", help="paper: CLIP; %(default)s")
    parser.add_argument(
        "--start", type=Path, required=True,
        help="--out of the stage before, whose tower goes on, or an exported encoder such as assets/encoder; with "
        "--size paper a CLIP: a folder, a hub's name, or "
        "open_clip:MODEL/WEIGHTS",
    )  # fmt: skip
    parser.add_argument("--benchmark", type=Path, required=True, help="whose val and test products are left out")
    parser.add_argument("--fpi", type=Path, required=True, help="folder of the Fashion Product Images parquet files")
    parser.add_argument("--photos", type=Path, help="parquet file of users' photos: grounds, and items with --masks")
    parser.add_argument("--masks", type=Path, help="folder with the masks of some photos, PHOTO_ID.png")
    parser.add_argument("--studio", type=Path, help="folder that `python -m builders.studio sample` wrote")
    parser.add_argument("--caches", type=Path, default=Path("runs/caches"), help="for all runs; %(default)s (4 GB)")
    parser.add_argument("--texts", type=Path, default=DEFAULT_FOLDER, help="encoder with the text tower; %(default)s")


def open_tower(arguments: argparse.Namespace) -> PictureTower | Clip:
    """The tower that --start names, CLIP where it is trained. Raises EncoderError when there is none."""
    if arguments.size == "mini":
        return read_picture_tower(arguments.start)
    towers: Clip = open_towers(str(arguments.start))
    towers.to(device_of(open_accelerator(arguments.precision)))
    return towers


def device_of(accelerator: Any) -> torch.device:
    device: torch.device = torch.device("cpu") if accelerator is None else accelerator.device
    return device


def at_size(arguments: argparse.Namespace, stage: str, mini: S) -> tuple[S, dict[str, Any]]:
    """A stage's settings at --size, and what else its training takes: `accelerator`, `tensorboard`, `chunk`.

    Raises TrainingError for processes or a precision that `mini` does not have.
    """
    running: dict[str, Any] = {"tensorboard": arguments.tensorboard}
    if arguments.size == "mini":
        if launched() > 1 or arguments.precision != "no":
            raise TrainingError(
                f"Stage {stage} at --size mini trains in one process and in full precision: start it without torchrun "
                "and without --precision bf16."
            )
        return mini, running
    from retrieval.fashion_am import paper

    accelerator = open_accelerator(arguments.precision)
    return paper.SETTINGS[stage], {**running, "accelerator": accelerator, "chunk": paper.CHUNK}


def write_tower(tower: PictureTower | Clip, folder: Path, card: Mapping[str, Any]) -> None:
    """What the next stage starts from, and last its card: `picture.safetensors`, or the folder `clip`."""
    if isinstance(tower, Clip):
        tower.save(folder / "clip")
        encoder = {
            "format": cards.FORMAT,
            "kind": "clip",
            "name": "clip",
            "revision": tower.revision(),
            "dim": tower.dim,
        }
        cards.write(folder / "clip", {**encoder, **card})
    else:
        write_picture_tower(tower, folder, card)


def read_picture_tower(folder: Path) -> PictureTower:
    """The tower that a stage left in `folder`, or that an exported system holds, in the 16 bits of its export.

    Raises EncoderError when there is none, or one of another shape.
    """
    file = folder / PICTURE if (folder / PICTURE).is_file() else folder / EXPORTED
    if not file.is_file():
        raise EncoderError(
            f"There is neither {PICTURE} nor {EXPORTED} in {folder}: name the --out of a stage that has finished, "
            "or the folder of an exported encoder."
        )
    try:
        weights = load_file(file) if file.name == PICTURE else exported_weights(file)
    except (TrainingError, SafetensorError) as error:
        raise EncoderError(f"{file} is cut or damaged ({error}): restore it, or run the stage again.") from error
    if "head.linear.weight" not in weights:
        raise EncoderError(f"{file} holds another kind of tower.")
    tower = PictureTower(weights["head.linear.weight"].shape[0])
    try:
        tower.load_state_dict(weights)
    except RuntimeError as error:
        raise EncoderError(f"{file} holds another kind of tower: {str(error).splitlines()[0]}") from error
    tower.to(memory_format=torch.channels_last).eval()
    return tower


def exported_weights(file: Path) -> dict[str, Tensor]:
    found = trunk_folder.stored_weights(file, PictureTower(1).state_dict())
    return {name: torch.from_numpy(values) for name, values in found.items()}


def write_picture_tower(tower: PictureTower, folder: Path, card: Mapping[str, Any]) -> None:
    """`picture.safetensors` and, last, its card with the file's checksum."""
    temporary = folder / f"{PICTURE}.tmp"
    save_file({name: value.contiguous() for name, value in tower.state_dict().items()}, temporary)
    temporary.replace(folder / PICTURE)
    cards.write(folder, {"sha256": cards.sha256(folder / PICTURE), **card})


@dataclass(frozen=True, slots=True)
class Sources:
    """The pictures of stages 1 and 2, and the held-out products of the catalogue, which are for watching only."""

    benchmark: Benchmark
    items: Mapping[str, CachedProducts]
    held_out: CachedProducts
    texts: EmbeddedEncoder | ClipEncoder
    texts_in: Path
    """Folder of the texts' vectors, which are the same whatever the pictures pass."""

    def scores(self, tower: PictureTower | Clip) -> dict[str, float]:
        """On the held-out products alone: success@k of names, precision@10 of colour and kind of captions."""
        pictures = embed_views(tower, self.held_out)
        found = name_success(pictures, self.encode(self.held_out.names), self.held_out.names)
        top = (self.encode([c[0] for c in self.held_out.captions]) @ pictures.T).topk(10, dim=1).indices
        for place, part in enumerate(("kind", "colour")):
            value = np.unique([same.split("/")[place] for same in self.held_out.same], return_inverse=True)[1]
            labels = torch.from_numpy(value)
            found[f"{part} precision@10"] = round((labels[top] == labels[:, None]).float().mean().item(), 4)
        return found

    def encode(self, texts: Sequence[str]) -> Tensor:
        """Vectors of the frozen text tower, (n, dim)."""

        def encode(some: Sequence[str]) -> Embeddings:
            return self.texts.encode_queries([Query("", text) for text in some])

        return text_vectors(texts, encode, file_of(self.texts_in, self.texts.manifest.revision))

    def described(self) -> dict[str, Any]:
        """What a card says of the data."""
        return {
            "benchmark": self.benchmark.card["checksum"],
            "products": {name: len(material) for name, material in self.items.items()},
            "texts": self.texts.manifest.revision,
        }


def open_sources(arguments: argparse.Namespace, tower: PictureTower | Clip, *, uncut: bool = False) -> Sources:
    """Encodes what --caches does not hold yet, through the trunk, which is the same in all stages of one tower.

    uncut: photos without a clean picture as well.
    """
    with first_process_first(arguments):
        return _open_sources(arguments, tower, uncut)


def first_process_first(arguments: argparse.Namespace) -> AbstractContextManager[Any]:
    """The others find on disk what it has made."""
    accelerator = open_accelerator(arguments.precision) if launched() > 1 else None
    context: AbstractContextManager[Any] = nullcontext() if accelerator is None else accelerator.main_process_first()
    return context


def _open_sources(arguments: argparse.Namespace, tower: PictureTower | Clip, uncut: bool) -> Sources:
    benchmark = read_benchmark(arguments.benchmark)
    trunk, texts, caches = _beside(arguments, tower)
    cached = items.open_items(
        benchmark,
        trunk,
        caches,
        arguments.fpi,
        arguments.photos,
        arguments.studio,
        arguments.masks,
        uncut=uncut,
    )
    watched = data.fpi_samples(arguments.fpi, "val", (), only_first=True)
    digest = trunk_cache.digest_of(*data.fpi_files(arguments.fpi))
    held_out = trunk_cache.cache(watched, trunk, caches / f"val-{digest}")
    return Sources(benchmark, cached, held_out, texts, arguments.caches)


def _beside(
    arguments: argparse.Namespace, tower: PictureTower | Clip
) -> tuple[trunk_cache.AnyTrunk, EmbeddedEncoder | ClipEncoder, Path]:
    """What pictures pass once, the frozen text tower, and the folder of what the pictures gave."""
    if isinstance(tower, Clip):
        return PixelTrunk(tower), ClipEncoder(tower), arguments.caches / f"clip-{tower.side}"
    folder = trunk_folder.folder_of(arguments.caches, tower)
    trunk = trunk_cache.Trunk(folder / trunk_folder.TRUNK, arguments.threads)
    return trunk, EmbeddedEncoder.open(arguments.texts), folder
