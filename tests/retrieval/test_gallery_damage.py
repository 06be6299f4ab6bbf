"""What shops really hand over: tables of other programs, odd file names, damaged cells. Nothing is lost silently."""

from __future__ import annotations

import datetime
import io
import json
import os
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from retrieval.errors import GalleryError
from retrieval.gallery import Skipped, read_gallery
from retrieval.schema import Item


def jpeg(shade: int = 0) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (12, 16), (shade, 90, 200)).save(buffer, "JPEG")
    return buffer.getvalue()


def read(path: Path) -> tuple[list[Item], list[Skipped]]:
    everything = list(read_gallery(path, path.parent / "kept"))
    return [x for x in everything if isinstance(x, Item)], [x for x in everything if isinstance(x, Skipped)]


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A folder with the pictures 1.jpg and 2.jpg."""
    (tmp_path / "images").mkdir()
    for number in (1, 2):
        (tmp_path / "images" / f"{number}.jpg").write_bytes(jpeg(number))
    return tmp_path


def table(shop: Path, content: str | bytes) -> Path:
    path = shop / "shop.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def lines(shop: Path, *rows: object) -> Path:
    path = shop / "shop.jsonl"
    path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows))
    return path


def parquet(shop: Path, **columns: Any) -> Path:
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    pq.write_table(pa.table(columns), shop / "shop.parquet")
    return shop / "shop.parquet"


# --- tables ---


@pytest.mark.parametrize(
    "content",
    ["sep=;\r\nid;name\r\n1;Red, long\r\n", '\n\r\nid,name\n1,"Red, long"\n', "id|name\n1|Red, long\n"],
    ids=["Excel's note", "blank lines first", "bars"],
)
def test_the_header_is_found(content: str, shop: Path) -> None:
    items, _ = read(table(shop, content))
    assert [(item.item_id, item.caption) for item in items] == [("1", "Red, long")]


def test_a_cell_beyond_the_limit_costs_its_row_and_shifts_no_column(shop: Path) -> None:
    items, skipped = read(table(shop, f'id,name,colour\n1,"{"x, " * 60_000}",Red\n2,b,Blue\n'))
    assert [(item.item_id, item.attributes["colour"]) for item in items] == [("2", "Blue")]
    assert [(one.line, "characters" in one.reason) for one in skipped] == [(2, True)]


def test_delimiters_at_the_end_of_a_line_are_not_part_of_a_word(shop: Path) -> None:
    items, _ = read(table(shop, "id,colour\n1,Red,\n2,Blue,,  ,\n"))
    assert [item.attributes["colour"] for item in items] == ["Red", "Blue"]


@pytest.mark.parametrize("column", ["id", "image"])
def test_a_name_that_no_file_can_have_costs_its_row_alone(column: str, shop: Path) -> None:
    items, skipped = read(table(shop, f"{column}\n{'x' * 5000}\n{'images/2.jpg' if column == 'image' else 2}\n"))
    assert [item.item_id for item in items] == ["2"]
    assert len(skipped[0].reason) < 300


def test_a_table_without_header_is_told_what_is_missing(shop: Path) -> None:
    with pytest.raises(GalleryError, match="first line must name the columns"):
        read(table(shop, "1,Shirt,Red\n2,Shirt,Blue\n"))
    with pytest.raises(GalleryError) as raised:
        read(table(shop, bytes(range(1, 256)) * 100))
    assert len(str(raised.value)) < 2000


@pytest.mark.parametrize(
    ("content", "warning"),
    [
        ("id,name,name\n1,a,b\n", "name"),
        ("id,name\n1,Größe\n".encode("cp1252"), "save it as UTF-8"),
        ("id,Цвет\n1,Красный\n", "Цвет"),
    ],
)
def test_what_is_not_read_as_it_stands_is_said(
    content: str | bytes, warning: str, shop: Path, caplog: pytest.LogCaptureFixture
) -> None:
    read(table(shop, content))
    assert warning in caplog.text


@pytest.mark.parametrize(
    ("name", "advice"), [("a.xlsx", "CSV UTF-8"), ("a.json", "one object a line"), ("a.zip", "Unpack")]
)
def test_files_of_other_programs_get_their_own_advice(name: str, advice: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(b"PK")
    with pytest.raises(GalleryError, match=advice):
        read(tmp_path / name)


def test_a_path_that_no_file_can_have_is_a_gallery_error() -> None:
    with pytest.raises(GalleryError, match="cannot be read"):
        read(Path("x" * 5000))


# --- JSONL ---


def test_columns_that_come_late_are_found(shop: Path) -> None:
    items, skipped = read(lines(shop, *[{"note": "x"}] * 60, {"id": 1}))
    assert ([item.item_id for item in items], len(skipped)) == (["1"], 60)


def test_sizes_that_are_now_a_number_and_now_a_word_stay_words(shop: Path) -> None:
    items, _ = read(lines(shop, {"id": 1, "attributes": {"size": 38}}, {"id": 2, "attributes": {"size": "M"}}))
    assert [item.attributes["size"] for item in items] == ["38", "M"]


def test_a_word_among_numbers_is_left_out_with_a_warning(shop: Path, caplog: pytest.LogCaptureFixture) -> None:
    (shop / "3.jpg").write_bytes(jpeg(3))
    items, _ = read(lines(shop, {"id": 1, "stars": 4}, {"id": 2, "stars": "new"}, {"image": "3.jpg", "stars": 5}))
    assert [item.attributes.get("stars") for item in items] == [4.0, None, 5.0]
    assert "'new'" in caplog.text


def test_nothing_nested_hides_what_is_known(shop: Path) -> None:
    items, _ = read(lines(shop, {"id": 1, "attributes": {"id": None, "colour": "Red"}}))
    assert [(item.item_id, item.attributes) for item in items] == [("1", {"colour": "Red"})]


def test_one_json_list_is_refused_with_advice(shop: Path) -> None:
    with pytest.raises(GalleryError, match="one object a line"):
        read(lines(shop, "[", '{"id": 1},', '{"id": 2}', "]"))


def test_the_first_of_several_pictures_is_taken(shop: Path) -> None:
    items, _ = read(lines(shop, {"id": "a", "image": ["images/1.jpg", "images/2.jpg"]}))
    assert Path(items[0].image.path).name == "1.jpg"


# --- Parquet ---


def test_values_that_python_cannot_hold_cost_no_row(shop: Path, caplog: pytest.LogCaptureFixture) -> None:
    pa = pytest.importorskip("pyarrow")
    far = pa.array([2**30, 0], pa.date32())
    elsewhere = pa.array([0, 0], pa.timestamp("s", "Mars/Base"))
    broken = pa.Array.from_buffers(
        pa.string(), 2, [None, pa.py_buffer(b"\0\0\0\0\1\0\0\0\2\0\0\0"), pa.py_buffer(b"\xffa")]
    )
    items, _ = read(parquet(shop, id=[1, 2], image=[jpeg(1), jpeg(2)], seen=far, sold=elsewhere, note=broken))
    assert [item.attributes for item in items] == [{}, {"seen": str(datetime.date(1970, 1, 1)), "note": "a"}]
    assert "left out" in caplog.text


def test_decimals_are_numbers(shop: Path) -> None:
    items, _ = read(parquet(shop, id=[1, 2], weight=[Decimal("12.50"), None], price=[Decimal("9.90"), None]))
    assert [item.attributes for item in items] == [{"weight": 12.5, "price": 9.9}, {}]


def test_a_table_that_is_a_folder_is_read_and_hidden_ones_are_not(tmp_path: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet")
    pa = pytest.importorskip("pyarrow")
    for number, folder in enumerate(("sales.parquet", ".cache")):
        (tmp_path / folder).mkdir()
        pq.write_table(pa.table({"id": [number], "image": [jpeg(number)]}), tmp_path / folder / "part-0.parquet")
    items, _ = read(tmp_path)
    assert [item.item_id for item in items] == ["0"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a disk that is full")
def test_a_full_disk_is_a_gallery_error_with_advice(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = parquet(shop, id=[1], image=[jpeg()])

    def write_to_a_full_disk(_: Path, data: bytes) -> None:
        with Path("/dev/full").open("wb") as full:
            full.write(data)

    monkeypatch.setattr("retrieval.gallery.pictures.write_once", write_to_a_full_disk)
    with pytest.raises(GalleryError, match=r"No space left.*make room"):
        read(path)


# --- folders ---

ODD = [
    "two  spaces",
    " first",
    "tab\there",
    "line\nbreak",
    "no\u00a0break",
    "soft\u00adhyphen",
    "a\u200db",
    "C:x",
    "back\\slash",
    "100%",
]


def test_pictures_are_found_whatever_their_name(tmp_path: Path) -> None:
    for name in ODD:
        (tmp_path / f"{name}.jpg").write_bytes(jpeg())
    items, skipped = read(tmp_path)
    assert sorted(Path(item.image.path).stem for item in items) == sorted(ODD)
    assert not skipped


def test_a_table_may_name_pictures_with_any_name(tmp_path: Path) -> None:
    for name in ODD:
        (tmp_path / f"{name}.jpg").write_bytes(jpeg())
    items, skipped = read(lines(tmp_path, *({"id": n, "image": f"{name}.jpg"} for n, name in enumerate(ODD))))
    assert ([Path(item.image.path).stem for item in items], skipped) == (ODD, [])


def test_spaces_around_a_pictures_name_do_no_harm(shop: Path) -> None:
    items, _ = read(table(shop, "id,image\n1, images\\1.jpg \n"))
    assert Path(items[0].image.path).name == "1.jpg"


def test_a_folder_of_pictures_that_are_not_read_says_so(tmp_path: Path) -> None:
    (tmp_path / "a.heic").write_bytes(b"x")
    with pytest.raises(GalleryError, match="save it as JPEG or PNG"):
        read(tmp_path)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="the superuser may open any folder")
def test_a_folder_that_is_closed_is_reported(tmp_path: Path) -> None:
    (tmp_path / "a.jpg").write_bytes(jpeg())
    (tmp_path / "closed").mkdir(mode=0)
    items, skipped = read(tmp_path)
    (tmp_path / "closed").chmod(0o700)
    assert (len(items), [Path(one.file).name for one in skipped]) == (1, ["closed"])


def test_an_empty_path_is_not_the_current_folder(tmp_path: Path) -> None:
    with pytest.raises(GalleryError, match="path of the gallery is empty"):
        read_gallery("", tmp_path)
