"""A conversation as one file that can be kept, sent and opened again: JSONL, or a ZIP with its pictures."""

from __future__ import annotations

import io
import re
import secrets
import zipfile
import zlib
from pathlib import Path

from retrieval.errors import ImageError, MessageError
from retrieval.picture_files import store_upload
from retrieval.schema import Image, Session
from retrieval.sessions import session_from_jsonl, session_to_jsonl

SESSION_NAME = "session.jsonl"
PICTURE_NAME = re.compile(r"[0-9a-f]{20}\.[a-z]{3,4}")
MAX_TEXT = 8 * 1024**2
MAX_PICTURE = 20 * 1024**2
MAX_PICTURES = 100
NO_CONVERSATION = "This is not a conversation that was saved here. Choose the file that “Save chat” gave you."


def pictures_of(session: Session) -> list[Image]:
    """What the visitor sent, each once."""
    sent = (image for turn in session.turns for image in turn.message.images)
    return list({image.image_id: image for image in sent}.values())


def write_bundle(session: Session, path_without_ending: Path) -> Path:
    """A .zip if pictures were sent, else a .jsonl; appears whole or not at all."""
    pictures = pictures_of(session)
    path = path_without_ending.with_name(path_without_ending.name + (".zip" if pictures else ".jsonl"))
    text = session_to_jsonl(session)
    _write_whole(path, _zipped(text, pictures) if pictures else text.encode())
    return path


def read_bundle(path: Path, uploads: Path) -> Session:
    """The conversation of a file from `write_bundle`, its pictures kept in `uploads`, under an id of its own.

    Raises MessageError for anything else.
    """
    if zipfile.is_zipfile(path):
        text, names = _unzipped(path, uploads)
    elif path.stat().st_size > MAX_TEXT:
        raise MessageError(NO_CONVERSATION)
    else:
        text, names = _decoded(path.read_bytes()), set()
    session = session_from_jsonl(text, uploads)
    missing = [image for image in pictures_of(session) if Path(image.path).name not in names]
    if missing:
        raise MessageError(
            f"{len(missing)} of this conversation's pictures are not in the file. "
            "Choose the .zip that “Save chat” gave you."
        )
    return Session(secrets.token_urlsafe(16), session.turns)


def _zipped(text: str, pictures: list[Image]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(SESSION_NAME, text)
        for image in pictures:
            if Path(image.path).exists():  # the folder of uploads is swept after some hours
                archive.write(image.path, Path(image.path).name, zipfile.ZIP_STORED)
    return buffer.getvalue()


def _unzipped(path: Path, uploads: Path) -> tuple[str, set[str]]:
    """The text, and the names of the pictures that are now in `uploads`."""
    try:
        with zipfile.ZipFile(path) as archive:
            text = _decoded(_entry(archive, SESSION_NAME, MAX_TEXT))
            pictures = [name for name in archive.namelist() if PICTURE_NAME.fullmatch(name)][:MAX_PICTURES]
            kept = [store_upload(_entry(archive, name, MAX_PICTURE), uploads) for name in pictures]
    except (zipfile.BadZipFile, KeyError, NotImplementedError, RuntimeError, EOFError, zlib.error, ImageError) as error:
        raise MessageError(NO_CONVERSATION) from error
    return text, {Path(image.path).name for image in kept}


def _entry(archive: zipfile.ZipFile, name: str, most: int) -> bytes:
    """Never more than `most` bytes, whatever the archive says of itself."""
    with archive.open(name) as entry:
        data = entry.read(most + 1)
    if len(data) > most:
        raise MessageError(NO_CONVERSATION)
    return data


def _decoded(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise MessageError(NO_CONVERSATION) from error


def _write_whole(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    partial.write_bytes(data)
    partial.replace(path)
