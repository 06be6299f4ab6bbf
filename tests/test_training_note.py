import importlib.util

import pytest


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="tests/training needs torch: make test-training")
def test_the_training_code_imports_where_torch_is_installed():
    pass
