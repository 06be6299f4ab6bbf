"""A simple figure that wears a garment in a user's picture: seen from the chin down, without a face."""

from __future__ import annotations

import random
from dataclasses import dataclass

import skia

from builders.studio.fabric import RGB, mix, seeded
from builders.studio.garment import Garment
from builders.studio.painting import blurred
from builders.studio.patterns import paint
from builders.studio.pen import Drawing, Part, Pen, both, line, mirror, moved, oval, polar, rect, stroked

_SKINS: tuple[RGB, ...] = (
    (244, 214, 192), (232, 190, 160), (208, 158, 122), (166, 116, 82), (118, 78, 56), (88, 58, 44),
)  # fmt: skip
_PLAIN: tuple[RGB, ...] = ((58, 66, 88), (44, 44, 50), (150, 146, 140), (206, 196, 180), (96, 112, 138))
_HAIRS: tuple[RGB, ...] = ((38, 28, 26), (84, 56, 38), (150, 108, 66), (206, 172, 116), (120, 66, 42))
_SHIRTS: tuple[RGB, ...] = ((244, 243, 240), (60, 60, 66), (196, 200, 204), (226, 214, 196))

UPPER = ("T-shirt", "Shirt", "Blouse", "Polo", "Tank Top", "Sweater", "Hoodie", "Cardigan", "Jacket", "Blazer", "Coat")
WHOLE = ("Dress", "Jumpsuit")
LEGGED = ("Trousers", "Jeans", "Leggings", "Shorts", "Skirt")
_TROUSERED = ("Trousers", "Jeans", "Leggings", "Jumpsuit")
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
    foot: float
    """Of the middle of a foot."""
    floor: float


def measures(garment: Garment, drawing: Drawing) -> Measures:
    """A figure that fits the garment."""
    slim = 8.0 if garment.gender == "Women" else 0.0
    if garment.kind in UPPER:
        return Measures(34, 29 - slim / 3, 92 - slim, 106, 13.0, 306, 84 - slim, 300, 84 - slim / 2, 400, 40, 830)
    if garment.kind in WHOLE:
        foot, floor = (56.0, 526.0) if garment.kind == "Jumpsuit" else (26.0, 640.0)
        return Measures(6, 20, 66, 60, 14.0, 262, 52, 204, 66, 284, foot, floor)
    foot = 60.0 if garment.kind in ("Trousers", "Jeans") else 39.0
    down = drawing.bounds().top() - 38
    low = 524 + down + (50 if garment.kind == "Shorts" else 0)
    waist = 76 - slim if down < 30 else 82 - slim
    top = (-290 + down, 26, 96 - slim, -212 + down)
    return Measures(*top, 4.0, 330, waist, 50 + down, 80 - slim / 3, 140 + down, foot, low)


def frame(garment: Garment, drawing: Drawing) -> tuple[float, float]:
    """The upper and the lower edge of a picture of the figure."""
    m, box = measures(garment, drawing), drawing.bounds()
    if garment.kind in LEGGED:
        return box.top() - 150, max(box.bottom(), m.floor) + 22
    if garment.kind in UPPER:
        return m.chin - 34, box.bottom() + 110
    return m.chin - 26, max(box.bottom(), m.floor) + 22


def split(garment: Garment, drawing: Drawing) -> tuple[list[Part], list[Part]]:
    """What lies behind the wearer's neck, and what lies before the wearer. Labels are hidden; a hood lies in front."""
    parts = drawing.parts
    if garment.neckline == "Hooded":
        return [], parts
    behind = [part for part in parts if part.fabric in _BEHIND and part.outline.getBounds().top() < 200]
    hidden = {id(part) for part in behind}
    return [part for part in behind if part.fabric == "inside"], [part for part in parts if id(part) not in hidden]


def paint_figure(canvas: skia.Canvas, garment: Garment, drawing: Drawing) -> None:
    """Body and the plain clothes that go below, or above, the garment."""
    rng = seeded(garment, "figure")
    m, skin = measures(garment, drawing), rng.choice(_SKINS)
    other, top, hair = rng.choice(_PLAIN), rng.choice(_SHIRTS), rng.choice(_HAIRS)
    legged = garment.kind in LEGGED
    if garment.kind not in UPPER:
        spot = skia.Rect.MakeLTRB(-m.foot - 60, m.floor - 8, m.foot + 66, m.floor + 14)
        canvas.drawOval(spot, blurred(paint((24, 20, 24), 130), 8))
    canvas.save()
    if garment.kind in _TROUSERED:
        canvas.clipRect(skia.Rect.MakeLTRB(-400, drawing.bounds().bottom() - 14, 400, 900), True)
    for sign in (-1.0, 1.0):
        _soft(canvas, _leg(m, sign), other if garment.kind in UPPER else skin)
        _soft(canvas, _shoe(m, sign), mix(other, (30, 30, 34), 0.6))
    canvas.restore()
    if garment.kind in UPPER:
        _soft(canvas, _hips(m), other)
    if garment.gender == "Women" and rng.random() < 0.7:
        n = m.neck
        _soft(canvas, rect(-n * 2.1, m.chin - n * 4, n * 2.1, m.shoulder_y + n * 0.4, n * 1.2), hair)
    for sign in (-1.0, 1.0):
        for piece in _arm(m, sign, rng):
            _soft(canvas, piece, skin)
    _soft(canvas, _trunk(m), top if legged else skin)
    _soft(canvas, _neck(m), skin)
    _soft(canvas, oval(0, m.chin - m.neck * 2, m.neck * 1.5, m.neck * 2), mix(skin, (255, 255, 255), 0.05))
    if legged:
        for sign in (-1.0, 1.0):
            start = (sign * (m.shoulder - 12), m.shoulder_y + 14)
            _soft(canvas, stroked(line(*start, *polar(*start, sign * (m.angle + 2), 150)), 46, True), top)
    elif garment.kind in ("Jacket", "Blazer", "Coat", "Cardigan") or garment.style == "Dungarees":
        _soft(canvas, _trunk(m, 0.94), top)


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
    pen = (
        Pen(0, m.chin - n)
        .to(n, m.chin - n)
        .curve(n * 0.94, m.shoulder_y - 50, n, m.shoulder_y - 36, n + 6, m.shoulder_y - 24)
    )
    return pen.to(m.shoulder * 0.7, m.shoulder_y - 6, 0.06).to(0, m.shoulder_y + 40).doubled()


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
    """Arm and hand."""
    start = (sign * (m.shoulder - 16), m.shoulder_y + 14)
    swing = m.angle + rng.uniform(-1, 1)
    elbow = polar(*start, sign * (swing + 1.5), m.arm * 0.52)
    wrist = polar(*elbow, sign * (swing - 1.5), m.arm * 0.46)
    thick = m.shoulder * 0.36
    upper, fore = stroked(line(*start, *elbow), thick, True), stroked(line(*elbow, *wrist), thick * 0.74, True)
    palm = both(
        oval(0, 0, thick * 0.36, thick * 0.66), oval(-sign * thick * 0.3, -thick * 0.12, thick * 0.13, thick * 0.4)
    )
    x, y = polar(*wrist, sign * swing, thick * 0.6)
    return both(upper, fore), moved(palm, x, y, -sign * swing)


def _leg(m: Measures, sign: float) -> skia.Path:
    knee, ankle = (m.hip_y + m.floor) / 2, m.floor - 16
    middle = (m.hip * 0.5 + m.foot) / 2
    thigh, calf, thin = m.hip * 0.47, m.hip * 0.29, m.hip * 0.16
    pen = Pen(m.hip * 0.5 - thigh, m.hip_y - 20).to(m.hip * 0.5 + thigh, m.hip_y - 20)
    pen.curve(m.hip * 0.5 + thigh, m.hip_y + 60, middle + calf, knee - 60, middle + calf, knee)
    pen.curve(m.foot + calf + 2, knee + 50, m.foot + thin, ankle - 50, m.foot + thin, ankle).to(m.foot - thin, ankle)
    pen.curve(m.foot - thin, ankle - 50, m.foot - calf, knee + 50, middle - calf, knee)
    right = pen.curve(
        middle - calf, knee - 60, m.hip * 0.5 - thigh, m.hip_y + 60, m.hip * 0.5 - thigh, m.hip_y - 20
    ).shape()
    return right if sign > 0 else mirror(right)


def _shoe(m: Measures, sign: float) -> skia.Path:
    x, y, wide = m.foot, m.floor - 20, m.hip * 0.22
    pen = (
        Pen(x - wide * 0.9, y)
        .to(x + wide * 0.9, y)
        .curve(x + wide * 1.4, y + 12, x + wide * 1.9, y + 18, x + wide * 1.7, y + 26)
    )
    right = pen.to(x - wide * 0.8, y + 28, 0.1).to(x - wide * 0.9, y).shape()
    return right if sign > 0 else mirror(right)
