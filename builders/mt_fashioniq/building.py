"""Turns the files of MT-FashionIQ into one benchmark a category, under its own protocol."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from builders.dim_fashion.writing import refuse_foreign, write_benchmark
from builders.instances import Coverage
from builders.markdown import table
from builders.sources.fashion_iq import CATEGORY_WORDS, product_of
from builders.sources.mt_fashioniq import ATTRIBUTES, NAME, Chain, read_chains, read_words
from builders.sources.pictures import by_stem
from builders.sources.reading import pictures_below, read_json, require_files, require_folder, revision_of, safe_id
from retrieval.benchmark import BenchmarkImage, RecordedSession, RecordedTurn, Split, Task
from retrieval.errors import SourceError
from retrieval.schema import Qrels

CATEGORIES = tuple(CATEGORY_WORDS)
OF_WORDS, OF_PICTURES = "attribute words", "pictures"
PROTOCOL = (
    "One query a session: all its turns are played, the last one is scored against the {n} items of the category's own "
    "gallery, references among them: what the agent would not show again, a replay puts back where its cosine puts it "
    "(`references_stay`). One relevant item a query. Recall@5, Recall@8 and MRR over the full ranking for each "
    "category, then the mean of the three categories. Sessions of the original val split are the test split here; "
    "those of train have no judgements."
)


log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Prepared:
    """A benchmark that is ready to be written."""

    category: str
    sessions: tuple[RecordedSession, ...]
    images: tuple[BenchmarkImage, ...]
    qrels: Qrels
    card: Mapping[str, Any]


def build(folder: Path, out: Path, pictures: Path | None, with_train: bool, command: str) -> dict[str, dict[str, Any]]:
    """Write `out/<category>` for each category and return their cards; nothing is written unless all can be read.

    Raises SourceError for a folder that does not hold MT-FashionIQ, BenchmarkError for an `out` of something else.
    """
    paths = _picture_paths(pictures) if pictures else None
    prepared = [prepare(folder, category, paths, with_train) for category in CATEGORIES]
    for each in prepared:
        refuse_foreign(out / each.category)
    roots = {NAME: pictures} if pictures else {}
    listed = Counter(image.image_id for each in prepared for image in each.images if image.in_gallery)
    cards = {}
    for each in prepared:
        twice = sum(listed[image.image_id] > 1 for image in each.images if image.in_gallery)
        tolerated = {**each.card["tolerated"], **({"id in another category's gallery too": twice} if twice else {})}
        card = {**each.card, "tolerated": tolerated, "command": command}
        cards[each.category] = write_benchmark(
            out / each.category, each.sessions, each.images, each.qrels, {}, card, roots, _stats(card)
        )
    return cards


def prepare(folder: Path, category: str, paths: Mapping[str, str] | None, with_train: bool) -> Prepared:
    """`paths`: asin -> picture; None for a gallery of attribute words."""
    splits: dict[str, Split] = {"val": "test", **({"train": "train"} if with_train else {})}
    files = {split: _one(folder, f"{category}.{split}.json") for split in splits}
    listed = _one(folder, f"split.{category}.val.json")
    described = [] if paths is not None else [_one(folder, ATTRIBUTES)]
    coverage = Coverage()
    gallery, words = _gallery(listed, coverage), read_words(described)
    sessions: list[RecordedSession] = []
    asins = dict.fromkeys(gallery)
    for split, path in files.items():
        chains = _sessions_of(path, coverage)
        asins.update(dict.fromkeys(asin for chain in chains for asin in chain.pictures))
        sessions += [_session(chain, splits[split]) for chain in chains]
    images = [_image(asin, category, asin in gallery, words, paths) for asin in asins]
    last = {each.query_id(each.turns[-1]): each.turns[-1].chosen for each in sessions if each.split == "test"}
    qrels = {query_id: {chosen: 1} for query_id, chosen in last.items()}
    counts = {"gallery": len(gallery), "queries": len(qrels), **_counts(sessions)}
    if paths is None:
        counts["gallery_without_words"] = sum(asin not in words for asin in gallery)
    else:
        counts.update(_missing(images, qrels, paths))
        if counts["gallery_pictures_missing"] == len(gallery):
            log.warning(
                "%s: none of its %d pictures is there (named by id: %s.jpg); its queries cannot be replayed",
                category,
                len(gallery),
                next(iter(gallery)),
            )
    card = {
        "name": f"{NAME}_{category}",
        "protocol": PROTOCOL.format(n=len(gallery)),
        "references_stay": True,
        "gallery": OF_WORDS if paths is None else OF_PICTURES,
        "sources": [{"name": NAME, "revision": revision_of([*files.values(), listed, *described])}],
        "counts": counts,
        "dropped": dict(sorted(coverage.dropped.items())),
        "tolerated": dict(sorted(coverage.tolerated.items())),
    }
    return Prepared(category, tuple(sessions), tuple(images), qrels, card)


def _counts(sessions: Sequence[RecordedSession]) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for session in sessions:
        counts[f"sessions_{session.split}"] += 1
        counts[f"turns_{session.split}"] += len(session.turns)
    trained = {session.turns[-1].chosen for session in sessions if session.split == "train"}
    tested = [session.turns[-1].chosen for session in sessions if session.split == "test"]
    if trained:
        counts["queries_with_target_of_train"] = sum(target in trained for target in tested)
    return dict(counts)


def _one(folder: Path, pattern: str) -> Path:
    return require_files(folder, pattern, "MT-FashionIQ")[0]


def _picture_paths(pictures: Path) -> dict[str, str]:
    require_folder(pictures, "FashionIQ's pictures")
    paths = by_stem(pictures_below(pictures))
    if not paths:
        raise SourceError(
            f"{pictures} holds no picture. Give the folder of FashionIQ's pictures, or leave --pictures out."
        )
    return paths


def _gallery(path: Path, coverage: Coverage) -> dict[str, None]:
    """asins in the file's order."""
    listed = read_json(path)
    if not isinstance(listed, list) or not listed or not all(isinstance(each, str) and each.strip() for each in listed):
        raise SourceError(f"{path} is not a list of ids: fetch it again.")
    gallery = dict.fromkeys(each.strip() for each in listed)
    if len(gallery) < len(listed):
        coverage.tolerated["id twice in the gallery"] += len(listed) - len(gallery)
    return gallery


def _sessions_of(path: Path, coverage: Coverage) -> list[Chain]:
    """Sessions of two turns and more whose turns all say something."""
    kept = []
    for chain in read_chains(path, coverage):
        coverage.n_records += 1
        if len(chain.turns) == 1:
            coverage.dropped["one turn"] += 1
        elif not all(text for _, text in chain.turns):
            coverage.dropped["a turn without text"] += 1
        else:
            coverage.n_kept += 1
            kept.append(chain)
    del coverage.tolerated["session of one turn"]
    return kept


def _session(chain: Chain, split: Split) -> RecordedSession:
    chosen = chain.pictures[1:]
    turns = (
        RecordedTurn(number, Task.CIR, NAME, text, safe_id(NAME, chosen[number - 1]), (safe_id(NAME, reference),))
        for number, (reference, text) in enumerate(chain.turns, 1)
    )
    return RecordedSession(chain.name.replace(".", "-").replace("/", "-"), split, tuple(turns))


def _image(
    asin: str, category: str, listed: bool, words: Mapping[str, str], paths: Mapping[str, str] | None
) -> BenchmarkImage:
    """A missing picture keeps the name that it should have: the replay says so and its queries score 0."""
    image_id, product = safe_id(NAME, asin), product_of(asin)
    if paths is not None:
        return BenchmarkImage(image_id, NAME, paths.get(asin, f"{asin}.jpg"), in_gallery=listed, product_id=product)
    caption = words.get(asin, CATEGORY_WORDS[category])
    return BenchmarkImage(image_id, NAME, "", in_gallery=listed, product_id=product, caption=caption)


def _missing(images: Sequence[BenchmarkImage], qrels: Qrels, paths: Mapping[str, str]) -> dict[str, int]:
    """Queries without a picture to find count all the same."""
    found = set(paths.values())
    missing = {image.image_id for image in images if image.path not in found}
    return {
        "gallery_pictures_missing": sum(image.in_gallery and image.image_id in missing for image in images),
        "other_pictures_missing": sum(not image.in_gallery and image.image_id in missing for image in images),
        "queries_without_target_picture": sum(missing.issuperset(relevant) for relevant in qrels.values()),
    }


def _stats(card: Mapping[str, Any]) -> str:
    rows = [
        (("" if group == "counts" else f"{group}: ") + name.replace("_", " "), number)
        for group in ("counts", "dropped", "tolerated")
        for name, number in card[group].items()
    ]
    parts = [f"# {card['name']}", card["protocol"], f"Gallery of {card['gallery']}.", table(("what", "number"), rows)]
    return "\n\n".join(parts)
