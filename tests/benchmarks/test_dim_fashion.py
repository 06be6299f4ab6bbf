from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.dim_fashion import (
    DATASETS,
    Step,
    Watch,
    bare_rows,
    bare_search,
    main,
    make_sources,
    make_vectors,
    measure,
    picture_name,
)
from builders.instances import N_NEGATIVES, N_POSITIVES
from retrieval.benchmark import Task

STEPS = [
    "instances",
    "vectors",
    "bare FAISS",
    "bridges",
    "walk",
    "refine",
    "split",
    "write",
    "read",
    "audit",
    "statistics",
]


def test_planted_neighbours_are_about_as_many_as_the_paper_counts() -> None:
    """1.2 million edges between 300,000 pictures and .42 million at .85: 4 and 1.4 a picture."""
    n = 2600
    vectors = make_vectors(n, 256, 1)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    cosines = vectors @ vectors.T
    datasets = np.arange(n) % len(DATASETS)
    between = np.triu(datasets[:, None] != datasets[None, :], 1)
    assert 3 < (cosines[between] >= 0.80).sum() / n < 5
    assert 0.8 < (cosines[between] >= 0.85).sum() / n < 2


def test_instances_stay_in_one_dataset_and_keep_its_task() -> None:
    sources = make_sources(1300, 1)
    assert [(source.instances[0].task, source.name) for source in sources] == list(DATASETS)
    for source in sources:
        for instance in source.instances:
            named = {instance.target, *instance.references, *instance.positives, *instance.negatives}
            assert named <= source.images.keys()
            assert instance.target not in instance.references
            if instance.task is Task.ASFR:
                assert len(instance.positives) == N_POSITIVES[1]
                assert len(instance.negatives) == N_NEGATIVES
    assert {name for source in sources for name in source.images} == {picture_name(row) for row in range(1300)}


def test_a_build_goes_through_every_step_and_passes_the_audit(tmp_path: Path) -> None:
    steps: list[Step] = []
    measure(1300, 32, 60, tmp_path / "out", Watch(steps.append))
    assert [step.name for step in steps] == STEPS
    said = {step.name: step.said for step in steps}
    assert said["audit"] == "0 violations"
    assert said["walk"] == "60 walks"
    assert all(step.peak_mb > 0 for step in steps)


def test_the_bare_search_is_exact_and_asks_for_evenly_spaced_pictures() -> None:
    vectors = make_vectors(1300, 32, 1)
    assert bare_rows(1300, 400).tolist() == list(range(0, 1300, 4))
    assert bare_rows(1300).tolist() == list(range(1300))
    n_found = int((vectors[::4] @ vectors.T > 0.70).sum())
    assert bare_search(vectors, 400) == f"{n_found:,} neighbours of 325 pictures, exactly"


def test_the_table_ends_with_the_ratio(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--n", "1300", "--dim", "16", "--sessions", "20"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2 + len(STEPS)
    assert float(lines[-1].removeprefix("bridges / bare FAISS, per picture: ")) > 0


@pytest.mark.parametrize("options", [["--n", "0"], ["--n", "100"], ["--sessions", "0"]])
def test_too_little_cannot_be_measured(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(options)
    assert options[0] in capsys.readouterr().err
