"""Conversations as files that are opened again, and what is not one of them."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from PIL import Image as Pictures

from agent.bundles import read_bundle, write_bundle
from retrieval.errors import MessageError
from retrieval.picture_files import store_upload
from retrieval.schema import Image, Intent, Message, Plan, Reply, Session, Turn


def session_of(*pictures: Image) -> Session:
    return Session("s").append(
        Turn(1, None, Message("a red dress", pictures), Plan(Intent.SEARCH, text="red dress"), Reply("Here."))
    )


def a_picture(folder: Path) -> Image:
    return store_upload(Pictures.new("RGB", (40, 50), "red"), folder)


def test_words_alone_come_back_under_an_id_of_their_own(tmp_path: Path) -> None:
    path = write_bundle(session_of(), tmp_path / "chat")
    opened = read_bundle(path, tmp_path / "uploads")
    assert path.suffix == ".jsonl"
    assert opened.turns == session_of().turns
    assert opened.session_id != "s"


def test_pictures_travel_with_the_conversation(tmp_path: Path) -> None:
    image = a_picture(tmp_path / "here")
    path = write_bundle(session_of(image), tmp_path / "chat")
    opened = read_bundle(path, tmp_path / "there")
    assert path.suffix == ".zip"
    (found,) = opened.turns[0].message.images
    assert found.image_id == image.image_id
    assert Path(found.path).parent == tmp_path / "there"
    assert Path(found.path).read_bytes() == Path(image.path).read_bytes()


def test_a_conversation_without_its_pictures_is_refused(tmp_path: Path) -> None:
    image = a_picture(tmp_path / "here")
    Path(image.path).unlink()
    path = write_bundle(session_of(image), tmp_path / "chat")
    with pytest.raises(MessageError, match="not in the file"):
        read_bundle(path, tmp_path / "there")


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00", b"a,b\n1,2\n", b"PK\x03\x04 cut", b"{}\n" * 3])
def test_what_is_no_conversation_is_refused_with_what_to_do(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "file.jsonl"
    path.write_bytes(content)
    with pytest.raises(MessageError, match=r"Choose|Export"):
        read_bundle(path, tmp_path / "uploads")


def test_an_archive_cannot_write_outside_nor_bring_other_files(tmp_path: Path) -> None:
    path = write_bundle(session_of(a_picture(tmp_path / "here")), tmp_path / "chat")
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("../outside.txt", "x")
        archive.writestr("page.html", "<script>")
    read_bundle(path, tmp_path / "there")
    assert not (tmp_path / "outside.txt").exists()
    assert len(list((tmp_path / "there").iterdir())) == 1


def test_an_archive_that_unpacks_to_too_much_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bomb.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("session.jsonl", " " * (9 * 1024**2))
    with pytest.raises(MessageError, match="not a conversation"):
        read_bundle(path, tmp_path / "uploads")


def test_a_picture_that_is_none_makes_the_file_unusable(tmp_path: Path) -> None:
    path = write_bundle(session_of(), tmp_path / "chat")
    fake = tmp_path / "fake.zip"
    with zipfile.ZipFile(fake, "w") as archive:
        archive.write(path, "session.jsonl")
        archive.writestr("0" * 20 + ".png", "not a picture")
    with pytest.raises(MessageError, match="not a conversation"):
        read_bundle(fake, tmp_path / "uploads")


def test_an_archive_whose_contents_are_damaged_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "damaged.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("session.jsonl", "a line of a conversation\n" * 200)
    data = bytearray(path.read_bytes())
    start = 30 + len("session.jsonl")  # behind the local header
    data[start : start + 20] = b"\xff" * 20
    path.write_bytes(bytes(data))
    with pytest.raises(MessageError, match=r"Choose|Export"):
        read_bundle(path, tmp_path / "uploads")
