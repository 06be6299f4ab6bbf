"""Fills a store from a gallery: encodes what is new or changed, forgets what vanished, publishes all of it at once.

A run that is killed has lost at most the last RESUME_EVERY items: vectors before them are in the store, unpublished,
and the next run goes on from there. Whoever searches meanwhile sees the last finished run.
"""

from __future__ import annotations

import logging
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from retrieval.errors import GalleryError, ImageError, StoreError
from retrieval.gallery import Skipped, fingerprint
from retrieval.images import UPLOAD_SIDE, open_picture
from retrieval.schema import Item

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

    from retrieval.protocols import Embeddings, Encoder, Store

    Decoded = tuple[Item, "Picture | None", str]

log = logging.getLogger(__name__)

BATCH_SIZE = 32
RESUME_EVERY = 512
DECODE_THREADS = 2
N_REASONS = 3


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What a run did. The store now holds n_encoded + n_unchanged items."""

    n_encoded: int
    n_unchanged: int
    n_removed: int
    skipped: tuple[Skipped, ...]
    """What is not in the store, in the order of the gallery."""

    def __str__(self) -> str:
        lines = [
            f"{self.n_encoded + self.n_unchanged} items in the index: {self.n_encoded} encoded, "
            f"{self.n_unchanged} unchanged; {self.n_removed} removed, {len(self.skipped)} skipped."
        ]
        for one in self.skipped[:N_REASONS]:
            lines.append(f"  skipped {one.file}{f' line {one.line}' if one.line else ''}: {one.reason}")
        if len(self.skipped) > N_REASONS:
            lines.append(f"  and {len(self.skipped) - N_REASONS} more")
        return "\n".join(lines)


def index(
    encoder: Encoder,
    store: Store,
    entries: Iterable[Item | Skipped],
    *,
    batch_size: int = BATCH_SIZE,
    total: int | None = None,
    progress: bool = True,
) -> IndexReport:
    """Make the store hold exactly the usable items of `entries`, and publish it.

    An error while the gallery is read propagates; then nothing is removed or published. A picture that cannot be used
    is skipped, and so is a second item of the same id. Items whose fingerprint is known are not encoded again. `total`
    is for the progress bar, which goes to stderr if that is a terminal. Raises GalleryError when no item is left.
    """
    from tqdm import tqdm

    run = _Run(encoder, store)
    # Entries are counted as they are read, which is at most two batches before they are encoded.
    with (
        tqdm(entries, total=total, unit="item", desc="Indexing", disable=None if progress else True) as bar,
        ThreadPoolExecutor(DECODE_THREADS) as pool,
    ):
        run.encode(_decoded(run.changed(bar), pool, 2 * batch_size), batch_size)
    return run.finish()


def write_skipped(report: IndexReport, path: str | Path) -> None:
    """A tab-separated list with the columns file, line, reason; one row for each skipped entry. Raises StoreError."""
    path = Path(path)
    rows = [("file", "line", "reason"), *((one.file, str(one.line), one.reason) for one in report.skipped)]
    new = path.with_name(path.name + ".new")
    text = "".join("\t".join(" ".join(cell.split()) for cell in row) + "\n" for row in rows)
    try:
        new.write_text(text, encoding="utf-8", errors="backslashreplace")
        new.replace(path)
    except OSError as error:
        new.unlink(missing_ok=True)
        raise StoreError(f"{path} cannot be written ({error.strerror}): make room.") from error


class _Run:
    """What one run has found so far."""

    def __init__(self, encoder: Encoder, store: Store) -> None:
        self.encoder = encoder
        self.store = store
        self.before = dict(store.fingerprints())
        self.skipped: list[Skipped] = []
        self.seen: set[str] = set()
        self.unchanged: dict[str, str] = {}
        """item_id -> path of its picture now."""
        self.encoded: set[str] = set()
        self.waiting: list[tuple[Sequence[Item], Embeddings]] = []

    def changed(self, entries: Iterable[Item | Skipped]) -> Iterator[Item]:
        for entry in entries:
            if isinstance(entry, Skipped):
                self.skipped.append(entry)
            elif reason := self._unusable(entry):
                self._skip(entry, reason)
            elif self.before.get(entry.item_id) == fingerprint(entry):
                self.unchanged[entry.item_id] = entry.image.path
            else:
                yield entry

    def encode(self, decoded: Iterable[Decoded], batch_size: int) -> None:
        batch: list[tuple[Item, Picture]] = []
        for item, picture, reason in decoded:
            if picture is None:
                self._skip(item, reason)
                continue
            batch.append((item, picture))
            if len(batch) == batch_size:
                self._encode(batch)
                batch = []
        if batch:
            self._encode(batch)
        self._add_waiting()

    def finish(self) -> IndexReport:
        kept = self.encoded | self.unchanged.keys()
        if not kept:
            reasons = Counter(one.reason for one in self.skipped).most_common(1)
            why = f"Mostly because: {reasons[0][0].rstrip('.')}." if reasons else "It is empty."
            raise GalleryError(f"No item of the gallery can be used. {why}")
        removed = sorted(self.before.keys() - kept)
        self.store.remove(removed)
        self.store.commit()
        self._follow_moved_pictures()
        return IndexReport(len(self.encoded), len(self.unchanged), len(removed), tuple(self.skipped))

    def _unusable(self, item: Item) -> str:
        """Why an item cannot be kept, "" if it can."""
        if item.item_id in self.seen:
            return f"the id {item.item_id!r} was there before"
        self.seen.add(item.item_id)
        try:
            "".join([item.item_id, item.image.path, item.caption, *map(str, item.attributes.values())]).encode()
        except UnicodeEncodeError:
            return "its name or text is not Unicode: rename the file or mend the list"
        return ""

    def _skip(self, item: Item, reason: str) -> None:
        self.skipped.append(Skipped(item.image.path, 0, reason))

    def _encode(self, batch: Sequence[tuple[Item, Picture]]) -> None:
        items = [item for item, _ in batch]
        self.waiting.append((items, self.encoder.encode_items(items, [picture for _, picture in batch])))
        if sum(len(some) for some, _ in self.waiting) >= RESUME_EVERY:
            self._add_waiting()

    def _add_waiting(self) -> None:
        import numpy as np

        if self.waiting:
            items = [item for some, _ in self.waiting for item in some]
            self.store.add(items, np.concatenate([embeddings for _, embeddings in self.waiting]))
            self.encoded.update(item.item_id for item in items)
            self.waiting = []

    def _follow_moved_pictures(self) -> None:
        """A gallery that was moved has the same pictures in another place: nothing to encode, but to be found."""
        moved = []
        ids = list(self.unchanged)
        for start in range(0, len(ids), RESUME_EVERY):
            for item in self.store.get(ids[start : start + RESUME_EVERY]):
                path = self.unchanged[item.item_id]
                if item.image.path != path:
                    moved.append(replace(item, image=replace(item.image, path=path)))
        if moved:
            log.info("%d pictures are in another place than before", len(moved))
            self.store.add(moved, self.store.embeddings([item.item_id for item in moved]))
            self.store.commit()


def _decoded(items: Iterable[Item], pool: ThreadPoolExecutor, n_ahead: int) -> Iterator[Decoded]:
    """In the order of `items`, decoded up to `n_ahead` items before they are asked for."""
    ahead: deque[Future[Decoded]] = deque()
    for item in items:
        ahead.append(pool.submit(_decode, item))
        if len(ahead) > n_ahead:
            yield ahead.popleft().result()
    while ahead:
        yield ahead.popleft().result()


def _decode(item: Item) -> Decoded:
    """As large as an upload: a batch of phone photos would not fit into memory whole."""
    try:
        return item, open_picture(item.image.path, UPLOAD_SIDE), ""
    except ImageError as error:
        return item, None, str(error)
