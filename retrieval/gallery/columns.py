"""Foreign column names -> the attribute names of `retrieval.schema`. No foreign name passes this file."""

from __future__ import annotations

import logging
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from retrieval.gallery.values import number_of, price_of, text_of
from retrieval.schema import AttributeValue

log = logging.getLogger(__name__)

MAX_WORD = 60
"""Longest value of an attribute; a longer one is a text, not a word of a catalogue."""

# Own name -> foreign names without case and punctuation, the preferred first: in a row the first with a value wins.
_FOREIGN: Mapping[str, tuple[str, ...]] = {
    "item_id": ("id", "itemid", "productid", "articleid", "sku", "asin", "uid", "photoid", "imageid"),
    "image": ("image", "imagepath", "imagefile", "img", "imgpath", "picture", "photo", "file", "filename", "filepath",
              "path", "imageurl", "imgurl", "link", "url"),
    "caption": ("caption", "productdisplayname", "displayname", "productname", "prodname", "itemname", "title", "name",
                "producttitle", "text", "description"),
    "category": ("category", "articletype", "producttypename", "producttype", "itemtype", "garmenttype", "type",
                 "categoryname", "label", "class"),
    "colour": ("colour", "color", "basecolour", "basecolor", "colourname", "colorname", "colourgroupname",
               "colorgroupname", "maincolour", "maincolor"),
    "master_category": ("mastercategory", "department", "productgroupname", "maincategory"),
    "sub_category": ("subcategory", "categorygroup"),
    "gender": ("gender", "sex", "targetgender", "audience"),
    "season": ("season",),
    "usage": ("usage", "occasion"),
    "brand": ("brand", "brandname", "designer", "manufacturer"),
    "price": ("price", "saleprice", "sellingprice", "currentprice", "discountedprice", "mrp"),
    "material": ("material", "fabric", "composition"),
    "pattern": ("pattern", "print", "graphicalappearancename"),
    "neckline": ("neckline", "neck", "collar"),
    "sleeves": ("sleeves", "sleeve", "sleevelength"),
    "length": ("length", "garmentlength"),
    "fit": ("fit", "silhouette"),
    "year": ("year",),
}  # fmt: skip
_TECHNICAL = {
    "width", "height", "split", "index", "unnamed0", "indexlevel0", "row", "rowid", "hash", "md5", "sha256",
    "embedding", "vector", "createdat", "updatedat", "timestamp", "fingerprint", "score", "rowaddr",
    "distance", "imagewidth", "imageheight", "bytes", "license", "source",
}  # fmt: skip
_OWN = {foreign: (own, rank) for own, names in _FOREIGN.items() for rank, foreign in enumerate(names)}
_NOT_ATTRIBUTES = {"item_id", "image", "caption"}


@dataclass(slots=True)
class Columns:
    """Translates the rows of one gallery; remembers which other columns hold numbers, for they may not change."""

    _known: dict[str, tuple[str, int] | None] = field(default_factory=dict)
    _numeric: dict[str, bool] = field(default_factory=dict)
    _reported: set[str] = field(default_factory=set)

    def own(self, column: str) -> tuple[str, int] | None:
        """Own name and rank (0 is preferred) of a foreign column; None for one that is left out."""
        if column not in self._known:
            self._known[column] = _translated(column)
            if self._known[column] is None and not _is_technical(column):
                log.warning("the column %.60r is left out: give it a name of at most 40 Latin letters", column)
        return self._known[column]

    def having(self, own: str, columns: Iterable[str]) -> list[str]:
        """Those foreign columns that stand for one own name."""
        return [column for column in columns if (self.own(column) or ("", 0))[0] == own]

    def translate(self, values: Mapping[str, object]) -> dict[str, object]:
        """item_id, caption (clean text), image (as it stands) and the attributes, each only where it is known."""
        found: dict[str, tuple[int, object]] = {}
        for column, value in (*values.items(), *_nested(values).items()):
            name = self.own(column)
            if name is None or (name[0] in found and found[name[0]][0] <= name[1]):
                continue
            own = self._value(name[0], value)
            if own is not None:
                found[name[0]] = (name[1], own)
        return {name: value for name, (_, value) in found.items()}

    def _value(self, name: str, value: object) -> object | None:
        if name == "image":
            if isinstance(value, list) and value:
                value = value[0]  # several views of one product
            # A file's name stays as it is: cleaned, it would name no file.
            return value if isinstance(value, bytes | Mapping) or text_of(value) else None
        if name in {"item_id", "caption"}:
            return text_of(value) or None
        if name == "price":
            return price_of(value)
        return self._attribute(name, value)

    def _attribute(self, name: str, value: object) -> AttributeValue | None:
        number, word = number_of(value), text_of(value)
        if not word:
            return None
        if name not in _FOREIGN:
            if self._numeric.setdefault(name, number is not None):
                return number if number is not None else self._read_number(name, word)
        elif name == "category" and word.isdecimal():
            return None  # the number of a class, whose name the file does not give
        return word if len(word) <= MAX_WORD else None

    def _read_number(self, name: str, word: str) -> float | None:
        number = price_of(word)
        if number is None and name not in self._reported:
            self._reported.add(name)
            log.warning("%s holds numbers; words in it are left out, the first is %r", name, word)
        return number


def _nested(values: Mapping[str, object]) -> Mapping[str, object]:
    attributes = values.get("attributes")
    return attributes if isinstance(attributes, Mapping) else {}


def _plain(column: str) -> str:
    return unicodedata.normalize("NFKD", column.replace("ß", "ss")).encode("ascii", "ignore").decode()


def _squeezed(column: str) -> str:
    return re.sub(r"[^a-z0-9]", "", _plain(column).casefold())


def _is_technical(column: str) -> bool:
    return not column.strip() or _squeezed(column) in {*_TECHNICAL, "attributes"}


def _translated(column: str) -> tuple[str, int] | None:
    plain, squeezed = _plain(column), _squeezed(column)
    if squeezed in _OWN:
        return _OWN[squeezed]
    if _is_technical(column):
        return None
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", plain)
    name = re.sub(r"[^a-z0-9]+", "_", words.casefold()).strip("_")
    return (name, len(_OWN)) if name and name[0].isalpha() and len(name) <= 40 and name not in _NOT_ATTRIBUTES else None
