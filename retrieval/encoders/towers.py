"""The picture and the text tower of a system's folder in ONNX Runtime, shared by all encoders over them.

A folder need not repeat large files: its card's `base` names another folder, relative to it, where those that are
missing here lie. Nothing is fetched from anywhere.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from retrieval import images
from retrieval.encoders import cards
from retrieval.encoders.cards import CARD as CARD
from retrieval.encoders.preprocess import PREPROCESSING, pixels
from retrieval.encoders.recent import Recent
from retrieval.errors import EncoderError
from retrieval.protocols import Manifest

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray
    from PIL.Image import Image as Picture

    from retrieval.protocols import Embeddings
    from retrieval.schema import Image, Item

T = TypeVar("T")
DEFAULT_FOLDER = Path(__file__).resolve().parents[2] / "assets" / "encoder"
PICTURE, TEXT, TOKENIZER = "picture.onnx", "text.onnx", "tokenizer.json"
SENTENCE_DIM = 384
BATCH = 32
MAX_THREADS = 4


class Towers:
    """Both towers of one joint space. Safe to use from several threads. `open` is how it is made.

    caption_weight: how much an item's name counts beside its picture (0: the picture alone, as benchmarks want).
    """

    def __init__(self, picture: Any, text: Any, tokenizer: Any, card: dict[str, Any], caption_weight: float) -> None:
        self._picture = picture
        self._text = text
        self._tokenizer = tokenizer
        self._caption_weight = caption_weight
        self._text_name = str(card.get("sha256", {}).get(TEXT, card["revision"]))
        self._pictures: Recent[Image] = Recent(self._encode_files)
        self._texts: Recent[str] = Recent(lambda texts: self.text_features(texts))
        self._remembered: Mapping[str, NDArray[np.float32]] = {}
        self.manifest = Manifest(
            encoder=str(card.get("towers", card["name"])),
            revision=f"{card['revision']}/{PREPROCESSING}/caption={caption_weight:g}",
            dim=int(card["dim"]),
        )

    @classmethod
    def open(cls, folder: Path, caption_weight: float = 0.0) -> Towers:
        """Raises EncoderError when files are missing, damaged or of another version."""
        card = read_card(folder)
        picture, text = (open_session(find_file(folder, card, name)) for name in (PICTURE, TEXT))
        tokenizer = open_tokenizer(find_file(folder, card, TOKENIZER))
        tokenizer.enable_truncation(int(card["max_tokens"]))
        tokenizer.enable_padding()
        return cls(picture, text, tokenizer, card, caption_weight)

    @property
    def text_name(self) -> str:
        """Changes whenever a text's vector would; equal for systems that share the text tower."""
        return self._text_name

    @property
    def name(self) -> str:
        """Changes whenever a vector would."""
        return f"{self.manifest.encoder}/{self.manifest.revision}"

    def encode_items(self, items: Sequence[Item], pictures: Sequence[Picture]) -> Embeddings:
        """As `protocols.Encoder`."""
        embeddings = self.encode_pictures(pictures)
        if self._caption_weight == 0:
            return embeddings
        captions = self.encode_texts([item.caption for item in items])[0]
        named = np.array([[bool(item.caption)] for item in items], np.float32)
        return unit(embeddings + np.float32(self._caption_weight) * captions * named)

    def encode_pictures(self, pictures: Sequence[Picture]) -> Embeddings:
        """Decoded RGB pictures -> float32 (n, dim), unit rows."""
        parts = [
            self._picture.run(None, {"pixels": np.stack([pixels(p) for p in pictures[at : at + BATCH]])})[0]
            for at in range(0, len(pictures), BATCH)
        ]
        return np.concatenate(parts) if parts else np.zeros((0, self.manifest.dim), np.float32)

    def remember(self, embeddings: Mapping[str, NDArray[np.float32]]) -> None:
        """Unit vectors of pictures by their path, as `encode_pictures` gives them: these files are not read again."""
        self._remembered = embeddings

    def encode_references(self, references: Sequence[Image]) -> dict[Image, NDArray[np.float32]]:
        """Vectors (dim,) of the distinct pictures; one that was encoded lately is not encoded again.

        Raises ImageError for a picture that cannot be decoded.
        """
        found = {image: self._remembered[image.path] for image in references if image.path in self._remembered}
        return found | self._pictures.of(image for image in references if image not in found)

    def _encode_files(self, some: Sequence[Image]) -> Embeddings:
        # As large as indexing decodes them, so that a gallery's picture has one vector, as item and as reference.
        return self.encode_pictures([images.open_picture(image.path, images.UPLOAD_SIDE) for image in some])

    def recent_text_features(self, texts: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """`text_features` of the distinct texts; those of a text that was asked for lately, as those of a conversation
        are, are kept."""
        return self._texts.of(texts)

    def text_features(self, texts: Sequence[str]) -> Embeddings:
        """What a query encoder is given of texts: joint vectors, sentence vectors behind them, (n, dim + 384)."""
        return np.concatenate(self.encode_texts(texts), axis=1)

    def encode_texts(self, texts: Sequence[str]) -> tuple[Embeddings, Embeddings]:
        """Joint vectors (n, dim) and sentence vectors (n, 384). Batches hold texts of like length: less padding."""
        joint = np.zeros((len(texts), self.manifest.dim), np.float32)
        sentence = np.zeros((len(texts), SENTENCE_DIM), np.float32)
        order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
        for at in range(0, len(order), BATCH):
            rows = order[at : at + BATCH]
            encodings = self._tokenizer.encode_batch([texts[i] for i in rows])
            ids = np.array([e.ids for e in encodings], np.int64)
            mask = np.array([e.attention_mask for e in encodings], np.int64)
            joint[rows], sentence[rows] = self._text.run(None, {"ids": ids, "mask": mask})
        return joint, sentence


def read_card(folder: Path) -> dict[str, Any]:
    """What the export wrote beside the weights. Raises EncoderError for none, a damaged one or another version's."""
    card = cards.read(folder)
    if card.get("format") != cards.FORMAT or card.get("preprocessing") != PREPROCESSING:
        raise EncoderError(
            f"The encoder in {folder} was exported for format {card.get('format')} and preprocessing "
            f"{card.get('preprocessing')!r}, this version reads {cards.FORMAT} and {PREPROCESSING!r}: export it again."
        )
    if missing := [key for key in ("name", "revision", "dim", "max_tokens") if key not in card]:
        raise EncoderError(f"{folder / CARD} lacks {', '.join(missing)}: restore it, or export the encoder again.")
    return card


def find_file(folder: Path, card: dict[str, Any], name: str) -> Path:
    """Here, or in the base. Raises EncoderError when it is in neither, or the base's is not the one of the card."""
    base = cards.base_of(folder, card)
    if base is None or (folder / name).is_file():
        return folder / name
    if not (base / CARD).is_file():
        raise EncoderError(f"The encoder in {folder} needs {name} of {base}, which is no encoder: restore that folder.")
    base_card = read_card(base)
    wanted, there = (each.get("sha256", {}).get(name) for each in (card, base_card))
    if wanted is not None and wanted != there:
        raise EncoderError(
            f"The encoder in {folder} was made with another {name} than the one in {base} (revision "
            f"{base_card['revision']}): restore that folder, or train and export again over it."
        )
    return find_file(base, base_card, name)


def open_session(file: Path) -> Any:
    """Raises EncoderError for a file that is missing or damaged."""
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")  # or it writes to the user's cache and looks up a host
    import onnxruntime as ort

    options = ort.SessionOptions()
    options.intra_op_num_threads = min(MAX_THREADS, _n_cores())
    options.log_severity_level = 3
    # Tables are unfolded once, on loading, and idle threads do not spin: half the time for the same numbers.
    options.add_session_config_entry("session.disable_quant_qdq", "1")
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        return ort.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # the library raises bare exceptions of its own
        raise _damaged(file.parent, error) from error


def open_tokenizer(file: Path) -> Any:
    """Without truncation and padding. Raises EncoderError for a file that is missing or damaged."""
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_file(str(file))
    except Exception as error:  # the library raises bare exceptions of its own
        raise _damaged(file.parent, error) from error
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def _n_cores() -> int:
    """That this process may run on: a thread without a core of its own makes the others wait."""
    if hasattr(os, "sched_getaffinity"):  # not on macOS and Windows
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _damaged(folder: Path, error: Exception) -> EncoderError:
    return EncoderError(f"The weights in {folder} are damaged ({error}): restore them from the repository.")


def encode_once(values: Sequence[T], encode: Callable[[Sequence[T]], Embeddings]) -> dict[T, NDArray[np.float32]]:
    distinct = list(dict.fromkeys(values))
    return dict(zip(distinct, encode(distinct), strict=True)) if distinct else {}


def unit(vectors: Embeddings) -> Embeddings:
    """Scaled to length 1 along the last axis, float32; 0 stays 0. For sums of the towers' outputs, and the like."""
    norms = np.linalg.norm(vectors, axis=-1, keepdims=True)
    result: Embeddings = (vectors / np.maximum(norms, 1e-12)).astype(np.float32)
    return result
