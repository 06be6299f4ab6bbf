"""A small shop with drawn pictures: 180 products of three kinds, five colours and six brands, for women and men."""

from __future__ import annotations

import random
from pathlib import Path

from PIL import Image, ImageDraw

COLOURS = {
    "red": (190, 30, 40),
    "blue": (40, 60, 170),
    "green": (40, 130, 60),
    "black": (25, 25, 25),
    "white": (235, 235, 232),
}
KINDS = {"Shirt": (20, 30, 140, 170), "Dress": (50, 10, 110, 190), "Skirt": (30, 70, 130, 150)}
BRANDS = ("Arlo", "Brae", "Cove", "Dell", "Elm", "Fern")


def _draw(path: Path, colour: tuple[int, int, int], box: tuple[int, int, int, int], rng: random.Random) -> None:
    picture = Image.new("RGB", (160, 200), "white")
    pen = ImageDraw.Draw(picture)
    left, top, right, bottom = (side + rng.randint(-8, 8) for side in box)
    pen.rounded_rectangle((left, top, right, bottom), 12, fill=colour, outline=(60, 60, 60))
    pen.line((left, rng.randint(top, bottom), right, rng.randint(top, bottom)), fill=(90, 90, 90), width=2)
    picture.save(path)


def write_shop(folder: Path) -> Path:
    """Writes shop.csv and images/ into the folder, and returns it."""
    (folder / "images").mkdir()
    rng = random.Random(1)
    lines = ["id,image,name,category,colour,gender,usage,brand"]
    for kind, box in KINDS.items():
        for colour, paint in COLOURS.items():
            for brand in BRANDS:
                for gender in ("Women", "Men"):
                    number = len(lines)
                    _draw(folder / "images" / f"{number}.png", paint, box, rng)
                    name = f"{brand} {gender} {colour.title()} {kind}"
                    usage = rng.choice(("Casual", "Formal"))
                    lines.append(
                        f"{number},images/{number}.png,{name},{kind},{colour.title()},{gender},{usage},{brand}"
                    )
    (folder / "shop.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder
