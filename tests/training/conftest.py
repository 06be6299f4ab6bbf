"""These tests need requirements-train.txt, which `make test-training` installs; elsewhere they are left out."""

import importlib.util
import os

import pytest

if importlib.util.find_spec("torch") is None and os.environ.get("DIMITY_TRAINING_TESTS") != "required":
    collect_ignore_glob = ["test_*.py"]


@pytest.fixture(autouse=True)
def one_thread():
    import torch

    torch.set_num_threads(1)
    torch.manual_seed(0)
