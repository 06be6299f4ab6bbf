"""Errors that are shown to the person who caused them. Anything else is a bug and propagates.

    FashionSearchError
    ├── ImageError          a picture that cannot be used (too large, truncated, not a picture, format not allowed)
    ├── GalleryError        a gallery that cannot be read at all (no such path, no usable column, no item left)
    ├── FilterError         a filter on an attribute that the gallery lacks, or of the wrong type
    ├── StoreError          an index that cannot be searched
    │   └── ManifestError   its vectors were made by another encoder, or with other settings
    ├── EncoderError        weights that are missing, damaged or of another version
    ├── MessageError        a message without words, picture, selection or filter; a turn or item that does not exist
    ├── BusyError           the shop has too much to do, or a visitor asks faster than anybody reads
    ├── SourceError         original files of a data set that cannot be read (missing, cut, other columns)
    ├── BenchmarkError      a benchmark that is unfinished, damaged or breaks its own rules
    ├── ChatError           a model behind an endpoint cannot be reached, refuses, or gives no usable answer
    ├── TrainingError       a training that cannot start or go on (too little data, a foreign checkpoint, overflow)
    └── DependencyError     an optional library is not installed; says which requirements file brings it

Each message says what happened and what to do about it.
"""

from __future__ import annotations


class FashionSearchError(Exception):
    """The root: `str(error)` is fit to be shown to a user."""


class ImageError(FashionSearchError):
    """One picture cannot be used."""


class GalleryError(FashionSearchError):
    """A gallery cannot be read."""


class FilterError(FashionSearchError):
    """A filter does not fit the gallery."""


class StoreError(FashionSearchError):
    """An index cannot be searched."""


class ManifestError(StoreError):
    """An index was made by another encoder, or with other settings, than the one that wants to search it."""


class EncoderError(FashionSearchError):
    """An encoder's weights are missing, damaged or of another version."""


class MessageError(FashionSearchError):
    """A message that cannot be answered as it stands."""


class BusyError(FashionSearchError):
    """A request that is not answered now, though it might be later."""

    def __init__(self, message: str, *, reason: str) -> None:
        super().__init__(message)
        self.reason = reason
        """"busy", "too slow" or "too fast": what is counted."""


class SourceError(FashionSearchError):
    """Original files of a data set cannot be read."""


class BenchmarkError(FashionSearchError):
    """A benchmark is unfinished or damaged, or breaks its own rules."""


class ChatError(FashionSearchError):
    """A model behind a chat endpoint cannot be reached, refuses, or gives no usable answer."""


class TrainingError(FashionSearchError):
    """A training that cannot start or go on."""


class DependencyError(FashionSearchError):
    """An optional library is not installed."""
