"""A first start as on a fresh machine: an empty home, an environment with nothing in it, and no network."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

START_SECONDS = 600
MAX_MEMORY_MB = 8000
"""A Space without a GPU has 16 GB; half of it is for visitors."""


@dataclass(frozen=True, slots=True)
class Started:
    """How a first start went."""

    seconds: float
    processor_seconds: float
    memory_mb: float
    """At its peak."""
    is_cut_off: bool
    """There was no network."""
    problems: list[str]

    def line(self) -> str:
        network = "without network" if self.is_cut_off else "WITH the network (this system does not let us cut it off)"
        return (
            f"first start and first answer {network}: {self.seconds:.0f} s, {self.processor_seconds:.0f} s of "
            f"processor time, {self.memory_mb:.0f} MB at its peak"
        )


def cold_start(folder: Path) -> Started:
    """Starts the shop from a copy of the folder, so that nothing is left in it, and lets it answer one message."""
    cut = _without_network()
    with tempfile.TemporaryDirectory(prefix="dimity-cold-") as place:
        copy, home = Path(place) / "space", Path(place) / "home"
        shutil.copytree(folder, copy)
        home.mkdir()
        environment = {"PATH": os.environ.get("PATH", ""), "HOME": str(home), "LANG": "C.UTF-8", "SPACE_ID": "a/b"}
        before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        try:
            done = subprocess.run(
                [*cut, sys.executable, "app.py", "--check"], cwd=copy, env=environment, capture_output=True, text=True,
                timeout=START_SECONDS, check=False,
            )  # fmt: skip
            found = [] if done.returncode == 0 else [f"the shop does not start: {done.stderr.strip()[-600:]}"]
        except subprocess.TimeoutExpired:
            found = [f"the shop did not answer within {START_SECONDS} s"]
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        memory = after.ru_maxrss / 1000
        if memory > MAX_MEMORY_MB:
            found.append(f"the shop needs {memory:.0f} MB to start, more than {MAX_MEMORY_MB}")
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return Started(time.monotonic() - began, spent, memory, bool(cut), found)


def _without_network() -> list[str]:
    """What runs a command in a network of its own that leads nowhere; empty where the system forbids it."""
    command = ["unshare", "--user", "--map-root-user", "--net"]
    try:
        done = subprocess.run([*command, "true"], capture_output=True, check=False)
    except OSError:
        return []
    return command if done.returncode == 0 else []
