"""What a conversation asks for as attributes: words of requests read by a vocabulary, turn after turn.

The vocabulary is a given resource (`tracker_words.toml`): values that items of the training sessions have, with other
words for them added by hand. It holds no item: what a picture shows, `tracker` predicts from its vector.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

WORDS = Path(__file__).with_name("tracker_words.toml")
SEEN = ("style", "colour", "pattern", "gender")
"""What is read from any picture beside its kind. More (material, neckline, sleeves, length, fit, usage) is read wrongly
so often that it costs as much as it brings (sessions of `val`)."""
FOR_WHOM = frozenset({"gender", "usage"})
"""What an item that goes with another one has in common with it."""

_TURN = re.compile(r"\b(?:turn|round)\s+(\d{1,3})\b")
_GOES_WITH = re.compile(
    r"\b(?:go(?:es)? (?:well )?with|wear with|match(?:es)?|complete[sd]?|finish|suits? (?:this|it|these|them))\b"
)
_REPLACED = re.compile(r"\b(?:instead of|rather than|where it is|where they are|not)(?: an?)? $")
_SECOND = re.compile(r"\b(?:with(?: an?)?|and an?|block of) $")
_KEPT = re.compile(r"\b(?:same|keep (?:the|its|only the)|only (?:the|its)|(?:like|with|share|has|have) (?:the|its)) $")

State = Mapping[str, str]
"""Attribute -> value; the kind of garment is the attribute `kind`."""


@dataclass(frozen=True, slots=True)
class Kind:
    styles: tuple[str, ...] = ()
    guess: bool = True
    """Whether a picture may be read as it."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    values: Mapping[str, tuple[str, ...]]
    kinds: Mapping[str, Kind]
    meanings: Mapping[str, tuple[tuple[str, str], ...]]
    """Words -> what they may mean: (attribute, value); (`name`, attribute) for the attribute itself."""
    pattern: re.Pattern[str]
    revision: str

    def choices(self, attribute: str, kind: str) -> tuple[str, ...]:
        return self.kinds[kind].styles if attribute == "style" else self.values.get(attribute, ())


@lru_cache
def open_vocabulary() -> Vocabulary:
    words = WORDS.read_bytes()
    table = tomllib.loads(words.decode())
    names, kinds = table.pop("names"), table.pop("kinds")
    meanings: dict[str, list[tuple[str, str]]] = {}
    for attribute, values in table.items():
        for value, others in values.items():
            _mean((value, *others), (attribute, value), meanings)
    for kind, entry in kinds.items():
        _mean((kind, *entry.get("words", ())), ("kind", kind), meanings)
        for style in entry.get("styles", ()):
            _mean((style,), ("style", style), meanings)
    for attribute, others in names.items():
        _mean(others, ("name", attribute), meanings)
    longest_first = sorted(meanings, key=lambda each: (-len(each), each))
    return Vocabulary(
        values={attribute: tuple(values) for attribute, values in table.items()},
        kinds={kind: Kind(tuple(entry.get("styles", ())), entry.get("guess", True)) for kind, entry in kinds.items()},
        meanings={each: tuple(meant) for each, meant in meanings.items()},
        pattern=re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, longest_first))})(?:e?s)?(?!\w)"),
        revision=sha256(words).hexdigest()[:12],
    )


def _mean(words: Sequence[str], meaning: tuple[str, str], meanings: dict[str, list[tuple[str, str]]]) -> None:
    for each in words:
        known = meanings.setdefault(each, [])
        if meaning not in known:
            known.append(meaning)


@dataclass(frozen=True, slots=True)
class Request:
    """What one turn's words say."""

    said: State
    kept: str = ""
    """The attribute that alone stays."""
    goes_with: bool = False
    back_to: int | None = None
    """The earlier turn, from 1, that is gone back to."""


def read_request(text: str, vocabulary: Vocabulary) -> Request:
    folded = " ".join(text.lower().split())
    turn = _TURN.search(folded)
    folded = _TURN.sub(" ", folded)
    said: dict[str, str] = {}
    kept = ""
    for match in vocabulary.pattern.finditer(folded):
        before = folded[: match.start()]
        if _REPLACED.search(before):
            continue
        for attribute, value in _meanings(match.group(), vocabulary):
            if attribute == "name":
                kept = value if _KEPT.search(before) else kept
            elif attribute == "colour" and _SECOND.search(before):
                said["second_colour"] = value
            else:
                said.setdefault(attribute, value)
    _tidy(said, vocabulary)
    return Request(said, kept, bool(_GOES_WITH.search(folded)), int(turn.group(1)) if turn else None)


def _meanings(words: str, vocabulary: Vocabulary) -> tuple[tuple[str, str], ...]:
    """Of the words as they stand, or else of one such thing."""
    forms = (words, words.removesuffix("s"), words.removesuffix("es"))
    return next((vocabulary.meanings[form] for form in forms if form in vocabulary.meanings), ())


def _tidy(said: dict[str, str], vocabulary: Vocabulary) -> None:
    """A style says its kind where only one has it; a word is a style only of kinds that have it."""
    style = said.get("style")
    if style is None:
        return
    having = [kind for kind, entry in vocabulary.kinds.items() if style in entry.styles]
    if "kind" not in said and len(having) == 1:
        said["kind"] = having[0]
    elif "kind" in said and said["kind"] not in having:
        del said["style"]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What has been said of the wanted item, and which of the starting picture's attributes hold beside it."""

    said: State = field(default_factory=dict)
    from_picture: frozenset[str] | None = None
    """None: all."""


def after(start: State, request: Request) -> Wanted:
    """`start` is what was said of the item that the request starts from."""
    if request.kept:
        said = {**start, **request.said}
        return Wanted({request.kept: said[request.kept]} if request.kept in said else {}, frozenset({request.kept}))
    if request.goes_with:
        common = {name: start[name] for name in sorted(FOR_WHOM) if name in start}
        return Wanted({**common, **request.said}, FOR_WHOM)
    said = {**start, **request.said}
    if "pattern" in request.said and "second_colour" not in request.said:
        said.pop("second_colour", None)
    if "kind" in request.said and request.said["kind"] != start.get("kind"):
        said = {name: value for name, value in said.items() if name != "style" or name in request.said}
    return Wanted(said)


def follow(texts: Sequence[str], vocabulary: Vocabulary) -> tuple[Wanted, int | None]:
    """What a conversation's last text wants, and the number of the turn that it goes back to, if there is one."""
    turns: list[Wanted] = []
    back_to: int | None = None
    for text in texts:
        request = read_request(text, vocabulary)
        back_to = request.back_to if request.back_to and request.back_to <= len(turns) else None
        begun = turns[back_to - 1] if back_to else (turns[-1] if turns else Wanted())
        turns.append(after(begun.said, request))
    return turns[-1], back_to


def joined(wanted: Wanted, seen: State) -> State:
    """Both together: words count more than what was seen, and a style belongs to its kind."""
    allowed = {name: seen[name] for name in seen if wanted.from_picture is None or name in wanted.from_picture}
    if wanted.said.get("kind", seen.get("kind")) != seen.get("kind"):
        allowed.pop("style", None)
    return {**allowed, **wanted.said}


def described(state: State) -> str:
    """`{fit} {length} {colour} {pattern} {material} {style} {kind} with ... for {gender}, {usage} {season}`.

    The form of `captions.benchmark_caption` with what else is known put in.
    """
    word = state.get
    style, kind = word("style", ""), word("kind", "")
    what = style if kind and style.endswith(kind) else f"{style} {kind}".strip()
    heads = [word(name, "") for name in ("fit", "length", "colour", "pattern", "material")]
    head = " ".join(each for each in (*heads, what) if each)
    second = f"{word('second_colour')} details" if word("second_colour") else ""
    details = [second, *(word(name, "") for name in ("sleeves", "neckline", "heel", "closure", "strap", "pockets"))]
    details = [each for each in details if each]
    if details:
        head = f"{head} with {' and '.join(details)}" if head else " and ".join(details)
    if word("gender"):
        head = f"{head} for {word('gender')}" if head else word("gender", "")
    tail = " ".join(word(name, "") for name in ("usage", "season") if word(name))
    return ", ".join(each for each in (head, tail) if each)
