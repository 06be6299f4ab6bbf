"""The project's encoder as a system: a query's words against a listing's words, its picture, or both; and MiniLM.

Words are cut where the encoder itself cuts them (48 tokens in the shipped one).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from agent.opening import encoder_folder
from eval.opening import read_system
from eval.rqbench.system_index import index_candidates
from eval.rqbench.system_vectors import ByVectors, text_vectors
from retrieval.encoders.opening import open_encoder
from retrieval.encoders.towers import (
    CARD,
    DEFAULT_FOLDER,
    SENTENCE_DIM,
    TEXT,
    TOKENIZER,
    Towers,
    find_file,
    open_session,
    open_tokenizer,
    read_card,
    unit,
)
from retrieval.errors import EncoderError
from retrieval.schema import Query

if TYPE_CHECKING:
    from eval.rqbench.system_vectors import Vectors
    from eval.rqbench.systems import Opening, Pairs, System
    from retrieval.protocols import Embeddings, Encoder
    from retrieval.rq_benchmark import RQBenchmark

BATCH = 64
PICTURE_SHARE = 0.5
"""Of the picture's cosine in `encoder:both`, beside that of the words (ours)."""
SENTENCE_TOKENS = 256
"""Where all-MiniLM-L6-v2 cuts a text."""


@dataclass(frozen=True, slots=True)
class OpenedEncoder:
    """An encoder with what tells its query side apart."""

    encoder: Encoder
    folder: Path
    query_revision: str

    @property
    def revision(self) -> str:
        manifest = self.encoder.manifest
        return f"{manifest.encoder}/{manifest.revision}/{self.query_revision}"


def open_shipped(place: str | None) -> OpenedEncoder:
    """place: a name or a folder as the app takes it; None: what the app ships. Raises EncoderError."""
    folder = encoder_folder(place)
    if not (folder / CARD).is_file():
        raise EncoderError(f"There is no encoder in {folder}: name a folder with a {CARD}, as encoder:text@FOLDER.")
    return OpenedEncoder(open_encoder(folder), folder, read_system(folder).query_revision)


def open_by_text(name: str, opening: Opening) -> System:
    return _by_text(name, open_shipped(opening.place), opening)


def open_by_picture(name: str, opening: Opening) -> System:
    return _by_picture(name, open_shipped(opening.place), opening)


def open_by_both(name: str, opening: Opening) -> System:
    opened = open_shipped(opening.place)
    text, picture = _by_text(name, opened, opening), _by_picture(name, opened, opening)
    return Mixed(name, f"{opened.revision}/picture={PICTURE_SHARE:g}", text, picture, PICTURE_SHARE)


@dataclass(frozen=True, slots=True)
class Mixed:
    """Implements `systems.System`: the weighted mean of two systems' scores."""

    name: str
    revision: str
    first: System
    second: System
    second_share: float

    def score(self, benchmark: RQBenchmark, pairs: Pairs) -> Mapping[str, Sequence[float]]:
        one, other = self.first.score(benchmark, pairs), self.second.score(benchmark, pairs)
        share = self.second_share
        return {
            query_id: [(1 - share) * a + share * b for a, b in zip(one[query_id], other[query_id], strict=True)]
            for query_id in pairs
        }


def _by_text(name: str, opened: OpenedEncoder, opening: Opening) -> ByVectors:
    encode = words_encoder(opened.encoder)
    revision = f"{opened.revision}/words"
    return ByVectors(name, revision, encode, _listings_read(encode, revision, opening.cache))


def _by_picture(name: str, opened: OpenedEncoder, opening: Opening) -> ByVectors:
    def pictures(benchmark: RQBenchmark, item_ids: Sequence[str]) -> Vectors:
        store = index_candidates(benchmark, opened.encoder, opening.cache)
        return dict(zip(item_ids, store.embeddings(item_ids), strict=True))

    def queries(texts: Sequence[str]) -> Embeddings:
        return encode_words(opened.encoder, texts)

    return ByVectors(name, f"{opened.revision}/picture", queries, pictures)


def _listings_read(
    encode: Callable[[Sequence[str]], Embeddings], revision: str, cache: Path
) -> Callable[[RQBenchmark, Sequence[str]], Vectors]:
    def read(benchmark: RQBenchmark, item_ids: Sequence[str]) -> Vectors:
        texts = {item_id: benchmark.listings[item_id].text for item_id in item_ids}
        vectors = text_vectors(list(texts.values()), encode, cache, revision)
        return {item_id: vectors[text] for item_id, text in texts.items()}

    return read


def words_encoder(encoder: Encoder) -> Callable[[Sequence[str]], Embeddings]:
    """Texts to unit vectors by the text tower, or by the query's side where an encoder shows none."""
    towers = getattr(encoder, "towers", None)
    if isinstance(towers, Towers):
        return lambda texts: towers.encode_texts(texts)[0]
    return lambda texts: encode_words(encoder, texts)


def encode_words(encoder: Encoder, texts: Sequence[str]) -> Embeddings:
    """Each as a first message of words alone: (n, dim), unit rows."""
    queries = [Query(str(at), text, request=text) for at, text in enumerate(texts)]
    parts = [encoder.encode_queries(queries[at : at + BATCH]) for at in range(0, len(queries), BATCH)]
    return np.concatenate(parts) if parts else np.zeros((0, encoder.manifest.dim), np.float32)


def open_minilm(name: str, opening: Opening) -> System:
    """all-MiniLM-L6-v2 as it came, before the towers' contrastive training, which every text tower keeps beside what
    it learnt. Its tables are stored in 8 bits: cosines differ from the original's by .004 at the most."""
    sentences = Sentences.open(Path(opening.place) if opening.place else DEFAULT_FOLDER)
    listings = _listings_read(sentences.encode, sentences.revision, opening.cache)
    return ByVectors(name, sentences.revision, sentences.encode, listings)


class Sentences:
    """The sentence space of a text tower, mean-pooled; `open` is how it is made."""

    def __init__(self, session: Any, tokenizer: Any, revision: str) -> None:
        self._session = session
        self._tokenizer = tokenizer
        self.revision = revision

    @classmethod
    def open(cls, folder: Path) -> Sentences:
        """Raises EncoderError."""
        card = read_card(folder)
        tokenizer = open_tokenizer(find_file(folder, card, TOKENIZER))
        tokenizer.enable_truncation(SENTENCE_TOKENS)
        tokenizer.enable_padding()
        tower = str(card.get("sha256", {}).get(TEXT, card["revision"]))[:16]
        return cls(
            open_session(find_file(folder, card, TEXT)), tokenizer, f"all-MiniLM-L6-v2/{tower}/mean/{SENTENCE_TOKENS}"
        )

    def encode(self, texts: Sequence[str]) -> Embeddings:
        """(n, 384), unit rows. Batches hold texts of like length."""
        vectors = np.zeros((len(texts), SENTENCE_DIM), np.float32)
        order = sorted(range(len(texts)), key=lambda at: len(texts[at]))
        for start in range(0, len(order), BATCH):
            rows = order[start : start + BATCH]
            read = self._tokenizer.encode_batch([texts[row] for row in rows])
            ids = np.array([each.ids for each in read], np.int64)
            mask = np.array([each.attention_mask for each in read], np.int64)
            vectors[rows] = self._session.run(["sentence"], {"ids": ids, "mask": mask})[0]
        return unit(vectors)
