"""The README says what is true: its commands exist, and the file tree is made of the modules' docstrings."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
FILES = ROOT / "FILES.md"
PACKAGES = ("agent", "retrieval", "builders", "eval", "benchmarks", "hosting", "page")
START, END = "<!-- files -->\n```\n", "```\n<!-- /files -->"


def first_sentence(file: Path) -> str:
    text = " ".join((ast.get_docstring(ast.parse(file.read_text("utf8"))) or "").split("\n\n")[0].split())
    assert text, f"{file} needs a docstring that says what it is"
    sentence = re.split(r"(?<=\.)(?<!et al\.)\s", text)[0].rstrip(".")
    return sentence if len(sentence) <= 120 else sentence[:120].rsplit(" ", 1)[0].rstrip(",;:(") + " ..."


def file_tree() -> str:
    lines = [f"{'app.py':34}{first_sentence(ROOT / 'app.py')}"]
    for package in PACKAGES:
        for file in sorted((ROOT / package).rglob("*.py"), key=lambda f: (f.parent, f.name != "__init__.py", f.name)):
            name = file.relative_to(ROOT)
            shown = f"{name.parent}/" if file.name == "__init__.py" else "  " * (len(name.parts) - 1) + file.name
            lines.append(f"{shown:34}{first_sentence(file)}")
    return "\n".join(lines) + "\n"


def test_the_file_tree_is_golden():
    text = FILES.read_text("utf8")
    before, rest = text.split(START)
    tree, after = rest.split(END)
    if os.environ.get("DIMITY_GOLDEN") == "rewrite":
        FILES.write_text(before + START + file_tree() + END + after, "utf8")
    else:
        assert tree == file_tree(), "run make golden"


def test_the_front_matter_is_that_of_a_space_with_the_same_gradio():
    front = README.read_text("utf8").split("---")[1]
    values = dict(re.findall(r"^(\w+): (.+)$", front, re.MULTILINE))
    assert values["sdk"] == "gradio"
    assert values["app_file"] == "app.py"
    assert f"gradio=={values['sdk_version']} " in (ROOT / "requirements.txt").read_text("utf8")


def test_every_make_target_that_is_named_exists():
    makefile = (ROOT / "Makefile").read_text("utf8")
    for page in ("README.md", "CONTRIBUTING.md", "assets/README.md"):
        for target in re.findall(r"`make ([a-z-]+)", (ROOT / page).read_text("utf8")):
            assert re.search(rf"^{target}:", makefile, re.MULTILINE), f"{page} names make {target}"


@pytest.mark.parametrize("command", ["app.py", "-m eval", "-m builders.studio", "-m benchmarks.search"])
def test_the_commands_that_are_named_answer_for_help(command):
    assert f"python {command}" in README.read_text("utf8")
    done = subprocess.run([sys.executable, *command.split(), "--help"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "usage" in done.stdout


def test_pictures_that_are_shown_are_there():
    for page in ("README.md", "assets/README.md"):
        for target in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", (ROOT / page).read_text("utf8")):
            assert ((ROOT / page).parent / target).exists(), f"{page} shows {target}"
