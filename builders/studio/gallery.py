"""Writes what the studio makes: the embedded gallery, training material and contact sheets."""

from __future__ import annotations

import hashlib
import json
import logging
import random
import shutil
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from PIL import Image, ImageDraw

from builders.studio import naming
from builders.studio.assortment import stock
from builders.studio.garment import Garment, sample_garment, styles
from builders.studio.kinds import KINDS
from builders.studio.render import View, render
from retrieval.errors import GalleryError

log = logging.getLogger(__name__)

VERSION = "2"


def record(garment: Garment, item_id: str, image: str) -> dict[str, str | float]:
    """The gallery line of a garment; attributes that do not apply are absent."""
    head: dict[str, str | float] = {"id": item_id, "image": image, "name": naming.name(garment)}
    tail: dict[str, str | float] = {
        "brand": naming.brand(garment),
        "price": naming.price(garment),
        "description": naming.description(garment),
    }
    return head | garment.attributes() | tail


def _lines(records: Iterable[Mapping[str, object]]) -> str:
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in records)


def _refuse_foreign(folder: Path) -> None:
    """Raises GalleryError for a folder with anything but a gallery of the studio: the whole of it would be replaced."""
    if folder.exists() and not (folder / "card.json").is_file() and (not folder.is_dir() or any(folder.iterdir())):
        raise GalleryError(f"{folder} is no gallery of the studio, and would be replaced. Choose another --out.")


def _replace(folder: Path, made: Path) -> None:
    """Put the finished folder in the place of the old one."""
    if folder.exists():
        shutil.rmtree(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    made.rename(folder)


def write_gallery(folder: Path, n: int, seed: int, height: int = 512, quality: int = 82) -> Mapping[str, object]:
    """Write items.jsonl, images/ and card.json in place of what the studio wrote there before; returns the card.

    `height` is that of the pictures in pixels, `quality` WebP's. Raises GalleryError for a folder of something else.
    """
    _refuse_foreign(folder)
    made = folder.with_name(folder.name + ".partial")
    shutil.rmtree(made, ignore_errors=True)
    (made / "images").mkdir(parents=True)
    records: list[dict[str, str | float]] = []
    digest = hashlib.sha256()
    for number, garment in enumerate(stock(n, seed), start=1):
        item_id = f"studio-{number:04d}"
        image = f"images/{item_id}.webp"
        render(garment, height=height).save(made / image, quality=quality, method=4)
        digest.update((made / image).read_bytes())
        records.append(record(garment, item_id, image))
    lines = _lines(records)
    digest.update(lines.encode())
    (made / "items.jsonl").write_text(lines, encoding="utf-8")
    card = {
        "name": "Dimity studio gallery",
        "version": VERSION,
        "seed": seed,
        "n": len(records),
        "kinds": len({line["category"] for line in records}),
        "source": "drawn by builders/studio of this project",
        "licence": "the project's own",
        "command": f"python -m builders.studio gallery --out assets/gallery --n {n} --seed {seed}",
        "checksum": "sha256:" + digest.hexdigest(),
    }
    (made / "card.json").write_text(json.dumps(card, indent=2) + "\n", encoding="utf-8")
    _replace(folder, made)
    return card


def write_sample(folder: Path, n: int, seed: int, side: int) -> float:
    """Write training material: `side` is the pictures' height. Returns milliseconds a picture.

    items.jsonl has id, image, sketch, captions, name and the attributes; DONE is written last.
    """
    (folder / "images").mkdir(parents=True, exist_ok=True)
    (folder / "DONE").unlink(missing_ok=True)
    rng = random.Random(seed)
    records: list[dict[str, object]] = []
    start = time.perf_counter()
    for number in range(n):
        garment = sample_garment(rng)
        item_id = f"sample-{number:05d}"
        files = {"image": f"images/{item_id}.jpg", "sketch": f"images/{item_id}-sketch.jpg"}
        render(garment, height=side).save(folder / files["image"], quality=88)
        render(garment, "sketch", height=side).save(folder / files["sketch"], quality=80)
        line = record(garment, item_id, files["image"])
        records.append({**line, **files, "captions": naming.captions(garment)})
    took = (time.perf_counter() - start) * 1000 / max(2 * n, 1)
    part = folder / "items.jsonl.partial"
    part.write_text(_lines(records), encoding="utf-8")
    part.rename(folder / "items.jsonl")
    (folder / "DONE").write_text(f"{n} garments, {took:.1f} ms a picture\n", encoding="utf-8")
    return took


def contact_sheet(
    seed: int, per_kind: int, kinds: Sequence[str] | None = None, view: View = "product", height: int = 256
) -> Image.Image:
    """One row for each kind (all by default), its styles in turn. Raises ValueError for an unknown kind."""
    rng = random.Random(seed)
    chosen = kinds or list(KINDS)
    width = height * 3 // 4
    sheet = Image.new("RGB", (width * per_kind, (height + 14) * len(chosen)), "white")
    pen = ImageDraw.Draw(sheet)
    for row, kind in enumerate(chosen):
        names = styles(kind)
        for column in range(per_kind):
            garment = sample_garment(rng, kind, style=names[column % len(names)])
            picture = render(garment, view, height).convert("RGB")
            x, y = column * width, row * (height + 14)
            sheet.paste(picture, (x, y))
            words = f"{garment.colour} {garment.pattern} {garment.style} {garment.neckline or garment.material}"
            pen.text((x + 2, y + height), words[: width // 6], fill="black")
    return sheet
