"""Train a baseline: `python -m retrieval.baselines.train dialog_manager|cfir|mai ...` (needs requirements-train.txt).

The towers stay frozen. All three see the same recorded turns of the train split, the same negatives and the same
validation; what differs is in `SETTINGS`, chosen on the validation split with the same number of attempts each. Killed
at any step, the same command goes on from the last checkpoint. On one core a run takes up to three minutes, after
about eight for the vectors of the benchmark's pictures and texts, which `--vectors` keeps for all runs.
"""

from __future__ import annotations

import argparse
import json
import logging
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import nn

from retrieval import command
from retrieval.baselines.conversation_model import ConversationModel, ModelSettings
from retrieval.baselines.encoder import KINDS, encoded, export_baseline
from retrieval.baselines.turn_inputs import StoredFeatures, turn_inputs
from retrieval.benchmark import Benchmark, read_benchmark
from retrieval.encoders import cards
from retrieval.encoders.embedded import fused
from retrieval.encoders.towers import DEFAULT_FOLDER, Towers, unit
from retrieval.fashion_am import loop
from retrieval.fashion_am.kept_texts import joint_vectors
from retrieval.fashion_am.losses import query_loss
from retrieval.fashion_am.taught import open_taught
from retrieval.fashion_am.text_trunk import STATES, TextTrunk
from retrieval.fashion_am.turns import TurnBatch, Turns
from retrieval.fashion_am.validation import Validation, open_validation
from retrieval.recorded import Example

if TYPE_CHECKING:
    from retrieval.protocols import Embeddings

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class BaselineSettings:
    """Everything that changes the weights besides the data."""

    width: int = 512
    dropout: float = 0.1
    rate: float = 1e-3
    weight_decay: float = 0.01
    epochs: int = 10
    batch: int = 256
    negatives: int = 1024
    """Gallery vectors drawn for a batch, beside its own targets."""
    temperature: float = 0.07
    average: float = 0.99
    warmup: int = 60
    seed: int = 0


SETTINGS: dict[str, BaselineSettings] = {
    "dialog_manager": BaselineSettings(),
    "cfir": BaselineSettings(width=256),
    "mai": BaselineSettings(width=128),
}


@dataclass(frozen=True, slots=True)
class Material:
    """What a training reads of a benchmark."""

    readings: tuple[Sequence[Example], Sequence[Example]]
    gallery: Sequence[str]
    """Gallery pictures from which negatives are drawn."""
    features: StoredFeatures
    validation: Validation
    made_of: str
    """Benchmarks and towers."""


def read_material(
    benchmark: Benchmark, also: Sequence[Benchmark], towers: Towers, folder: Path, reads_tokens: bool = True
) -> Material:
    """Frozen features of what is taught and of the val split; `folder` keeps them. reads_tokens: also hidden states."""
    taught = open_taught(benchmark, also, towers, folder, single=True)
    validation = open_validation(benchmark, taught.vectors)
    texts = _texts((*taught.readings[0], *validation.examples))
    bank = TextTrunk().bank(texts, folder / STATES) if reads_tokens else None
    features = StoredFeatures(taught.vectors, joint_vectors(towers, texts, folder), bank)
    return Material(taught.readings, taught.negatives, features, validation, f"{taught.made_of} {towers.name}")


def _texts(turns: Iterable[Example]) -> set[str]:
    return {turn.request for example in turns for turn in turn_inputs(example.query)}


def late_fusion(queries: Sequence[Example], features: StoredFeatures) -> Embeddings:
    """The score to beat: the shipped encoder's, of the current request and references, nothing of the past."""
    vectors = []
    for query in (example.query for example in queries):
        request = turn_inputs(query)[-1].request
        texts = {query.text: features.texts([request])[0]} if request else {}
        pictures = dict(zip(query.references, features.pictures(query.references), strict=True))
        vectors.append(fused(query, texts, pictures, features.picture_vectors.vectors.shape[1]))
    return unit(np.array(vectors, np.float32))


def train(kind: str, material: Material, settings: BaselineSettings, out: Path) -> ConversationModel:
    """Goes on from `out/checkpoint.pt`. Raises TrainingError like `loop.run`."""
    torch.manual_seed(settings.seed)
    dim = material.validation.vectors.vectors.shape[1]
    model = KINDS[kind](ModelSettings(dim, settings.width, settings.dropout))
    turns = Turns(
        material.readings,
        material.validation.vectors,
        material.gallery,
        settings.batch,
        settings.negatives,
        settings.seed,
        by_session=True,
    )

    def backward(batch: TurnBatch) -> float:
        vectors = model.encode([example.query for example in batch.examples], material.features)
        loss = query_loss(vectors, batch.candidates, batch.target, batch.masked, settings.temperature)
        loss.backward()
        return float(loss.item())

    schedule = loop.Schedule(settings.epochs, settings.warmup, settings.average, seed=settings.seed)
    made_of = {"kind": kind, "dim": dim, "features": material.made_of, **asdict(settings)}
    groups = loop.groups_of(model.parameters(), settings.rate, settings.weight_decay)
    trained = loop.run(model, groups, turns.epoch, turns.n_batches, backward, schedule, out, made_of)
    assert isinstance(trained, ConversationModel)
    return trained


def scores(model: nn.Module, material: Material) -> dict[str, float]:
    assert isinstance(model, ConversationModel)
    queries = [example.query for example in material.validation.examples]
    return material.validation.scores(encoded(model, queries, material.features))


def run(arguments: argparse.Namespace) -> int:
    torch.set_num_threads(arguments.threads)
    settings = replace(SETTINGS[arguments.kind], seed=arguments.seed, **_chosen(arguments))
    cards.refuse_foreign(arguments.export, arguments.towers)
    benchmark, towers = read_benchmark(arguments.benchmark), Towers.open(arguments.towers)
    reads_tokens = KINDS[arguments.kind].reads_tokens
    also = [read_benchmark(folder) for folder in arguments.also]
    material = read_material(benchmark, also, towers, arguments.vectors or arguments.out / "vectors", reads_tokens)
    started = time.monotonic()
    model = train(arguments.kind, material, settings, arguments.out)
    log.info("trained in %.0f s", time.monotonic() - started)
    reached = scores(model, material)
    beside = material.validation.scores(late_fusion(material.validation.examples, material.features))
    card = {
        "settings": asdict(settings),
        "made_of": material.made_of,
        "validation": reached,
        "late_fusion": beside,
    }
    export_baseline(arguments.kind, model, arguments.towers, arguments.export, card)
    sys.stdout.write(json.dumps({"kind": arguments.kind, "validation": reached, "late_fusion": beside}) + "\n")
    return 0


def _chosen(arguments: argparse.Namespace) -> dict[str, Any]:
    """Settings that were named on the command line."""
    named = {name: getattr(arguments, name) for name in ("width", "dropout", "rate", "epochs", "batch", "temperature")}
    return {name: value for name, value in named.items() if value is not None}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m retrieval.baselines.train", description=__doc__)
    parser.add_argument("kind", choices=sorted(KINDS))
    parser.add_argument("--benchmark", type=Path, required=True, help="folder that `builders.dim_fashion build` wrote")
    parser.add_argument(
        "--also", type=Path, nargs="*", default=[], metavar="BENCHMARK",
        help="further ones, built --without the first, all of whose sessions train",
    )  # fmt: skip
    parser.add_argument("--towers", type=Path, default=DEFAULT_FOLDER, help="folder of the frozen towers")
    parser.add_argument("--vectors", type=Path, help="keeps the features of pictures and texts; default: OUT/vectors")
    parser.add_argument("--out", type=Path, required=True, help="checkpoint and metrics of this run")
    parser.add_argument("--export", type=Path, required=True, help="where the system folder goes")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=1)
    for name, kind in (("width", int), ("dropout", float), ("rate", float), ("epochs", int), ("batch", int)):
        parser.add_argument(f"--{name}", type=kind, help="default: as chosen on the validation split")
    parser.add_argument("--temperature", type=float, help="of the contrastive loss")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    arguments = _parser().parse_args(argv)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", stream=sys.stderr)
    return command.run(lambda: run(arguments), "the same command goes on from the last checkpoint.")


if __name__ == "__main__":
    sys.exit(main())
