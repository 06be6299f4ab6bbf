"""Lists of products, in whatever form a shop or a data set has them -> Items.

One file a format (tables, jsonl, parquet, folder, hub); `columns` translates foreign names, `pictures` finds the
picture of a row, `brands` reads brands out of names, `reader` puts them together.
"""

from retrieval.gallery.reader import count_items, fingerprint, read_gallery
from retrieval.gallery.records import Skipped

__all__ = ["Skipped", "count_items", "fingerprint", "read_gallery"]
