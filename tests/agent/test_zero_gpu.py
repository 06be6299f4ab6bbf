from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import pytest

from agent.zero_gpu import announce, gpu_name
from retrieval.errors import DependencyError


@pytest.fixture
def named(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What a stand-in for the library was given: the real one only does something on that hardware."""
    functions: list[Any] = []
    library: Any = ModuleType("spaces")
    library.GPU = functions.append
    monkeypatch.setitem(sys.modules, "spaces", library)
    return functions


def test_elsewhere_nothing_is_named(named: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SPACES_ZERO_GPU", raising=False)
    announce()
    assert named == []


def test_on_zero_gpu_a_function_is_named_that_can_be_called(named: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPACES_ZERO_GPU", "true")
    announce()
    assert named == [gpu_name]
    assert isinstance(gpu_name(), str)


def test_on_zero_gpu_without_the_library_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPACES_ZERO_GPU", "true")
    monkeypatch.setitem(sys.modules, "spaces", None)
    with pytest.raises(DependencyError, match="CPU basic"):
        announce()
