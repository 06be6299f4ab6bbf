"""The folder of a benchmark, its tables and its audit, on a small catalogue; each rule is broken once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from argparse import Namespace
from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

from builders.command_line import check_chat
from builders.fashion_rq.__main__ import main
from builders.fashion_rq.audit import AuditReport, Rule, audit
from builders.fashion_rq.card import BuildSettings, describe_outcome, describe_settings, go_on
from builders.fashion_rq.grammar import WordSettings
from builders.fashion_rq.hierarchy_settings import HierarchySettings
from builders.fashion_rq.leaf_facts import FactSettings
from builders.fashion_rq.leaves import Clusters, LeafSettings, choose_leaves
from builders.fashion_rq.stats import label_shares, write_stats
from builders.fashion_rq.tasks import CandidateSettings, compose
from builders.fashion_rq.writing import claimed, publish, write_benchmark
from builders.folders import write_lines
from retrieval.errors import BenchmarkError, DependencyError, ImageError
from retrieval.rq_benchmark import (
    CARD,
    CHECKED,
    QRELS,
    Listing,
    RQBenchmark,
    checksum_of,
    grade,
    read_rq_benchmark,
    relation,
)
from tests.builders.fashion_rq.made_hierarchy import alone, listings, pictures, queries

SETTINGS = BuildSettings(leaves=LeafSettings(n_leaves=10))


def write(folder: Path, of: dict[str, Listing] | None = None, seed: int = 0) -> dict[str, Any]:
    of = of or listings()
    clusters = Clusters(list(of.values()), alone(of))
    parts = choose_leaves(clusters.leaves, SETTINGS.leaves, seed)
    composed = compose(of, clusters, queries(sorted(parts)), parts, seed)
    counts = describe_outcome(list(of.values()), parts, composed, {"picture is missing": 2})
    card = {**describe_settings(SETTINGS), "command": "build it", "counts": counts}
    return write_benchmark(folder, of.values(), composed, pictures(folder.parent / "catalogue", of), card)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> RQBenchmark:
    folder = tmp_path_factory.mktemp("made") / "b"
    write(folder)
    return read_rq_benchmark(folder)


def test_what_is_written_is_read_again(made: RQBenchmark) -> None:
    assert len(made.queries) == 30
    assert made.card["counts"]["queries"] == {"T1": 30, "T2": 30, "T3": 30, "T4": 30}
    assert made.card["counts"]["labels"]["T3"] == {"exact": 30, "sibling": 120, "related": 0, "irrelevant": 0}


def test_candidates_have_their_pictures_byte_by_byte_and_others_have_none(made: RQBenchmark) -> None:
    shown = {item_id for rows in made.candidates.values() for labels in rows.values() for item_id in labels}
    for item_id, listing in made.listings.items():
        path = made.picture_path(item_id)
        assert (path is not None) == (item_id in shown)
        if path is not None:
            assert path.name == f"{item_id}.jpg"
            assert path.read_bytes() == b"\xff\xd8\xff" + listing.item_id.encode()


def test_judgements_are_the_grades_of_the_candidates(made: RQBenchmark) -> None:
    for task, name in QRELS.items():
        lines = [line.split() for line in (made.folder / name).read_text().splitlines()]
        assert {(query_id, item_id): int(number) for query_id, _, item_id, number in lines} == {
            (query_id, item_id): grade(label)
            for query_id, labels in made.candidates[task].items()
            for item_id, label in labels.items()
        }
        assert lines == sorted(lines)


def test_equal_seeds_give_equal_bytes(tmp_path: Path) -> None:
    one, other = write(tmp_path / "1"), write(tmp_path / "2", dict(reversed(listings().items())))
    assert one == other
    for name in (*CHECKED, CARD):
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "2" / name).read_bytes()
    assert write(tmp_path / "3", seed=1)["checksum"] != one["checksum"]


def test_the_order_of_hashes_changes_no_byte(tmp_path: Path) -> None:
    """Sets of words are in another order in every process."""
    code = "from tests.builders.fashion_rq.test_rq_folder import write; from pathlib import Path; write(Path({!r}))"
    for seed in ("1", "2"):
        asked = [sys.executable, "-c", code.format(str(tmp_path / seed / "b"))]
        (tmp_path / seed).mkdir()
        subprocess.run(asked, env={**os.environ, "PYTHONHASHSEED": seed}, check=True, cwd=Path.cwd())
    for name in (*CHECKED, CARD):
        assert (tmp_path / "1" / "b" / name).read_bytes() == (tmp_path / "2" / "b" / name).read_bytes()


def test_a_model_without_its_address_ends_the_command_with_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["build", "--gallery", str(tmp_path), "--out", str(tmp_path / "b"), "--writer", "chat"]
    assert main(asked) == 2
    assert capsys.readouterr().err == "error: --writer chat needs --chat-url and --chat-model.\n"
    assert main([*asked, "--chat-url", "nowhere", "--chat-model", "m"]) == 2
    assert not (tmp_path / "b").exists()


def test_a_model_without_what_asks_it_is_refused_before_the_work_unless_answers_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("builders.command_line.find_spec", lambda _: None)
    arguments, answers = Namespace(chat_url="http://localhost:1/v1", chat_model="m"), tmp_path / "answers.jsonl"
    with pytest.raises(DependencyError, match=r"needs the package openai: pip install -r requirements-build\.txt"):
        check_chat(arguments, "--writer", answers)
    answers.touch()
    check_chat(arguments, "--writer", answers)


def test_an_id_with_strange_characters_gets_a_picture_inside_the_folder(tmp_path: Path) -> None:
    of = {f"../{item_id}": replace(one, item_id=f"../{item_id}") for item_id, one in listings().items()}
    clusters = Clusters(list(of.values()), alone(of))
    parts = choose_leaves(clusters.leaves, SETTINGS.leaves, 0)
    composed = compose(of, clusters, queries(sorted(parts)), parts, 0)
    (tmp_path / "one.jpg").write_bytes(b"\xff\xd8\xff")
    write_benchmark(tmp_path / "b", of.values(), composed, dict.fromkeys(of, tmp_path / "one.jpg"), {})
    benchmark = read_rq_benchmark(tmp_path / "b")
    assert all(one.picture == Path(one.picture).name for one in benchmark.listings.values())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b", "one.jpg"]


def test_a_picture_that_is_gone_is_an_error_that_names_it(tmp_path: Path) -> None:
    of = listings()
    composed = compose(of, Clusters(list(of.values()), alone(of)), queries(["0/0/0"]), {"0/0/0": "test"}, 0)
    known = pictures(tmp_path / "catalogue", of)
    known["0001"].unlink()
    with pytest.raises(ImageError, match=r"0001\.picture, the picture of product 0001, cannot be read"):
        write_benchmark(tmp_path / "b", of.values(), composed, known, {})


def test_an_id_with_blanks_is_refused(tmp_path: Path) -> None:
    of = {f"a {item_id}": replace(one, item_id=f"a {item_id}") for item_id, one in listings().items()}
    with pytest.raises(BenchmarkError, match="holds blanks"):
        write(tmp_path / "b", of)


def test_a_finished_benchmark_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    for seed in (0, 1):
        card = write(tmp_path / "trial", seed=seed)
        write_lines(tmp_path / "trial" / "STATS.md", ["# b"])
        (tmp_path / "b").mkdir(exist_ok=True)
        publish(tmp_path / "trial", tmp_path / "b")
        assert read_rq_benchmark(tmp_path / "b").card["checksum"] == card["checksum"]
    assert audit(read_rq_benchmark(tmp_path / "b")).is_clean
    assert not (tmp_path / "trial").exists()


def test_a_publication_that_stops_leaves_no_mixture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "b", seed=1)
    write(tmp_path / "trial")
    replace_file = Path.replace

    def stop(self: Path, target: Path) -> Path:
        if target.name == "T2.qrels":
            raise OSError(28, "No space left on device")
        return replace_file(self, target)

    monkeypatch.setattr(Path, "replace", stop)
    with pytest.raises(OSError, match="No space"):
        publish(tmp_path / "trial", tmp_path / "b")
    with pytest.raises(BenchmarkError, match="no finished"):
        read_rq_benchmark(tmp_path / "b")


@pytest.mark.parametrize("name", ["letter.txt", "pictures", "work/letter.txt", "card.json"])
def test_a_folder_of_the_users_is_refused_and_kept(tmp_path: Path, name: str) -> None:
    path = tmp_path / "out" / name
    path.parent.mkdir(parents=True)
    if name == "pictures":
        path.mkdir()
    else:
        path.write_text("{}")
    with pytest.raises(BenchmarkError, match="Choose another --out"), claimed(tmp_path / "out", tmp_path / "g.csv"):
        pass
    assert path.exists()


def test_the_catalogue_is_not_built_into(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    with pytest.raises(BenchmarkError, match="within each other"), claimed(tmp_path / "out", tmp_path):
        pass


def test_two_builds_do_not_share_a_folder(tmp_path: Path) -> None:
    gallery = tmp_path / "g.csv"
    with (
        claimed(tmp_path / "out", gallery),
        pytest.raises(BenchmarkError, match="Another build is at work"),
        claimed(tmp_path / "out", gallery),
    ):
        pass
    with claimed(tmp_path / "out", gallery):
        pass


def test_a_begun_build_refuses_other_settings_and_says_which(tmp_path: Path) -> None:
    begun = tmp_path / "settings.json"
    told = {"seed": 1, "settings": {"codebook": 64, "compared": ()}}
    go_on(begun, {**told, "seed": 2}, note=False)
    go_on(begun, told)
    go_on(begun, told)
    go_on(begun, {"seed": 1}, note=False)
    with pytest.raises(BenchmarkError, match=r"begun with settings\.codebook 64, not 128.*delete .*settings\.json"):
        go_on(begun, {**told, "settings": {"codebook": 128, "compared": ()}})


@pytest.mark.parametrize(
    ("changed", "difference"),
    [
        ({"facts": FactSettings(min_kept=0.3)}, r"settings\.min_kept 0\.4, not 0\.3"),
        ({"words": WordSettings(catalogue_words=1)}, r"settings\.catalogue_words 0\.2, not 1"),
        ({"candidates": CandidateSettings(nearest_of=1)}, r"settings\.nearest_of 32, not 1"),
    ],
)
def test_what_makes_a_benchmark_harder_is_compared_with_that_of_a_begun_build(
    tmp_path: Path, changed: dict[str, Any], difference: str
) -> None:
    go_on(tmp_path / "settings.json", describe_settings(SETTINGS))
    with pytest.raises(BenchmarkError, match=f"begun with {difference}"):
        go_on(tmp_path / "settings.json", describe_settings(replace(SETTINGS, **changed)))


def test_every_setting_stands_on_the_card_under_its_own_name() -> None:
    groups = (BuildSettings, HierarchySettings, LeafSettings, FactSettings, WordSettings, CandidateSettings)
    names = [one.name for group in groups for one in fields(group)]
    inner = {"name", "seed", "hierarchy", "leaves", "facts", "words", "candidates"}
    own = [name for name in names if name not in inner]
    assert len(set(own)) == len(own)
    assert set(describe_settings(BuildSettings())["settings"]) == set(own)


@pytest.mark.parametrize("text", ["{", "[1]", "3"])
def test_damaged_notes_of_a_begun_build_are_an_error(tmp_path: Path, text: str) -> None:
    (tmp_path / "settings.json").write_text(text)
    with pytest.raises(BenchmarkError, match="is damaged"):
        go_on(tmp_path / "settings.json", {"seed": 1})


def test_the_tables_stand_beside_the_papers(made: RQBenchmark) -> None:
    text = write_stats(made)
    for line in (
        "| products | 288 | – |",
        "| values of colour | 4 | 47 |",
        "| product type | 100.0% | 100.0% | 100.0% | 98.3% | 49.7% | 1.0% |",
        "| colour | 25.0% | 25.0% | 100.0% | 87.9% | 44.5% | 1.0% |",
        "| 64, D2 | 12 | 24.0 | 3.0 | 61 | 3,378 | 219.2 |",
        "| T3: sibling discrimination | 30 | 150 | 5–5 (mean 5.00) | 10 | 1,968 | 9,801 | 4–5 (mean 5.0) | 331 |",
        "| T2: relevance classification | 25.0% | 25.1% | 25.0% | 24.7% | 25.0% | 25.1% | 25.0% | 25.1% |",
        "| validation | 2 | 6 |",
        "| colour | 30 | 100.0% | 4 |",
        "| products: picture is missing | 2 |",
    ):
        assert line in text.splitlines(), line


def test_shares_of_labels_add_up(made: RQBenchmark) -> None:
    shares = label_shares(made, "T1")
    assert shares == {"exact": 3 / 15, "sibling": 4 / 15, "related": 4 / 15, "irrelevant": 4 / 15}


def test_a_good_benchmark_passes_its_audit(made: RQBenchmark) -> None:
    report = audit(made)
    assert report.is_clean, str(report)
    assert "No rule is broken." in str(report)


# One way to break each rule: gets the files' records by name, changes them, and says nothing.
Records = dict[str, list[dict[str, Any]]]
BROKEN: dict[Rule, Callable[[Records], object]] = {
    Rule.CODES: lambda files: files["listings"][0].update(codes=[1, 2]),
    Rule.LEAF: lambda files: files["queries"][0].update(leaf="9/9/9"),
    Rule.WORDS: lambda files: files["queries"][0].update(text="red shirts"),
    Rule.WANTED: lambda files: files["queries"][0].update(wanted={}),
    Rule.GROUP: lambda files: files["queries"][0].update(group_id="alone"),
    Rule.GROUP_SAME: lambda files: files["queries"][1].update(text=files["queries"][0]["text"].upper()),
    Rule.PART: lambda files: files["queries"][0].update(part=_other_part(files)),
    Rule.QUERIES: lambda files: files["candidates"].remove(_row(files, "T2")),
    Rule.SIZE: lambda files: _drop(files, "T4", ("sibling", "related", "irrelevant")),
    Rule.EXACT: lambda files: _drop(files, "T1", ("exact",), 1),
    Rule.MOST: lambda files: _add(files, "T2", "related"),
    Rule.T3_LABELS: lambda files: _add(files, "T3", "irrelevant"),
    Rule.LABEL: lambda files: _swap(files),
    Rule.DUPLICATE: lambda files: _same_name(files, list(_row(files, "T1")["candidates"])[:2]),
    Rule.SIDES: lambda files: _same_name(files, _exact_and_sibling(files)),
    Rule.SHARED: lambda files: _add(files, "T4", "irrelevant"),
    Rule.WANTED_TRUE: lambda files: _repaint(files),
    Rule.DECIDABLE: lambda files: _ask_for_what_a_sibling_has(files),
    Rule.WORDS_TRUE: lambda files: files["queries"][0].update(text="yellow corduroy shoes for boys"),
}


@pytest.mark.parametrize("rule", BROKEN, ids=lambda rule: rule.name)
def test_a_broken_rule_is_found(made: RQBenchmark, tmp_path: Path, rule: Rule) -> None:
    assert audited(made, tmp_path, BROKEN[rule]).by_rule()[rule] > 0


def test_judgements_that_differ_from_the_candidates_are_found(made: RQBenchmark, tmp_path: Path) -> None:
    report = audited(made, tmp_path, lambda files: files["candidates"].pop(), judged=False)
    assert report.by_rule()[Rule.QRELS] == 1


def test_missing_pictures_are_found(made: RQBenchmark, tmp_path: Path) -> None:
    report = audited(made, tmp_path, lambda _: None, with_pictures=False)
    assert report.by_rule()[Rule.PICTURE] > 0


def test_label_shares_are_compared_where_there_are_enough_groups(made: RQBenchmark, tmp_path: Path) -> None:
    def many_groups_of_few_candidates(files: Records) -> None:
        for record in files["queries"]:
            record["group_id"] = record["query_id"]
        files["queries"] += [{**record, "query_id": f"{record['query_id']}{n}", "group_id": f"{record['query_id']}{n}"}
                             for n in range(3) for record in files["queries"]]  # fmt: skip
        for row in files["candidates"]:
            kept = [item_id for item_id, label in row["candidates"].items() if label != "sibling"]
            row["candidates"] = {item_id: row["candidates"][item_id] for item_id in kept}

    assert audited(made, tmp_path, many_groups_of_few_candidates).by_rule()[Rule.SHARES] > 0


def audited(
    made: RQBenchmark,
    folder: Path,
    change: Callable[[Records], object],
    judged: bool = True,
    with_pictures: bool = True,
) -> AuditReport:
    """The benchmark with other records, and a card that fits them."""
    names = ("listings", "queries", "candidates")
    files = {name: [json.loads(line) for line in (made.folder / f"{name}.jsonl").open()] for name in names}
    change(files)
    for name, records in files.items():
        write_lines(folder / f"{name}.jsonl", map(json.dumps, records))
    for task, name in QRELS.items():
        write_lines(
            folder / name, _judgements(files, task) if judged else (made.folder / name).read_text().splitlines()
        )
    (folder / CARD).write_text(json.dumps({**made.card, "checksum": checksum_of(folder)}))
    if with_pictures:
        (folder / "pictures").symlink_to(made.folder / "pictures")
    return audit(read_rq_benchmark(folder))


def _judgements(files: Records, task: str) -> Iterator[str]:
    for row in files["candidates"]:
        if row["task"] == task:
            yield from (f"{row['query_id']} 0 {item_id} {grade(label)}" for item_id, label in row["candidates"].items())


def _row(files: Records, task: str) -> dict[str, Any]:
    return next(row for row in files["candidates"] if row["task"] == task)


def _other_part(files: Records) -> str:
    return "test" if files["queries"][0]["part"] == "validation" else "validation"


def _drop(files: Records, task: str, labels: tuple[str, ...], most: int = 9) -> None:
    row = _row(files, task)
    for item_id in [item_id for item_id, label in row["candidates"].items() if label in labels][:most]:
        del row["candidates"][item_id]


def _add(files: Records, task: str, label: str) -> None:
    row = _row(files, task)
    leaf = next(query["leaf"] for query in files["queries"] if query["query_id"] == row["query_id"])
    row["candidates"][
        next(
            one["item_id"]
            for one in files["listings"]
            if one["item_id"] not in row["candidates"] and relation(leaf, "/".join(map(str, one["codes"]))) == label
        )
    ] = label


def _swap(files: Records) -> None:
    labels = _row(files, "T1")["candidates"]
    one, other = (next(key for key, label in labels.items() if label == name) for name in ("sibling", "related"))
    labels[one], labels[other] = labels[other], labels[one]


def _exact_and_sibling(files: Records) -> list[str]:
    """Of different queries of one leaf, so that neither shows both."""
    rows = [row["candidates"] for row in files["candidates"] if row["task"] == "T1"][:3]
    for exact in (item_id for item_id, label in rows[0].items() if label == "exact"):
        for sibling in (item_id for row in rows[1:] for item_id, label in row.items() if label == "sibling"):
            return [exact, sibling]
    raise AssertionError("the draw has no such pair")


def _ask_for_what_a_sibling_has(files: Records) -> None:
    row = _row(files, "T1")
    sibling = next(item_id for item_id, label in row["candidates"].items() if label == "sibling")
    attributes = next(record["attributes"] for record in files["listings"] if record["item_id"] == sibling)
    query = next(record for record in files["queries"] if record["query_id"] == row["query_id"])
    query["wanted"] = {name: attributes[name].upper() for name in query["wanted"]}


def _same_name(files: Records, item_ids: list[str]) -> None:
    for record in files["listings"]:
        if record["item_id"] in item_ids:
            record["name"] = "The  same" if record["item_id"] == item_ids[0] else "the same"


def _repaint(files: Records) -> None:
    for record in files["listings"]:
        record["attributes"]["colour"] = "Mauve"
