"""A simple figure that wears a garment in a user's picture: seen from the chin down, without a face."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

import skia

from builders.studio.fabric import RGB, mix, seeded
from builders.studio.garment import Garment
from builders.studio.painting import blurred
from builders.studio.patterns import paint
from builders.studio.pen import Drawing, Part, Pen, line, oval, polar, stroked

_SKINS: tuple[RGB, ...] = (
    (244, 214, 192), (232, 190, 160), (208, 158, 122), (166, 116, 82), (118, 78, 56), (88, 58, 44),
)  # fmt: skip
_PLAIN: tuple[RGB, ...] = ((58, 66, 88), (44, 44, 50), (150, 146, 140), (206, 196, 180), (96, 112, 138))
_SHIRTS: tuple[RGB, ...] = ((244, 243, 240), (60, 60, 66), (196, 200, 204), (226, 214, 196))

UPPER = ("T-shirt", "Shirt", "Blouse", "Polo", "Tank Top", "Sweater", "Hoodie", "Cardigan", "Jacket", "Blazer", "Coat")
WHOLE = ("Dress", "Jumpsuit")
LEGGED = ("Trousers", "Jeans", "Leggings", "Shorts", "Skirt")
WORN = (*UPPER, *WHOLE, *LEGGED)
"""Kinds that the figure can wear."""

_BEHIND = ("inside", "label", "lining")


@dataclass(frozen=True, slots=True)
class Measures:
    """Of the figure in the garment's own units; x are distances from the axis."""

    chin: float
    neck: float
    shoulder: float
    shoulder_y: float
    angle: float
    """Of the arms from the vertical, degrees."""
    arm: float
    waist: float
    waist_y: float
    hip: float
    hip_y: float
    floor: float


def measures(garment: Garment) -> Measures:
    """A figure that fits the garment."""
    slim = 8.0 if garment.gender == "Women" else 0.0
    if garment.kind in UPPER:
        return Measures(10, 27 - slim / 4, 92 - slim, 106, 13.5, 306, 84 - slim, 300, 86 - slim / 2, 400, 830)
    if garment.kind in WHOLE:
        return Measures(-18, 21, 64, 62, 15.0, 250, 52, 204, 70, 284, 640)
    return Measures(-330, 25, 92 - slim, -226, 10.0, 318, 62, 44, 80 - slim / 3, 140, 520)


def frame(garment: Garment, drawing: Drawing) -> tuple[float, float]:
    """The upper and the lower edge of a picture of the figure."""
    m, box = measures(garment), drawing.bounds()
    if garment.kind in LEGGED:
        return box.top() - 150, max(box.bottom(), m.floor) + 18
    low = box.bottom() + (110 if garment.kind in UPPER else 60)
    return m.chin - 14, max(low, m.floor + 12 if garment.kind in WHOLE else 0)


def split(parts: Sequence[Part]) -> tuple[list[Part], list[Part]]:
    """What lies behind the wearer's neck, and what lies before the wearer. Labels are hidden."""
    behind = [part for part in parts if part.fabric in _BEHIND and part.outline.getBounds().top() < 200]
    hidden = {id(part) for part in behind}
    return [part for part in behind if part.fabric == "inside"], [part for part in parts if id(part) not in hidden]


def paint_figure(canvas: skia.Canvas, garment: Garment) -> None:
    """Body and the plain clothes that go below, or above, the garment."""
    rng = seeded(garment, "figure")
    m, skin = measures(garment), rng.choice(_SKINS)
    other, top = rng.choice(_PLAIN), rng.choice(_SHIRTS)
    bare = garment.kind in ("Skirt", "Shorts") or garment.kind == "Dress"
    for leg in _legs(m, garment.kind in LEGGED or garment.kind in WHOLE):
        _soft(canvas, leg, skin if bare else other)
    for shoe in _shoes(m):
        _soft(canvas, shoe, mix(other, (30, 30, 34), 0.6))
    if garment.kind in UPPER:
        _soft(canvas, _hips(m), other)
    for sign in (-1.0, 1.0):
        arm, hand = _arm(m, sign, rng)
        _soft(canvas, arm, skin)
        _soft(canvas, hand, skin)
    _soft(canvas, _neck(m), skin)
    _soft(canvas, _trunk(m), top if garment.kind in LEGGED else skin)
    if garment.kind in LEGGED:
        _soft(canvas, _neck(m), skin)
        for sign in (-1.0, 1.0):
            end = polar(sign * m.shoulder, m.shoulder_y, sign * m.angle, 120)
            _soft(canvas, stroked(line(sign * (m.shoulder - 8), m.shoulder_y + 12, *end), 46, True), top)
    elif garment.kind in ("Jacket", "Blazer", "Coat", "Cardigan") or garment.style == "Dungarees":
        _soft(canvas, _trunk(m, 0.9), top)


def _soft(canvas: skia.Canvas, outline: skia.Path, colour: RGB) -> None:
    """A rounded body: colour, a shadow along the lower right and a thin darker outline."""
    canvas.drawPath(outline, paint(colour))
    canvas.save()
    canvas.clipPath(outline, True)
    canvas.translate(-5, -5)
    canvas.drawPath(outline, blurred(paint(mix(colour, (60, 20, 20), 0.6), 96, 18), 6))
    canvas.restore()
    canvas.drawPath(outline, paint(mix(colour, (50, 24, 24), 0.45), 190, 1.2))


def _neck(m: Measures) -> skia.Path:
    n = m.neck
    pen = Pen(0, m.chin - 60).to(n * 1.5, m.chin - 60).curve(n * 1.6, m.chin - 14, n * 0.9, m.chin + 2, n, m.chin + 16)
    pen.curve(n, m.shoulder_y - 34, n + 8, m.shoulder_y - 20, m.shoulder * 0.72, m.shoulder_y - 6)
    return pen.to(0, m.shoulder_y + 40).doubled()


def _trunk(m: Measures, size: float = 1.0) -> skia.Path:
    s = m.shoulder * size
    pen = (
        Pen(0, m.shoulder_y + 6)
        .to(m.neck + 6, m.shoulder_y - 18)
        .curve(s * 0.8, m.shoulder_y - 8, s, m.shoulder_y - 2, s + 3, m.shoulder_y + 18)
    )
    pen.curve(s - 2, m.shoulder_y + 60, m.waist * size, m.waist_y - 60, m.waist * size, m.waist_y)
    return pen.to(0, m.waist_y + 10).doubled()


def _hips(m: Measures) -> skia.Path:
    pen = Pen(0, m.waist_y - 20).to(m.waist - 10, m.waist_y - 20)
    return pen.curve(m.hip, m.waist_y + 40, m.hip, m.hip_y, m.hip, m.hip_y + 30).to(0, m.hip_y + 60).doubled()


def _arm(m: Measures, sign: float, rng: random.Random) -> tuple[skia.Path, skia.Path]:
    start = (sign * (m.shoulder - 14), m.shoulder_y + 14)
    swing = m.angle + rng.uniform(-1, 1)
    elbow = polar(*start, sign * (swing + 2), m.arm * 0.52)
    wrist = polar(*elbow, sign * (swing - 1), m.arm * 0.48)
    thick = m.shoulder * 0.3
    path = skia.Path()
    for a, b, width in ((start, elbow, thick), (elbow, wrist, thick * 0.78)):
        path = skia.Op(path, stroked(line(*a, *b), width, True), skia.kUnion_PathOp)
    palm = oval(0, 0, thick * 0.42, thick * 0.78)
    thumb = oval(-sign * thick * 0.34, -thick * 0.1, thick * 0.14, thick * 0.42)
    hand = skia.Op(palm, thumb, skia.kUnion_PathOp)
    matrix = skia.Matrix()
    matrix.postRotate(-sign * swing)
    matrix.postTranslate(*polar(*wrist, sign * swing, thick * 0.55))
    hand.transform(matrix)
    return path, hand


def _legs(m: Measures, tapered: bool) -> tuple[skia.Path, skia.Path]:
    knee, ankle = (m.hip_y + m.floor) / 2, m.floor - 14
    thigh, calf = m.hip * (0.98 if tapered else 1.0), m.hip * 0.62
    pen = Pen(2, m.hip_y + 8).to(m.hip - 2, m.hip_y - 30)
    pen.curve(thigh, m.hip_y + 60, m.hip * 0.8, knee - 60, m.hip * 0.74, knee)
    pen.curve(m.hip * 0.78, knee + 60, calf, ankle - 50, m.hip * 0.52, ankle).to(m.hip * 0.24, ankle)
    right = pen.curve(m.hip * 0.16, ankle - 60, m.hip * 0.14, knee + 20, 8, m.hip_y + 30).shape()
    left = skia.Path()
    right.transform(skia.Matrix.Scale(-1, 1), left)
    return left, right


def _shoes(m: Measures) -> tuple[skia.Path, skia.Path]:
    x, y = m.hip * 0.4, m.floor - 18
    pen = Pen(x - 16, y).to(x + 14, y).curve(x + 26, y + 16, x + 34, y + 22, x + 30, y + 30)
    right = pen.to(x - 14, y + 32, 0.1).to(x - 16, y).shape()
    left = skia.Path()
    right.transform(skia.Matrix.Scale(-1, 1), left)
    return left, right
