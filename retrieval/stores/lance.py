"""The default store: a LanceDB table. The only file that imports lancedb.

Writing and reading never meet. The writer changes the table's newest version; the tag "published" names the version
that readers see, and `commit` moves it. A run that is killed leaves its rows unpublished, where the next run finds
them: it encodes only what is missing.

Below ANN_ROWS rows a search compares all vectors. From there on they are kept a second time with one byte a number
(IVF_SQ): all of these are compared, and the best once more with the whole vectors (`python -m benchmarks.search`). A
graph (IVF_HNSW_SQ) takes far longer to build, and misses neighbours among vectors without clusters.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, TypeVar

import numpy as np

from retrieval.errors import GalleryError, StoreError
from retrieval.stores import index_directory, rows
from retrieval.stores.contract import attribute_kinds, last_of_each, unit_rows
from retrieval.stores.lance_version import ROWS_PER_PARTITION, VECTOR_INDEX, Version, id_condition, read_fingerprints

if TYPE_CHECKING:
    from filelock import FileLock

    from retrieval.protocols import Embeddings, Facet, Manifest
    from retrieval.schema import Filter, Hit, Item

    Table = Any

Answer = TypeVar("Answer")
Stamp = tuple[int, int, int]

log = logging.getLogger(__name__)

TABLE = "items"
METRIC: Literal["cosine"] = "cosine"
PUBLISHED = "published"
ANN_ROWS = 10_000
"""Below, a flat search takes a few milliseconds and is exact."""
MAX_INDEX_PARTS = 8
"""Each commit adds a part to the ANN index for its new rows; with more of them it is built anew, as one."""
MAX_BITMAP_WORDS = 1000
IDS_PER_CONDITION = 500
FOREVER = timedelta(days=36500)
BROKEN = (RuntimeError, OSError, ValueError)
"""What lancedb raises for files that are missing or damaged."""


class LanceStore:
    """Everything but `fingerprints` answers from the last commit, this handle's own or another process's."""

    def __init__(self, path: Path, manifest: Manifest, lock: FileLock | None, ann_rows: int) -> None:
        """Use `open`, `create` or `open_or_create`."""
        self.path = path
        self.manifest = manifest
        self._lock = lock
        self._ann_rows = ann_rows
        self._tags = _open_table(path).tags
        self._version: Version | None = None
        self._seen: tuple[Stamp | None, int] = (None, 0)
        self._writer = _Writer(path, _open_table(path)) if lock else None

    @classmethod
    def open(cls, path: str | Path, manifest: Manifest) -> Self:
        """For reading.

        Raises StoreError for a missing, unfinished or broken index, ManifestError for one that another encoder filled.
        """
        path = Path(path)
        index_directory.check_same(path, index_directory.read_manifest(path), manifest)
        store = cls(path, manifest, None, ANN_ROWS)
        if not store.count():
            raise StoreError(f"The index in {path} was never finished: index the gallery again, it goes on from there.")
        return store

    @classmethod
    def create(cls, path: str | Path, manifest: Manifest, *, ann_rows: int = ANN_ROWS) -> Self:
        """A new one, for writing. Raises StoreError when there is one already."""
        if (Path(path) / index_directory.MANIFEST).exists():
            raise StoreError(f"There is an index in {path} already: choose another directory or delete it.")
        return cls.open_or_create(path, manifest, ann_rows=ann_rows)

    @classmethod
    def open_or_create(cls, path: str | Path, manifest: Manifest, *, ann_rows: int = ANN_ROWS) -> Self:
        """For writing; holds the writer's lock until `close`.

        Raises StoreError when another process writes, ManifestError when another encoder filled the index.
        """
        path = Path(path)
        lock = index_directory.acquire_lock(path)
        try:
            if (path / index_directory.MANIFEST).exists():
                index_directory.check_same(path, index_directory.read_manifest(path), manifest)
            elif manifest.metric == METRIC:
                index_directory.write_manifest(path, manifest)
            else:
                raise StoreError(f"This store compares by {METRIC}; the encoder asks for {manifest.metric!r}.")
            with index_directory.disk_errors(path):
                _ensure_table(path, manifest.dim)
                return cls(path, manifest, lock, ann_rows)
        except BaseException:
            lock.release()
            raise

    def close(self) -> None:
        """Give up the writer's lock; reading goes on."""
        if self._lock:
            self._lock.release()
        self._lock = self._writer = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def add(self, items: Sequence[Item], embeddings: Embeddings) -> None:
        vectors = unit_rows(embeddings, len(items), self.manifest.dim)
        kept = last_of_each(items)
        if kept:
            with index_directory.disk_errors(self.path):
                self._writing.add([items[row] for row in kept], vectors[kept])

    def remove(self, item_ids: Sequence[str]) -> None:
        with index_directory.disk_errors(self.path):
            self._writing.remove(item_ids)

    def commit(self) -> None:
        table = self._writing.table
        with index_directory.disk_errors(self.path):
            if table.version == self._tags.get_version(PUBLISHED):
                return
            # optimize() fails when it would clean up a tagged version: compact now, clean up once the tag has moved.
            table.optimize(cleanup_older_than=FOREVER)
            _build_indices(table, self._ann_rows)
            table.optimize(cleanup_older_than=FOREVER)  # what it changes after a new index must not come after the tag
            self._tags.update(PUBLISHED, table.version)
            table.optimize(cleanup_older_than=timedelta(milliseconds=1), delete_unverified=True)
            log.info("published %d items in %s", table.count_rows(), self.path)

    def fingerprints(self) -> Mapping[str, str]:
        if self._writer:
            return dict(self._writer.fingerprints)
        with index_directory.disk_errors(self.path):
            return read_fingerprints(_open_table(self.path))

    def search(
        self, embedding: Embeddings, k: int, filters: Sequence[Filter] = (), exclude: Sequence[str] = ()
    ) -> list[Hit]:
        query = unit_rows(np.asarray(embedding)[None], 1, self.manifest.dim)[0]
        return self._read(lambda version: version.search(query, k, filters, exclude))

    def get(self, item_ids: Sequence[str]) -> list[Item]:
        return self._read(lambda version: version.get(item_ids)) if item_ids else []

    def embeddings(self, item_ids: Sequence[str]) -> Embeddings:
        return self._read(lambda version: version.embeddings(item_ids))

    def count(self, filters: Sequence[Filter] = ()) -> int:
        return self._read(lambda version: version.count(filters))

    def facets(self) -> Mapping[str, Facet]:
        return self._read(lambda version: version.facets)

    @property
    def _writing(self) -> _Writer:
        if self._writer is None:
            raise StoreError(f"The index in {self.path} is open for reading only.")
        return self._writer

    def _read(self, ask: Callable[[Version], Answer]) -> Answer:
        """Ask the published version, and ask again when the writer replaced it and cleaned up its files meanwhile."""
        while True:
            number = self._published()
            try:
                version = self._version
                if version is None or version.number != number:
                    self._version = version = _open_version(self.path, number)
                return ask(version)
            except BROKEN as error:
                if self._published() == number:
                    raise index_directory.damaged_error(self.path, error) from error

    def _published(self) -> int:
        """The published version's number, asked for again when the tag's file is another one."""
        stamp = _stamp(self.path / f"{TABLE}.lance" / "_refs" / "tags" / f"{PUBLISHED}.json")
        known, number = self._seen
        if stamp is None or stamp != known:
            try:
                number = int(self._tags.get_version(PUBLISHED))
            except BROKEN as error:
                raise index_directory.damaged_error(self.path, error) from error
            self._seen = (stamp, number)
        return number


def _stamp(path: Path) -> Stamp | None:
    """What changes with a file; None where there is none, since lancedb is free to keep its tags elsewhere."""
    try:
        stat = path.stat()
    except OSError:
        return None
    return stat.st_ino, stat.st_mtime_ns, stat.st_size


class _Writer:
    """The newest version of the table, and what is in it."""

    def __init__(self, path: Path, table: Table) -> None:
        self.path = path
        self.table = table
        self.fingerprints = read_fingerprints(table)

    def add(self, items: Sequence[Item], vectors: Embeddings) -> None:
        """Items of distinct ids.

        Deletes, then inserts: `merge_insert` has silently updated nothing where the key has an index, and a run that is
        killed in between has lost nothing but unpublished rows, which the next run encodes again.
        """
        from retrieval.gallery import fingerprint

        known = rows.attribute_kinds_of(self.table.schema)
        kinds = self._kinds(known, items)
        new = [rows.attribute_field(name, is_number=kinds[name]) for name in kinds if name not in known]
        fingerprints = [fingerprint(item) for item in items]
        if new:
            self.table.add_columns(new)
        batch = rows.to_table(items, vectors, fingerprints, self.table.schema)
        self.remove([item.item_id for item in items])
        self.table.add(batch)
        self.fingerprints.update(zip((item.item_id for item in items), fingerprints, strict=True))
        self._expect_count()

    def _kinds(self, known: Mapping[str, bool], items: Sequence[Item]) -> dict[str, bool]:
        try:
            return attribute_kinds(known, items)
        except GalleryError as error:
            advice = f"If the gallery has changed, {index_directory.rebuild_advice(self.path)}"
            raise GalleryError(f"{error} {advice}") from error

    def remove(self, item_ids: Sequence[str]) -> None:
        present = sorted({item_id for item_id in item_ids if item_id in self.fingerprints})
        for start in range(0, len(present), IDS_PER_CONDITION):
            some = present[start : start + IDS_PER_CONDITION]
            self.table.delete(id_condition(some))
            for item_id in some:
                del self.fingerprints[item_id]
        self._expect_count()

    def _expect_count(self) -> None:
        n_rows = self.table.count_rows()
        if n_rows != len(self.fingerprints):
            raise StoreError(
                f"The index holds {n_rows} rows where {len(self.fingerprints)} were written: delete it and index again."
            )


def _open_table(path: Path) -> Table:
    import lancedb

    try:
        return lancedb.connect(path).open_table(TABLE)
    except BROKEN as error:
        raise index_directory.damaged_error(path, error) from error


def _open_version(path: Path, number: int) -> Version:
    table = _open_table(path)
    table.checkout(number)
    return Version(table, number)


def _ensure_table(path: Path, dim: int) -> None:
    """An empty, published table unless there is one; also where a run was killed between the two steps."""
    import lancedb

    folder = path / f"{TABLE}.lance"
    if not any((folder / "_versions").glob("*.manifest")):  # a run that was killed may have left the folder alone
        mode = "overwrite" if folder.exists() else "create"
        lancedb.connect(path).create_table(TABLE, schema=rows.base_schema(dim), mode=mode)
    table = _open_table(path)
    if PUBLISHED not in table.tags.list():
        table.tags.create(PUBLISHED, 1)


def _build_indices(table: Table, ann_rows: int) -> None:
    n_rows = table.count_rows()
    if n_rows < ann_rows:
        return
    from lancedb.index import Bitmap, BTree, IvfSq

    indexed = {column for index in table.list_indices() for column in index.columns}
    for name, known in Version(table, table.version).facets.items():
        column = rows.column_name(name)
        if column not in indexed:
            few_words = not known.is_number and len(known.counts) <= MAX_BITMAP_WORDS
            table.create_index(column, config=Bitmap() if few_words else BTree())
    stats = table.index_stats(VECTOR_INDEX) if "vector" in indexed else None
    if stats is None or stats.num_indices > MAX_INDEX_PARTS:
        config = IvfSq(distance_type=METRIC, num_partitions=math.ceil(n_rows / ROWS_PER_PARTITION))
        table.create_index("vector", config=config, name=VECTOR_INDEX, replace=True)
