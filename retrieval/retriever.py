"""A query in, a ranking out: the encoder decides what is near, the store finds it, nothing else has a say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from retrieval.schema import Ranking

if TYPE_CHECKING:
    from retrieval.protocols import Embeddings, Encoder, Facet, Store
    from retrieval.schema import Filter, Item, Query

DEFAULT_K = 24


class Retriever:
    """Searches what the store has published. Safe to share between users: it holds no state of its own."""

    def __init__(self, encoder: Encoder, store: Store) -> None:
        self.encoder = encoder
        self.store = store

    def search(
        self, query: Query, k: int = DEFAULT_K, filters: Sequence[Filter] = (), exclude: Sequence[str] = ()
    ) -> Ranking:
        """The k best items that pass all filters and are not in `exclude`; fewer when no more pass.

        Raises MessageError, ImageError or FilterError for what cannot be answered, StoreError for a broken index.
        """
        (embedding,) = self.encoder.encode_queries([query])
        return Ranking(query.query_id, tuple(self.store.search(embedding, k, filters, exclude)))

    def get(self, item_ids: Sequence[str]) -> list[Item]:
        """Items in the order asked for. Raises KeyError for an id that is not there."""
        return self.store.get(item_ids)

    def embeddings(self, item_ids: Sequence[str]) -> Embeddings:
        """Stored unit vectors, shape (len(item_ids), dim). Raises KeyError like `get`."""
        return self.store.embeddings(item_ids)

    def count(self, filters: Sequence[Filter] = ()) -> int:
        return self.store.count(filters)

    def facets(self) -> Mapping[str, Facet]:
        return self.store.facets()
