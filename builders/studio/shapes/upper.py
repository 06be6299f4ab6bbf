"""The upper body that shirts, knits, coats and dresses share: torso, sleeves, necklines, collars, front details."""

from __future__ import annotations

from dataclasses import dataclass, replace

import skia

from builders.studio.fabric import seeded
from builders.studio.garment import Garment
from builders.studio.pen import Drawing, Pen, inside, line, mirror, oval, polar, rect, stroked
from builders.studio.shapes.motifs import motif

_NECKS = {
    "Crew Neck": (37.0, 27.0),
    "Scoop Neck": (44.0, 56.0),
    "V-Neck": (38.0, 68.0),
    "Boat Neck": (60.0, 18.0),
    "Square Neck": (46.0, 48.0),
    "Turtleneck": (34.0, 12.0),
    "Polo Collar": (36.0, 22.0),
    "Shirt Collar": (36.0, 20.0),
    "Mandarin Collar": (34.0, 18.0),
    "Stand Collar": (38.0, 18.0),
    "Lapel Collar": (38.0, 40.0),
    "Hooded": (44.0, 34.0),
    "Bow Collar": (34.0, 18.0),
    "Ruffled Collar": (34.0, 18.0),
}
"""Neckline -> half width of the opening, depth below the shoulder's neck point."""

_SLEEVES = {
    "Short Sleeves": (98.0, 34.0, 60.0),
    "Flutter Sleeves": (84.0, 38.0, 92.0),
    "Puff Sleeves": (96.0, 34.0, 46.0),
    "Three-Quarter Sleeves": (198.0, 18.0, 46.0),
    "Long Sleeves": (290.0, 13.5, 38.0),
}
"""Sleeves -> length, angle from the vertical (degrees), width at the cuff."""

_FITS = {"Skinny": -9.0, "Slim": -6.0, "Regular": 0.0, "Straight": 0.0, "Relaxed": 7.0, "Oversized": 14.0}


@dataclass(frozen=True, slots=True)
class Body:
    """Measures of the right half; x are distances from the axis, y run down."""

    top: float = 78.0
    neck: float = 37.0
    depth: float = 27.0
    neckline: str = "Crew Neck"
    shoulder: float = 99.0
    slope: float = 22.0
    chest: float = 101.0
    armpit: float = 184.0
    waist: float = 97.0
    waist_y: float = 290.0
    hem: float = 101.0
    hem_y: float = 408.0
    hem_bend: float = -0.03
    sleeve: float = 0.0
    """Sleeve length; 0 for none."""
    angle: float = 30.0
    cuff: float = 50.0
    sleeves: str = ""
    open_front: float = 0.0
    """Depth of the front opening below `top` where the neckline is open to the fastening."""


def body(garment: Garment, **measures: float) -> Body:
    """Measures from the garment's words; `measures` override the common ones before fit and gender apply."""
    rng = seeded(garment, "body")
    neck, depth = _NECKS.get(garment.neckline, (37.0, 27.0))
    length, angle, cuff = _SLEEVES.get(garment.sleeves, (0.0, 30.0, 50.0))
    result = replace(
        Body(
            neck=neck,
            depth=depth,
            neckline=garment.neckline,
            sleeve=length * rng.uniform(0.97, 1.03),
            angle=angle,
            cuff=cuff,
            sleeves=garment.sleeves,
        ),
        **measures,  # type: ignore[arg-type]
    )
    wide = _FITS.get(garment.fit, 0.0) + rng.uniform(-2, 2)
    if garment.gender == "Women":
        result = replace(
            result,
            shoulder=result.shoulder - 8,
            chest=result.chest - 6,
            waist=result.waist - 13 + max(wide, 0) * 0.5,
            hem=result.hem - 4,
        )
    return replace(
        result,
        shoulder=result.shoulder + wide * 0.7,
        chest=result.chest + wide,
        waist=result.waist + wide,
        hem=result.hem + wide,
        hem_y=result.hem_y + rng.uniform(-8, 8),
    )


def neckline(b: Body) -> Pen:
    """The right half of the front neckline, from the axis to the neck point."""
    low = b.top + b.depth
    pen = Pen(0, low)
    if b.neckline == "V-Neck":
        return pen.to(b.neck, b.top, -0.07)
    if b.neckline == "Square Neck":
        return pen.to(b.neck - 3, low).to(b.neck, b.top)
    if b.open_front:
        return pen.to(b.neck, b.top)
    flat = 0.62 if b.neckline in ("Boat Neck", "Scoop Neck") else 0.56
    return pen.curve(b.neck * flat, low, b.neck * 0.95, b.top + b.depth * 0.5, b.neck, b.top)


def torso(b: Body) -> skia.Path:
    pen = neckline(b)
    pen.to(b.shoulder, b.top + b.slope, 0.03)
    inset = b.shoulder - 7 if b.sleeve else b.shoulder - 16
    pen.curve(inset, b.top + b.slope + 34, min(inset, b.chest) - 2, b.armpit - 22, b.chest, b.armpit)
    pen.curve(b.chest - 2, b.armpit + 40, b.waist, b.waist_y - 45, b.waist, b.waist_y)
    pen.curve(b.waist, b.waist_y + 40, b.hem - 1, b.hem_y - 50, b.hem, b.hem_y)
    return pen.to(0, b.hem_y - b.hem * b.hem_bend, b.hem_bend).doubled()


def sleeve(b: Body) -> skia.Path:
    """The right sleeve; it reaches under the torso."""
    sx, sy = b.shoulder, b.top + b.slope
    ox, oy = polar(sx + 4, sy + 2, b.angle, b.sleeve)
    ix, iy = polar(ox, oy, b.angle - 90, b.cuff)
    pen = Pen(sx - 14, sy - 3).to(sx + 2, sy + 1, 0.06)
    if b.sleeves == "Puff Sleeves":
        pen.curve(sx + 40, sy - 6, ox + 26, oy - 46, ox, oy)
        pen.to(ix, iy).curve(ix - 2, iy - 12, b.chest + 10, b.armpit + 6, b.chest - 4, b.armpit)
    elif b.sleeves == "Flutter Sleeves":
        pen.curve(sx + 24, sy + 14, ox - 2, oy - 40, ox, oy)
        pen.to(ix, iy + 8, 0.12).to(b.chest - 4, b.armpit)
    else:
        pen.to(ox, oy, 0.035).to(ix, iy, 0.03)
        pen.to(b.chest + 1, b.armpit + 4, 0.02).to(b.chest - 10, b.armpit)
    return pen.to(sx - 30, sy + 30).shape()


def cuff_line(b: Body, up: float) -> skia.Path:
    """Across the right sleeve, `up` above its end, drawn beyond both edges."""
    x, y = polar(b.shoulder + 4, b.top + b.slope + 2, b.angle, b.sleeve - up)
    outer = polar(x, y, b.angle + 90, 30)
    inner = polar(x, y, b.angle - 90, b.cuff + 40)
    return line(*outer, *inner)


def sleeves(d: Drawing, b: Body, fabric: str = "main", cuff: str = "", cuff_width: float = 16.0) -> None:
    """Both sleeves; `cuff` names the fabric of a cuff band."""
    if not b.sleeve:
        return
    shape = sleeve(b)
    d.pair(shape, fabric, grain=-b.angle)
    _sleeve_folds(d, b)
    if cuff:
        d.pair(inside(stroked(cuff_line(b, cuff_width / 2), cuff_width), shape), cuff, grain=-b.angle, depth=0.8)


def _sleeve_folds(d: Drawing, b: Body) -> None:
    marks: list[skia.Path] = []
    sx, sy = b.shoulder, b.top + b.slope
    if b.sleeve > 150:
        for at, reach in ((0.36, 0.62), (0.5, 0.45), (0.62, 0.6), (0.83, 0.7)):
            x, y = polar(sx, sy, b.angle, b.sleeve * at)
            ix, iy = polar(x, y, b.angle - 90, 44 * reach)
            marks.append(line(ix, iy + 5, x - 2, y - 7, 0.14))
    elif b.sleeves in ("Puff Sleeves", "Flutter Sleeves"):
        ox, oy = polar(sx + 4, sy + 2, b.angle, b.sleeve)
        for at in (0.15, 0.4, 0.65, 0.88):
            x, y = polar(ox, oy, b.angle - 90, b.cuff * at)
            marks.append(line(x, y + 4, sx + 14 - 26 * at, sy + 34 + 10 * at, 0.1 - 0.2 * at))
    else:
        x, y = polar(sx, sy, b.angle, b.sleeve * 0.8)
        marks.append(line(b.chest + 4, b.armpit - 6, x - 8, y - 26, 0.1))
    for part in d.parts[-2:]:
        flip = part is d.parts[-2]
        target = Drawing([part])
        target.fold(*(mirror(m) if flip else m for m in marks), width=7, strength=0.8)


def back_neck(d: Drawing, b: Body, label: bool = True, fabric: str = "inside") -> None:
    """What shows of the back through the neck opening."""
    low = b.top + b.depth + 6
    hole = Pen(0, b.top + 5).curve(b.neck * 0.5, b.top + 5, b.neck * 0.8, b.top - 1, b.neck + 2, b.top - 2)
    foot = b.neck - 1 if b.neckline == "Square Neck" else b.neck * 0.62
    d.part(hole.to(b.neck + 3, b.top + 6).to(foot, low).to(0, low).doubled(), fabric, depth=0.4)
    d.seam(line(-b.neck, b.top + 10, b.neck, b.top + 10, -0.14), strength=0.6)
    if label and b.depth > 20:
        d.part(rect(-9, b.top + 8, 9, b.top + 17, 1), "label", depth=0, edge=0.7)


def torso_part(d: Drawing, b: Body, fabric: str = "main") -> skia.Path:
    """Adds the torso with its folds and armhole seams; returns its outline."""
    outline = torso(b)
    d.part(outline, fabric)
    d.fold(line(b.chest - 4, b.armpit + 4, b.chest - 44, b.armpit + 34, -0.12), two=True, width=9, strength=0.7)
    if b.hem_y - b.waist_y > 60:
        w, y = b.waist, b.waist_y
        d.fold(line(w + 4, y - 22, w - 34, y + 10, -0.15), two=True, width=8, strength=0.55)
        d.fold(line(-w * 0.55, b.hem_y - 6, -w * 0.46, y + 24, 0.06), width=11, strength=0.6)
        d.fold(line(w * 0.32, b.hem_y - 4, w * 0.4, y + 44, -0.06), width=10, strength=0.5)
    return outline


def neck_band(d: Drawing, b: Body, outline: skia.Path, width: float = 9.0, fabric: str = "rib") -> None:
    band = stroked(neckline(b).doubled_open(), width * 2)
    d.part(inside(band, outline), fabric, depth=0.5, edge=1.1)


def hem_line(b: Body, up: float) -> skia.Path:
    y = b.hem_y - up
    return line(-b.hem - 20, y, b.hem + 20, y, b.hem_bend * 1.2)


def hem_band(d: Drawing, b: Body, outline: skia.Path, width: float = 20.0, fabric: str = "rib") -> None:
    d.part(inside(stroked(hem_line(b, width / 2 - 3), width + 6), outline), fabric, depth=0.7)


def hem_stitches(d: Drawing, b: Body, up: float = 9.0) -> None:
    d.stitch(hem_line(b, up), hem_line(b, up + 3))


def shirt_collar(d: Drawing, b: Body, fabric: str = "main", spread: float = 1.0, back: bool = True) -> None:
    """A turned-down collar that meets at the axis."""
    n, top = b.neck, b.top
    if back:
        ring = Pen(0, top - 16).curve(n * 0.6, top - 16, n, top - 12, n + 2, top - 2).to(0, top + b.depth + 4, 0.2)
        d.part(ring.doubled(), "inside", depth=0.5)
        d.part(rect(-8, top - 7, 8, top + 2, 1), "label", depth=0, edge=0.7)
    leaf = Pen(0.5, top + b.depth).to(n - 8, top - 12, -0.14).to(n + 4, top - 5, 0.3)
    leaf.to(n + 9 * spread, top + b.depth + 16, 0.06).to(n * 0.5 + 2, top + b.depth + 28).to(0.5, top + b.depth, 0.04)
    shape = leaf.shape()
    d.pair(shape, fabric, grain=18, depth=0.7)
    for part, flip in ((d.parts[-2], True), (d.parts[-1], False)):
        run = Pen(n + 5 * spread, top + b.depth + 11).to(n * 0.5 + 3, top + b.depth + 22).to(6, top + b.depth + 3)
        Drawing([part]).stitch(mirror(run.open()) if flip else run.open())


def stand_collar(d: Drawing, b: Body, height: float = 22.0, fabric: str = "main", gap: float = 1.0) -> None:
    """A band that stands up around the neck and meets (or nearly meets) in front."""
    n, top = b.neck, b.top
    back = Pen(0, top - height + 2).curve(n * 0.6, top - height + 2, n * 0.9, top - height, n - 2, top - height + 4)
    d.part(back.to(n, top + 4).to(0, top + b.depth, 0.1).doubled(), "inside", depth=0.5)
    front = Pen(gap, top + b.depth + 2).to(gap + 1, top + b.depth - height * 0.72)
    front.to(n - 4, top - height + 4, -0.2).to(n + 3, top + 2, 0.08).to(gap, top + b.depth + 2, 0.22)
    d.pair(front.shape(), fabric, depth=0.8)


def placket(d: Drawing, start: float, end: float, width: float = 15.0, fabric: str = "main") -> None:
    d.part(rect(-width / 2, start, width / 2, end), fabric, depth=0.25, edge=1.0)
    d.stitch(line(-width / 2 + 2.5, start, -width / 2 + 2.5, end), line(width / 2 - 2.5, start, width / 2 - 2.5, end))


def buttons(d: Drawing, start: float, end: float, count: int, radius: float = 3.6, x: float = 0.0) -> None:
    for index in range(count):
        d.button(x, start + (end - start) * index / max(count - 1, 1), radius)


def patch_pocket(x: float, y: float, width: float, height: float) -> skia.Path:
    """A pocket with a pointed foot, its upper left corner at (x, y)."""
    pen = Pen(x, y).to(x + width, y).to(x + width, y + height - 7).to(x + width / 2, y + height).to(x, y + height - 7)
    return pen.shape()


def chest_motif(d: Drawing, garment: Garment, x: float, y: float, size: float) -> None:
    if garment.pattern == "Printed":
        motif(d, garment, x, y, size)


def ribbon_bow(d: Drawing, x: float, y: float, size: float, fabric: str = "main", tails: float = 0.0) -> None:
    """A tied bow; `tails` is the length of its hanging ends."""
    s = size
    if tails:
        for sign in (-1.0, 1.0):
            tail = Pen(x, y).to(x + sign * s * 0.75, y + tails, -0.05 * sign).to(x + sign * s * 0.25, y + tails + 6)
            d.part(tail.to(x, y, 0.05 * sign).shape(), fabric, depth=0.7)
    for sign in (-1.0, 1.0):
        loop = Pen(x, y).curve(x + sign * s * 0.5, y - s * 0.6, x + sign * s * 1.2, y - s * 0.6, x + sign * s * 1.15, y)
        loop.curve(x + sign * s * 1.2, y + s * 0.55, x + sign * s * 0.5, y + s * 0.45, x, y)
        d.part(loop.shape(), fabric, grain=12 * sign, depth=0.9)
        d.fold(line(x, y, x + sign * s * 0.7, y - s * 0.1), width=4, strength=1.2)
    d.part(oval(x, y, s * 0.2, s * 0.24), fabric, depth=0.8)
