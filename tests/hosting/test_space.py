from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from hosting.__main__ import main
from hosting.space import LARGE, ROOT, SpaceError, build
from hosting.space_checks import LARGE_FROM, front_matter, problems, requirements

FRONT = {
    "title": "Shop", "emoji": "👗", "colorFrom": "pink", "colorTo": "gray", "sdk": "gradio", "sdk_version": "6.0.0",
    "python_version": '"3.11"', "app_file": "app.py", "short_description": "Find clothes",
}  # fmt: skip


def write_front(folder: Path, **changes: str | None) -> None:
    lines = "".join(f"{key}: {value}\n" for key, value in {**FRONT, **changes}.items() if value is not None)
    (folder / "README.md").write_text(f"---\n{lines}---\n\n# Shop\n", encoding="utf-8")


@pytest.fixture
def space(tmp_path: Path) -> Path:
    """A small folder without a fault."""
    folder = tmp_path / "space"
    folder.mkdir()
    write_front(folder)
    (folder / "app.py").write_text("print('hello')\n", encoding="utf-8")
    (folder / "requirements.txt").write_text("# a note\ngradio==6.0.0  # the page\nnumpy==2.1\n", encoding="utf-8")
    return folder


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    root = tmp_path / "clone"
    for name in ("app.py", "requirements.txt", "README.md", "agent/turn.py", "assets/a.png", "tests/test_a.py"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(name, encoding="utf-8")
    for command in (["init", "-q"], ["add", "."]):
        subprocess.run(["git", *command], cwd=root, check=True)
    (root / "agent" / "secret.txt").write_text("not for everybody", encoding="utf-8")
    return root


def test_a_folder_without_a_fault_has_no_problems(space: Path) -> None:
    assert problems(space, LARGE) == []


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"title": None}, "lacks title"),
        ({"colorFrom": "plum"}, "colorFrom is plum"),
        ({"sdk": "docker"}, "sdk is docker"),
        ({"sdk_version": "5.0.0"}, "requirements.txt has gradio==6.0.0"),
        ({"app_file": "main.py"}, "main.py, which is not there"),
        ({"short_description": "x" * 61}, "more than 60 characters"),
    ],
)
def test_a_fault_of_the_front_matter_is_named(changes: dict[str, str | None], says: str, space: Path) -> None:
    write_front(space, **changes)
    assert [problem for problem in problems(space, LARGE) if says in problem]


@pytest.mark.parametrize(
    ("line", "says"),
    [("pillow>=12", "pillow>=12 is not pinned"), ("pillow", "pillow is not pinned"), ("torch==2.9", "without a GPU")],
)
def test_a_requirement_that_does_not_fit_is_named(line: str, says: str, space: Path) -> None:
    (space / "requirements.txt").write_text(f"gradio==6.0.0\n{line}\n", encoding="utf-8")
    assert any(says in problem for problem in problems(space, LARGE))


def test_large_files_links_and_what_is_left_over_are_named(space: Path) -> None:
    for name in ("weights.onnx", "weights.bin"):
        with (space / name).open("wb") as file:
            file.truncate(LARGE_FROM)
    (space / "__pycache__").mkdir()
    (space / "__pycache__" / "a.pyc").write_bytes(b"x")
    (space / "outside").symlink_to("/etc/hostname")
    (space / "pointer.onnx").write_text("version https://git-lfs.github.com/spec/v1\n", encoding="utf-8")
    named = {problem.split()[0] for problem in problems(space, LARGE)}
    assert named == {"weights.bin", "__pycache__/a.pyc", "outside", "pointer.onnx"}


def test_only_what_git_knows_and_the_shop_reads_is_copied(clone: Path, tmp_path: Path) -> None:
    out = tmp_path / "space"
    names = build(clone, out)
    assert names == [
        ".dimity-space", ".gitattributes", "README.md", "agent/turn.py", "app.py", "assets/a.png", "requirements.txt",
    ]  # fmt: skip
    assert sorted(str(file.relative_to(out)) for file in out.rglob("*") if file.is_file()) == names


def test_a_folder_is_replaced_as_a_whole(clone: Path, tmp_path: Path) -> None:
    out = tmp_path / "space"
    build(clone, out)
    (out / "old.txt").write_text("old", encoding="utf-8")
    build(clone, out)
    assert not (out / "old.txt").exists()
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".space")] == []


def test_a_folder_that_holds_something_else_is_left_alone(clone: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "thesis.txt").write_text("years of work", encoding="utf-8")
    with pytest.raises(SpaceError, match="holds something else"):
        build(clone, mine)
    assert (mine / "thesis.txt").exists()


def test_outside_of_a_clone_it_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(SpaceError, match="in a clone of the project"):
        build(tmp_path, tmp_path / "space")


def test_this_project_makes_a_folder_that_can_be_pushed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--out", str(tmp_path / "space"), "--no-start"]) == 0, capsys.readouterr().out
    assert "fit to be pushed" in capsys.readouterr().out
    assert not (tmp_path / "space" / "builders").exists()


def test_the_image_installs_what_the_space_installs() -> None:
    """What it copies must be there, and no part of the shop be missing."""
    lines = (ROOT / "Dockerfile").read_text(encoding="utf-8").splitlines()
    copied = [word for line in lines if line.startswith("COPY") for word in line.split()[1:-1] if word[0] != "-"]
    assert {"app.py", "agent", "retrieval", "assets", "requirements.txt"} <= set(copied)
    assert all((ROOT / name).exists() for name in copied)
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    assert not set(copied) & set(ignored)


def test_the_front_matter_is_read_as_it_stands() -> None:
    front = front_matter(ROOT / "README.md")
    assert (front["sdk"], front["python_version"], front["app_file"]) == ("gradio", "3.11", "app.py")
    assert requirements(ROOT / "requirements.txt")["gradio"] == f"=={front['sdk_version']}"
