"""What a filter means, said once: for plain Python (`matches`) and for LanceDB (`to_lance`).

Words are equal when they differ only in upper and lower case, in white space or in how Unicode composes them: "navy
blue" finds the catalogue's "Navy Blue". Nothing else is stretched: "navy" does not. That comparison is made here and
nowhere else; a store is only ever asked for words that it holds, in its own spelling, so that what a user types never
becomes part of a condition.
"""

from __future__ import annotations

import difflib
import math
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from retrieval.errors import FilterError

if TYPE_CHECKING:
    from retrieval.schema import Attributes, AttributeValue, Filter

N_SUGGESTIONS = 3


@lru_cache(maxsize=65536)
def fold(word: str) -> str:
    """The form in which two words are compared."""
    return " ".join(unicodedata.normalize("NFC", unicodedata.normalize("NFC", word).casefold()).split())


@dataclass(frozen=True, slots=True)
class Column:
    """An attribute as a table holds it."""

    name: str
    """The table's own name for it: lower-case letters, digits and underscores."""
    words: Mapping[str, Sequence[str]] | None
    """Folded word -> its spellings in the table; None for a number."""

    @classmethod
    def of_words(cls, name: str, spellings: Iterable[str]) -> Column:
        words: dict[str, list[str]] = {}
        for spelling in spellings:
            words.setdefault(fold(spelling), []).append(spelling)
        return cls(name, words)


def check(filters: Sequence[Filter], kinds: Mapping[str, bool]) -> None:
    """`kinds`: attribute -> is it a number? Raises FilterError for another attribute or a value of the wrong type."""
    for condition in filters:
        if condition.attribute not in kinds:
            known = _nearest(condition.attribute, kinds)
            raise FilterError(f"The gallery has no attribute {condition.attribute!r}. {known}")
        _check_values(condition, is_number=kinds[condition.attribute])


def matches(condition: Filter, attributes: Attributes) -> bool:
    """Whether an item with these attributes passes. Expects a filter that `check` has passed."""
    value = attributes.get(condition.attribute)
    if value is None:
        return condition.operator == "none_of"
    if condition.operator in ("any_of", "none_of"):
        return (_comparable(value) in map(_comparable, condition.values)) == (condition.operator == "any_of")
    bound = float(condition.values[0])
    return float(value) <= bound if condition.operator == "at_most" else float(value) >= bound


def to_lance(filters: Sequence[Filter], columns: Mapping[str, Column]) -> str:
    """One SQL condition, "" when all rows pass. `columns` is attribute name -> column, and is the allow-list.

    Raises FilterError like `check`.
    """
    check(filters, {name: column.words is None for name, column in columns.items()})
    conditions = (_condition(condition, columns[condition.attribute]) for condition in filters)
    return " AND ".join(condition for condition in conditions if condition)


def quoted(text: str) -> str:
    """A string literal: LanceDB knows no other escape than the doubled quote."""
    return "'" + text.replace("'", "''") + "'"


def _condition(condition: Filter, column: Column) -> str:
    if condition.operator == "at_most":
        return f"({column.name} <= {_number(condition.values[0])})"
    if condition.operator == "at_least":
        return f"({column.name} >= {_number(condition.values[0])})"
    literals = _literals(condition, column)
    if condition.operator == "any_of":
        return f"({column.name} IN ({literals}))" if literals else "(false)"
    return f"({column.name} IS NULL OR {column.name} NOT IN ({literals}))" if literals else ""


def _literals(condition: Filter, column: Column) -> str:
    if column.words is None:
        return ", ".join(_number(value) for value in condition.values)
    wanted = dict.fromkeys(fold(str(value)) for value in condition.values)
    return ", ".join(quoted(spelling) for word in wanted for spelling in column.words.get(word, ()))


def _number(value: AttributeValue) -> str:
    return repr(float(value))


def _comparable(value: AttributeValue) -> AttributeValue:
    return fold(value) if isinstance(value, str) else float(value)


def _check_values(condition: Filter, *, is_number: bool) -> None:
    name, values = condition.attribute, condition.values
    if condition.operator in ("at_most", "at_least"):
        if not is_number:
            raise FilterError(f"{name!r} holds words, so it has no {condition.operator}: use any_of or none_of.")
        if len(values) != 1:
            raise FilterError(f"{condition.operator} on {name!r} takes one number, not {len(values)} values.")
    elif not values:
        raise FilterError(f"{condition.operator} on {name!r} needs at least one value.")
    for value in values:
        if not (_is_number(value) if is_number else isinstance(value, str)):
            raise FilterError(f"{name!r} holds {'numbers' if is_number else 'words'}, not {value!r}.")


def _is_number(value: object) -> bool:
    if isinstance(value, float) and not math.isfinite(value):
        raise FilterError(f"{value} is not a number that a filter can hold.")
    return isinstance(value, int | float) and not isinstance(value, bool)


def _nearest(word: str, known: Iterable[str]) -> str:
    """Near spellings first; otherwise the first known ones, so that the reader always sees what would work."""
    spellings = {fold(name): name for name in reversed(list(known))}
    if not spellings:
        return "It knows none: index a gallery with attributes."
    near = difflib.get_close_matches(fold(word), spellings, n=N_SUGGESTIONS, cutoff=0.5)
    if near:
        return "Nearest: " + ", ".join(repr(spellings[name]) for name in near) + "."
    first = list(spellings.values())[::-1][:8]
    return "It knows: " + ", ".join(map(repr, first)) + (", ..." if len(spellings) > len(first) else "") + "."
