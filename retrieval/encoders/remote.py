"""Queries through a model server: FashionAM at the paper's size, served by vLLM, its retrieval head applied here.

`fashion_am/serving.py` writes the folder and says how to serve it. The server answers POST /pooling with the hidden
states of a conversation; the vectors of gallery items come from whatever made them, a picture tower or a file. Needs
neither torch nor a GPU.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np

from retrieval import images
from retrieval.encoders import cards
from retrieval.encoders.embedded import UNWANTED_WEIGHT, unwanted_mean
from retrieval.encoders.pooling import PoolingServer
from retrieval.encoders.pooling import ServerOptions as ServerOptions
from retrieval.encoders.towers import encode_once, unit
from retrieval.errors import DependencyError, EncoderError, MessageError
from retrieval.fashion_am.chat import ChatLimits, data_url, fitted, message_of
from retrieval.fashion_am.context import Template, context_of, open_template
from retrieval.schema import HistoryTurn, Image, Item, Query

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray
    from PIL.Image import Image as Picture

    from retrieval.fashion_am.vectors import PictureVectors
    from retrieval.protocols import Embeddings, Manifest

log = logging.getLogger(__name__)

KIND, HEAD = "fashion_am_remote", "head.safetensors"
CARD_KEYS = (
    "name", "revision", "dim", "suffix", "width", "template", "pictures", "picture_tokens", "least_tokens", "probe",
)  # fmt: skip
NORM_EPSILON = 1e-5
AGREEMENT, GOOD_AGREEMENT = 0.99, 0.999
"""Cosine of the probe's vector by a server with the one in the card: below the first it is refused, below the second
noted. 16 bits cost less than .001; states before the final norm, or other picture sizes, cost more than .01."""
PROBE = Query(
    "probe",
    "the same with long sleeves, in red",
    references=(Image("probe", ""),),
    history=(HistoryTurn("a summer dress", (), Image("probe", "")),),
)


class ItemEncoder(Protocol):
    """The gallery's side of an encoder."""

    @property
    def manifest(self) -> Manifest: ...

    def encode_items(self, items: Sequence[Item], pictures: Sequence[Picture]) -> Embeddings: ...


@runtime_checkable
class ReadsWords(Protocol):
    """A gallery's side that has a text tower in the same space."""

    def encode_queries(self, queries: Sequence[Query]) -> Embeddings: ...


class GivenVectors:
    """Implements `ItemEncoder` with vectors that were made elsewhere, e.g. by CLIP on a GPU."""

    def __init__(self, vectors: PictureVectors, manifest: Manifest) -> None:
        self._vectors = vectors
        self.manifest = manifest

    def encode_items(self, items: Sequence[Item], pictures: Sequence[Picture]) -> Embeddings:  # noqa: ARG002
        """Raises EncoderError for a picture without a vector."""
        try:
            return np.asarray(self._vectors.of([item.image.image_id for item in items]), np.float32)
        except KeyError as error:
            raise EncoderError(f"There is no vector of picture {error}: encode the gallery again.") from error


class RemoteEncoder:
    """Implements `protocols.Encoder`; `open` is how it is made."""

    def __init__(
        self,
        card: Mapping[str, Any],
        head: Mapping[str, NDArray[np.float32]],
        url: str,
        items: ItemEncoder,
        options: ServerOptions,
    ) -> None:
        """card, head: as `fashion_am.serving` wrote them."""
        self._card, self._head, self._items, self._options = card, head, items, options
        self._server = PoolingServer(url, options)
        self._limits = ChatLimits(card["pictures"], card["picture_tokens"], card["least_tokens"])
        self._template = _template_of(card)

    @classmethod
    def open(
        cls, folder: Path, url: str, items: ItemEncoder, options: ServerOptions | None = None, check: bool = True
    ) -> RemoteEncoder:
        """url: of the server, "http://localhost:8000". check: have the probe encoded, and refuse a server that does it
        otherwise.

        Raises EncoderError for a folder, a gallery or a server that does not fit, ChatError for a server that does not
        answer, DependencyError when safetensors is missing.
        """
        card, head = _read_card(folder), _read_head(folder / HEAD)
        theirs = (card["name"], card["revision"], card["dim"])
        ours = (items.manifest.encoder, items.manifest.revision, items.manifest.dim)
        if theirs != ours:
            raise EncoderError(f"{folder} was trained against vectors of {theirs}, the gallery has those of {ours}.")
        encoder = cls(card, head, url, items, options or ServerOptions())
        if check:
            encoder.check()
        return encoder

    @property
    def manifest(self) -> Manifest:
        return self._items.manifest

    def encode_items(self, items: Sequence[Item], pictures: Sequence[Picture]) -> Embeddings:
        return self._items.encode_items(items, pictures)

    def encode_queries(self, queries: Sequence[Query]) -> Embeddings:
        """Each with its whole history. Raises EncoderError when the server does not answer as it should, ChatError when
        it does not answer."""
        for query in queries:
            if not (query.text.strip() or query.request.strip() or query.references):
                raise MessageError("There is nothing to search for: write a few words or add a picture.")
        if not queries:
            return np.zeros((0, self.manifest.dim), np.float32)
        with ThreadPoolExecutor(self._options.parallel) as pool:
            return np.stack(list(pool.map(self._encoded, queries)))

    def check(self) -> None:
        """Raises EncoderError when the server gives the probe another vector than the trained model did."""
        vector = self._vector(PROBE, lambda _: probe_picture())
        agreement = float(vector @ unit(np.array(self._card["probe"], np.float32)))
        if agreement < AGREEMENT:
            raise EncoderError(
                f"The server at {self._server.url} is not the model of this folder, or reads it otherwise: its vector "
                f"of the probe has cosine {agreement:.3f} with the one in the card. Serve the folder itself, with the "
                "command in retrieval/fashion_am/serving.py."
            )
        if agreement < GOOD_AGREEMENT:
            log.warning("the server's vectors agree only to cosine %.4f with the trained model's", agreement)

    def _encoded(self, query: Query) -> NDArray[np.float32]:
        """What is unwanted is subtracted as in late fusion."""
        vector = self._vector(query, _open_picture)
        said = [text for text in query.unwanted_texts if text.strip()]
        if not (said or query.unwanted_images):
            return vector
        items = [Item(image.image_id, image, "") for image in query.unwanted_images]
        shown = self._items.encode_items(items, [_open_picture(image) for image in query.unwanted_images])
        pictures = dict(zip(query.unwanted_images, shown, strict=True))
        away = unwanted_mean(query, encode_once(said, self._words), pictures, self.manifest.dim)
        return unit(vector - UNWANTED_WEIGHT * away)

    def _words(self, texts: Sequence[str]) -> Embeddings:
        """(n, dim), by the gallery's own text tower; where it has none, as requests by the server."""
        queries = [Query("", text) for text in texts]
        if isinstance(self._items, ReadsWords):
            return self._items.encode_queries(queries)
        return np.stack([self._vector(query, _open_picture) for query in queries])

    def _vector(self, query: Query, open_picture: Callable[[Image], Picture]) -> NDArray[np.float32]:
        content: list[dict[str, Any]] = []
        for part in message_of(context_of(query, self._template), self._limits):
            if isinstance(part, str):
                content.append({"type": "text", "text": part})
            else:
                picture = data_url(fitted(open_picture(part), self._limits))
                content.append({"type": "image_url", "image_url": {"url": picture}})
        states = self._server.states([{"role": "user", "content": content}], self._card["suffix"], self._card["width"])
        pooled = states.mean(axis=0)
        normed = (pooled - pooled.mean()) / np.sqrt(pooled.var() + NORM_EPSILON)
        normed = normed * self._head["norm.weight"] + self._head["norm.bias"]
        return unit(self._head["linear.weight"] @ normed + self._head["linear.bias"])


def probe_picture() -> Picture:
    """Colours that run across it and a square: shape, size and channels all tell."""
    from PIL import Image as Pictures

    y, x = np.mgrid[0:240, 0:180]
    pixels = np.stack([x * 255 // 179, y * 255 // 239, (x // 30 + y // 30) % 2 * 200], axis=2).astype(np.uint8)
    pixels[60:120, 40:90] = (200, 20, 30)
    return Pictures.fromarray(pixels)


def _open_picture(image: Image) -> Picture:
    return images.open_picture(image.path, images.UPLOAD_SIDE)


def _read_card(folder: Path) -> dict[str, Any]:
    card = cards.read(folder)
    if card.get("kind") != KIND or card.get("format") != cards.FORMAT:
        raise EncoderError(
            f"{folder} holds an encoder of kind {card.get('kind')!r}, format {card.get('format')}; this version reads "
            f"{KIND!r}, format {cards.FORMAT}: export it again."
        )
    if missing := [key for key in CARD_KEYS if key not in card]:
        raise EncoderError(f"{folder / cards.CARD} lacks {', '.join(missing)}: export the encoder again.")
    return card


def _template_of(card: Mapping[str, Any]) -> Template:
    template = open_template(card["template"]["name"])
    if template.revision != card["template"]["revision"]:
        raise EncoderError(f"The words of context template {template.name!r} have changed since training: train again.")
    return template


def _read_head(file: Path) -> dict[str, NDArray[np.float32]]:
    try:
        from safetensors import SafetensorError
        from safetensors.numpy import load_file
    except ImportError as error:
        raise DependencyError(f"{error}: pip install safetensors==0.8.0, as in requirements-train.txt") from error
    try:
        head: dict[str, NDArray[np.float32]] = load_file(file)
    except (OSError, SafetensorError) as error:
        raise EncoderError(f"There is no retrieval head in {file} ({error}): export the encoder again.") from error
    return head
