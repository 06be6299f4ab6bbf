import json
from dataclasses import replace

import pytest

from eval.rqbench.metrics import check_tasks
from eval.rqbench.scoring import claimed, folder_name, read_scores, result_of, run_system
from eval.runs import RunError
from retrieval.errors import BenchmarkError
from retrieval.rq_benchmark import TASKS, read_rq_benchmark


def test_a_pair_that_stands_in_several_tasks_is_scored_once(small, perfect, tmp_path):
    run_system(small, TASKS, perfect, tmp_path / "perfect")
    n_pairs = sum(
        len({item_id for task in TASKS for item_id in small.candidates[task][query_id]}) for query_id in small.queries
    )
    assert perfect.asked == [n_pairs]


def test_a_finished_system_is_not_scored_again_and_its_scores_are_the_same(small, perfect, tmp_path):
    first = run_system(small, TASKS, perfect, tmp_path / "perfect")
    assert run_system(small, TASKS, perfect, tmp_path / "perfect") == first
    assert len(perfect.asked) == 1


def test_only_the_tasks_that_are_missing_are_scored(small, perfect, tmp_path):
    run_system(small, ("T3",), perfect, tmp_path / "perfect")
    run_system(small, ("T1", "T3"), perfect, tmp_path / "perfect")
    n_pairs = [sum(map(len, small.candidates[task].values())) for task in ("T3", "T1")]
    assert perfect.asked == n_pairs


def test_scores_survive_the_disk_unrounded(small, scripted, tmp_path):
    system = scripted(lambda *pair: int(pair[1].item_id[1:]) / 7 * 1e-9)
    found = run_system(small, ("T1",), system, tmp_path / "run")["T1"]
    for query_id, scores in found.items():
        assert list(scores.values()) == [
            system.score_of(small.queries[query_id], small.listings[item_id]) for item_id in scores
        ]


def test_another_system_or_benchmark_is_noticed(small, perfect, rebuilt, tmp_path):
    run_system(small, ("T1",), perfect, tmp_path / "run")
    perfect.revision = "2"
    with pytest.raises(RunError, match="another revision"):
        run_system(small, ("T1",), perfect, tmp_path / "run")
    perfect.revision = "1"
    other = read_rq_benchmark(rebuilt(lambda query: replace(query, text=f"{query.text}!")))
    with pytest.raises(RunError, match="another benchmark"):
        run_system(other, ("T1",), perfect, tmp_path / "run")


@pytest.mark.parametrize(("score", "said"), [(float("nan"), "nan"), (float("inf"), "inf")])
def test_a_score_that_is_no_number_is_an_error_and_leaves_no_run(small, scripted, tmp_path, score, said):
    system = scripted(lambda *pair: score if pair[1].item_id == "p000" else 1.0)
    with pytest.raises(RunError, match=f"product p000 for query .* with {said}"):
        run_system(small, TASKS, system, tmp_path / "run")
    assert not list((tmp_path / "run").glob("*.run"))


def test_a_system_has_to_score_every_pair(small, scripted, tmp_path):
    class Forgetful(scripted):
        def score(self, benchmark, pairs):
            return {query_id: [0.0] * (len(item_ids) - 1) for query_id, item_ids in pairs.items()}

    class Silent(scripted):
        def score(self, benchmark, pairs):
            return {}

    with pytest.raises(RunError, match="14 scores for the 15 candidates"):
        run_system(small, ("T1",), Forgetful(float), tmp_path / "forgetful")
    with pytest.raises(RunError, match="no scores for the 15 candidates"):
        run_system(small, ("T1",), Silent(float), tmp_path / "silent")


@pytest.mark.parametrize("damage", [lambda text: text[: len(text) // 2], lambda text: text.replace("p0", "x0", 1)])
def test_a_damaged_run_is_an_error(small, perfect, tmp_path, damage):
    run_system(small, ("T1",), perfect, tmp_path / "run")
    path = tmp_path / "run" / "T1.run"
    path.write_text(damage(path.read_text()))
    with pytest.raises(RunError, match="delete it"):
        read_scores(small, "T1", tmp_path / "run")


def test_a_folder_of_something_else_is_left_alone(small, perfect, tmp_path):
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(RunError, match="something else"):
        run_system(small, ("T1",), perfect, tmp_path)


def test_an_interrupted_begin_does_not_bar_the_folder(small, perfect, tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "settings.json.partial").write_text("{")
    assert run_system(small, ("T1",), perfect, tmp_path / "run")


def test_damaged_settings_are_an_error(small, perfect, tmp_path):
    run_system(small, ("T1",), perfect, tmp_path / "run")
    (tmp_path / "run" / "settings.json").write_text("{")
    with pytest.raises(RunError, match="damaged"):
        run_system(small, ("T1",), perfect, tmp_path / "run")


def test_two_names_never_share_a_folder():
    names = ["bm25", "Qwen/Qwen3", "Qwen_Qwen3", "..", "a b", "a/b"]
    assert len({folder_name(name) for name in names}) == len(names)
    assert not any("/" in folder_name(name) or folder_name(name) in ("", ".", "..") for name in names)


def test_one_command_at_a_time(tmp_path):
    with claimed(tmp_path), pytest.raises(RunError, match="Another command"), claimed(tmp_path):
        pass


def test_the_perfect_system_has_all_there_is(small, perfect, tmp_path):
    result = result_of(small, TASKS, perfect, tmp_path)
    for name in ("T1 nDCG@10", "T1 Recall@10", "T2 Accuracy", "T2 Macro-F1", "T3 nDCG@3", "T3 Recall@3"):
        assert result.measures[name].value == pytest.approx(1), name
    assert json.loads((tmp_path / "runs" / "perfect" / "settings.json").read_text())["system"] == "perfect"


def test_classification_without_validation_queries_is_refused(rebuilt):
    benchmark = read_rq_benchmark(rebuilt(lambda query: replace(query, part="test")))
    with pytest.raises(BenchmarkError, match="part validation"):
        check_tasks(benchmark, TASKS)
    check_tasks(benchmark, ("T1", "T3", "T4"))


def test_tasks_that_cannot_be_scored_are_refused(rebuilt):
    def spoil(judged):
        judged["T3"].clear()
        judged["T1"]["q00-0"] = dict.fromkeys(judged["T1"]["q00-0"], "sibling")
        judged["T4"]["q01-0"].pop(next(iter(judged["T4"]["q01-0"])))

    benchmark = read_rq_benchmark(rebuilt(judge=spoil))
    for task, said in (("T1", "q00-0 of T1 has no exact"), ("T3", "no query of T3"), ("T4", "group g01")):
        with pytest.raises(BenchmarkError, match=said):
            check_tasks(benchmark, (task,))


def test_groups_of_one_have_nothing_to_agree_with(rebuilt):
    benchmark = read_rq_benchmark(rebuilt(lambda query: replace(query, group_id=query.query_id)))
    with pytest.raises(BenchmarkError, match="two paraphrases"):
        check_tasks(benchmark, ("T4",))


def test_ids_that_a_run_cannot_hold_are_refused(rebuilt):
    benchmark = read_rq_benchmark(rebuilt(lambda query: replace(query, query_id=f"{query.query_id} {query.part}")))
    with pytest.raises(BenchmarkError, match="id with a space"):
        check_tasks(benchmark, ("T1",))
