"""Users' pictures made from a catalogue's: the product cut from its white ground, on a floor, on a bed or in a street.

What lies there is rotated; a person who wears it stands upright, at the lower edge where the catalogue cuts it. Light
from one side, a shadow, slight blur and noise make it a photo of its own. Products that are as white as their ground,
or that touch its borders, cannot be cut cleanly and are skipped.
"""

from __future__ import annotations

import hashlib
import io
import re
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from builders.colours import families
from builders.instances import Coverage, SourceImage
from builders.sources import catalogue_cut, catalogue_grounds
from builders.sources.catalogue_cut import Cut, cut
from builders.sources.catalogue_grounds import LYING, STANDING, noise
from builders.sources.catalogue_products import Product
from builders.sources.reading import revision_of
from retrieval.errors import ImageError
from retrieval.images import open_picture, write_once

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from PIL.Image import Image as Picture

STREETS = "street"
EVERY = 5
"""One product in so many is tried."""
SIZE = (192, 240)
"""Width and height of a made picture."""
N_GROUNDS = 36
"""Grounds of either sort; each picture shows another part of one, turned otherwise, with other things on it."""
_ROOM = (480, 480)
_NOT_WORN = re.compile(
    r"shoe|sandal|flip|flat|heel|bag|pack|wallet|clutch|watch|belt|cap|hat|glasses|ring|pendant|bangle"
)
"""Skin-coloured leather is no skin."""
_HANDLED = re.compile(r"bag|backpack|clutch")


def make_street_pictures(
    products: Sequence[Product], made: Path, seed: int, coverage: Coverage
) -> dict[str, SourceImage]:
    """Product's image_id -> its street picture; those that are there already are not made again.

    What makes them has a folder of its own: no older picture is taken for a new one.
    """
    folder = made / STREETS / recipe()
    pictures: dict[str, SourceImage] = {}
    for product in products:
        name = hashlib.sha256(f"{seed}/{product.content}".encode()).hexdigest()[:20]
        if int(name, 16) % EVERY:
            continue
        path = folder / name[:2] / f"{name}.jpg"
        if not path.exists() and not _made(product, made, path, int(name, 16)):
            coverage.tolerated["cannot be cut cleanly from its ground"] += 1
            continue
        pictures[product.image_id] = SourceImage(
            image_id=f"{product.image_id}@street",
            path=path.relative_to(made).as_posix(),
            kind="street",
            product_id=product.image_id,
        )
    return pictures


def recipe() -> str:
    """Hash of the code that makes the pictures."""
    return revision_of(
        Path(str(module.__file__)) for module in (sys.modules[__name__], catalogue_cut, catalogue_grounds)
    )


def _made(product: Product, made: Path, path: Path, seed: int) -> bool:
    try:
        picture = open_picture(made / product.path, SIZE[1])
    except ImageError:  # its instances of other kinds need only the file; whoever encodes it will say what is wrong
        return False
    kind = product.spoken.get("category", "")
    may_be_worn = not _NOT_WORN.search(kind)
    found = cut(picture, may_be_worn, has_handle=bool(_HANDLED.search(kind)))
    if found is not None and found.is_worn and any("white" in families(colour) for colour in product.colours[:1]):
        return False  # a white shirt on a person goes with the ground, in parts
    if found is None:
        return False
    write_once(path, _jpeg(compose(found, np.random.default_rng(seed))))
    return True


def compose(found: Cut, rng: np.random.Generator) -> Picture:
    """The picture that a user might take of it."""
    from PIL import Image, ImageFilter

    width, height = SIZE
    ground = _standing(rng) if found.is_worn else _lying(rng)
    layer, alpha = _placed(found, rng)
    soft = Image.fromarray((alpha * 255).astype(np.uint8)).filter(ImageFilter.GaussianBlur(float(rng.uniform(3, 6))))
    shadow = Image.new("L", SIZE)
    shadow.paste(soft, (int(rng.integers(-5, 6)), int(rng.integers(1, 7))))
    strength = float(rng.uniform(0.15, 0.3) if found.is_worn else rng.uniform(0.4, 0.65))
    scene = ground * (1 - strength / 255 * np.asarray(shadow, np.float32)[..., None])
    tone = 1 + 0.05 * noise((height, width), (height / 2, width / 2), rng)[..., None]
    scene = scene + alpha[..., None] * (layer * tone - scene)
    picture = Image.fromarray(np.clip(_lit(scene, rng), 0, 255).astype(np.uint8))
    picture = picture.filter(ImageFilter.GaussianBlur(float(rng.uniform(0.25, 0.6))))
    grain = rng.standard_normal((height, width, 3), dtype=np.float32) * np.float32(rng.uniform(2, 5))
    return Image.fromarray(np.clip(np.asarray(picture, np.float32) + grain, 0, 255).astype(np.uint8))


@cache
def _ground_picture(is_standing: bool, number: int) -> Picture:
    """One of the grounds that pictures are crops of: making one for each would take most of the time."""
    from PIL import Image

    makers = STANDING if is_standing else LYING
    made = makers[number % len(makers)](_ROOM, np.random.default_rng([int(is_standing), number]))
    return Image.fromarray(np.clip(made, 0, 255).astype(np.uint8))


def _standing(rng: np.random.Generator) -> NDArray[np.float32]:
    """A wall, a room or a street, upright, with its lower edge below."""
    from PIL import ImageOps

    ground = _ground_picture(True, int(rng.integers(N_GROUNDS)))
    share = float(rng.uniform(0.55, 0.95))
    width, height = round(SIZE[0] / SIZE[1] * share * ground.height), round(share * ground.height)
    left = int(rng.integers(ground.width - width + 1))
    part = ground.resize(SIZE, box=(left, ground.height - height, left + width, ground.height))
    return np.asarray(ImageOps.mirror(part) if rng.random() < 0.5 else part, dtype=np.float32)


def _lying(rng: np.random.Generator) -> NDArray[np.float32]:
    """A floor or a bed, turned as a camera held at an angle would see it, with other things at the edges."""
    from PIL import Image

    ground = _ground_picture(False, int(rng.integers(N_GROUNDS)))
    side = round(1.35 * SIZE[1])
    left, top = int(rng.integers(ground.width - side + 1)), int(rng.integers(ground.height - side + 1))
    part = ground.crop((left, top, left + side, top + side))
    turned = part.rotate(float(rng.uniform(-18, 18)) + 90 * int(rng.integers(4)), Image.Resampling.BILINEAR)
    left, top = (side - SIZE[0]) // 2, (side - SIZE[1]) // 2
    scene = turned.crop((left, top, left + SIZE[0], top + SIZE[1]))
    for _ in range(int(rng.integers(0, 4))):
        _put_thing(scene, rng)
    return np.asarray(scene, dtype=np.float32)


def _put_thing(scene: Picture, rng: np.random.Generator) -> None:
    """A cushion, a paper or other clothes, half outside of the picture, with a shadow."""
    from PIL import Image, ImageDraw, ImageFilter

    angle = float(rng.uniform(0, 2 * np.pi))
    x = SIZE[0] * (0.5 + float(rng.uniform(0.45, 0.62)) * np.cos(angle))
    y = SIZE[1] * (0.5 + float(rng.uniform(0.45, 0.62)) * np.sin(angle))
    wide, high = float(rng.uniform(14, 48)), float(rng.uniform(14, 48))
    round_by, turn = min(wide, high) * float(rng.uniform(0.1, 0.9)), float(rng.uniform(0, 90))
    mask = Image.new("L", SIZE)
    ImageDraw.Draw(mask).rounded_rectangle((x - wide, y - high, x + wide, y + high), round_by, fill=255)
    mask = mask.rotate(turn, Image.Resampling.BILINEAR, center=(x, y))
    shade = Image.new("L", SIZE)
    shade.paste(mask.point([value * 0.45 for value in range(256)]), (3, 4))
    scene.paste((20, 18, 16), mask=shade.filter(ImageFilter.GaussianBlur(4)))
    colour = rng.uniform(40, 225) + rng.uniform(-45, 45, 3)
    cloth = colour + 9 * noise((SIZE[1], SIZE[0]), (16, 16), rng)[..., None]
    scene.paste(
        Image.fromarray(np.clip(cloth, 0, 255).astype(np.uint8)), mask=mask.filter(ImageFilter.GaussianBlur(0.7))
    )


def _placed(found: Cut, rng: np.random.Generator) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The product's colours (height, width, 3) and alpha (height, width) on the canvas."""
    from PIL import Image

    width, height = SIZE
    turn = 0.0 if found.is_cut_off else float(rng.uniform(-3, 3) if found.is_worn else rng.normal(0, 16))
    pixels = np.dstack([found.pixels[..., :3], found.pixels[..., 3] * 255])
    item = Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8)).rotate(turn, Image.Resampling.BICUBIC, expand=True)
    share = float(rng.uniform(0.8, 0.98) if found.is_worn else rng.uniform(0.6, 0.88))
    scale = share * min(width / item.width, height / item.height)
    item = item.resize(
        (max(1, round(item.width * scale)), max(1, round(item.height * scale))), Image.Resampling.LANCZOS
    )
    free = (width - item.width, height - item.height)
    left, top = (round(side * float(rng.uniform(0.2, 0.8))) for side in free)
    if found.is_worn:
        top = free[1] if found.is_cut_off else round(free[1] * float(rng.uniform(0.7, 0.95)))
    canvas = Image.new("RGBA", SIZE)
    canvas.paste(item, (left, top))
    placed = np.asarray(canvas, dtype=np.float32)
    return placed[..., :3], (placed[..., 3] / 255).astype(np.float32)


def _lit(scene: NDArray[np.float32], rng: np.random.Generator) -> NDArray[np.float32]:
    """Light from one side, and a lamp's or the sky's tint, weak enough that colours keep their names."""
    height, width = scene.shape[:2]
    angle = float(rng.uniform(0, 2 * np.pi))
    down, across = np.mgrid[-1 : 1 : height * 1j, -1 : 1 : width * 1j].astype(np.float32)
    slope = np.cos(angle) * across + np.sin(angle) * down
    warmth = float(rng.normal(0, 0.025))
    tint = np.array((1 + warmth, 1, 1 - warmth), np.float32)
    level = float(rng.uniform(0.86, 1.04))
    light = level + float(rng.uniform(0.04, 0.14)) * slope
    return np.asarray(scene * light[..., None] * tint, dtype=np.float32)


def _jpeg(picture: Picture) -> bytes:
    buffer = io.BytesIO()
    picture.save(buffer, "JPEG", quality=88)
    return buffer.getvalue()
