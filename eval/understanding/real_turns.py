"""Real language as further test sets, read where it lies: turns of shoppers (SIMMC 2.0), and captions of changes.

Each caption is said about an item that is selected. None of it is part of this project; where it is absent
the rows are left out, and that is said.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eval.understanding.labels import Counts
from retrieval.errors import MessageError
from retrieval.schema import Intent, Message, Session

if TYPE_CHECKING:
    from eval.understanding.shop import TalkingShop

SHARED = Path(__file__).parents[3] / "shared" / "data"
SIMMC = Path("router/simmc2_fashion_user_turns.jsonl")
SHOWN = ("show me dresses", "show me jackets")
"""What is said before a turn that is not its dialogue's first."""
MOST = 400
"""Of a set of captions, evenly spread."""
ACTS = {
    "REQUEST:GET": "items",
    "INFORM:GET": "items",
    "INFORM:REFINE": "items",
    "ASK:GET": "answer",
    "REQUEST:COMPARE": "answer",
    "REQUEST:ADD_TO_CART": "declined",
}
"""What an act wants; INFORM:DISAMBIGUATE names an item on a picture of a room, which no words here can stand for."""
KINDS = {Intent.ASK: "answer", Intent.OTHER: "declined", Intent.ROLLBACK: "back"}
"""Every other intent brings items."""
CAPTIONS: dict[str, tuple[str, str]] = {
    "FashionIQ": ("fashion_iq/cap.*.json", "captions"),
    "Shoes": ("shoes/relative_captions*.json", "RelativeCaption"),
    "MT-FashionIQ": ("mt_fashioniq/data/*.json", "reference"),
}
"""Where captions of changes are, and the field that holds them."""


@dataclass(frozen=True, slots=True)
class RealScore:
    name: str
    n: int
    """0 where it is not at hand."""
    accuracy: float = 0.0
    macro_f1: float | None = None
    """None where one intent alone is right."""
    reason: str = ""
    """Why there is no score."""


def score_real(shop: TalkingShop, folder: Path = SHARED) -> list[RealScore]:
    return [_acts(shop, folder), *(_captions(shop, folder, name) for name in CAPTIONS)]


def _acts(shop: TalkingShop, folder: Path) -> RealScore:
    path = folder / SIMMC
    if not path.exists():
        return RealScore("SIMMC 2.0", 0, reason=f"{SIMMC.name} is not at hand")
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    pairs = [(ACTS[row["act"]], _kind(shop, row)) for row in rows if row["act"] in ACTS]
    f1 = [_f1(kind, pairs) for kind in dict.fromkeys(ACTS.values())]
    right = statistics.fmean(wanted == found for wanted, found in pairs)
    return RealScore("SIMMC 2.0", len(pairs), right, statistics.fmean(f1))


def _kind(shop: TalkingShop, row: dict[str, Any]) -> str:
    session = shop.after(SHOWN) if row["turn"] else Session("labelled")
    try:
        plan = shop.planner.understand(session, Message(row["user"]), shop.catalogue)
    except MessageError:
        return "refused"
    return KINDS.get(plan.intent, "items")


def _f1(kind: str, pairs: Sequence[tuple[str, str]]) -> float:
    right = sum(wanted == found == kind for wanted, found in pairs)
    wanted, found = (sum(pair[side] == kind for pair in pairs) for side in (0, 1))
    return Counts(right, wanted - right, found - right).f1


def _captions(shop: TalkingShop, folder: Path, name: str) -> RealScore:
    """Each is said with an item selected; a change is what it has to be."""
    pattern, key = CAPTIONS[name]
    said = sorted(set(_texts(folder / "formats", pattern, key)))
    if not said:
        return RealScore(name, 0, reason=f"no captions in formats/{pattern}")
    chosen = said[:: max(1, len(said) // MOST)]
    session = shop.after(SHOWN)
    selected = shop.shown(session)[0].item_id
    plans = [shop.planner.understand(session, Message(text, selected=selected), shop.catalogue) for text in chosen]
    return RealScore(name, len(plans), statistics.fmean(plan.intent is Intent.MODIFY for plan in plans))


def _texts(folder: Path, pattern: str, key: str) -> Iterator[str]:
    for path in sorted(folder.glob(pattern)):
        rows = json.loads(path.read_text(encoding="utf-8"))
        for row in rows if isinstance(rows, list) else ():
            yield from filter(None, map(str.strip, _said(row.get(key))))


def _said(value: object) -> Iterator[str]:
    """The sentences of a field: one, a list of them, or MT-FashionIQ's [picture, sentences, id] for each turn."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list) and value and isinstance(value[0], list):
        for turn in value:
            yield from turn[1]
    elif isinstance(value, list):
        yield from (text for text in value if isinstance(text, str))
