"""Conversations behind links: whoever has the link opens a copy, nobody can list or change them."""

from __future__ import annotations

import logging
import re
import secrets
from dataclasses import dataclass
from pathlib import Path

from agent.bundles import read_bundle, write_bundle
from retrieval.errors import MessageError
from retrieval.schema import Session

log = logging.getLogger(__name__)

TOKEN = re.compile(r"[\w-]{22}")
KEPT = 2000
"""Links that are kept; the oldest gives way."""


@dataclass(frozen=True, slots=True)
class Shelf:
    """One folder, one file a link. On a disk that lasts, links outlive the process."""

    folder: Path

    def put(self, session: Session) -> str:
        """The token of a new link, which cannot be guessed."""
        token = secrets.token_urlsafe(16)
        self._make_room()
        write_bundle(session, self.folder / token)
        return token

    def take(self, token: str, uploads: Path) -> Session:
        """A copy of the conversation. Raises MessageError for a link that leads nowhere."""
        paths = [self.folder / f"{token}{ending}" for ending in (".jsonl", ".zip")] if TOKEN.fullmatch(token) else []
        path = next((path for path in paths if path.is_file()), None)
        if path is None:
            raise MessageError("This link leads to no conversation any more. Ask for a new one, or start here.")
        return read_bundle(path, uploads)

    def _make_room(self) -> None:
        if not self.folder.is_dir():
            return
        oldest_first = sorted((path.stat().st_mtime, path) for path in self.folder.iterdir())
        for _, path in oldest_first[: max(0, len(oldest_first) - KEPT + 1)]:
            path.unlink(missing_ok=True)
            log.info("a link gave way to a newer one")
