"""From a gallery to an open shop: an encoder, its index, a planner. Loads all that is heavy."""

from __future__ import annotations

import hashlib
import logging
import os
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from agent.limits import Desk, Limits
from agent.shopfront import Shop
from retrieval.errors import ChatError, EncoderError

if TYPE_CHECKING:
    import argparse

    from agent.protocols import Planner, SentenceEncoder
    from retrieval.protocols import Encoder, Store

log = logging.getLogger(__name__)

ASSETS = Path(__file__).parent.parent / "assets"
EMBEDDED_GALLERY = ASSETS / "gallery"
ENCODERS = {"fashion-am": ASSETS / "fashion_am", "late-fusion": ASSETS / "encoder"}
N_WAITING_FOR_CHAT = 16
"""Turns at once where a language model is asked."""
ENCODER_HELP = f"{', '.join(ENCODERS)} or an encoder's folder; default: fashion-am if it is there"


@dataclass(frozen=True, slots=True)
class ChatModel:
    """A language model that understands and words turns in the place of the built-in planner."""

    url: str
    name: str
    sees_pictures: bool = True
    words_replies: bool = True
    seconds: float = 12.0
    """For each of the two questions of a turn."""


def open_shop(
    folder: Path,
    gallery: str | None = None,
    index: Path | None = None,
    encoder: str | None = None,
    chat: ChatModel | None = None,
) -> Shop:
    """A shop over a gallery, by default the embedded one; `index` alone opens an index that was built before.

    `folder` is for the files of this process, `encoder` as for `encoder_folder`. Raises GalleryError, StoreError,
    ManifestError or EncoderError; with `chat` ChatError or DependencyError.
    """
    from agent.assistant import Assistant
    from agent.planners.rules import RulesPlanner
    from retrieval.retriever import Retriever

    opened = open_query_encoder(encoder)
    rules = RulesPlanner(sentences_of(opened))
    planner = open_chat_planner(chat, rules) if chat else rules
    retriever = Retriever(opened, open_store(gallery, index, opened))
    shop = Shop.open(Assistant(retriever, planner), retriever, folder)
    return replace(shop, desk=Desk(limits=_limits(chat))) if chat else shop


def _limits(chat: ChatModel) -> Limits:
    """Turns that wait for a model keep no core busy, and may take as long as its two questions."""
    usual = Limits()
    return replace(usual, at_once=N_WAITING_FOR_CHAT, turn_seconds=max(usual.turn_seconds, 2 * chat.seconds + 10))


def open_chat_planner(chat: ChatModel, stand_in: Planner) -> Planner:
    """Raises ChatError for what is no address, DependencyError without the client's library; asks nothing yet."""
    from agent.planners.chat import ChatPlanner, ChatUse
    from retrieval.chat import ChatEndpoint, LiveChat, LiveSettings

    live = LiveChat(ChatEndpoint(chat.url, chat.name), LiveSettings(chat.seconds))
    return ChatPlanner(live, stand_in, ChatUse(chat.sees_pictures, chat.words_replies))


def add_planner_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--planner", choices=("rules", "chat"), default="rules", help="who understands; default: rules")
    parser.add_argument("--chat-url", help="with chat: an OpenAI-compatible endpoint, such as http://localhost:8000/v1")
    parser.add_argument("--chat-model", help="with chat: the model's name there; a key comes from DIMITY_CHAT_API_KEY")
    parser.add_argument("--chat-seconds", type=float, default=12.0, help="with chat: longest wait for an answer")
    parser.add_argument("--chat-blind", action="store_true", help="with chat: send no pictures")
    parser.add_argument("--chat-plans-only", action="store_true", help="with chat: replies in the built-in words")


def chosen_chat(options: argparse.Namespace) -> ChatModel | None:
    """What `add_planner_options` read; None for the default planner. Raises ChatError for a model without an address
    or a name, and for an address without `--planner chat`."""
    if options.planner == "rules":
        if options.chat_url or options.chat_model:
            raise ChatError("--chat-url and --chat-model need --planner chat beside them.")
        return None
    if not (options.chat_url and options.chat_model):
        raise ChatError(
            "--planner chat needs --chat-url and --chat-model, such as --chat-url http://localhost:8000/v1 "
            "--chat-model Qwen/Qwen3.6-35B-A3B."
        )
    if not 0 < options.chat_seconds <= 600:
        raise ChatError("--chat-seconds is a time of more than 0 and at most 600 seconds.")
    return ChatModel(
        options.chat_url,
        options.chat_model,
        not options.chat_blind,
        not options.chat_plans_only,
        options.chat_seconds,
    )


def planner_line(chat: ChatModel | None) -> str:
    """Who understands, to be told to whoever starts the shop."""
    if chat is None:
        return "Understanding with the built-in planner."
    return f"Understanding with {chat.name} at {chat.url}; where it does not answer, the built-in planner stands in."


def encoder_folder(encoder: str | None) -> Path:
    """Of a name in ENCODERS or a folder's path; None: FashionAM where its weights are there, else late fusion."""
    if encoder is not None:
        return ENCODERS.get(encoder) or Path(encoder)
    return ENCODERS["fashion-am" if (ENCODERS["fashion-am"] / "card.json").exists() else "late-fusion"]


def encoder_line(encoder: str | None) -> str:
    """Which encoder `open_shop` takes for this, to be told to whoever starts it."""
    folder = encoder_folder(encoder)
    name = next((name for name, known in ENCODERS.items() if known == folder), str(folder))
    if encoder is None and folder != ENCODERS["fashion-am"]:
        return f"Searching with {name}: there is no FashionAM in {ENCODERS['fashion-am']}."
    return f"Searching with {name}."


def open_query_encoder(encoder: str | None) -> Encoder:
    """Raises EncoderError for what is neither a name in ENCODERS nor the folder of an encoder."""
    from retrieval.encoders.opening import open_encoder

    folder = encoder_folder(encoder)
    if not folder.is_dir():
        raise EncoderError(f"There is no encoder {encoder or folder}: name {', '.join(ENCODERS)} or a folder.")
    return open_encoder(folder)


def sentences_of(encoder: Encoder) -> SentenceEncoder:
    """Decides intents: the sentence space, whatever searches. Training leaves it as it is in every text tower."""
    from retrieval.encoders.embedded import EmbeddedEncoder
    from retrieval.encoders.fashion_am import FashionAMEncoder

    if isinstance(encoder, EmbeddedEncoder | FashionAMEncoder):
        return encoder.encode_sentences
    return EmbeddedEncoder.open().encode_sentences


def open_store(gallery: str | None, index: Path | None, encoder: Encoder) -> Store:
    from retrieval.stores.lance import LanceStore

    if gallery is None and index is not None and index.is_dir() and any(index.iterdir()):
        return LanceStore.open(index, encoder.manifest)
    source = str(EMBEDDED_GALLERY) if gallery is None else gallery
    return _indexed(source, index or default_index(source, encoder), encoder)


def default_index(gallery: str, encoder: Encoder) -> Path:
    """A directory of its own for each gallery and encoder, in the user's cache or, if that is closed, a new one."""
    manifest = encoder.manifest
    place = gallery if ":" in gallery else str(Path(gallery).resolve())
    key = hashlib.sha256(f"{place} {manifest.encoder} {manifest.revision}".encode()).hexdigest()[:16]
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "dimity" / key
    try:
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=cache):
            return cache
    except OSError as error:
        temporary = Path(tempfile.mkdtemp(prefix="dimity-index-"))
        log.warning("%s cannot be written (%s); the index is kept in %s this time", cache, error, temporary)
        return temporary


def _indexed(gallery: str, directory: Path, encoder: Encoder) -> Store:
    from retrieval.gallery import count_items, read_gallery
    from retrieval.indexing import index, write_skipped
    from retrieval.stores.lance import LanceStore

    with LanceStore.open_or_create(directory, encoder.manifest) as store:
        report = index(encoder, store, read_gallery(gallery, directory / "pictures"), total=count_items(gallery))
    log.info("%s", report)
    listed = directory / "skipped.tsv"
    listed.unlink(missing_ok=True)
    if report.skipped:
        write_skipped(report, listed)
        log.warning("All that was skipped is listed in %s", listed)
    return store
