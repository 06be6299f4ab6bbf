"""Graphics of printed garments: simple pictures without letters."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import skia

from builders.studio.fabric import seeded
from builders.studio.garment import Garment
from builders.studio.pen import Drawing, Pen, both, inside, line, moved, oval, rect, stroked, without


def _sunset() -> skia.Path:
    sun = oval(0, 0, 46)
    for y, gap in ((6, 4.0), (18, 6.0), (31, 8.0)):
        sun = without(sun, rect(-60, y, 60, y + gap))
    return sun


def _mountains() -> skia.Path:
    peaks = Pen(-50, 34).to(-20, -20).to(-6, 4).to(12, -36).to(50, 34).shape()
    snow = Pen(12, -36).to(22, -16).to(14, -20).to(9, -12).to(4, -18).shape()
    return both(without(peaks, snow), oval(-36, -34, 9))


def _star() -> skia.Path:
    points = [(math.sin(i * math.pi / 5) * r, -math.cos(i * math.pi / 5) * r) for i, r in enumerate((46, 19) * 5)]
    path = skia.Path()
    path.addPoly([skia.Point(x, y) for x, y in points], True)
    return path


def _heart() -> skia.Path:
    half = Pen(0, -18).curve(8, -44, 50, -42, 46, -8).curve(44, 12, 18, 28, 0, 44)
    return half.doubled()


def _bolt() -> skia.Path:
    return Pen(10, -48).to(-28, 8).to(-4, 8).to(-12, 48).to(28, -12).to(4, -12).shape()


def _waves() -> skia.Path:
    path = skia.Path()
    for row in range(4):
        y = -30 + row * 20
        pen = Pen(-50, y)
        for step in range(4):
            pen.to(-50 + 25 * (step + 1), y, 0.4 if step % 2 else -0.4)
        path = both(path, stroked(pen.open(), 7, True))
    return path


def _leaf() -> skia.Path:
    blade = Pen(0, -50).curve(34, -24, 30, 24, 0, 40).doubled()
    veins = stroked(line(0, -40, 0, 50), 3)
    for y in (-18, 0, 18):
        veins = both(veins, both(stroked(line(0, y + 10, 24, y - 8), 2.4), stroked(line(0, y + 10, -24, y - 8), 2.4)))
    return both(without(blade, veins), stroked(line(0, 40, 0, 54), 4))


def _moon() -> skia.Path:
    moon = without(oval(0, 0, 42), oval(18, -10, 36))
    return both(moon, moved(_star(), 24, -14, 10, 0.3))


def _rings() -> skia.Path:
    path = skia.Path()
    for radius in (44, 31, 18, 5):
        path = both(path, without(oval(0, 0, radius), oval(0, 0, max(radius - 7, 0.1))))
    return path


def _cactus() -> skia.Path:
    plant = both(
        stroked(line(0, -40, 0, 40), 22, True), stroked(Pen(0, 8).to(28, 4, -0.2).to(28, -18).open(), 13, True)
    )
    plant = both(plant, stroked(Pen(0, 20).to(-28, 14, 0.2).to(-28, -6).open(), 13, True))
    return both(inside(plant, rect(-60, -60, 60, 40)), rect(-44, 40, 44, 46, 3))


MOTIFS: Mapping[str, Callable[[], skia.Path]] = {
    "sunset": _sunset,
    "mountain": _mountains,
    "star": _star,
    "heart": _heart,
    "lightning": _bolt,
    "wave": _waves,
    "leaf": _leaf,
    "moon": _moon,
    "circle": _rings,
    "cactus": _cactus,
}


def motif_name(garment: Garment) -> str:
    """The motif that a printed garment shows."""
    return seeded(garment, "motif").choice(list(MOTIFS))


def motif(d: Drawing, garment: Garment, x: float, y: float, size: float = 1.0) -> None:
    d.part(moved(MOTIFS[motif_name(garment)](), x, y, size=size), "second", depth=0.0, edge=0.0)
