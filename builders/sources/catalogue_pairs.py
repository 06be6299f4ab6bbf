"""Pairs of products that differ in one or two attributes and in nothing else that the catalogue knows.

A text has one target, so a pair is taken only where at most `MAX_FITTING` products do what the text asks: of one model
("the same in navy"), or of one brand and kind ("something like this in navy"). The others that fit are alike in every
known attribute. An attribute that is known of one product only makes a pair unusable, unless nothing is said of it and
both lack it: what is not known is not changed.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from builders.sources.catalogue_products import SPOKEN, Product
from builders.sources.catalogue_words import model_words

MAX_FITTING = 3
"""Products that a text may fit."""
MAX_CHANGES = 2
P_SINGLE = 0.7
"""Share of the pairs that differ in one attribute, where a product has both sorts."""


Targets = Mapping[tuple[str, ...], Sequence[Product]]
"""Signature -> the products that have it: few enough to be asked for."""


@dataclass(frozen=True, slots=True)
class Pair:
    reference: Product
    target: Product
    change: Mapping[str, str]
    """Attribute -> the target's value, in the order of `SPOKEN`: all that differ."""
    is_same_model: bool


def draw_pairs(products: Sequence[Product], rng: random.Random) -> Iterator[Pair]:
    """For each product, in order, up to two pairs that start from it: one of its model, one of its brand and kind."""
    models, brands = _groups(products)
    for product in products:
        first = _drawn(product, models.get(_model_key(product), {}), "", rng)
        if first is not None:
            yield Pair(product, first, changes(product, first), is_same_model=True)
        second = _drawn(product, brands.get(_brand_key(product), {}), first.image_id if first else "", rng)
        if second is not None:
            yield Pair(product, second, changes(product, second), is_same_model=False)


def changes(reference: Product, target: Product) -> dict[str, str]:
    """All spoken attributes in which the target differs, with its values ("" for one that is not known)."""
    return {
        name: target.spoken.get(name, "")
        for name in SPOKEN
        if reference.spoken.get(name, "") != target.spoken.get(name, "")
    }


def _model_key(product: Product) -> tuple[str, str, str]:
    return product.brand, product.kind, product.stem


def _brand_key(product: Product) -> tuple[str, str]:
    return product.brand, product.kind


def _groups(products: Sequence[Product]) -> tuple[dict[tuple[str, ...], Targets], dict[tuple[str, ...], Targets]]:
    """What can be asked for among products of one model, whose stem has a word that names it, and of one brand."""
    words = model_words((each.brand, str(each.attributes.get("category", "")), each.stem) for each in products)
    models: dict[tuple[str, ...], list[Product]] = defaultdict(list)
    brands: dict[tuple[str, ...], list[Product]] = defaultdict(list)
    for product in products:
        if any(word in words for word in product.stem.split()):
            models[_model_key(product)].append(product)
        if product.kind:
            brands[_brand_key(product)].append(product)
    return (
        {key: _targets(group) for key, group in models.items() if len(group) > 1},
        {key: _targets(group) for key, group in brands.items() if len(group) > 1},
    )


def _targets(group: Sequence[Product]) -> Targets:
    """Signature -> its products, where they are few enough to be asked for."""
    found: dict[tuple[str, ...], list[Product]] = defaultdict(list)
    for product in group:
        found[product.signature].append(product)
    return {signature: members for signature, members in found.items() if len(members) <= MAX_FITTING}


def _drawn(product: Product, targets: Targets, taken: str, rng: random.Random) -> Product | None:
    """A target for the product, other than the one that is `taken`."""
    by_count: dict[int, list[Product]] = defaultdict(list)
    for signature, members in targets.items():
        both = zip(product.signature, signature, strict=True)
        differing = [(mine, theirs) for mine, theirs in both if mine != theirs]
        if 1 <= len(differing) <= MAX_CHANGES and all(mine and theirs for mine, theirs in differing):
            by_count[len(differing)] += [each for each in members if each.image_id != taken]
    counts = sorted(count for count, found in by_count.items() if found)
    if not counts:
        return None
    count = counts[0] if len(counts) == 1 or rng.random() < P_SINGLE else counts[1]
    return rng.choice(by_count[count])
