"""Tables in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

NOTHING = "–"


def table(header: Sequence[str], rows: Iterable[Sequence[object]], n_words: int = 1) -> str:
    """A Markdown table: the first `n_words` columns to the left, the others, numbers, to the right."""
    lines = [header, ["---" if column < n_words else "---:" for column in range(len(header))]]
    lines += [[_cell(value) for value in row] for row in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(value: object) -> str:
    if value is None or value == "":
        return NOTHING
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return " ".join(str(value).split()).replace("|", "\\|")
