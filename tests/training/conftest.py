"""These tests need requirements-train.txt; `make test-training` installs it and fails if they do not run."""

import os

import pytest

if os.environ.get("DIMITY_TRAINING_TESTS") != "required":
    pytest.importorskip("torch", reason="needs requirements-train.txt: make test-training")


@pytest.fixture(autouse=True)
def one_thread():
    import torch

    torch.set_num_threads(1)
    torch.manual_seed(0)
