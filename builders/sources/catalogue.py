"""Any plain product catalogue (CSV, JSONL, Parquet, folder) as a source: instances made from its names and attributes.

| data set | instance |
|---|---|
| `<name>-t2i` | a description or the product's name -> the product |
| `<name>-cir` | a product and what shall differ -> that product |
| `<name>-asfr` | a product and an attribute that is to be seen -> others that share it |
| `<name>-street` | the product cut out and laid on another ground -> its picture in the catalogue |

A text has one target, but a catalogue may hold several products that it fits. A description says all that is known and
is used where at most `MAX_FITTING` products fit; a name is used where it is the only one of its kind; otherwise a
product is no target of words. What goes with what (COMPATIBLE) cannot be told from such a catalogue with truth and is
left out, as are photos of which only the kind of garment is known: "find this one" would have no true answer.
"""

from __future__ import annotations

import hashlib
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from builders import colours, wording
from builders.colours import MIXED
from builders.instances import Coverage, Instance, SourceData, SourceImage
from builders.sources import asfr_pools, attribute_texts, catalogue_pairs, catalogue_products, catalogue_words
from builders.sources.asfr_pools import asfr_instances, draw_pools, tolerate_unasked
from builders.sources.attribute_texts import changed, described, named, sought
from builders.sources.catalogue_pairs import MAX_FITTING, draw_pairs
from builders.sources.catalogue_products import SPOKEN, LeaveOut, Product, read_products
from builders.sources.catalogue_street import make_street_pictures
from builders.sources.catalogue_street import recipe as street_recipe
from builders.sources.catalogue_words import may_be
from builders.sources.reading import require_folder, revision_of
from builders.wording import folded
from retrieval.benchmark import Task
from retrieval.errors import SourceError
from retrieval.schema import Item

P_NAME = 0.4
"""Share of names among the texts of products that both can be said of."""
P_SHORT = 0.6
"""Share of the descriptions that leave the usage out, where they can: nearly everything is casual."""
P_COLOUR_QUERY = 0.5
"""Share of the products without a rarer visible attribute that ask for their colour on something else."""
VISIBLE = ("pattern", "neckline", "sleeves", "material", "closure", "colour")
"""Attributes that a picture shows, the rarer first."""


def read(folder: Path, made: Path, seed: int, limit: int | None) -> SourceData:
    """`folder` may also be the catalogue's file. Raises SourceError."""
    if not folder.is_file():
        require_folder(folder, "a catalogue")
    return read_catalogue(folder, made, seed, limit, "catalogue", _everything)


def _everything(_: Item) -> str:
    return ""


def read_catalogue(
    folder: Path, made: Path, seed: int, limit: int | None, source: str, leave_out: LeaveOut
) -> SourceData:
    """`source` begins the image_ids and names the data sets."""
    coverage = Coverage()
    products, revision = read_products(folder, made, source, limit, leave_out, coverage)
    streets = make_street_pictures(products, made, seed, coverage)
    instances = [
        *_t2i(products, source, seed, coverage),
        *_cir(products, source, seed),
        *_asfr(products, source, seed, coverage),
        *_street(products, streets, source, seed),
    ]
    if not instances:
        raise SourceError(
            f"Nothing can be asked of {folder}: its {len(products)} products have neither names that tell them apart "
            "nor enough attributes (category, colour, gender, brand, ...). Give a catalogue with such columns."
        )
    images = [_image(product) for product in products] + list(streets.values())
    return SourceData(
        name=source,
        root=made,
        images={image.image_id: image for image in images},
        instances=sorted(instances, key=lambda instance: instance.instance_id),
        coverage=coverage,
        revision=f"{revision}-{_recipe()}",
    )


def _recipe() -> str:
    """Hash of the code that makes pictures and instances of the products."""
    texts = (asfr_pools, attribute_texts, catalogue_pairs, catalogue_products, catalogue_words, colours, wording)
    files = [Path(str(module.__file__)) for module in (sys.modules[__name__], *texts)]
    return hashlib.sha256(f"{revision_of(files)} {street_recipe()}".encode()).hexdigest()[:8]


def _image(product: Product) -> SourceImage:
    return SourceImage(
        image_id=product.image_id,
        path=product.path,
        product_id=product.image_id,
        caption=product.name,
        attributes=product.attributes,
    )


def _t2i(products: Sequence[Product], source: str, seed: int, coverage: Coverage) -> Iterator[Instance]:
    alike = Counter(key for product in products for key in _said(product))
    names = Counter(folded(product.name) for product in products)
    for product in products:
        rng = random.Random(f"{seed}/t2i/{product.image_id}")
        has_name = names[folded(product.name)] == 1 and " " in product.name.strip()
        in_full, in_short = _said(product)
        fits = alike[in_full] <= MAX_FITTING
        has_description = fits and "category" in product.spoken and len(product.spoken) > 1
        if not has_name and not has_description:
            coverage.tolerated["no text that fits few products"] += 1
            continue
        by_name = has_name and (not has_description or rng.random() < P_NAME)
        spoken = dict(product.spoken)
        if alike[in_short] <= MAX_FITTING and rng.random() < P_SHORT:
            spoken.pop("usage", None)
        text = named(product.name, rng) if by_name else described(spoken, product.brand, rng)
        yield Instance(f"{product.image_id}#t2i", Task.T2I, f"{source}-t2i", text, product.image_id)


def _said(product: Product) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What a description says, with the usage and without."""
    without = (value for name, value in zip(SPOKEN, product.signature, strict=True) if name != "usage")
    return ("in full", product.brand, *product.signature), ("in short", product.brand, *without)


def _cir(products: Sequence[Product], source: str, seed: int) -> Iterator[Instance]:
    rng = random.Random(f"{seed}/cir")
    for pair in draw_pairs(products, rng):
        category = pair.target.spoken.get("category", "")
        yield Instance(
            instance_id=f"{pair.reference.image_id}#cir#{pair.target.image_id}",
            task=Task.CIR,
            dataset=f"{source}-cir",
            text=changed(pair.change, category, pair.reference.brand, pair.is_same_model, rng),
            target=pair.target.image_id,
            references=(pair.reference.image_id,),
        )


def _asfr(products: Sequence[Product], source: str, seed: int, coverage: Coverage) -> list[Instance]:
    rng = random.Random(f"{seed}/asfr")
    groups: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    queries: list[tuple[str, str]] = []
    for product in products:
        known = [name for name in VISIBLE if _is_visible(product, name)]
        for name in known:
            groups[name][product.spoken[name]].append(product.image_id)
        if known and (known[0] != "colour" or rng.random() < P_COLOUR_QUERY):
            queries.append((known[0], product.image_id))
    wearers = {product.image_id: product.spoken.get("gender", "") for product in products}
    unsure = _uncertain(products, groups)
    asked = Coverage()
    pools = draw_pools(groups, rng, asked, queries=queries, uncertain=unsure, wearer_of=wearers)
    instances = asfr_instances(f"{source}-asfr", pools, rng, names_values=True)
    tolerate_unasked(asked, coverage)
    return instances


def _is_visible(product: Product, name: str) -> bool:
    value = product.spoken.get(name, "")
    return bool(value) and not (name == "colour" and value in MIXED)


def _uncertain(
    products: Sequence[Product], groups: Mapping[str, Mapping[str, Sequence[str]]]
) -> dict[str, dict[str, set[str]]]:
    """Navy may pass for blue, and a shoe with a second colour has that one as well: no sure negatives."""
    doubts: dict[str, dict[str, set[str]]] = {}
    for name, values in groups.items():
        doubts[name] = {}
        for value in values:
            close = {other for other in values if other != value and may_be(name, value, other)}
            doubts[name][value] = {image for other in sorted(close) for image in values[other]}
    for value, doubt in doubts.get("colour", {}).items():
        doubt.update(p.image_id for p in products if any(may_be("colour", value, other) for other in p.colours))
    return doubts


def _street(
    products: Sequence[Product], streets: Mapping[str, SourceImage], source: str, seed: int
) -> Iterator[Instance]:
    for product in products:
        if product.image_id in streets:
            rng = random.Random(f"{seed}/find/{product.image_id}")
            yield Instance(
                instance_id=f"{product.image_id}#street",
                task=Task.STREET2SHOP,
                dataset=f"{source}-street",
                text=sought(product.spoken.get("category", "item"), rng),
                target=product.image_id,
                references=(streets[product.image_id].image_id,),
            )
