"""Instances of the studio's source: each task is a data set of its own, so that sessions can cross between them."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace

from builders.instances import Coverage, Instance
from builders.sources.asfr_pools import asfr_instances, draw_pools, tolerate_unasked
from builders.sources.studio_catalogue import Piece
from builders.studio import changes, requests
from builders.studio.garment import Garment
from builders.studio.outfits import Wardrobe
from retrieval.benchmark import Task

_COPIES_SEARCHED, _MATCHED, _OUTFITS, _ASKED = 0.35, 0.5, 0.1, 0.6
"""Shares of products: changed copies that words search for; those that something is matched to, that begin an outfit of
several pictures, whose attribute is asked for elsewhere."""
_FROM_OTHER_VIEW = 0.3
"""Share of the references that are the product's other picture, where it has one."""

_SEEN_CLOSURES = (
    "Jacket",
    "Coat",
    "Hoodie",
    "Boots",
    "Sneakers",
    "Formal Shoes",
    "Sandals",
    "Backpack",
    "Handbag",
    "Belt",
)
_SEEN_MATERIALS = (
    "Denim",
    "Corduroy",
    "Leather",
    "Suede",
    "Canvas",
    "Straw",
    "Mesh",
    "Satin",
    "Patent Leather",
    "Velvet",
)
_LENGTH_KINDS = ("Dress", "Skirt", "Coat", "Shorts", "Leggings", "Trousers", "Jeans", "Jumpsuit")
_IN_EVERY_VIEW = ("pattern", "colour", "material")


def instances(pieces: Sequence[Piece], seed: int, coverage: Coverage) -> list[Instance]:
    """Sorted by instance_id; all of them are records that are kept."""
    by_base = {piece.name: piece for piece in pieces if piece.change is None}
    found = [
        *_searches(pieces, seed),
        *_shown(pieces, seed),
        *_changed(pieces, by_base, seed),
        *_matched(pieces, seed),
        *_same_attribute(pieces, seed, coverage),
    ]
    coverage.n_records = coverage.n_kept = len(found)
    return sorted(found, key=lambda instance: instance.instance_id)


def _searches(pieces: Sequence[Piece], seed: int) -> Iterator[Instance]:
    """Words alone, and a drawing with words."""
    for piece in pieces:
        rng = random.Random(f"{seed} words {piece.name}")
        if piece.change is None or rng.random() < _COPIES_SEARCHED:
            text = requests.description(piece.garment, rng)
            yield Instance(f"studio/t2i/{piece.name}", Task.T2I, "studio-t2i", text, piece.image_id())
        if "sketch" in piece.views:
            yield Instance(
                f"studio/sketch/{piece.name}",
                Task.SKETCH2IMG,
                "studio-sketch",
                requests.sketch_request(piece.garment, rng),
                piece.image_id(),
                (piece.image_id("sketch"),),
            )


def _shown(pieces: Sequence[Piece], seed: int) -> Iterator[Instance]:
    """The same product: from a user's picture, and from one of the shop's pictures to the other."""
    for piece in pieces:
        rng = random.Random(f"{seed} shown {piece.name}")
        product, other = piece.image_id(), piece.image_id("other")
        if "street" in piece.views:
            text = requests.street_request(piece.garment, rng)
            street = (piece.image_id("street"),)
            yield Instance(f"studio/street/{piece.name}", Task.STREET2SHOP, "studio-street", text, product, street)
        if "other" in piece.views:
            for way, target, reference in (("other", other, product), ("product", product, other)):
                text = requests.same_item_request(piece.garment, rng)
                name = f"studio/inshop/{piece.name}-{way}"
                yield Instance(name, Task.IN_SHOP, "studio-inshop", text, target, (reference,))


def _changed(pieces: Sequence[Piece], by_base: dict[str, Piece], seed: int) -> Iterator[Instance]:
    """From a garment to its changed copy, and back."""
    for piece in pieces:
        if piece.change is None:
            continue
        rng = random.Random(f"{seed} changed {piece.name}")
        base = by_base[piece.base]
        there = changes.request(piece.change, rng)
        yield _cir(f"{piece.name}-there", there, piece.image_id(), _reference(base, rng))
        back = changes.request(piece.change.reversed(), rng)
        yield _cir(f"{piece.name}-back", back, base.image_id(), piece.image_id())


def _cir(name: str, text: str, target: str, reference: str) -> Instance:
    return Instance(f"studio/cir/{name}", Task.CIR, "studio-cir", text, target, (reference,))


def _reference(piece: Piece, rng: random.Random) -> str:
    """One of the shop's pictures of the product."""
    return piece.image_id("other" if "other" in piece.views and rng.random() < _FROM_OTHER_VIEW else "product")


def _matched(pieces: Sequence[Piece], seed: int) -> Iterator[Instance]:
    """What goes with one garment, and what completes an outfit of two or three."""
    wardrobe = Wardrobe((piece.image_id(), piece.garment) for piece in pieces)
    for piece in pieces:
        rng = random.Random(f"{seed} matched {piece.name}")
        several = rng.random() < _OUTFITS
        if not several and rng.random() > _MATCHED:
            continue
        references, worn = [_reference(piece, rng)], [piece.garment]
        for _ in range(rng.choice((1, 2)) if several else 0):
            joined = wardrobe.match(worn, rng)
            if joined is not None:
                references.append(joined[0])
                worn.append(joined[1])
        found = wardrobe.match(worn, rng)
        if found is not None:
            text = requests.compatible_request(found[1], len(references), rng)
            name = f"studio/compat/{piece.name}"
            yield Instance(name, Task.COMPATIBLE, "studio-compat", text, found[0], tuple(references))


def seen_values(garment: Garment) -> dict[str, str]:
    """Attribute -> value, of those that the product's picture shows."""
    seen = {"colour": garment.colour}
    if garment.pattern not in ("Solid", "Tipped"):
        seen["pattern"] = garment.pattern
    if garment.neckline:
        seen["neckline"] = garment.neckline
    if garment.sleeves:
        seen["sleeves"] = garment.sleeves
    if garment.length and garment.kind in _LENGTH_KINDS:
        seen["length"] = garment.length
    if garment.heel:
        seen["heel"] = garment.heel
    if garment.closure and garment.kind in _SEEN_CLOSURES:
        seen["closure"] = garment.closure
    if garment.strap:
        seen["strap"] = garment.strap
    if garment.material in _SEEN_MATERIALS:
        seen["material"] = garment.material
    return seen


def _same_attribute(pieces: Sequence[Piece], seed: int, coverage: Coverage) -> list[Instance]:
    """Others that share what is seen of one attribute; never a copy of the same garment."""
    rng = random.Random(f"{seed} attributes")
    groups: dict[str, dict[str, list[str]]] = {}
    queries: list[tuple[str, str]] = []
    views: dict[str, Piece] = {}
    for piece in pieces:
        seen = seen_values(piece.garment)
        views[piece.image_id()] = piece
        for attribute, value in seen.items():
            groups.setdefault(attribute, {}).setdefault(value, []).append(piece.image_id())
        if rng.random() < _ASKED:
            telling = [name for name in seen if name != "colour"] or ["colour"]
            queries.append((rng.choice(telling), piece.image_id()))
    products = {piece.image_id(): piece.base for piece in pieces}
    wearers = {piece.image_id(): piece.garment.gender for piece in pieces}
    asked = Coverage()
    pools = draw_pools(groups, rng, asked, queries=queries, product_of=products, wearer_of=wearers)
    found = asfr_instances("studio-asfr", pools, rng, names_values=True)
    tolerate_unasked(asked, coverage)
    return [_from_other_view(instance, views[instance.references[0]], rng) for instance in found]


def _from_other_view(instance: Instance, piece: Piece, rng: random.Random) -> Instance:
    """The same query from the product's other picture, where that is sure to show the attribute."""
    name = f"studio/asfr/{piece.name}-{instance.attribute}"
    if instance.attribute not in _IN_EVERY_VIEW:
        return replace(instance, instance_id=name)
    return replace(instance, instance_id=name, references=(_reference(piece, rng),))
