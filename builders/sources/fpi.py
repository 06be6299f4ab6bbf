"""Fashion Product Images: the parquet files, or the original folder with styles.csv and images/.

Four data sets, as `catalogue` makes them: fpi-t2i, fpi-cir, fpi-asfr, fpi-street. Left out are underwear, which the
catalogue shows on bodies, and what is not worn or carried (cosmetics, gifts, sports equipment, home).
"""

from __future__ import annotations

from pathlib import Path

from builders.instances import SourceData
from builders.sources.catalogue import read_catalogue
from builders.sources.reading import require_folder
from retrieval.errors import SourceError
from retrieval.schema import Item

NAME = "Fashion Product Images"
FASHION = ("Apparel", "Footwear", "Accessories")
INNERWEAR = "Innerwear"


def read(folder: Path, made: Path, seed: int, limit: int | None) -> SourceData:
    """Raises SourceError for a folder without the catalogue, and for files that are cut."""
    require_folder(folder, NAME)
    data = read_catalogue(folder, made, seed, limit, "fpi", left_out)
    if not any("master_category" in image.attributes for image in data.images.values()):
        raise SourceError(
            f"{folder} does not hold {NAME}: it has no masterCategory. Give the folder with its parquet files, or with "
            "styles.csv and images/; any other catalogue is read as `catalogue`."
        )
    return data


def left_out(item: Item) -> str:
    """Why a product is left out; "" for one that is kept."""
    master = item.attributes.get("master_category")
    if master is not None and master not in FASHION:
        return f"not fashion ({master})"
    return "innerwear" if item.attributes.get("sub_category") == INNERWEAR else ""
