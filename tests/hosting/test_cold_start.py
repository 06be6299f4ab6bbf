from __future__ import annotations

from pathlib import Path

from hosting.cold_start import cold_start


def started_from(folder: Path, program: str) -> list[str]:
    (folder / "app.py").write_text(program, encoding="utf-8")
    return cold_start(folder).problems


def test_a_shop_that_starts_has_no_problems_and_leaves_nothing_behind(tmp_path: Path) -> None:
    program = "import sys, pathlib; pathlib.Path('made').write_text('x'); sys.exit(sys.argv[1:] != ['--check'])"
    assert started_from(tmp_path, program) == []
    assert [path.name for path in tmp_path.iterdir()] == ["app.py"]


def test_a_shop_that_does_not_start_says_why(tmp_path: Path) -> None:
    [problem] = started_from(tmp_path, "import a_module_that_was_forgotten")
    assert "a_module_that_was_forgotten" in problem


def test_a_first_start_has_an_empty_home_and_nothing_of_our_environment(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("DIMITY_SECRET", "mine")
    program = "import os, sys; sys.exit(bool(os.listdir(os.environ['HOME'])) or 'DIMITY_SECRET' in os.environ)"
    assert started_from(tmp_path, program) == []


def test_a_first_start_reaches_nobody(tmp_path: Path) -> None:
    program = (
        "import socket, sys\n"
        "try: socket.create_connection(('1.1.1.1', 53), timeout=3)\n"
        "except OSError as error: sys.exit(error.errno != 101)\n"
        "sys.exit('connected')\n"
    )
    (tmp_path / "app.py").write_text(program, encoding="utf-8")
    started = cold_start(tmp_path)
    assert started.problems == [] or not started.is_cut_off
