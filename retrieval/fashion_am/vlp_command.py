"""Stage `vlp`: pre-trains the two towers of the embedded encoder and exports them to --export."""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch

from retrieval.errors import TrainingError
from retrieval.fashion_am import data
from retrieval.fashion_am.base_weights import base_weights
from retrieval.fashion_am.export import export_encoder, export_trunk
from retrieval.fashion_am.processes import launched
from retrieval.fashion_am.stage_files import write_picture_tower
from retrieval.fashion_am.texts import TextBank, open_tokenizer
from retrieval.fashion_am.towers import load_imagenet, load_minilm
from retrieval.fashion_am.trunk_cache import CachedProducts, Trunk, cache, digest_of
from retrieval.fashion_am.vlp import VlpSettings, VlpTowers, embed_texts, embed_views, name_success, train

"""First digits; a training must not start from other weights than it says."""


def materials(arguments: argparse.Namespace, trunk: Trunk) -> tuple[list[CachedProducts], CachedProducts]:
    """Cached training sources and the held-out products of the catalogue, which are for watching only."""
    photos = arguments.photos
    grounds = data.photo_grounds(photos) if photos else []
    shown = (photos,) if photos else ()
    catalogue = (*data.fpi_files(arguments.fpi), *shown)
    sources = {f"fpi_train-{digest_of(*catalogue)}": data.fpi_samples(arguments.fpi, "train", grounds)}
    if photos:
        sources[f"photos-{digest_of(photos)}"] = data.photo_samples(photos)
    if arguments.studio:
        name = f"studio-{digest_of(arguments.studio / data.STUDIO_ITEMS, *shown)}"
        sources[name] = data.studio_samples(arguments.studio, grounds)
    cached = [cache(samples, trunk, arguments.out / name) for name, samples in sources.items()]
    held_out = data.fpi_samples(arguments.fpi, "val", grounds)
    return cached, cache(held_out, trunk, arguments.out / f"fpi_val-{digest_of(*catalogue)}")


def all_texts(sources: Sequence[CachedProducts]) -> set[str]:
    texts: set[str] = set()
    for source in sources:
        texts.update(source.names)
        for captions in (*source.captions, *source.sketch_captions):
            texts.update(captions)
    return texts - {""}


def scores(towers: VlpTowers, bank: TextBank, held_out: CachedProducts) -> dict[str, float]:
    """Success@k of names and precision@10 of colour on the held-out products alone."""
    pictures = embed_views(towers.picture, held_out)
    found = name_success(pictures, embed_texts(towers, bank, held_out.names), held_out.names)
    captions = embed_texts(towers, bank, [captions[0] for captions in held_out.captions])
    colours = torch.from_numpy(np.unique([same.split("/")[1] for same in held_out.same], return_inverse=True)[1])
    top = (captions @ pictures.T).topk(10, dim=1).indices
    found["colour precision@10"] = round((colours[top] == colours[:, None]).float().mean().item(), 4)
    return found


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--fpi", type=Path, required=True, help="folder of the Fashion Product Images parquet files")
    parser.add_argument("--photos", type=Path, help="parquet file of users' photos of clothes, for robustness")
    parser.add_argument("--studio", type=Path, help="folder that `python -m builders.studio sample` wrote")
    parser.add_argument("--export", type=Path, required=True, help="folder for the ONNX files")
    parser.set_defaults(epochs=VlpSettings().epochs, batch=VlpSettings().batch)


def run(arguments: argparse.Namespace) -> None:
    """About 4 GB of caches in --out. Prints the held-out scores."""
    if launched() > 1 or arguments.precision != "no":
        raise TrainingError("Stage vlp trains in one process and in full precision: start it without torchrun.")
    imagenet, minilm = base_weights()
    settings = VlpSettings(epochs=arguments.epochs, batch=arguments.batch, seed=arguments.seed)
    torch.manual_seed(settings.seed)
    towers = VlpTowers(settings.dim)
    load_imagenet(towers.picture, imagenet)
    load_minilm(towers.text, minilm / "model.safetensors")
    towers.picture.to(memory_format=torch.channels_last)
    arguments.out.mkdir(parents=True, exist_ok=True)
    export_trunk(towers.picture, arguments.out / "trunk.onnx")
    sources, held_out = materials(arguments, Trunk(arguments.out / "trunk.onnx", arguments.threads))
    texts = all_texts(sources) | set(held_out.names) | {captions[0] for captions in held_out.captions}
    tokenizer = open_tokenizer(minilm / "tokenizer.json")
    bank = TextBank.cached(towers.text, tokenizer, texts, arguments.out / "texts.pt")

    def validate(module: VlpTowers) -> dict[str, float]:
        return scores(module, bank, held_out)

    trained = train(towers, sources, bank, settings, arguments.out, validate, arguments.tensorboard)
    card: dict[str, Any] = {
        "settings": asdict(settings),
        "products": [len(source) for source in sources],
        "texts": hashlib.sha256("\n".join(sorted(bank.row)).encode()).hexdigest(),
        "held_out": scores(trained, bank, held_out),
        "base": {"picture": "efficientnet-lite0 (ImageNet)", "text": "all-MiniLM-L6-v2"},
    }
    write_picture_tower(trained.picture, arguments.out, {"stage": "vlp", **card})
    export_encoder(trained.picture, trained.text, minilm / "tokenizer.json", arguments.export, card)
    sys.stdout.write(json.dumps(card["held_out"]) + "\n")
