"""The default encoder: both towers in ONNX Runtime, weights in `assets/encoder`, nothing fetched from anywhere.

A composed query is late fusion in the joint space: pictures and words are encoded apart, weighted and added, unwanted
ones subtracted. It needs no training beyond the two towers and stays as the late-fusion baseline.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from retrieval import images
from retrieval.encoders.preprocess import PREPROCESSING, pixels
from retrieval.errors import EncoderError, MessageError
from retrieval.protocols import Manifest

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray
    from PIL.Image import Image as Picture

    from retrieval.protocols import Embeddings
    from retrieval.schema import Image, Item, Query

T = TypeVar("T")
DEFAULT_FOLDER = Path(__file__).resolve().parents[2] / "assets" / "encoder"
CARD_FORMAT = 1
SENTENCE_DIM = 384

TEXT_WEIGHT = 1.0
PICTURE_WEIGHT = 1.0
UNWANTED_WEIGHT = 0.5
"""Late fusion: weights of the words, of the mean of the pictures, and of what is unwanted (subtracted)."""
CAPTION_WEIGHT = 0.0
BATCH = 32


class EmbeddedEncoder:
    """Implements `protocols.Encoder` with the shipped towers; `open` is how it is made."""

    def __init__(self, picture: Any, text: Any, tokenizer: Any, card: dict[str, Any], caption_weight: float) -> None:
        self._picture = picture
        self._text = text
        self._tokenizer = tokenizer
        self._caption_weight = caption_weight
        self._remembered: Mapping[str, NDArray[np.float32]] = {}
        self._manifest = Manifest(
            encoder=str(card["name"]),
            revision=f"{card['revision']}/{PREPROCESSING}/caption={caption_weight:g}",
            dim=int(card["dim"]),
        )

    @classmethod
    def open(cls, folder: Path = DEFAULT_FOLDER, caption_weight: float = CAPTION_WEIGHT) -> EmbeddedEncoder:
        """Load the weights. Raises EncoderError when files are missing, damaged or of another version.

        caption_weight: how much an item's name counts beside its picture (0: the picture alone, as benchmarks want).
        """
        os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")  # or it writes to the user's cache and looks up a host
        import onnxruntime as ort
        from tokenizers import Tokenizer

        card = _read_card(folder)
        options = ort.SessionOptions()
        options.intra_op_num_threads = min(4, os.cpu_count() or 1)
        options.log_severity_level = 3
        try:
            sessions = [
                ort.InferenceSession(str(folder / name), options, providers=["CPUExecutionProvider"])
                for name in ("picture.onnx", "text.onnx")
            ]
            tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        except Exception as error:  # both libraries raise bare exceptions of their own
            raise EncoderError(
                f"The weights in {folder} are damaged ({error}): restore them from the repository."
            ) from error
        tokenizer.enable_truncation(int(card["max_tokens"]))
        tokenizer.enable_padding()
        return cls(sessions[0], sessions[1], tokenizer, card, caption_weight)

    @property
    def manifest(self) -> Manifest:
        return self._manifest

    def encode_items(self, items: Sequence[Item], pictures: Sequence[Picture]) -> Embeddings:
        embeddings = self.encode_pictures(pictures)
        if self._caption_weight == 0:
            return embeddings
        captions = self._encode_texts([item.caption for item in items])[0]
        named = np.array([[bool(item.caption)] for item in items], np.float32)
        return _unit(embeddings + np.float32(self._caption_weight) * captions * named)

    def encode_queries(self, queries: Sequence[Query]) -> Embeddings:
        """Late fusion of each query's text and references; `history` is not read by this encoder."""
        for query in queries:
            if not (query.text.strip() or query.references):
                raise MessageError("There is nothing to search for: write a few words or add a picture.")
        texts = _encode_once(
            [text for query in queries for text in (query.text, *query.unwanted_texts) if text.strip()],
            lambda distinct: self._encode_texts(distinct)[0],
        )
        pictures = _encode_once(
            [image for query in queries for image in (*query.references, *query.unwanted_images)], self._encode_images
        )
        vectors = [_fused(query, texts, pictures, self._manifest.dim) for query in queries]
        return _unit(np.array(vectors, np.float32).reshape(len(queries), self._manifest.dim))

    def encode_pictures(self, pictures: Sequence[Picture]) -> Embeddings:
        """Decoded RGB pictures -> float32 (n, dim), unit rows."""
        parts = [
            self._picture.run(None, {"pixels": np.stack([pixels(p) for p in pictures[at : at + BATCH]])})[0]
            for at in range(0, len(pictures), BATCH)
        ]
        return np.concatenate(parts) if parts else np.zeros((0, self._manifest.dim), np.float32)

    def remember(self, embeddings: Mapping[str, NDArray[np.float32]]) -> None:
        """Unit vectors of pictures by their path, as `encode_pictures` gives them: these files are not read again."""
        self._remembered = embeddings

    def encode_sentences(self, texts: Sequence[str]) -> Embeddings:
        """Texts in the sentence space of all-MiniLM-L6-v2 (meaning, not looks): float32 (n, 384), unit rows."""
        return self._encode_texts(texts)[1]

    def _encode_images(self, references: Sequence[Image]) -> Embeddings:
        paths = [image.path for image in references]
        new = [path for path in paths if path not in self._remembered]
        # As large as indexing decodes them, so that a gallery's picture has one vector, as item and as reference.
        vectors = self.encode_pictures([images.open_picture(path, images.UPLOAD_SIDE) for path in new])
        known = dict(zip(new, vectors, strict=True))
        return np.stack([known[path] if path in known else self._remembered[path] for path in paths])

    def _encode_texts(self, texts: Sequence[str]) -> tuple[Embeddings, Embeddings]:
        """Joint vectors (n, dim) and sentence vectors (n, 384). Batches hold texts of like length: less padding."""
        joint = np.zeros((len(texts), self._manifest.dim), np.float32)
        sentence = np.zeros((len(texts), SENTENCE_DIM), np.float32)
        order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
        for at in range(0, len(order), BATCH):
            rows = order[at : at + BATCH]
            encodings = self._tokenizer.encode_batch([texts[i] for i in rows])
            ids = np.array([e.ids for e in encodings], np.int64)
            mask = np.array([e.attention_mask for e in encodings], np.int64)
            joint[rows], sentence[rows] = self._text.run(None, {"ids": ids, "mask": mask})
        return joint, sentence


def _read_card(folder: Path) -> dict[str, Any]:
    """What `fashion_am.export` wrote beside the weights."""
    try:
        card: dict[str, Any] = json.loads((folder / "card.json").read_text("utf8"))
    except (OSError, ValueError) as error:
        raise EncoderError(
            f"There is no encoder in {folder} ({error}): restore assets/encoder from the repository."
        ) from error
    if card.get("format") != CARD_FORMAT or card.get("preprocessing") != PREPROCESSING:
        raise EncoderError(
            f"The encoder in {folder} was exported for format {card.get('format')} and preprocessing "
            f"{card.get('preprocessing')!r}, this version reads {CARD_FORMAT} and {PREPROCESSING!r}: export it again."
        )
    return card


def _encode_once(values: Sequence[T], encode: Callable[[Sequence[T]], Embeddings]) -> dict[T, NDArray[np.float32]]:
    distinct = list(dict.fromkeys(values))
    return dict(zip(distinct, encode(distinct), strict=True)) if distinct else {}


def _fused(
    query: Query, texts: dict[str, NDArray[np.float32]], pictures: dict[Image, NDArray[np.float32]], dim: int
) -> NDArray[np.float32]:
    vector = np.zeros(dim, np.float32)
    if query.text.strip():
        vector += TEXT_WEIGHT * texts[query.text]
    if query.references:
        vector += PICTURE_WEIGHT * np.mean([pictures[image] for image in query.references], axis=0)
    unwanted = [texts[t] for t in query.unwanted_texts if t.strip()] + [pictures[i] for i in query.unwanted_images]
    if unwanted:
        vector -= UNWANTED_WEIGHT * np.mean(unwanted, axis=0)
    return vector


def _unit(vectors: Embeddings) -> Embeddings:
    """For sums of the towers' outputs, which have unit length themselves."""
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    result: Embeddings = (vectors / np.maximum(norms, 1e-12)).astype(np.float32)
    return result
