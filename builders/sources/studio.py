"""The studio as a source: drawn garments that give all seven tasks with exact truth; pictures are rendered here."""

from __future__ import annotations

import logging
from pathlib import Path

from builders.instances import Coverage, SourceData
from builders.sources.reading import revision_of
from retrieval.errors import DependencyError

log = logging.getLogger(__name__)

NAME = "studio"
N_GARMENTS = 3000
"""Distinct garments, without their changed copies."""


def read(folder: Path, made: Path, seed: int, limit: int | None = None) -> SourceData:
    """Pictures under `made`, rendered where they are not there yet; `folder` is not used.

    limit: how many distinct garments; `N_GARMENTS` by default. Equal seeds and limits give equal bytes.
    """
    try:
        from builders.sources import asfr_pools, studio_catalogue, studio_instances, studio_pictures
    except ModuleNotFoundError as error:
        if error.name != "skia":
            raise
        raise DependencyError("The studio draws with skia-python: pip install -r requirements-build.txt") from error
    n = N_GARMENTS if limit is None else limit
    pieces = studio_catalogue.pieces(n, seed)
    pictures = studio_pictures.key(n, seed)
    root = made / f"{NAME}-{pictures}"
    rendered = studio_pictures.render_missing(root, pieces)
    images = studio_catalogue.images(pieces)
    coverage = Coverage()
    instances = studio_instances.instances(pieces, seed, coverage)
    log.info("studio: %d pictures (%d new), %d instances", len(images), rendered, len(instances))
    revision = f"{pictures}-{revision_of([Path(studio_instances.__file__), Path(asfr_pools.__file__)])}"
    return SourceData(NAME, root, images, instances, coverage, revision)
