"""The command line as it is called; the encoder is the real one."""

import io
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image as PillowImage

from eval.__main__ import main
from eval.held_out import held_out_ids
from retrieval.errors import GalleryError

COLOURS = ("Red", "Blue", "Green")


def picture(colour: str, side: int) -> bytes:
    buffer = io.BytesIO()
    PillowImage.new("RGB", (side, 80), colour.lower()).save(buffer, "PNG")
    return buffer.getvalue()


@pytest.fixture
def gallery(tmp_path: Path) -> Path:
    """Six products in two files of a folder below; two of them held out."""
    rows = [
        {
            "id": number,
            "productDisplayName": f"{colour} Shirt",
            "articleType": "Shirts",
            "baseColour": colour,
            "gender": "Men",
            "split": "val" if number < 2 else "train",
            "image": picture(colour, 60 + number),
        }
        for number, colour in enumerate(COLOURS * 2)
    ]
    folder = tmp_path / "catalogue"
    (folder / "more").mkdir(parents=True)
    for name, part in (("more/a", rows[:3]), ("more/b", rows[3:])):
        pq.write_table(pa.Table.from_pylist(part), folder / f"{name}.parquet")
    return folder


def test_it_prints_the_encoder_both_galleries_and_every_measure(gallery, tmp_path, capsys):
    arguments = ["t2i", "--gallery", str(gallery), "--index", str(tmp_path / "index")]
    assert main(arguments) == 0
    printed = capsys.readouterr()
    assert printed.out.startswith("encoder: dimity-embedded")
    assert "gallery: held-out 2 [" in printed.out
    assert "gallery: whole 6 [" in printed.out
    for measure in ("success@1", "success@5", "success@10", "category precision@10", "colour precision@10"):
        assert printed.out.count(f"{measure} ") >= 2, measure
    assert "6 encoded" in printed.err


def test_a_second_run_only_scores_and_prints_the_same(gallery, tmp_path, capsys):
    arguments = ["t2i", "--gallery", str(gallery), "--index", str(tmp_path / "index")]
    assert main(arguments) == 0
    first = capsys.readouterr()
    assert main(arguments) == 0
    second = capsys.readouterr()
    assert "0 encoded, 6 unchanged" in second.err
    assert second.out == first.out


def test_held_out_ids_come_from_all_files_of_a_folder_or_from_one_file(gallery):
    assert held_out_ids(gallery, "train") == {"2", "3", "4", "5"}
    assert held_out_ids(gallery / "more" / "b.parquet", "train") == {"3", "4", "5"}


def test_files_below_a_folder_that_holds_some_itself_are_not_in_the_gallery(gallery):
    (gallery / "more" / "a.parquet").rename(gallery / "a.parquet")
    assert held_out_ids(gallery, "train") == {"2"}


def test_a_path_without_parquet_files_is_named(tmp_path):
    for path in (tmp_path / "missing", tmp_path):
        with pytest.raises(GalleryError, match=r"no Parquet file at .*Give"):
            held_out_ids(path, "val")


def test_a_missing_column_is_named(tmp_path):
    pq.write_table(pa.table({"id": ["1"], "name": ["Red Shirt"]}), tmp_path / "a.parquet")
    with pytest.raises(GalleryError, match="no column split, which"):
        held_out_ids(tmp_path, "val")


def test_a_split_that_no_product_has_is_refused_with_those_there_are(gallery):
    with pytest.raises(GalleryError, match="train, val"):
        held_out_ids(gallery, "test")


def test_a_mistake_is_one_line_on_stderr_and_exit_status_2(tmp_path, capsys):
    (tmp_path / "broken.parquet").write_bytes(b"no table")
    assert main(["t2i", "--gallery", str(tmp_path), "--index", str(tmp_path / "index")]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("error: ")
    assert len(printed.err.splitlines()) == 1


# --- replay ----------------------------------------------------------------------------------------------------------


def test_a_replay_is_played_reported_and_compared(benchmark_folder, tmp_path, capsys):
    out = str(tmp_path / "run")
    replayed = ["replay", str(benchmark_folder), "--limit", "1", "--depth", "all", "--out", out]
    assert main(replayed) == 0
    printed = capsys.readouterr().out
    for said in ("Only the first 1 sessions", "rank 20", "success@5", "history=recorded"):
        assert said in printed, said
    assert main(["report", out]) == 0
    assert capsys.readouterr().out.split() == [f"{out}/report.md", f"{out}/report.html"]
    assert main(["compare", out, out]) == 0
    assert "+0.000" in capsys.readouterr().out
    assert main(["mean", out, out]) == 0
    assert "mean" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["replay", "{empty}"], "no finished benchmark"),
        (["replay", "{benchmark}", "--split", "val"], "Its splits: train, test"),
        (["replay", "{benchmark}", "--pictures", "squares={empty}/gone"], "--pictures squares=FOLDER"),
        (["replay", "{benchmark}", "--workers", "0"], "--workers"),
        (["replay", "{benchmark}", "--limit", "0"], "--limit"),
        (["replay", "{benchmark}", "--encoder", "{empty}"], "no encoder"),
        (["alone", "{empty}"], "no finished benchmark"),
        (["alone", "{benchmark}", "--encoder", "{empty}"], "no encoder"),
        (["tables", "{empty}/none.toml", "--out", "{empty}/run"], "no specification"),
        (["tables", "{empty}", "--out", "{empty}/run"], "no run below"),
        (["report", "{empty}"], "no run"),
        (["compare", "{empty}", "{empty}"], "no run"),
    ],
)
def test_what_cannot_be_done_is_one_line_and_status_2(benchmark_folder, tmp_path, capsys, arguments, said):
    filled = [each.format(benchmark=benchmark_folder, empty=tmp_path) for each in arguments]
    if filled[0] == "replay":
        filled += ["--out", str(tmp_path / "run")]
    assert main(filled) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("error: ")
    assert said in printed.err
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("change", ["changed", "other version"])
def test_a_benchmark_that_is_not_what_its_card_says_is_status_2(make, tmp_path, capsys, change):
    folder = make(tmp_path / "b")
    card = folder / "card.json"
    if change == "changed":
        (folder / "qrels.txt").write_text("s1/1 0 squares/dress-blue 1\n")
    else:
        card.write_text(card.read_text().replace('"version": 1', '"version": 99'))
    assert main(["replay", str(folder), "--out", str(tmp_path / "run")]) == 2
    assert "again" in capsys.readouterr().err


@pytest.mark.parametrize("option", [["--depth", "none"], ["--pictures", "folder"], ["--history", "mixed"]])
def test_an_option_that_cannot_be_read_is_status_2(benchmark_folder, capsys, option):
    with pytest.raises(SystemExit) as stopped:
        main(["replay", str(benchmark_folder), *option])
    assert stopped.value.code == 2


@pytest.mark.parametrize("weight", ["-5", "nan", "inf", "much"])
def test_a_caption_weight_that_is_none_is_refused(
    weight: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["replay", str(tmp_path), f"--caption-weight={weight}"])
    assert stopped.value.code == 2
    assert "0 to 100" in capsys.readouterr().err
