"""What the folder of a Space must be: front matter, requirements, files; each check gives its problems in words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

MAX_TOTAL = 1_000_000_000
"""Bytes of a free Space's repository."""
LARGE_FROM = 10_000_000
"""Bytes from which a file must be in large-file storage."""
MAX_SHORT = 60
COLOURS = {"red", "yellow", "green", "blue", "indigo", "purple", "pink", "gray"}
WANTED = ("title", "emoji", "colorFrom", "colorTo", "sdk", "sdk_version", "python_version", "app_file")
NOT_FOR_CPU = {"torch", "torchvision", "transformers", "vllm", "faiss-gpu", "onnxruntime-gpu", "open-clip-torch"}
LEFT_OVER = {"__pycache__", ".git", ".venv", ".pytest_cache", ".hypothesis", "runs", "tests"}


def problems(folder: Path, large: Sequence[str]) -> list[str]:
    """`large` are the patterns of files in large-file storage. Empty for a folder that can be pushed."""
    front = front_matter(folder / "README.md")
    pins = requirements(folder / "requirements.txt")
    return [*_of_front(front, folder, pins), *_of_requirements(pins), *_of_files(folder, large)]


def front_matter(readme: Path) -> dict[str, str]:
    """Keys and plain values between the first two lines of dashes; empty where there are none."""
    text = readme.read_text(encoding="utf-8") if readme.is_file() else ""
    found = re.match(r"---\n(.*?)\n---\n", text, re.DOTALL)
    lines = re.findall(r"^(\w+): *(.+?) *$", found[1], re.MULTILINE) if found else []
    return {key: value.strip("\"'") for key, value in lines}


def requirements(file: Path) -> dict[str, str]:
    """Package -> what is asked of it ("==1.2"), as it stands."""
    lines = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
    plain = (line.split("#")[0].strip() for line in lines)
    parts = (re.match(r"([\w.-]+)(\[[\w,]+\])?(.*)", line) for line in plain if line)
    return {match[1].lower(): match[3].strip() for match in parts if match}


def total_bytes(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def _of_front(front: dict[str, str], folder: Path, pins: dict[str, str]) -> Iterator[str]:
    for key in WANTED:
        if not front.get(key):
            yield f"README.md: its front matter lacks {key}"
    for key in ("colorFrom", "colorTo"):
        if front.get(key) and front[key] not in COLOURS:
            yield f"README.md: {key} is {front[key]}, which is none of {', '.join(sorted(COLOURS))}"
    if front.get("sdk", "gradio") != "gradio":
        yield f"README.md: sdk is {front['sdk']}, the shop is a gradio app"
    if front.get("sdk_version") and pins.get("gradio") != f"=={front['sdk_version']}":
        yield f"README.md: sdk_version is {front['sdk_version']}, requirements.txt has gradio{pins.get('gradio', '')}"
    if front.get("app_file") and not (folder / front["app_file"]).is_file():
        yield f"README.md: app_file is {front['app_file']}, which is not there"
    if len(front.get("short_description", "")) > MAX_SHORT:
        yield f"README.md: short_description has more than {MAX_SHORT} characters"


def _of_requirements(pins: dict[str, str]) -> Iterator[str]:
    if not pins:
        yield "requirements.txt is missing or empty"
    for package, asked in pins.items():
        if not re.fullmatch(r"==[\w.+!-]+", asked):
            yield f"requirements.txt: {package}{asked} is not pinned to one version"
        if package in NOT_FOR_CPU:
            yield f"requirements.txt: {package} is not for a Space without a GPU"


def _of_files(folder: Path, large: Sequence[str]) -> Iterator[str]:
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder)
        if path.is_symlink():
            yield f"{name} is a link"
        elif path.is_file():
            if LEFT_OVER & set(name.parts):
                yield f"{name} is left over from somewhere"
            head = path.open("rb").read(40) if path.stat().st_size < 1000 else b""
            if head.startswith(b"version https://git-lfs"):
                yield f"{name} is a pointer to large-file storage: run `git lfs pull`"
            if path.stat().st_size >= LARGE_FROM and not any(path.match(pattern) for pattern in large):
                yield f"{name} has {path.stat().st_size / 1e6:.0f} MB and is not in large-file storage"
    if (size := total_bytes(folder)) > MAX_TOTAL:
        yield f"the folder has {size / 1e6:.0f} MB, more than {MAX_TOTAL / 1e6:.0f}"
