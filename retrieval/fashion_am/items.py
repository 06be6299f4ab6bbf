"""Products for stages 1 and 2: a clean picture each, everyday pictures beside it, and its texts.

Nothing that a validation or test session touches is among them: not a picture, and no other picture of its product.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PIL import Image

from retrieval.errors import BenchmarkError
from retrieval.fashion_am.captions import attribute_captions, benchmark_caption
from retrieval.fashion_am.data import (
    CAPTIONS_EACH,
    STUDIO_ITEMS,
    Sample,
    fpi_files,
    fpi_samples,
    photo_grounds,
    photo_samples,
    studio_samples,
)
from retrieval.fashion_am.trunk_cache import AnyTrunk, CachedProducts, cache, digest_of
from retrieval.fashion_am.views import ground_mask, jittered, on_ground
from retrieval.images import open_picture
from retrieval.recorded import held_out_products, product_of

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

    from retrieval.benchmark import Benchmark, BenchmarkImage

CLEAN = 0
"""Every sample's first view is its item alone on white; the others are raw pictures."""
N_CLUTTERED = 2
CATALOGUE = "fpi"
"""Source of a benchmark that --fpi is."""


def clean(picture: Picture) -> Picture:
    """The item alone on pure white, from a picture on a plain pale ground."""
    return Image.composite(Image.new("RGB", picture.size, "white"), picture, ground_mask(picture))


def with_clean_view(sample: Sample, grounds: Sequence[Picture]) -> Sample:
    """From a sample whose first view is a picture on plain ground: clean, as it is, jittered, and on other grounds."""
    rng = random.Random(f"clean/{sample.key}")
    original = sample.views[0]
    cluttered = [on_ground(jittered(original, rng), grounds, rng) for _ in range(N_CLUTTERED)]
    return replace(sample, views=(clean(original), original, jittered(original, rng), *cluttered))


def catalogue_items(folder: Path, held_out: frozenset[str], grounds: Sequence[Picture]) -> Iterator[Sample]:
    """The catalogue's training products that no validation or test session touches."""
    for sample in fpi_samples(folder, "train", (), only_first=True):
        if f"{CATALOGUE}/{sample.key}" not in held_out:
            yield with_clean_view(sample, grounds)


def drawn_items(folder: Path, grounds: Sequence[Picture]) -> Iterator[Sample]:
    """What `python -m builders.studio sample` drew; these garments are in no benchmark."""
    for sample in studio_samples(folder, (), only_first=True):
        yield with_clean_view(sample, grounds)


def benchmark_items(
    benchmark: Benchmark, source: str, held_out: frozenset[str], grounds: Sequence[Picture]
) -> Iterator[Sample]:
    """Products of one source with all their pictures: on a hanger, worn, in the street, drawn.

    Where the source gives a cut-out, it is the clean view; else the first picture of the gallery is cleaned.
    Raises BenchmarkError when the source is not in the benchmark.
    """
    products: dict[str, list[BenchmarkImage]] = {}
    for image in sorted(benchmark.images.values(), key=lambda image: image.image_id):
        if image.source == source and image.path and product_of(image) not in held_out:
            products.setdefault(product_of(image), []).append(image)
    if not products:
        raise BenchmarkError(f"{benchmark.folder} has no product of source {source!r} that may be trained on.")
    for product, pictures in products.items():
        if any(image.in_gallery for image in pictures):
            yield _product_sample(benchmark, product, pictures, grounds)


def _product_sample(
    benchmark: Benchmark, product: str, pictures: Sequence[BenchmarkImage], grounds: Sequence[Picture]
) -> Sample:
    rng = random.Random(f"benchmark/{product}")
    by_kind: dict[str, list[Picture]] = {}
    for image in pictures:
        by_kind.setdefault(image.kind, []).append(open_picture(str(benchmark.picture_path(image.image_id)), 512))
    described = next(image for image in pictures if image.in_gallery)
    shop = [*by_kind.get("product", ()), *by_kind.get("worn", ())]
    cutouts = by_kind.get("cutout", [])
    cluttered = [on_ground(jittered(shop[0], rng), grounds, rng) for _ in range(N_CLUTTERED)]
    raw = [*shop, *by_kind.get("street", ()), jittered(shop[0], rng), *cluttered]
    drawings = by_kind.get("sketch", [])
    attributes = described.attributes
    return Sample(
        key=product,
        views=(cutouts[0] if cutouts else clean(shop[0]), *raw),
        name=described.caption,
        captions=(benchmark_caption(attributes), *attribute_captions(attributes, CAPTIONS_EACH - 1, product)),
        same="\n".join(str(attributes.get(k, "")) for k in ("category", "colour", "pattern", "sleeves", "length")),
        sketches=tuple(drawings),
        sketch_captions=tuple(attribute_captions(attributes, 2, product, colour=False)) if drawings else (),
    )


def photo_items(samples: Iterable[Sample], masks: Path) -> Iterator[Sample]:
    """Photos that people took, where `masks` holds the item's mask as `<photo_id>.png` (255: the item)."""
    for sample in samples:
        file = masks / f"{sample.key}.png"
        if not file.is_file():
            continue
        photo = sample.views[0]
        mask = Image.open(file).convert("L").resize(photo.size)
        white = Image.new("RGB", photo.size, "white")
        if mask.getextrema() == (0, 0):  # nothing was found in it
            continue
        yield replace(sample, views=(Image.composite(photo, white, mask), *sample.views))


def refuse_unknown_sources(benchmark: Benchmark) -> None:
    """Held-out products are known by their ids, which begin with the source's name.

    Raises BenchmarkError for a benchmark of other sources without the catalogue's own: if one of them is the catalogue
    under another name, its test products would be trained on.
    """
    sources = {image.source for image in benchmark.images.values()}
    if CATALOGUE not in sources and sources - {"studio"}:
        raise BenchmarkError(
            f"{benchmark.folder} has sources {', '.join(sorted(sources))} and none named {CATALOGUE!r}: whether its "
            f"test products are among those of --fpi cannot be told. Build it with --source {CATALOGUE}=FOLDER."
        )


def open_items(
    benchmark: Benchmark,
    trunk: AnyTrunk,
    caches: Path,
    fpi: Path,
    photos: Path | None,
    studio: Path | None,
    masks: Path | None,
    *,
    uncut: bool,
) -> dict[str, CachedProducts]:
    """All sources through the trunk, once: `caches` keeps them for this benchmark and these very files.

    uncut: photos without a mask too, whose first view is the photo as it is; they have texts, and no clean picture.
    """
    refuse_unknown_sources(benchmark)
    held_out = held_out_products(benchmark)
    checksum = str(benchmark.card["checksum"])
    shown, grounds = ((photos,), photo_grounds(photos)) if photos else ((), [])
    sources: dict[str, tuple[Iterable[Sample], Sequence[str | Path]]] = {}
    sources["catalogue"] = catalogue_items(fpi, held_out, grounds), (checksum, *fpi_files(fpi), *shown)
    if any(image.source == "studio" for image in benchmark.images.values()):
        sources["benchmark"] = benchmark_items(benchmark, "studio", held_out, grounds), (checksum, *shown)
    if studio:
        sources["drawn"] = drawn_items(studio, grounds), (studio / STUDIO_ITEMS, *shown)
    if photos and masks:
        cut = photo_items(photo_samples(photos), masks)
        sources["cut_photos"] = cut, (photos, *sorted(masks.glob("*.png")))
    if photos and uncut:
        sources["photos"] = photo_samples(photos), (photos,)
    folder = caches / checksum.removeprefix("sha256:")[:12]
    return {
        name: cache(samples, trunk, folder / f"{name}-{digest_of(*made_of)}")
        for name, (samples, made_of) in sources.items()
    }
