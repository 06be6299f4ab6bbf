"""Stage 3, query adaptation: a query encoder is trained against the frozen vectors of a system's picture tower."""

from __future__ import annotations

import argparse
import json
import logging
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import torch
from torch import Tensor, nn

from retrieval.benchmark import read_benchmark
from retrieval.encoders import cards
from retrieval.encoders.towers import DEFAULT_FOLDER, Towers
from retrieval.fashion_am import loop
from retrieval.fashion_am.backbones import MiniQueryEncoder, open_minilm
from retrieval.fashion_am.base_weights import base_weights
from retrieval.fashion_am.context import open_template
from retrieval.fashion_am.export import export_query, write_query_encoder
from retrieval.fashion_am.gradcache import grad_cached
from retrieval.fashion_am.kept_texts import text_features
from retrieval.fashion_am.losses import query_loss
from retrieval.fashion_am.packing import texts_of, words_of
from retrieval.fashion_am.processes import autocast, open_accelerator, own_share, rank
from retrieval.fashion_am.query_encoder import Residual
from retrieval.fashion_am.query_inputs import PICTURES, Inputs, Kept, QueryData
from retrieval.fashion_am.query_inputs import QuerySettings as QuerySettings
from retrieval.fashion_am.stage_files import first_process_first
from retrieval.fashion_am.taught import READINGS, open_taught
from retrieval.fashion_am.text_trunk import STATES, TextTrunk
from retrieval.fashion_am.turns import TurnBatch, Turns, kin_of
from retrieval.fashion_am.validation import Validation, open_validation
from retrieval.recorded import References

if TYPE_CHECKING:
    from retrieval.protocols import Embeddings
    from retrieval.schema import Query

log = logging.getLogger(__name__)
ALONE_RATE = 1e-3
UNREAD = {
    "mini": ("backbone",),
    "paper": (
        "layers", "picture_tokens", "max_tokens", "residual", "pointer", "single", "alone_epochs", "alone_average",
        "hard",
    ),
}  # fmt: skip
M = TypeVar("M", bound=nn.Module)


def encode(model: nn.Module, chunks: Sequence[Iterable[Tensor | None]]) -> Tensor:
    device = next(model.parameters()).device
    return torch.cat([model(*(None if each is None else each.to(device) for each in inputs)) for inputs in chunks])


def encode_alone(residual: Residual, chunks: Sequence[Inputs]) -> Tensor:
    device = residual.favour.device
    return torch.cat([residual.alone(*(each.to(device) for each in inputs[PICTURES:])) for inputs in chunks])


def train(
    model: nn.Module,
    turns: Turns,
    data: QueryData,
    settings: QuerySettings,
    out: Path,
    made_of: Mapping[str, Any],
    validate: Callable[[nn.Module], Mapping[str, float]] | None = None,
    *,
    accelerator: Any = None,
    tensorboard: bool = False,
) -> nn.Module:
    """The residual's network alone first, which takes minutes, then everything else. made_of: what the weights depend
    on besides the settings."""
    depends_on = {**asdict(settings), **made_of}
    encoder: Any = model.encoder
    residual: Residual | None = encoder.residual
    if residual is not None:
        schedule = loop.Schedule(settings.alone_epochs, settings.warmup, settings.alone_average, seed=settings.seed)
        groups = [{"params": residual.of_its_own(), "lr": ALONE_RATE, "weight_decay": settings.weight_decay}]
        backward = _backward(residual, encode_alone, data, settings, accelerator, points=False)
        alone = loop.run(residual, groups, turns.epoch, turns.n_batches, backward, schedule, out / "alone", depends_on,
                         accelerator=accelerator)  # fmt: skip
        residual.load_state_dict(alone.state_dict())
        residual.train()
        for parameter in residual.of_its_own():
            parameter.requires_grad_(False)
    schedule = loop.Schedule(settings.epochs, settings.warmup, settings.average, seed=settings.seed)
    return loop.run(
        model, parameter_groups(model, settings), turns.epoch, turns.n_batches,
        _backward(model, encode, data, settings, accelerator, points=residual is not None and settings.pointer > 0),
        schedule, out, depends_on, validate,
        accelerator=accelerator, tensorboard=tensorboard,
    )  # fmt: skip


def _backward(
    model: M,
    encode: Callable[[M, Sequence[Inputs]], Tensor],
    data: QueryData,
    settings: QuerySettings,
    accelerator: Any,
    *,
    points: bool,
) -> Callable[[TurnBatch], float]:
    """points: the model gives one more column, the share of its attention on what is meant."""

    def loss(rows: Tensor, candidates: Tensor, target: Tensor, masked: Tensor) -> Tensor:
        dim = candidates.shape[1]
        found = query_loss(rows[:, :dim], candidates, target, masked, settings.temperature)
        return found - settings.pointer * rows[:, dim].clamp(min=1e-6).log().mean() if points else found

    def backward(batch: TurnBatch) -> float:
        order = data.by_length([example.query for example in batch.examples])
        device = next(model.parameters()).device
        candidates, target, masked = (
            each.to(device) for each in (batch.candidates, batch.target[order], batch.masked[order])
        )
        some = [batch.examples[i] for i in own_share(order, accelerator)]
        chunks = data.pointed_chunks(some) if points else data.chunks([example.query for example in some])
        parts = [[each] for each in chunks] if settings.cached else [chunks]
        return grad_cached(
            lambda part: encode(model, part),
            parts,
            lambda rows: loss(rows, candidates, target, masked),
            accelerator,
        )

    return backward


def parameter_groups(model: nn.Module, settings: QuerySettings) -> list[dict[str, Any]]:
    """LoRA; everything else that is new."""
    rates: dict[float, list[nn.Parameter]] = {}
    for name, parameter in model.named_parameters():
        if parameter.requires_grad:
            rates.setdefault(settings.lora_rate if "lora_" in name else settings.head_rate, []).append(parameter)
    return [{"params": some, "lr": rate, "weight_decay": settings.weight_decay} for rate, some in rates.items()]


def query_vectors(model: nn.Module, data: QueryData, queries: Sequence[Query], accelerator: Any = None) -> Embeddings:
    """float32 (n, dim), unit rows."""
    order = data.by_length(queries)
    with torch.no_grad(), autocast(accelerator):
        rows = encode(model, data.chunks([queries[i] for i in order])).float().cpu().numpy()
    result: Embeddings = np.empty_like(rows)
    result[order] = rows
    return result


def scores(
    model: nn.Module, data: QueryData, validations: Mapping[References, Validation], accelerator: Any = None
) -> dict[str, float]:
    """Of each reading, "previous/success@5" and so on. Most turns are the same in both: they are encoded once."""
    queries = list(dict.fromkeys(each.query for some in validations.values() for each in some.examples))
    vectors = dict(zip(queries, query_vectors(model, data, queries, accelerator), strict=True))
    found: dict[str, float] = {}
    for reading, validation in validations.items():
        own = np.stack([vectors[each.query] for each in validation.examples])
        found |= {f"{reading}/{name}": value for name, value in validation.scores(own).items()}
    return found


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--benchmark", type=Path, required=True, help="folder that a builder wrote")
    parser.add_argument(
        "--also", type=Path, nargs="*", default=[], metavar="BENCHMARK",
        help="further ones, built --without the first, all of whose sessions train",
    )  # fmt: skip
    parser.add_argument("--size", choices=["mini", "paper"], default="mini", help="paper: Qwen3.5; %(default)s")
    parser.add_argument("--backbone", help="with --size paper: a Qwen3.5, by its folder or a hub's name")
    parser.add_argument(
        "--towers", type=Path, default=DEFAULT_FOLDER,
        help="system whose towers stay; with --size paper a CLIP, as stage 2 left it; %(default)s",
    )  # fmt: skip
    parser.add_argument("--vectors", type=Path, help="the benchmark's vectors, kept for all runs; OUT/vectors")
    parser.add_argument("--export", type=Path, required=True, help="the system's folder that is written")
    defaults = QuerySettings()
    for each in fields(QuerySettings):
        if each.name in ("epochs", "batch", "seed"):
            continue
        name, value = f"--{each.name.replace('_', '-')}", getattr(defaults, each.name)
        if isinstance(value, bool):
            parser.add_argument(name, action=argparse.BooleanOptionalAction, default=value)
        else:
            parser.add_argument(name, type=type(value), default=value, help="%(default)s")
    parser.set_defaults(epochs=defaults.epochs, batch=defaults.batch, precision="bf16")


def run(arguments: argparse.Namespace) -> None:
    """Prints the scores on the val split. --out holds the checkpoint and `query.safetensors` with its card."""
    if arguments.size == "paper":
        from retrieval.fashion_am import paper_query

        paper_query.run(arguments)
        return
    settings = QuerySettings(**{each.name: getattr(arguments, each.name) for each in fields(QuerySettings)})
    cards.refuse_foreign(arguments.export, arguments.towers)
    benchmark = read_benchmark(arguments.benchmark)
    towers, template = Towers.open(arguments.towers), open_template("compact")
    kept = arguments.vectors or arguments.out / "vectors"
    also = [read_benchmark(folder) for folder in arguments.also]
    with first_process_first(arguments):
        taught = open_taught(benchmark, also, towers, kept, single=settings.single)
    vectors = taught.vectors
    validations = {reading: open_validation(benchmark, vectors, references=reading) for reading in READINGS}
    queries = [each.query for each in (*taught.readings[0], *validations[READINGS[0]].examples)]
    with first_process_first(arguments):
        features = text_features(towers, (text for query in queries for text in texts_of(query)), kept)
        bank = TextTrunk().bank((text for query in queries for text in words_of(query, template)), kept / STATES)
    data = QueryData(settings, template, Kept(vectors, features, bank))
    torch.manual_seed(settings.seed)
    dim = towers.manifest.dim
    model = open_mini(settings, dim)
    batches = Turns(
        taught.readings,
        vectors,
        taught.negatives,
        settings.batch,
        settings.negatives,
        settings.seed,
        kin=kin_of(benchmark, [each for each in taught.negatives if each in benchmark.images]),
        hard=settings.hard,
    )
    made_of = {"benchmark": taught.made_of, "towers": towers.name, "template": template.revision}
    accelerator = open_accelerator(arguments.precision)

    def validate(module: nn.Module) -> dict[str, float]:
        return scores(module, data, validations, accelerator)

    trained = train(
        model, batches, data, settings, arguments.out, made_of, validate,
        accelerator=accelerator, tensorboard=arguments.tensorboard,
    )  # fmt: skip
    found = scores(trained, data, validations)
    card = {"settings": asdict(settings), **made_of, "n_turns": len(taught.readings[0]), "scores": found}
    if rank(accelerator) == 0:
        write_query_encoder(trained, arguments.out, card)
        export_query(trained, arguments.towers, template, settings, arguments.export, card)
        sys.stdout.write(json.dumps(found) + "\n")


def open_mini(settings: QuerySettings, dim: int) -> MiniQueryEncoder:
    """Untrained; its new weights are drawn from torch's random state."""
    bert = open_minilm(base_weights()[1], settings.layers)
    return MiniQueryEncoder(bert, dim, settings.suffix, settings.picture_tokens, settings.residual, settings.dropout)
