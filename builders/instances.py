"""What a source gives to the builders: pictures and single-turn retrieval instances, in our own words.

Foreign names (FashionIQ's `candidate` is the reference!) are translated in `builders/sources` and nowhere else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from retrieval.benchmark import PictureKind, Task
from retrieval.schema import Attributes

N_POSITIVES = (7, 10)
N_NEGATIVES = 50
"""Candidates of an ASFR query: 7 to 10 that share the attribute, 50 that do not (DIM-Fashion, section 5)."""


@dataclass(frozen=True, slots=True)
class SourceImage:
    image_id: str
    """`<source>/<name>`, without white space; equal ids are the same picture."""
    path: str
    """Relative to `SourceData.root`, with `/`."""
    kind: PictureKind = "product"
    product_id: str = ""
    """`<name space>/<id>`, equal for pictures of the same product; "" when not known. The name space is the source's
    own, or one that sources share ("asin": FashionIQ, MT-FashionIQ). Ids of two name spaces tell no products apart."""
    caption: str = ""
    attributes: Attributes = field(default_factory=dict)
    """In the names of `schema.Attributes` where the source has such."""


def are_apart(one: SourceImage, other: SourceImage) -> bool:
    """Whether two pictures are known to show different products: other ids of one name space."""
    spaces = {image.product_id.partition("/")[0] for image in (one, other)}
    sources = {image.image_id.partition("/")[0] for image in (one, other)}
    if not one.product_id or not other.product_id or one.product_id == other.product_id:
        return False
    return len(spaces) == 1 or len(sources) == 1


@dataclass(frozen=True, slots=True)
class Instance:
    """One single-turn retrieval `(references, text, target, task, data set)`: DIM-Fashion, Algorithm 1."""

    instance_id: str
    """Stable for equal files, unique in its source."""
    task: Task
    dataset: str
    text: str
    target: str
    """image_id. With ASFR one of the positives: the one that a session goes on with."""
    references: tuple[str, ...] = ()
    """image_ids: none with T2I, one or more otherwise."""
    attribute: str = ""
    """With ASFR: the attribute that is kept, e.g. "neckline"."""
    positives: tuple[str, ...] = ()
    """With ASFR: image_ids that share the attribute, 7 to 10, the target among them, the reference not; else empty."""
    negatives: tuple[str, ...] = ()
    """With ASFR: 50 image_ids that do not; else empty."""


@dataclass(slots=True)
class Coverage:
    """What became of a source's records. `n_records` = `n_kept` + all of `dropped`."""

    n_records: int = 0
    n_kept: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    """Reason -> records: "picture is missing", "no target (test row)"."""
    tolerated: Counter[str] = field(default_factory=Counter)
    """Oddities that were mended or lived with: "3 captions", "count in line 1 is wrong", "id in two categories"."""
    missing_pictures: set[str] = field(default_factory=set)
    """Paths that records name and the folder does not hold."""


@dataclass(frozen=True, slots=True)
class SourceData:
    name: str
    root: Path
    """The folder that picture paths are relative to."""
    images: Mapping[str, SourceImage]
    """By image_id: all that instances name, and further ones of the gallery."""
    instances: Sequence[Instance]
    """Sorted by instance_id."""
    coverage: Coverage
    revision: str
    """Hash of the original files that were read, or version and settings of what made them."""


SourceReader = Callable[[Path, Path, int, int | None], SourceData]
"""read(folder, made, seed, limit): `folder` holds the original files; pictures that the source makes itself go under
`made`; `seed` decides every draw; `limit` bounds the records (None: all). Raises SourceError for a folder that does not
hold the data set, or files that are cut or of another form."""
