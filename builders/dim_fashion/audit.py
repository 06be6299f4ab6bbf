"""Checks a finished benchmark against every rule of DIM-Fashion; shares no code with what built it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from builders.dim_fashion.audit_figures import Figures, signature, take_figures
from retrieval.benchmark import Benchmark, RecordedSession, RecordedTurn, Task
from retrieval.errors import BenchmarkError

MAX_TURNS = "max_turns"
"""T_max among the settings of the walk, in the card of every benchmark that was made by DIM-Fashion's rules."""
MAX_FROM_DATASET = 2
MAX_TASK_RUN = 2
ROLLBACK_FROM = 3
N_POSITIVES = (7, 10)
N_NEGATIVES = 50
QUERY_KINDS = ("street", "sketch")
"""Pictures that occur in queries only."""


class Rule(StrEnum):
    """The hard rules, in the words of the report."""

    LENGTH = "a session has 2 to T_max turns"
    TURN_NUMBERS = "turns are numbered from 1, without a gap"
    SESSION_ID = "session ids are unique"
    DUPLICATE_SESSION = "no session occurs twice"
    DATASET = "a data set gives at most two turns of a session"
    TASK_RUN = "the same task at most twice in a row"
    REPEATED_PICTURE = "no query picture or target occurs twice in a session"
    REFERENCE = "a turn starts from the item chosen one turn before, or in the turn gone back to"
    ROLLBACK = "a rollback at turn t >= 3 goes to a turn of 1..t-2"
    ROLLBACK_TASK = "a rollback is a composed query"
    FIRST_TURN = "street photos, sketches and outfits open a session"
    WORDS_ALONE = "a search by words opens a session and shows no picture"
    PICTURE_SHOWN = "every other task shows a picture"
    TEXT = "a turn has words"
    JUDGED = "every query has judgements"
    STRAY_JUDGEMENT = "judgements and pools belong to a query"
    CHOSEN = "the chosen item is judged relevant"
    SINGLE_TARGET = "a query has one target, ASFR apart"
    POOL = "ASFR queries have a pool, no others do"
    POSITIVES = "an ASFR query has 7 to 10 positives"
    NEGATIVES = "an ASFR query has 50 negatives"
    POOL_REPEATS = "a pool holds an item once"
    POSITIVE_OUTSIDE_POOL = "the positives are in the pool"
    REFERENCE_IN_POOL = "the reference is not in the pool"
    UNKNOWN_PICTURE = "every reference is a known picture"
    OUTSIDE_GALLERY = "targets and candidates are in the gallery"
    QUERY_ONLY = "street photos and sketches are not in the gallery"
    LEAK = "no retrieval signature is in two splits"


@dataclass(frozen=True, slots=True)
class Finding:
    """One violation."""

    rule: Rule
    session_id: str = ""
    """"" where a picture alone is at fault."""
    turn_number: int | None = None
    """None where it is about the session."""
    detail: str = ""

    def __str__(self) -> str:
        place = self.session_id + (f"/{self.turn_number}" if self.turn_number is not None else "")
        return f"{place or '-'}: {self.rule}" + (f" ({self.detail})" if self.detail else "")


@dataclass(frozen=True, slots=True)
class AuditReport:
    findings: tuple[Finding, ...]
    """In the order of the files: sessions by their turns, then what is about pictures and splits."""
    figures: Figures

    @property
    def is_clean(self) -> bool:
        return not self.findings

    def by_rule(self) -> dict[Rule, int]:
        """Findings of each rule, every rule named."""
        counted = Counter(finding.rule for finding in self.findings)
        return {rule: counted[rule] for rule in Rule}

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self, limit: int = 20) -> list[str]:
        """For people: figures, rules that were broken with their counts, and the first findings."""
        broken = [f"  {n:,} x {rule}" for rule, n in self.by_rule().items() if n]
        shown = [f"  {finding}" for finding in self.findings[:limit]]
        left = len(self.findings) - len(shown)
        outcome = f"{len(self.findings):,} violations of {len(broken)} rules" if broken else "No rule is broken."
        return [*self.figures.lines(), outcome, *broken, *shown, *([f"  and {left:,} more"] if left else [])]


def audit(benchmark: Benchmark) -> AuditReport:
    """Everything that can be checked from the files alone; what a data set's own records say is not looked up.

    Raises BenchmarkError for a benchmark that was not made by these rules, such as MT-FashionIQ's.
    """
    settings = benchmark.card.get("settings")
    if not isinstance(settings, dict) or not isinstance(settings.get(MAX_TURNS), int):
        raise BenchmarkError(
            f"{benchmark.folder} is not a DIM-Fashion benchmark: its card has no settings of the walk "
            f"({MAX_TURNS!r}). There are no rules to audit it by."
        )
    findings = [
        *_session_ids(benchmark),
        *(finding for session in benchmark.sessions for finding in _check_session(benchmark, session)),
        *_stray_judgements(benchmark),
        *_query_only(benchmark),
        *_leaks(benchmark),
        *_duplicate_sessions(benchmark),
    ]
    return AuditReport(tuple(findings), take_figures(benchmark))


def _check_session(benchmark: Benchmark, session: RecordedSession) -> Iterator[Finding]:
    yield from _shape(session, benchmark.card["settings"][MAX_TURNS])
    yield from _datasets(session)
    yield from _task_runs(session)
    yield from _repeated_pictures(session)
    for position, turn in enumerate(session.turns, 1):
        yield from _start(session, turn, position)
        yield from _rollback(session, turn, position)
        if not turn.text.strip():
            yield Finding(Rule.TEXT, session.session_id, turn.turn_number)
        for reference in turn.references:
            if reference not in benchmark.images:
                yield Finding(Rule.UNKNOWN_PICTURE, session.session_id, turn.turn_number, reference)
        yield from _truth(benchmark, session, turn)


def _shape(session: RecordedSession, max_turns: int) -> Iterator[Finding]:
    if not 2 <= len(session.turns) <= max_turns:
        yield Finding(Rule.LENGTH, session.session_id, detail=f"{len(session.turns)} turns, T_max {max_turns}")
    numbers = [turn.turn_number for turn in session.turns]
    if numbers != list(range(1, len(numbers) + 1)):
        yield Finding(Rule.TURN_NUMBERS, session.session_id, detail=", ".join(map(str, numbers)))


def _datasets(session: RecordedSession) -> Iterator[Finding]:
    """Only turns that are instances count: what an annotator added comes from no data set."""
    seen: Counter[str] = Counter()
    for turn in session.turns:
        if turn.origin == "source":
            seen[turn.dataset] += 1
            if seen[turn.dataset] == MAX_FROM_DATASET + 1:
                yield Finding(Rule.DATASET, session.session_id, turn.turn_number, turn.dataset)


def _task_runs(session: RecordedSession) -> Iterator[Finding]:
    run, last = 0, None
    for turn in session.turns:
        run = run + 1 if turn.task is last else 1
        last = turn.task
        if run == MAX_TASK_RUN + 1:
            yield Finding(Rule.TASK_RUN, session.session_id, turn.turn_number, turn.task)


def _repeated_pictures(session: RecordedSession) -> Iterator[Finding]:
    """New pictures are the first turn's references and what is chosen; later references are earlier choices."""
    seen: set[str] = set()
    for position, turn in enumerate(session.turns):
        for picture in (*(turn.references if position == 0 else ()), turn.chosen):
            if picture in seen:
                yield Finding(Rule.REPEATED_PICTURE, session.session_id, turn.turn_number, picture)
            seen.add(picture)


def _start(session: RecordedSession, turn: RecordedTurn, position: int) -> Iterator[Finding]:
    """What the turn shows, and whether its task may stand here."""
    if turn.task is Task.T2I:
        if turn.references or position > 1:
            yield Finding(Rule.WORDS_ALONE, session.session_id, turn.turn_number)
    elif position > 1 and _opens_only(turn):
        yield Finding(Rule.FIRST_TURN, session.session_id, turn.turn_number, turn.task)
    elif not turn.references:
        yield Finding(Rule.PICTURE_SHOWN, session.session_id, turn.turn_number, turn.task)
    elif position > 1:
        anchor = position - 1 if turn.rollback_to is None else turn.rollback_to
        if 1 <= anchor < position and turn.references != (session.turns[anchor - 1].chosen,):
            detail = f"shows {', '.join(turn.references)}, turn {anchor} chose {session.turns[anchor - 1].chosen}"
            yield Finding(Rule.REFERENCE, session.session_id, turn.turn_number, detail)


def _opens_only(turn: RecordedTurn) -> bool:
    is_outfit = turn.task is Task.COMPATIBLE and len(turn.references) > 1
    return is_outfit or turn.task in (Task.STREET2SHOP, Task.SKETCH2IMG)


def _rollback(session: RecordedSession, turn: RecordedTurn, position: int) -> Iterator[Finding]:
    if turn.rollback_to is None:
        return
    if position < ROLLBACK_FROM or not 1 <= turn.rollback_to <= position - 2:
        yield Finding(Rule.ROLLBACK, session.session_id, turn.turn_number, f"goes to {turn.rollback_to}")
    if turn.task is not Task.CIR:
        yield Finding(Rule.ROLLBACK_TASK, session.session_id, turn.turn_number, turn.task)


def _truth(benchmark: Benchmark, session: RecordedSession, turn: RecordedTurn) -> Iterator[Finding]:
    """Judgements, pool and gallery of one query."""
    query_id = session.query_id(turn)
    relevant = [item_id for item_id, grade in benchmark.qrels.get(query_id, {}).items() if grade > 0]
    pool = benchmark.pools.get(query_id)

    def found(rule: Rule, detail: str = "") -> Finding:
        return Finding(rule, session.session_id, turn.turn_number, detail)

    if not relevant:
        yield found(Rule.JUDGED)
    elif turn.chosen not in relevant:
        yield found(Rule.CHOSEN, turn.chosen)
    if turn.task is not Task.ASFR and len(relevant) > 1:
        yield found(Rule.SINGLE_TARGET, f"{len(relevant)} targets")
    if (turn.task is Task.ASFR) is (pool is None):
        yield found(Rule.POOL, turn.task)
    elif pool is not None:
        yield from (found(rule, detail) for rule, detail in _pool(turn, relevant, pool))
    for item_id in dict.fromkeys((turn.chosen, *relevant, *(pool or ()))):
        if item_id not in benchmark.images or not benchmark.images[item_id].in_gallery:
            yield found(Rule.OUTSIDE_GALLERY, item_id)


def _pool(turn: RecordedTurn, relevant: list[str], pool: tuple[str, ...]) -> Iterator[tuple[Rule, str]]:
    """An ASFR query's candidates: the judged positives and the negatives, each once."""
    least, most = N_POSITIVES
    candidates, positives = set(pool), set(relevant)
    if not least <= len(positives) <= most:
        yield Rule.POSITIVES, f"{len(positives)} positives"
    if len(candidates - positives) != N_NEGATIVES:
        yield Rule.NEGATIVES, f"{len(candidates - positives)} negatives"
    if len(candidates) != len(pool):
        yield Rule.POOL_REPEATS, f"{len(pool) - len(candidates)} repeats"
    if positives - candidates:
        yield Rule.POSITIVE_OUTSIDE_POOL, min(positives - candidates)
    if candidates.intersection(turn.references):
        yield Rule.REFERENCE_IN_POOL, min(candidates.intersection(turn.references))


def _session_ids(benchmark: Benchmark) -> Iterator[Finding]:
    for session_id, n in Counter(session.session_id for session in benchmark.sessions).items():
        if n > 1:
            yield Finding(Rule.SESSION_ID, session_id, detail=f"{n} sessions")


def _stray_judgements(benchmark: Benchmark) -> Iterator[Finding]:
    known = {session.query_id(turn) for session in benchmark.sessions for turn in session.turns}
    for query_id in dict.fromkeys((*benchmark.qrels, *benchmark.pools)):
        if query_id not in known:
            yield Finding(Rule.STRAY_JUDGEMENT, detail=query_id)


def _query_only(benchmark: Benchmark) -> Iterator[Finding]:
    for image in benchmark.images.values():
        if image.in_gallery and image.kind in QUERY_KINDS:
            yield Finding(Rule.QUERY_ONLY, detail=f"{image.kind} {image.image_id}")


def _leaks(benchmark: Benchmark) -> Iterator[Finding]:
    """Each turn whose signature was first met in another split."""
    first_met: dict[object, RecordedSession] = {}
    for session in benchmark.sessions:
        for turn in session.turns:
            before = first_met.setdefault(signature(turn), session)
            if before.split != session.split:
                detail = f"{session.split}; {before.session_id} is in {before.split}"
                yield Finding(Rule.LEAK, session.session_id, turn.turn_number, detail)


def _duplicate_sessions(benchmark: Benchmark) -> Iterator[Finding]:
    """Sessions with equal signatures in equal order; each but the first is a finding."""
    first_met: dict[object, str] = {}
    for session in benchmark.sessions:
        before = first_met.setdefault(tuple(map(signature, session.turns)), session.session_id)
        if before != session.session_id:
            yield Finding(Rule.DUPLICATE_SESSION, session.session_id, detail=f"equals {before}")
