"""Web addresses of pictures in a message, where whoever runs the shop has turned them on: DIMITY_PICTURE_URLS=1."""

from __future__ import annotations

import os
from pathlib import Path

from retrieval.errors import MessageError
from retrieval.picture_files import store_upload
from retrieval.picture_urls import Reach, addresses_in, fetch
from retrieval.schema import Image

VARIABLE = "DIMITY_PICTURE_URLS"
MAX_PICTURES = 3


def are_on() -> bool:
    return os.environ.get(VARIABLE) == "1"


def pictures_named_in(text: str, directory: Path, reach: Reach | None = None) -> tuple[str, tuple[Image, ...]]:
    """The words without the addresses, and what lies there, kept as uploads. Where they are off: the text as it is.

    Raises ImageError for an address that is refused or holds no picture, MessageError for too many.
    """
    addresses = addresses_in(text) if are_on() else []
    if len(addresses) > MAX_PICTURES:
        raise MessageError(f"The message names {len(addresses)} web addresses; at most {MAX_PICTURES} are opened.")
    pictures = []
    for address in addresses:
        pictures.append(store_upload(fetch(address, reach), directory, "The picture at that web address"))
        text = text.replace(address, " ")
    return (" ".join(text.split()) if addresses else text), tuple(pictures)
