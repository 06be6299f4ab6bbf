from __future__ import annotations

import os
from pathlib import Path

import pytest

from agent.housekeeping import Sweeper

NOW = 1_000_000.0
HOUR = 3600.0


def put(path: Path, size: int, hours_ago: float) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(bytes(size))
    os.utime(path, (NOW - hours_ago * HOUR,) * 2)
    return path


def sweeper(folder: Path, kept_bytes: int = 10_000) -> Sweeper:
    return Sweeper(folder, kept_seconds=12 * HOUR, kept_bytes=kept_bytes, clock=lambda: NOW)


def test_old_files_go_and_new_ones_stay(tmp_path: Path) -> None:
    old = put(tmp_path / "uploads" / "old.png", 10, 13)
    new = put(tmp_path / "uploads" / "new.png", 10, 11)
    assert sweeper(tmp_path).sweep() == 1
    assert (old.exists(), new.exists()) == (False, True)


def test_where_there_is_too_much_the_oldest_go_first(tmp_path: Path) -> None:
    files = [put(tmp_path / "uploads" / f"{hours}.png", 100, hours) for hours in (5, 4, 3, 2, 1)]
    cleaner = sweeper(tmp_path, kept_bytes=250)
    assert cleaner.sweep() == 3
    assert [file.exists() for file in files] == [False, False, False, True, True]
    assert cleaner.n_bytes == 200


def test_thumbnails_and_links_do_not_age_but_count(tmp_path: Path) -> None:
    kept = [put(tmp_path / name, 100, 100) for name in ("pictures/a-512.jpg", "links/token.jsonl")]
    assert sweeper(tmp_path).sweep() == 0
    assert all(file.exists() for file in kept)
    assert sweeper(tmp_path, kept_bytes=150).sweep() == 1


def test_folders_of_sessions_go_when_they_are_empty_and_old(tmp_path: Path) -> None:
    put(tmp_path / "exports" / "gone" / "a.jsonl", 10, 13)
    put(tmp_path / "exports" / "here" / "a.jsonl", 10, 1)
    (tmp_path / "exports" / "fresh").mkdir()
    cleaner = sweeper(tmp_path)
    cleaner.sweep()
    for name in ("gone", "here"):
        os.utime(tmp_path / "exports" / name, (NOW - 13 * HOUR,) * 2)
    os.utime(tmp_path / "exports" / "fresh", (NOW, NOW))
    cleaner.sweep()
    assert sorted(folder.name for folder in (tmp_path / "exports").iterdir()) == ["fresh", "here"]


def test_a_link_is_removed_and_what_it_leads_to_is_not(tmp_path: Path) -> None:
    outside = put(tmp_path / "outside" / "kept.png", 10, 100)
    served = tmp_path / "served"
    served.mkdir()
    link = served / "link.png"
    link.symlink_to(outside)
    os.utime(link, (NOW - 13 * HOUR,) * 2, follow_symlinks=False)
    assert sweeper(served).sweep() == 1
    assert outside.exists()


def test_it_sweeps_by_itself_until_it_is_stopped(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    old = put(tmp_path / "uploads" / "old.png", 10, 13)
    cleaner = sweeper(tmp_path)
    cleaner.start(every_seconds=0.01)
    for _ in range(2000):
        if not old.exists():
            break
        cleaner._ended.wait(0.01)
    cleaner.stop()
    assert not old.exists()
