import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="tests/training needs torch: make test-training")
def test_the_training_command_answers_for_help_where_torch_is_installed():
    command = [sys.executable, "-m", "retrieval.fashion_am.train", "--help"]
    done = subprocess.run(command, cwd=Path(__file__).parents[1], capture_output=True, text=True)
    assert "--stage" in done.stdout, done.stderr
