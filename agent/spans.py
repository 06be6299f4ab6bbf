"""Where in a text something was said."""

from __future__ import annotations

from collections.abc import Iterable

Span = tuple[int, int]
"""Character offsets, end excluded."""


def within(inner: Span, outers: Iterable[Span]) -> bool:
    return any(start <= inner[0] and inner[1] <= end for start, end in outers)


def overlaps(one: Span, others: Iterable[Span]) -> bool:
    return any(one[0] < end and start < one[1] for start, end in others)
