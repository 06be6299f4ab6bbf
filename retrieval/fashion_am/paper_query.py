"""Stage 3 at the paper's size: Qwen3.5 reads conversations with its own eyes, against vectors of CLIP."""

from __future__ import annotations

import argparse
import json
import os
import sys
from dataclasses import asdict, fields
from typing import Any

import torch
from torch import nn

from retrieval.benchmark import read_benchmark
from retrieval.encoders import cards
from retrieval.errors import EncoderError
from retrieval.fashion_am import paper, query
from retrieval.fashion_am.clip import open_towers
from retrieval.fashion_am.clip_encoder import ClipEncoder
from retrieval.fashion_am.context import open_template
from retrieval.fashion_am.processes import open_accelerator, rank
from retrieval.fashion_am.query import QuerySettings
from retrieval.fashion_am.qwen import ContextReader, QwenData, QwenQueryEncoder, QwenSettings, open_qwen
from retrieval.fashion_am.serving import export_server
from retrieval.fashion_am.stage_files import device_of, first_process_first
from retrieval.fashion_am.taught import READINGS, open_taught
from retrieval.fashion_am.turns import Turns
from retrieval.fashion_am.validation import open_validation


def run(arguments: argparse.Namespace) -> None:
    """Prints the scores on the val split; --export is the folder that a model server serves."""
    if not arguments.backbone:
        raise EncoderError("--size paper needs --backbone: a folder, or a name like Qwen/Qwen3.5-4B.")
    settings = QuerySettings(**{each.name: getattr(arguments, each.name) for each in fields(QuerySettings)})
    cards.refuse_foreign(arguments.export, arguments.towers)
    benchmark = read_benchmark(arguments.benchmark)
    accelerator = open_accelerator(arguments.precision)
    device = device_of(accelerator)
    towers = ClipEncoder(open_towers(str(arguments.towers)).to(device))
    also = [read_benchmark(folder) for folder in arguments.also]
    with first_process_first(arguments):
        taught = open_taught(benchmark, also, towers, arguments.vectors or arguments.out / "vectors", single=False)
    model, processor = open_qwen(arguments.backbone, paper.LIMITS, arguments.precision)
    reader = ContextReader(processor, open_template("full"), paper.LIMITS)
    torch.manual_seed(settings.seed)
    encoder = QwenQueryEncoder(
        model, towers.manifest.dim, QwenSettings(settings.suffix, settings.dropout, paper.LIMITS)
    ).to(device)
    data: Any = QwenData(reader, settings.chunk)
    validations = {reading: open_validation(benchmark, taught.vectors, references=reading) for reading in READINGS}
    turns = Turns(
        taught.readings, taught.vectors, taught.negatives, settings.batch, settings.negatives, settings.seed
    )  # fmt: skip
    made_of = {
        "benchmark": taught.made_of,
        "towers": towers.name,
        "template": reader.template.revision,
        "backbone": arguments.backbone,
        "limits": asdict(paper.LIMITS),
    }

    def validate(module: nn.Module) -> dict[str, float]:
        return query.scores(module, data, validations, accelerator)

    trained: Any = query.train(
        encoder, turns, data, settings, arguments.out, made_of, validate,
        accelerator=accelerator, tensorboard=arguments.tensorboard,
    )  # fmt: skip
    if rank(accelerator) == 0:
        found = query.scores(trained, data, validations, accelerator)
        card: dict[str, Any] = {
            "settings": asdict(settings),
            "trained": made_of,
            "n_turns": len(taught.readings[0]),
            "scores": found,
        }
        if arguments.towers.is_dir():  # where `open_encoder` finds the gallery's side
            card["base"] = os.path.relpath(arguments.towers, arguments.export)
        export_server(trained, reader, towers.manifest, arguments.export, card)
        sys.stdout.write(json.dumps(found) + "\n")
