"""On ZeroGPU hardware a Space must name a function that may use the GPU, or it is stopped at its start. Optional.

No turn needs it: a turn's models take some milliseconds on a processor, less than asking for a GPU. What is named tells
whoever looks after the Space which GPU it would get.
"""

from __future__ import annotations

import os
import subprocess

from retrieval.errors import DependencyError


def is_zero_gpu() -> bool:
    return os.environ.get("SPACES_ZERO_GPU", "").lower() in {"1", "true"}


def announce() -> None:
    """Does nothing elsewhere. Raises DependencyError where the hardware is there and the library `spaces` is not."""
    if not is_zero_gpu():
        return
    try:
        import spaces
    except ImportError as error:
        raise DependencyError(
            "This Space runs on ZeroGPU, which needs a library: add `spaces==0.51.3` to requirements.txt, or "
            "choose CPU basic in the Space's settings; the shop needs no GPU."
        ) from error
    spaces.GPU(gpu_name)


def gpu_name() -> str:
    """What nvidia-smi says, "" where there is none."""
    try:
        done = subprocess.run(
            ["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"], capture_output=True, text=True, check=False
        )
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
