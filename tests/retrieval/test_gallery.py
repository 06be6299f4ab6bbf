"""Galleries in every form: the same nasty contents, read into the same items."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image

from retrieval.errors import GalleryError
from retrieval.gallery import Skipped, count_items, fingerprint, read_gallery
from retrieval.picture_files import image_id
from retrieval.schema import Image as ImageRecord
from retrieval.schema import Item

CATALOGUE = Path(__file__).parents[3] / "shared" / "data" / "fpi"
HEADER = "id,gender,masterCategory,subCategory,articleType,baseColour,season,year,usage,productDisplayName"


def jpeg(shade: int = 0) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (12, 16), (shade, 90, 200)).save(buffer, "JPEG")
    return buffer.getvalue()


def picture(path: Path, shade: int = 0) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(jpeg(shade))
    return path


def read(path: Path | str, kept: Path) -> tuple[list[Item], list[Skipped]]:
    everything = list(read_gallery(path, kept))
    return [x for x in everything if isinstance(x, Item)], [x for x in everything if isinstance(x, Skipped)]


@pytest.fixture
def kaggle(tmp_path: Path) -> Path:
    """A folder like the one that is downloaded, with everything that is wrong with such tables."""
    lines = [
        HEADER,
        "1,Men,Apparel,Topwear,Shirts,Navy Blue,Fall,2011,Casual,Turtle Check Men Navy Blue Shirt",
        "2,Women,Apparel,Topwear,Tops,NA,,,NA,NA",
        "3,Men,Footwear,Shoes,Casual Shoes,White,Fall,2012,Casual,Vans Men Shoes, low, white",
        '4,Women,Apparel,Topwear,Tops,Red,Fall,2012,Casual,"Top, red, ""Rosa"""',
        "5,Women,Apparel,Topwear",
        "6,Men,Apparel,Topwear,Shirts,Blue,Fall,2011,Casual,No such picture",
        '7,Men,Apparel,Topwear,Shirts,Blue,Fall,2011,Casual,"A stray quote',
        '8,Men,Accessories,Bags,Laptop Bag,Black,Fall,2011,Casual,Bag for 15.6" laptops',
        "1,Men,Apparel,Topwear,Shirts,Green,Fall,2011,Casual,The first id again",
        "",
        "../evil,Men,Apparel,Topwear,Shirts,Blue,Fall,2011,Casual,Out of the folder",
        "9,Men,Apparel,Topwear,Shirts,Blue,Fall,2011,Casual,Not a picture",
        '10,Women,Apparel,Topwear,Tops,Red,Fall,2012,Casual,"Two\nlines"',
        "11,Women,Apparel,Topwear,Tops,Red,Fall,2012,Casual,Nul\0 byte",
        ",Women,Apparel,Topwear,Tops,Red,Fall,2012,Casual,No id",
    ]
    (tmp_path / "styles.csv").write_bytes(("\ufeff" + "\r\n".join(lines)).encode())
    for item_id in (1, 2, 3, 4, 5, 7, 8, 10, 11):
        picture(tmp_path / "images" / f"{item_id}.jpg", item_id)
    (tmp_path / "images" / "9.jpg").write_text("<html>not found</html>")
    picture(tmp_path / "evil.jpg")
    (tmp_path / "images.csv").write_text("filename,link\n1.jpg,http://example.com/1.jpg\n")
    return tmp_path


def test_a_kaggle_folder_gives_its_items_in_order(kaggle: Path) -> None:
    items, _ = read(kaggle, kaggle / "kept")
    assert [item.item_id for item in items] == ["1", "2", "3", "4", "7", "8", "10", "11"]
    assert [item.caption for item in items] == [
        "Turtle Check Men Navy Blue Shirt",
        "",
        "Vans Men Shoes, low, white",
        'Top, red, "Rosa"',
        "A stray quote",
        'Bag for 15.6" laptops',
        "Two lines",
        "Nul byte",
    ]


def test_foreign_columns_get_our_names_and_na_is_absent(kaggle: Path) -> None:
    items, _ = read(kaggle / "styles.csv", kaggle / "kept")
    assert items[0].attributes == {
        "gender": "Men",
        "master_category": "Apparel",
        "sub_category": "Topwear",
        "category": "Shirts",
        "colour": "Navy Blue",
        "season": "Fall",
        "year": "2011",
        "usage": "Casual",
    }
    assert items[1].attributes == {
        "gender": "Women",
        "master_category": "Apparel",
        "sub_category": "Topwear",
        "category": "Tops",
    }


def test_what_is_left_out_is_named_by_file_and_line(kaggle: Path) -> None:
    _, skipped = read(kaggle, kaggle / "kept")
    table = str(kaggle / "styles.csv")
    assert {(entry.file, entry.line) for entry in skipped} == {(table, n) for n in (6, 7, 10, 12, 13, 17)}
    reasons = {entry.line: entry.reason for entry in skipped}
    assert reasons[6] == "it has 4 cells, the header has 10"
    assert reasons[7] == "there is no picture images/6.jpg"
    assert reasons[10] == "it repeats the id '1' of styles.csv:2"
    assert "not a picture" in reasons[13]
    missing = {entry.line: entry.missing_picture for entry in skipped if entry.missing_picture}
    assert missing == {7: "images/6.jpg", 12: "images/../evil.jpg"}
    assert {entry.line for entry in skipped if entry.repeats_id} == {10}


def test_joined_lines_are_reported(kaggle: Path, caplog: pytest.LogCaptureFixture) -> None:
    read(kaggle, kaggle / "kept")
    assert "1 lines have more cells than the header" in caplog.text
    assert "(lines 4)" in caplog.text


def test_a_picture_on_disk_stays_where_it_is(kaggle: Path) -> None:
    items, _ = read(kaggle, kaggle / "kept")
    assert Path(items[0].image.path) == kaggle / "images" / "1.jpg"
    assert items[0].image.image_id == image_id(jpeg(1))
    assert not (kaggle / "kept").exists()


def test_paths_of_a_gallery_given_relatively_stay_relative(kaggle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(kaggle.parent)
    items, _ = read(kaggle.name, kaggle / "kept")
    assert items[0].image.path == str(Path(kaggle.name, "images", "1.jpg"))


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
def test_delimiters_and_encodings_are_found_out(delimiter: str, encoding: str, tmp_path: Path) -> None:
    lines = ["sku|image|title|Price|Sleeve Type", "a1|a.jpg|Jupe été|12,50 €|3/4", "a2|a.jpg|Écharpe|9 €|"]
    if delimiter == ",":
        lines = [line.replace("12,50 €", '"12,50 €"') for line in lines]
    (tmp_path / "shop.csv").write_text("\n".join(lines).replace("|", delimiter), encoding=encoding)
    picture(tmp_path / "a.jpg")
    items, skipped = read(tmp_path / "shop.csv", tmp_path / "kept")
    assert not skipped
    assert (items[0].item_id, items[0].caption) == ("a1", "Jupe été")
    assert items[0].attributes == {"price": 12.5, "sleeve_type": "3/4"}
    assert items[1].attributes == {"price": 9.0}


def test_a_quote_that_is_never_closed_costs_no_other_row(tmp_path: Path) -> None:
    rows = [f"{n},p.jpg,Shirt {n}" for n in range(1, 500)]
    rows[20] = '21,p.jpg,"Shirt 21'
    rows[300] = '301,"p.jpg,Shirt 301'
    (tmp_path / "shop.csv").write_text("id,image,name\n" + "\n".join(rows))
    picture(tmp_path / "p.jpg")
    items, skipped = read(tmp_path / "shop.csv", tmp_path / "kept")
    assert len(items) == 498
    assert [entry.line for entry in skipped] == [302]
    assert items[20].caption == "Shirt 21"


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cells=st.lists(st.tuples(st.text(max_size=30), st.text(max_size=30)), min_size=1, max_size=8))
def test_any_cell_that_is_properly_quoted_leaves_the_other_columns_alone(
    cells: list[tuple[str, str]], tmp_path: Path
) -> None:
    with (tmp_path / "shop.csv").open("w", encoding="utf-8", errors="replace", newline="") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL)
        writer.writerow(["id", "image", "name", "material", "gender"])
        writer.writerows([n, "p.jpg", name, material, "Men"] for n, (name, material) in enumerate(cells))
    picture(tmp_path / "p.jpg")
    items, skipped = read(tmp_path / "shop.csv", tmp_path / "kept")
    assert not skipped
    assert [item.item_id for item in items] == [str(n) for n in range(len(cells))]
    assert all(item.attributes["gender"] == "Men" for item in items)
    assert all(item.caption == " ".join(item.caption.split()) for item in items)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=st.binary(max_size=300))
def test_any_bytes_give_items_or_skipped_rows_or_a_gallery_error(content: bytes, tmp_path: Path) -> None:
    picture(tmp_path / "p.jpg")
    (tmp_path / "shop.csv").write_bytes(b"id,image,name\n1,p.jpg,Shirt\n" + content)
    (tmp_path / "shop.jsonl").write_bytes(b'{"id": 1, "image": "p.jpg"}\n' + content)
    for name in ("shop.csv", "shop.jsonl"):
        items, _ = read(tmp_path / name, tmp_path / "kept")
        assert items[0].item_id == "1"


ESCAPES = ["../secret.jpg", "/etc/passwd", "images/../../secret.jpg", "..\\secret.jpg", "C:\\secret.jpg", "link.jpg"]


@pytest.mark.parametrize("path", [*ESCAPES, "file:///etc/passwd", "http://169.254.169.254/a.jpg", "a\0.jpg", "images"])
def test_a_path_does_not_leave_the_gallery(path: str, tmp_path: Path) -> None:
    picture(tmp_path / "secret.jpg")
    root = tmp_path / "shop"
    picture(root / "images" / "a.jpg")
    (root / "link.jpg").symlink_to(tmp_path / "secret.jpg")
    rows = [{"id": "ok", "image": "a.jpg"}, {"id": "bad", "image": path}]
    (root / "items.jsonl").write_text("\n".join(map(json.dumps, rows)))
    items, skipped = read(root, tmp_path / "kept")
    assert [item.item_id for item in items] == ["ok"]
    assert [entry.line for entry in skipped] == [2]


def test_jsonl_keeps_numbers_and_skips_damaged_lines(tmp_path: Path) -> None:
    picture(tmp_path / "images" / "a.jpg")
    good = {"id": 7, "image": "images/a.jpg", "name": "Linen shirt", "category": "shirt", "colour": "ecru",
            "price": 39, "rating": 4.5, "year": 2012, "description": "long " * 50, "tags": ["x"], "width": 12,
            "new": True, "gender": None}  # fmt: skip
    lines = [json.dumps(good), '{"id": 8, "image": "ima', "[1, 2]", "", '{"id": 9, "image": "images/none.jpg"}']
    (tmp_path / "items.jsonl").write_text("\n".join(lines))
    items, skipped = read(tmp_path, tmp_path / "kept")
    assert [entry.line for entry in skipped] == [2, 3, 5]
    (item,) = items
    assert (item.item_id, item.caption) == ("7", "Linen shirt")
    assert item.attributes == {
        "category": "shirt",
        "colour": "ecru",
        "price": 39.0,
        "rating": 4.5,
        "year": "2012",
        "new": "yes",
    }


def test_a_column_of_the_shops_own_never_mixes_words_and_numbers(tmp_path: Path) -> None:
    picture(tmp_path / "a.jpg")
    values: list[object] = [3, "4", "many", "5 stars", None, 2.5]
    lines = [json.dumps({"id": n, "image": "a.jpg", "rating": value}) for n, value in enumerate(values)]
    (tmp_path / "items.jsonl").write_text("\n".join(lines))
    items, _ = read(tmp_path, tmp_path / "kept")
    assert [item.attributes.get("rating") for item in items] == [3.0, 4.0, None, 5.0, None, 2.5]


@pytest.mark.parametrize("form", ["binary", "struct", "path"])
def test_parquet_in_all_three_forms(form: str, tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    shop, kept = tmp_path / "shop", tmp_path / "kept"
    data = [jpeg(1), b"", b"text", jpeg(1), jpeg(4)]
    for n, content in enumerate(data):
        (picture(shop / f"{n}.jpg")).write_bytes(content)
    column = {
        "binary": data,
        "struct": [{"bytes": content, "path": "x.jpg"} for content in data],
        "path": [f"{n}.jpg" for n in range(len(data))],
    }[form]
    table = pa.table({"id": [10, 11, 12, 13, 14], "title": list("abcde"), "image": column})
    pq.write_table(table.slice(0, 3), shop / "part-0.parquet")
    pq.write_table(table.slice(3), shop / "part-1.parquet")
    items, skipped = read(shop, kept)
    assert [(item.item_id, item.caption) for item in items] == [("10", "a"), ("13", "d"), ("14", "e")]
    assert [(Path(entry.file).name, entry.line) for entry in skipped] == [("part-0.parquet", 2), ("part-0.parquet", 3)]
    assert [Path(item.image.path).read_bytes() for item in items] == [jpeg(1), jpeg(1), jpeg(4)]
    assert items[0].image == items[1].image or form == "path"
    if form != "path":
        name = image_id(jpeg(1))
        assert Path(items[0].image.path) == kept / name[:2] / f"{name}.jpg"
        assert len([file for file in kept.rglob("*") if file.is_file()]) == 2
    assert count_items(shop) == 5


def test_bytes_are_written_once(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    pq.write_table(pa.table({"id": ["1"], "image": [jpeg()]}), tmp_path / "a.parquet")
    (first,), _ = read(tmp_path / "a.parquet", tmp_path / "kept")
    os.utime(first.image.path, (1, 1))
    (second,), _ = read(tmp_path / "a.parquet", tmp_path / "kept")
    assert second == first
    assert Path(first.image.path).stat().st_mtime == 1


def test_a_folder_of_pictures_takes_names_for_captions_and_folders_for_categories(tmp_path: Path) -> None:
    shop = tmp_path / "shop"
    for n, name in enumerate(["dresses/red_linen-dress.jpg", "shirts/1163.JPG", "IMG_2041.jpeg", ".hidden/x.jpg"]):
        picture(shop / name, n)
    (shop / "readme.txt").write_text("hello")
    (shop / "phone.heic").write_bytes(b"x")
    (shop / "shirts" / "broken.png").write_bytes(b"")
    items, skipped = read(shop, tmp_path / "kept")
    assert [(item.item_id, item.caption, dict(item.attributes)) for item in items] == [
        ("IMG_2041", "", {}),
        ("dresses/red_linen-dress", "red linen dress", {"category": "dresses"}),
        ("shirts/1163", "", {"category": "shirts"}),
    ]
    assert [Path(entry.file).name for entry in skipped] == ["phone.heic", "broken.png"]
    assert count_items(shop) == 4


def test_a_table_without_ids_takes_the_pictures_names(tmp_path: Path) -> None:
    picture(tmp_path / "images" / "blue.jpg")
    (tmp_path / "shop.csv").write_text("image,title\nimages/blue.jpg,Blue shirt\n")
    (item,), _ = read(tmp_path / "shop.csv", tmp_path / "kept")
    assert item.item_id == "blue"


def test_the_first_usable_of_equal_ids_wins(tmp_path: Path) -> None:
    picture(tmp_path / "a.jpg")
    (tmp_path / "shop.csv").write_text("id,image,name\n1,gone.jpg,first\n1,a.jpg,second\n1,a.jpg,third\n")
    items, skipped = read(tmp_path / "shop.csv", tmp_path / "kept")
    assert [item.caption for item in items] == ["second"]
    assert [entry.line for entry in skipped] == [2, 4]


def test_what_is_no_gallery_is_refused_at_once_with_advice(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "notes.txt").write_text("hello")
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "strange.csv").write_text("alpha,beta\n1,2\n")
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 no")
    (tmp_path / "lfs.parquet").write_text("version https://git-lfs.github.com/spec/v1\n")
    cases = {
        "gone.csv": "does not exist",
        "notes.txt": "is not a gallery",
        "empty": "no table and no pictures",
        "empty.csv": "empty",
        "strange.csv": r"found: alpha, beta",
        "bad.parquet": "not a readable Parquet file",
        "lfs.parquet": "git lfs pull",
        ".": "several tables",
    }
    for name, words in cases.items():
        with pytest.raises(GalleryError, match=words):
            read_gallery(tmp_path / name, tmp_path / "kept")


def test_a_gallery_without_one_usable_item_is_an_error_that_gives_the_first_reason(tmp_path: Path) -> None:
    (tmp_path / "shop.csv").write_text("id,image,name\n1,gone.jpg,first\n")
    with pytest.raises(GalleryError, match=r"not one item.*gone\.jpg"):
        list(read_gallery(tmp_path / "shop.csv", tmp_path / "kept"))
    (tmp_path / "shop.csv").write_text("id,image,name\n")
    with pytest.raises(GalleryError, match="no rows"):
        list(read_gallery(tmp_path / "shop.csv", tmp_path / "kept"))


def test_rows_are_counted_without_reading_them(kaggle: Path, tmp_path: Path) -> None:
    assert count_items(kaggle) == pytest.approx(15, abs=2)


def test_a_fingerprint_changes_with_picture_caption_and_attributes_but_not_with_the_path() -> None:
    item = Item("1", ImageRecord("aa", "x.jpg"), "Shirt", {"colour": "Red", "price": 3.0})
    same = Item("2", ImageRecord("aa", "y.jpg"), "Shirt", {"price": 3.0, "colour": "Red"})
    others = [
        Item("1", ImageRecord("ab", "x.jpg"), "Shirt", item.attributes),
        Item("1", item.image, "Skirt", item.attributes),
        Item("1", item.image, "Shirt", {"colour": "Red"}),
        Item("1", item.image, "Shirt", {"colour": "Red", "price": "3.0"}),
    ]
    assert fingerprint(item) == fingerprint(same)
    assert len({fingerprint(other) for other in [item, *others]}) == 5


def test_importing_the_gallery_loads_no_heavy_library() -> None:
    code = "import sys, retrieval.gallery; print({'pyarrow', 'datasets', 'pandas', 'numpy'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


@pytest.mark.skipif(not CATALOGUE.is_dir(), reason="the real catalogue is not beside this checkout")
def test_the_real_catalogue_is_read_whole_and_quickly(tmp_path: Path) -> None:
    part = tmp_path / "part"
    part.mkdir()
    name = sorted(CATALOGUE.glob("*.parquet"))[0]
    (part / name.name).symlink_to(name)
    start = time.process_time()
    items, skipped = read(part, tmp_path / "kept")
    assert time.process_time() - start < 10
    assert (len(items), skipped, count_items(CATALOGUE)) == (6635, [], 39805)
    counts = Counter(key for item in items for key in item.attributes)
    assert set(counts) == {"gender", "master_category", "sub_category", "category", "year", "colour", "season", "usage",
                           "brand"}  # fmt: skip
    assert not {value for item in items for value in item.attributes.values()} & {"NA", "", "nan"}
    assert counts["brand"] > 0.85 * len(items)
    assert {item.attributes.get("brand") for item in items} >= {"Nike", "ADIDAS", "United Colors of Benetton"}
