"""The products of a catalogue as listings of the benchmark, and which of them are the same product."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from builders.components import Components
from builders.fashion_rq.mapping import CatalogueMapping
from builders.fashion_rq.name_words import read_name
from builders.wording import folded
from retrieval.errors import GalleryError
from retrieval.gallery import Skipped, count_items, read_gallery
from retrieval.rq_benchmark import Listing
from retrieval.schema import AttributeValue, Image

log = logging.getLogger(__name__)

_UNISEX = "unisex"


@dataclass(frozen=True, slots=True)
class Products:
    listings: Sequence[Listing]
    """Sorted by item_id; without codes and pictures."""
    images: Mapping[str, Image]
    """item_id -> its picture, on disk."""
    skipped: Mapping[str, int] = field(default_factory=dict)
    """Reason -> rows of the catalogue that are no products because of it."""

    @property
    def checksum(self) -> str:
        """Of everything that a vector of a product depends on, in its order."""
        digest = hashlib.sha256()
        for listing in self.listings:
            digest.update(f"{listing.item_id}\n{listing.text}\n{self.images[listing.item_id].image_id}\n".encode())
        return digest.hexdigest()[:24]

    def duplicates(self) -> dict[str, str]:
        """item_id -> the first item_id of those with its picture's bytes or its name, itself for what stands alone."""
        return duplicates(self.listings, self.images)


def read_products(gallery: Path, mapping: CatalogueMapping, pictures: Path, *, progress: bool = True) -> Products:
    """Pictures that the catalogue holds as bytes are written below `pictures`; others stay where they are.

    Raises GalleryError for what is no catalogue or is cut, for one without attributes by this mapping, with a single
    product, or whose products are all the same.
    """
    from tqdm import tqdm

    listings: dict[str, Listing] = {}
    images: dict[str, Image] = {}
    skipped: dict[str, int] = {}
    columns: set[str] = set()
    total = count_items(gallery) if progress else None
    entries = read_gallery(gallery, pictures)
    for entry in tqdm(entries, total=total, unit="product", desc="Reading", disable=not progress):
        if isinstance(entry, Skipped):
            skipped[_kind_of(entry)] = skipped.get(_kind_of(entry), 0) + 1
            continue
        columns.update(entry.attributes)
        name, known = mapping.name(entry), mapping.attributes(entry)
        listings[entry.item_id] = Listing(
            entry.item_id, listing_text(name, known), name, _with_words(name, known, mapping.from_name), ()
        )
        images[entry.item_id] = entry.image
    for reason, count in skipped.items():
        log.warning("%d rows of %s are left out: %s", count, gallery, reason)
    products = Products(tuple(listings[item_id] for item_id in sorted(listings)), images, skipped)
    _check(gallery, products, columns)
    return products


def listing_text(name: str, known: Mapping[str, AttributeValue]) -> str:
    """As a shop's page would say it: the name, then what the columns say, in the same order for every product."""
    gender = folded(str(known.get("gender", "")))
    wearer = gender if gender == _UNISEX else f"for {gender}" if gender else ""
    price = known.get("price")
    said = [
        str(known.get("product_type", "")),
        folded(str(known.get("colour", ""))),
        wearer,
        *(folded(str(known.get(one, ""))) for one in ("occasion", "season", "material", "pattern", "style")),
        f"price {price:g}" if isinstance(price, float) else "",
    ]
    page = ", ".join(filter(None, said))
    brand = str(known.get("brand", ""))
    begin = name if folded(brand) in folded(name) else f"{brand} {name}".strip()
    return ". ".join(filter(None, (begin, page))) + "."


def duplicates(listings: Sequence[Listing], images: Mapping[str, Image]) -> dict[str, str]:
    """As `Products.duplicates`."""
    ordered = sorted(listings, key=lambda one: one.item_id)
    groups, first = Components(len(ordered)), dict[str, int]()
    for row, listing in enumerate(ordered):
        for key in _keys(listing, images):
            groups.join(first.setdefault(key, row), row)
    return {listing.item_id: ordered[groups.root(row)].item_id for row, listing in enumerate(ordered)}


def _keys(listing: Listing, images: Mapping[str, Image]) -> Iterator[str]:
    yield f"picture {images[listing.item_id].image_id}"
    if name := folded(listing.name):
        yield f"name {name}"


def _with_words(name: str, known: Mapping[str, AttributeValue], from_name: frozenset[str]) -> dict[str, AttributeValue]:
    """What the columns say, and of what they do not say those of `from_name` that the name does."""
    words = read_name(name, str(known.get("brand", "")))
    return {**{attribute: value for attribute, value in words.items() if attribute in from_name}, **known}


def _kind_of(entry: Skipped) -> str:
    """The same words for all rows with this fault."""
    if entry.missing_picture:
        return "picture is missing"
    return "id occurs twice" if entry.repeats_id else entry.reason


def _check(gallery: Path, products: Products, columns: set[str]) -> None:
    if not any(listing.attributes for listing in products.listings):
        raise GalleryError(
            f"No column of {gallery} that the mapping names has a value: it has {', '.join(sorted(columns)) or 'none'}."
            " Without attributes there is nothing to ask for: write a mapping with the columns of this catalogue."
        )
    if len(products.listings) == 1:
        raise GalleryError(f"{gallery} has one product only: a benchmark needs products to choose from.")
    if len(set(products.duplicates().values())) == 1:
        raise GalleryError(
            f"All {len(products.listings)} products of {gallery} are the same by picture or name: a benchmark needs "
            "products that differ."
        )
