"""The arguments of `python -m eval understanding`, and what it prints."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from eval.understanding.utterances import parts, read_utterances

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Sequence

    from eval.understanding.exclusions import Held
    from eval.understanding.labels import Counts
    from eval.understanding.real_turns import RealScore
    from eval.understanding.scores import Scores, Understood
    from eval.understanding.shop import TalkingShop
    from eval.understanding.tour import Walked

WHAT = ("utterances", "real", "exclusions", "tour")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", nargs="*", metavar="WHAT", help=f"some of {', '.join(WHAT)} (default: all)", default=[])
    parser.add_argument(
        "--wrong",
        action="store_true",
        help="also list what was misunderstood, of part dev alone: test is not to be seen",
    )
    parser.add_argument("--gallery", help="a catalogue for the second part of the tour (default: the one at hand)")
    parser.add_argument("--index", type=Path, help="directory of that catalogue's index (default: in the user's cache)")


def scores(arguments: argparse.Namespace) -> str:
    """Raises RunError for what there is not."""
    from eval.runs import RunError
    from eval.understanding.shop import TalkingShop

    if unknown := [word for word in arguments.what if word not in WHAT]:
        raise RunError(f"{unknown[0]!r:.40} is nothing to score: name some of {', '.join(WHAT)}.")
    wanted = arguments.what or WHAT
    shop = TalkingShop.open()
    texts: list[str] = []
    if "utterances" in wanted:
        texts.append(_utterances(shop, wrong=arguments.wrong))
    if "real" in wanted:
        from eval.understanding.real_turns import score_real

        texts.append(_table("Real language", map(_real_line, score_real(shop))))
    if "exclusions" in wanted:
        from eval.understanding.exclusions import hold_all, read_exclusions

        texts.append(_exclusions(hold_all(shop, read_exclusions())))
    if "tour" in wanted:
        from eval.understanding.tour import walk_all

        texts.append(_tour(walk_all(shop, arguments.gallery, arguments.index)))
    return "\n\n".join(texts)


def _utterances(shop: TalkingShop, *, wrong: bool) -> str:
    from eval.understanding.scores import score, understand_all

    lines: list[str] = []
    for part in parts():
        understood = understand_all(shop, read_utterances(part))
        lines += [*_part(part, score(understood))]
        if wrong and part == "dev":
            lines += [_wrong(one) for one in understood if not one.is_right]
    return _table("Labelled utterances, over the embedded gallery", lines)


def _part(part: str, found: Scores) -> Iterable[str]:
    yield f"{part}: {found.n} utterances; intent macro-F1 {found.macro_f1:.3f}, accuracy {found.accuracy:.3f}"
    yield "  F1 by intent: " + ", ".join(
        f"{intent.value} {counts.f1:.2f}" for intent, counts in found.by_intent.items()
    )
    yield (
        f"  references right {found.references:.3f} of {found.n_references}; filters F1 {_f1(found.filters)}; "
        f"exclusions F1 {_f1(found.exclusions)}"
    )
    yield f"  milliseconds a message: median {found.median_ms:.1f}, 95 % under {found.p95_ms:.1f}"


def _f1(counts: Counts) -> str:
    return f"{counts.f1:.3f} ({counts.right} right, {counts.missed} missed, {counts.false} false)"


def _wrong(one: Understood) -> str:
    found = one.intent.value if one.intent else "refused"
    return f"  wrong: {one.utterance.text!r:.90} wants {one.utterance.intent.value}, got {found}: {one.plan}"


def _real_line(found: RealScore) -> str:
    if found.reason:
        return f"{found.name}: left out, {found.reason}"
    f1 = "" if found.macro_f1 is None else f", macro-F1 {found.macro_f1:.3f}"
    return f"{found.name}: {found.n:,} turns, right {found.accuracy:.3f}{f1}"


def _exclusions(held: Sequence[Held]) -> str:
    n_wrong = sum(len(one.violations) for one in held)
    n_shown = sum(one.n_shown for one in held)
    lines = [f"{len(held)} messages: {n_wrong} violations among {n_shown} items of their first ten"]
    lines += [f"  {one.exclusion.text!r} shows {one.violations[0]}" for one in held if one.violations]
    return _table("Exclusions in results", lines)


def _tour(walked: Sequence[Walked]) -> str:
    lines = []
    for place in dict.fromkeys(one.place for one in walked):
        of_place = [one for one in walked if one.place == place]
        right = sum(not one.faults for one in of_place)
        lines.append(f"{place}: {right} of {len(of_place)} conversations as expected")
    lines += [f"  {one.name}: {fault}" for one in walked for fault in one.faults]
    return _table("Tour", lines)


def _table(title: str, lines: Iterable[str]) -> str:
    return "\n".join((title, *(f"  {line}" for line in lines)))
