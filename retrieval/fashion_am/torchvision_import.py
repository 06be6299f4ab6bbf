"""Makes `import torchvision` work beside a torch without CUDA; call it before open_clip, transformers or peft.

The published torchvision is built for CUDA. Its compiled part does not load beside a CPU build of torch, and importing
it, or any library that looks for it, fails for two operators that none of ours calls. Declared by name alone, they let
the rest, which is plain Python, be imported. Where torchvision is whole or absent, nothing happens.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys

import torch

_SIGNATURES = (
    "nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
    "qnms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
)
_declared: list[torch.library.Library] = []
"""Operators vanish with their library."""


def ensure_torchvision() -> bool:
    """True when torchvision's compiled operators are there. Raises RuntimeError when it is broken in another way."""
    if importlib.util.find_spec("torchvision") is None:
        return False
    try:
        importlib.import_module("torchvision")
    except RuntimeError as error:
        if "torchvision::nms" not in str(error):
            raise
        _declare()
        importlib.import_module("torchvision")
    return not _declared


def _declare() -> None:
    library = torch.library.Library("torchvision", "FRAGMENT")
    for signature in _SIGNATURES:
        library.define(signature)
    _declared.append(library)
    for name in [name for name in sys.modules if name.partition(".")[0] == "torchvision"]:
        del sys.modules[name]
