"""A process that is killed while it keeps conversations leaves whole ones behind, and nothing that looks like one."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from agent.shelf import Shelf
from retrieval.errors import MessageError

ROOT = Path(__file__).parents[2]
KEEPS_ON = """
import sys
from pathlib import Path
from agent.shelf import Shelf
from retrieval.schema import Intent, Message, Plan, Reply, Session, Turn

plan, reply = Plan(Intent.SEARCH), Reply("yes")
turns = tuple(Turn(n, n - 1 or None, Message(f"words {n} " * 300), plan, reply) for n in range(1, 40))
shelf = Shelf(Path(sys.argv[1]))
while True:
    print(shelf.put(Session("s", turns)), flush=True)
"""


def test_what_was_kept_before_a_kill_is_there_after_it_and_nothing_is_half(tmp_path: Path) -> None:
    folder, uploads = tmp_path / "links", tmp_path / "uploads"
    process = subprocess.Popen(
        [sys.executable, "-c", KEEPS_ON, str(folder)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    tokens = [process.stdout.readline().strip() for _ in range(5)]
    time.sleep(0.03)
    process.kill()
    tokens += process.stdout.read().split()
    process.wait()
    shelf = Shelf(folder)
    whole = [token for token in tokens if len(token) == 22]
    assert len(whole) >= 5
    assert all(len(shelf.take(token, uploads).turns) == 39 for token in whole)
    for path in folder.iterdir():  # what was being written when it was killed is under no link's name
        token = path.name.removesuffix(".jsonl")
        if token not in whole and path.suffix == ".jsonl" and not path.name.startswith("."):
            assert len(shelf.take(token, uploads).turns) == 39


@pytest.mark.parametrize("token", ["", "../../etc/passwd", "a" * 22, ".partial", "x" * 4000, "a/b", "\0" * 22])
def test_a_link_that_was_never_given_out_leads_nowhere(token: str, tmp_path: Path) -> None:
    with pytest.raises(MessageError, match="leads to no conversation"):
        Shelf(tmp_path).take(token, tmp_path)
