"""What an encoder and a store must do. Every GPU, hub or distributed engine is one more file behind one of these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from PIL.Image import Image as Picture

    from retrieval.schema import Filter, Hit, Item, Query

    Embeddings = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Manifest:
    """The encoder that filled an index. Vectors of two manifests that differ in anything must not share an index."""

    encoder: str
    revision: str
    """Changes with the weights, the preprocessing, the prompts and every setting that changes a vector."""
    dim: int
    metric: str = "cosine"


@dataclass(frozen=True, slots=True)
class Facet:
    """What a gallery knows of one attribute: its words with their counts, or its range if it is a number."""

    counts: Mapping[str, int]
    """Value -> number of items, most frequent first; empty for a number."""
    minimum: float | None = None
    maximum: float | None = None

    @property
    def is_number(self) -> bool:
        return self.minimum is not None


class Encoder(Protocol):
    """Maps items and queries into one space. Returned vectors have unit length."""

    @property
    def manifest(self) -> Manifest: ...

    def encode_items(self, items: Sequence[Item], pictures: Sequence[Picture]) -> Embeddings:
        """Encode gallery items with their decoded pictures (RGB, as `images.open_picture` returns them).

        Returns float32, shape (len(items), dim), unit rows. A vector does not depend on the others of its batch.
        """
        ...

    def encode_queries(self, queries: Sequence[Query]) -> Embeddings:
        """Encode queries: float32, shape (len(queries), dim), unit rows.

        Raises ImageError when a reference cannot be decoded, MessageError for a query without text and reference.
        """
        ...


@runtime_checkable
class RemembersPictures(Protocol):
    """An encoder that need not encode a picture of a query whose vector is known."""

    def remember(self, embeddings: Mapping[str, NDArray[np.float32]]) -> None:
        """Unit vectors of pictures by their path, as for items: these files are not read again."""
        ...


@runtime_checkable
class Reranker(Protocol):
    """An encoder whose system looks at the first items of a ranking once more."""

    @property
    def rerank_depth(self) -> int:
        """How many of a ranking it looks at."""
        ...

    def rerank(self, query: Query, items: Sequence[Item]) -> list[str]:
        """The items' ids, all of them, best first; `items` come in the order of the ranking, with their pictures.

        Raises MessageError for an item without a picture, ChatError when the model that it asks gives no answer.
        """
        ...


class Store(Protocol):
    """Keeps items with their vectors and finds them again. One writer, many readers."""

    def add(self, items: Sequence[Item], embeddings: Embeddings) -> None:
        """Insert, or replace what has the same item_id. Within one call the last of equal ids wins.

        `embeddings` has shape (len(items), dim). Raises GalleryError for an attribute that is a word here and a number
        there, StoreError for a row that is not finite or an index that is open for reading only.
        """
        ...

    def remove(self, item_ids: Sequence[str]) -> None:
        """Remove items; ids that are not there are ignored."""
        ...

    def search(
        self, embedding: Embeddings, k: int, filters: Sequence[Filter] = (), exclude: Sequence[str] = ()
    ) -> list[Hit]:
        """The k nearest items that pass all filters and are not in `exclude`, best first, ties by item_id.

        `embedding` has shape (dim,) and unit length. Filters apply before the search: fewer than k hits means that no
        more items pass. Raises FilterError for an attribute that the gallery lacks or a filter of the wrong type.
        """
        ...

    def get(self, item_ids: Sequence[str]) -> list[Item]:
        """Items in the order asked for. Raises KeyError for an id that is not there."""
        ...

    def embeddings(self, item_ids: Sequence[str]) -> Embeddings:
        """Stored vectors in the order asked for, shape (len(item_ids), dim). Raises KeyError like `get`."""
        ...

    def count(self, filters: Sequence[Filter] = ()) -> int:
        """How many items pass all filters. Raises FilterError like `search`."""
        ...

    def facets(self) -> Mapping[str, Facet]:
        """Attribute name -> what the gallery knows of it. Attributes of fewer than two items are left out."""
        ...

    def fingerprints(self) -> Mapping[str, str]:
        """item_id -> `gallery.fingerprint` of all that was added, published or not; what differs is encoded again."""
        ...

    def commit(self) -> None:
        """Publish what was added and removed since the last commit, all at once; builds the ANN index where one pays.

        Until then, and for ever after an interrupted run, readers see the last published version.
        """
        ...
