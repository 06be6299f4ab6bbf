import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def started(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    return done.stdout + done.stderr


def test_the_training_command_answers_for_help_with_or_without_torch():
    shown = started(
        "import sys; sys.modules['torch'] = None\nfrom retrieval.fashion_am.train import main\nmain(['--help'])"
    )
    for stage in ("vlp", "background", "language", "query"):
        assert stage in shown


def test_a_stage_without_torch_names_the_file_that_brings_it():
    shown = started(
        "import sys; sys.modules['torch'] = None\nfrom retrieval.fashion_am.train import main\nsys.exit(main(['vlp']))"
    )
    assert shown == "error: Training needs torch. Install it: pip install -r requirements-train.txt\n"
