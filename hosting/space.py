"""The folder of a Space: exactly what would be pushed."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

from retrieval.errors import FashionSearchError

ROOT = Path(__file__).parents[1]
PARTS = ("app.py", "requirements.txt", "README.md", "LICENSE", "page", "agent", "page", "retrieval", "assets")
"""What the running shop reads; builders, training data and tests stay at home."""
LARGE = ("*.onnx", "*.png", "*.webp", "*.jpg", "*.npz")
"""Files that a Space's repository takes through large-file storage alone."""
_MARK = ".dimity-space"


class SpaceError(FashionSearchError):
    """A folder for a Space cannot be made."""


def build(root: Path, out: Path) -> list[str]:
    """Files of the folder, sorted. It is replaced as a whole; one that this command did not make is left alone.

    Only what git knows is copied: what lies about in a working tree is not for everybody. Raises SpaceError.
    """
    if out.exists() and any(out.iterdir()) and not (out / _MARK).exists():
        raise SpaceError(f"{out} holds something else. Name a new folder with --out.")
    names = _tracked(root)
    out.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(prefix=f".{out.name}-", dir=out.parent))
    try:
        for name in names:
            target = made / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(root / name, target)
        lines = "".join(f"{pattern} filter=lfs diff=lfs merge=lfs -text\n" for pattern in LARGE)
        (made / ".gitattributes").write_text(lines, encoding="utf-8")
        (made / _MARK).write_text("made by python -m hosting\n", encoding="utf-8")
        made.chmod(0o755)
        shutil.rmtree(out, ignore_errors=True)
        made.replace(out)
    finally:
        shutil.rmtree(made, ignore_errors=True)
    return sorted([*names, ".gitattributes", _MARK])


def _tracked(root: Path) -> list[str]:
    try:
        done = subprocess.run(["git", "ls-files", "-z", "--", *PARTS], cwd=root, capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise SpaceError(f"git cannot list the files of {root}. Build the folder in a clone of the project.") from error
    names = [name for name in done.stdout.decode().split("\0") if name and (root / name).is_file()]
    if "app.py" not in names:
        raise SpaceError(f"There is no app.py in {root}. Build the folder in a clone of the project.")
    return sorted(names)
