"""A benchmark of coloured squares: seven sessions with every kind of turn, small enough to be replayed in seconds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image as Pillow

from builders.dim_fashion.writing import write_benchmark
from eval.opening import Request, Stage, index_gallery, open_stage, open_system, read_requested
from eval.runs import Run
from eval.workers import replay
from retrieval.benchmark import BenchmarkImage, PictureKind, RecordedSession, RecordedTurn, Task

COLOURS = {"Red": (200, 20, 20), "Blue": (20, 40, 200), "Green": (10, 150, 30), "Black": (10, 10, 10)}
KINDS = {"Dress": "V-Neck", "Skirt": "", "Sneakers": "", "Handbag": "", "Shirt": "V-Neck"}
SOURCE = "squares"


def name(kind: str, colour: str) -> str:
    return f"{SOURCE}/{kind}-{colour}".lower()


def items() -> list[BenchmarkImage]:
    found = []
    for kind, neckline in KINDS.items():
        for colour in COLOURS:
            attributes: dict[str, str | float] = {"category": kind, "colour": colour, "gender": "Women"}
            if neckline:
                attributes["neckline"] = neckline
            image_id = name(kind, colour)
            caption = f"{colour} {kind}"
            found.append(
                BenchmarkImage(
                    image_id, SOURCE, f"{image_id.split('/')[1]}.png", "product", True, "", caption, attributes
                )
            )
    return found


def query_picture(stem: str, kind: PictureKind) -> BenchmarkImage:
    return BenchmarkImage(f"{SOURCE}/{stem}", SOURCE, f"{stem}.png", kind)


def turn(number: int, task: Task, text: str, chosen: str, *references: str, back: int | None = None) -> RecordedTurn:
    attribute = "neckline" if task is Task.ASFR else ""
    return RecordedTurn(number, task, SOURCE, text, chosen, references, back, attribute)


def sessions() -> list[RecordedSession]:
    red, blue, green = name("Dress", "Red"), name("Dress", "Blue"), name("Dress", "Green")
    shoes, bag = name("Sneakers", "Black"), name("Handbag", "Black")
    blue_shirt, red_shirt = name("Shirt", "Blue"), name("Shirt", "Red")
    return [
        RecordedSession(
            "s1",
            "test",
            (
                turn(1, Task.T2I, "a red dress", red),
                turn(2, Task.CIR, "make it blue", blue, red),
                turn(3, Task.COMPATIBLE, "which shoes go with it?", shoes, blue),
                turn(4, Task.CIR, "Go back to turn 1 and make it green.", green, red, back=1),
            ),
        ),
        RecordedSession(
            "s2",
            "test",
            (
                turn(1, Task.STREET2SHOP, "find this in the shop", blue_shirt, f"{SOURCE}/street"),
                turn(2, Task.IN_SHOP, "show me the same item from another side", red_shirt, blue_shirt),
            ),
        ),
        RecordedSession(
            "s3",
            "test",
            (
                turn(1, Task.SKETCH2IMG, "something like my drawing", shoes, f"{SOURCE}/sketch"),
                turn(2, Task.COMPATIBLE, "what bag goes with it?", bag, shoes),
            ),
        ),
        RecordedSession("s4", "test", (turn(1, Task.COMPATIBLE, "a bag that goes with these", bag, red, shoes),)),
        RecordedSession("s5", "test", (turn(1, Task.ASFR, "other clothes with the same neckline", blue_shirt, red),)),
        RecordedSession(
            "s6",
            "test",
            (
                turn(1, Task.T2I, "a green skirt", name("Skirt", "Green")),
                turn(2, Task.CIR, "go back to turn 9 and make it red", name("Skirt", "Red"), name("Skirt", "Green")),
                turn(3, Task.CIR, "in black", name("Skirt", "Black"), name("Skirt", "Red")),
            ),
        ),
        RecordedSession("s7", "train", (turn(1, Task.T2I, "a blue skirt", name("Skirt", "Blue")),)),
    ]


def make_benchmark(folder: Path, recorded: list[RecordedSession] | None = None) -> Path:
    recorded = sessions() if recorded is None else recorded
    pictures = folder / "pictures"
    pictures.mkdir(parents=True)
    images = [*items(), query_picture("street", "street"), query_picture("sketch", "sketch")]
    for number, image in enumerate(images):
        colour = COLOURS.get(str(image.attributes.get("colour")), (90, 90, 160))
        picture = Pillow.new("RGB", (48, 48), colour)
        picture.paste((250, 250, 250), (0, 0, 8 + number, 4 + number // 2))
        picture.save(pictures / image.path)
    qrels = {session.query_id(turn): {turn.chosen: 1} for session in recorded for turn in session.turns}
    pool = [name(kind, colour) for kind in ("Shirt", "Skirt") for colour in COLOURS]
    pools = {}
    for session in recorded:
        for each in session.turns:
            if each.task is Task.ASFR:
                pools[session.query_id(each)] = pool
                qrels[session.query_id(each)] = {item: 1 for item in pool if "shirt" in item}
    write_benchmark(folder, recorded, images, qrels, pools, {"name": "squares"}, {SOURCE: pictures})
    return folder


@pytest.fixture(scope="session")
def make() -> Callable[..., Path]:
    """Write a benchmark of these sessions, by default all, into a folder."""
    return make_benchmark


@pytest.fixture(scope="session")
def recorded_sessions() -> list[RecordedSession]:
    return sessions()


@pytest.fixture(scope="session")
def described_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same gallery without pictures; only last turns are judged."""
    folder = tmp_path_factory.mktemp("benchmarks") / "words"
    images = [replace(image, path="", attributes={}) for image in items()]
    recorded = [session for session in sessions() if session.session_id in ("s1", "s6")]
    qrels = {session.query_id(session.turns[-1]): {session.turns[-1].chosen: 1} for session in recorded}
    write_benchmark(folder, recorded, images, qrels, {}, {"name": "words", "gallery": "attribute words"}, {})
    return folder


@pytest.fixture(scope="session")
def benchmark_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_benchmark(tmp_path_factory.mktemp("benchmarks") / "squares")


@pytest.fixture(scope="session")
def stages(benchmark_folder: Path) -> dict[str, Stage]:
    """Both histories on one index."""
    request = Request(benchmark_folder)
    benchmark = read_requested(request)
    index = index_gallery(request, benchmark, open_system(request, benchmark)).index
    recorded = open_stage(request, index)
    return {"recorded": recorded, "live": replace(recorded, history="live")}


@pytest.fixture(scope="session")
def run(benchmark_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The whole of it, recorded history, in one process."""
    return replay(Request(benchmark_folder), tmp_path_factory.mktemp("runs") / "one", progress=False)
