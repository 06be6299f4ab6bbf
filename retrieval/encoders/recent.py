"""Encodings that are kept while they are used: what a conversation showed and said is encoded once."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

T = TypeVar("T")
KEPT = 4096


class Recent(Generic[T]):
    """The last used ones. encode: distinct values to their arrays, in their order. Safe to use from several threads."""

    def __init__(self, encode: Callable[[Sequence[T]], Iterable[NDArray[np.floating[Any]]]]) -> None:
        self._encode = encode
        self._kept: OrderedDict[T, NDArray[np.floating[Any]]] = OrderedDict()
        self._lock = Lock()

    def of(self, values: Iterable[T]) -> dict[T, NDArray[np.floating[Any]]]:
        distinct = dict.fromkeys(values)
        with self._lock:
            found = {value: self._kept[value] for value in distinct if value in self._kept}
            for value in found:
                self._kept.move_to_end(value)
        missing = [value for value in distinct if value not in found]
        new = dict(zip(missing, self._encode(missing), strict=True)) if missing else {}
        with self._lock:
            self._kept.update({value: array.copy() for value, array in new.items()})  # a row would hold its whole batch
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        return found | new
