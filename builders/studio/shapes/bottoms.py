"""Skirts and everything with legs."""

from __future__ import annotations

from dataclasses import dataclass

import skia

from builders.studio.fabric import seeded
from builders.studio.garment import Garment
from builders.studio.pen import Drawing, Pen, both, inside, line, mirror, moved, oval, rect, stroked

SKIRT_HEM = {"Mini": 300.0, "Knee Length": 376.0, "Midi": 430.0, "Maxi": 478.0}


@dataclass(frozen=True, slots=True)
class Legs:
    """Measures of the right leg."""

    top: float = 44.0
    waist: float = 66.0
    hip: float = 84.0
    hip_y: float = 142.0
    crotch: float = 176.0
    knee_out: float = 92.0
    knee_in: float = 24.0
    knee_y: float = 310.0
    hem_out: float = 86.0
    hem_in: float = 34.0
    hem_y: float = 480.0


def legs_outline(m: Legs) -> skia.Path:
    pen = Pen(0, m.top + 5).to(m.waist, m.top, -0.03)
    pen.curve(m.waist + 6, m.top + 40, m.hip - 2, m.hip_y - 30, m.hip, m.hip_y)
    pen.curve(m.hip + 3, m.hip_y + 60, m.knee_out, m.knee_y - 50, m.knee_out, m.knee_y)
    pen.curve(m.knee_out, m.knee_y + 60, m.hem_out, m.hem_y - 60, m.hem_out, m.hem_y)
    pen.to(m.hem_in, m.hem_y + 4, 0.04)
    pen.curve(m.hem_in, m.hem_y - 60, m.knee_in, m.knee_y + 60, m.knee_in, m.knee_y)
    return pen.curve(m.knee_in, m.knee_y - 60, 5, m.crotch + 40, 0, m.crotch).doubled()


def _leg_folds(d: Drawing, m: Legs, crease: bool) -> None:
    d.fold(line(2, m.crotch, 50, m.crotch - 38, 0.12), two=True, strength=0.7)
    mid_knee, mid_hem = (m.knee_out + m.knee_in) / 2, (m.hem_out + m.hem_in) / 2
    if crease:
        d.seam(Pen(44, m.hip_y + 10).to(mid_knee, m.knee_y).to(mid_hem, m.hem_y + 4).open(), two=True, strength=0.55)
        d.light(
            Pen(41, m.hip_y + 10).to(mid_knee - 3, m.knee_y).to(mid_hem - 3, m.hem_y).open(),
            two=True,
            width=6,
            strength=0.25,
        )
    else:
        d.fold(line(m.knee_out, m.knee_y - 14, mid_knee - 6, m.knee_y + 2, -0.12), two=True, width=7, strength=0.7)
        d.fold(line(m.knee_in, m.knee_y + 16, mid_knee + 8, m.knee_y + 26, 0.12), two=True, width=7, strength=0.7)
    d.fold(line(m.hem_out, m.hem_y - 40, mid_hem - 8, m.hem_y - 30, -0.15), two=True, width=7, strength=0.6)
    d.fold(
        Pen(0, m.crotch).curve(6, m.crotch + 40, m.knee_in + 3, m.knee_y - 60, m.knee_in + 3, m.knee_y).open(),
        two=True,
        width=9,
    )


def _waistband(
    d: Drawing, m: Legs, outline: skia.Path, height: float = 17.0, loops: bool = True, fabric: str = "main"
) -> None:
    y = m.top + height / 2
    band = stroked(line(-m.waist - 20, y, m.waist + 20, y, -0.04), height)
    d.part(
        inside(both(band, stroked(line(-m.waist - 20, y - 4, m.waist + 20, y - 4, -0.04), height)), outline),
        fabric,
        depth=0.4,
    )
    if not loops:
        return
    for x in (-44, 44):
        d.part(rect(x - 3, m.top - 2, x + 3, m.top + height + 3, 1), depth=0.3, edge=1.0)


def _inside_waist(d: Drawing, m: Legs) -> None:
    """The back of the waistband, seen over the front."""
    d.part(Pen(0, m.top - 7).to(m.waist, m.top, 0.06).to(0, m.top + 12, 0.06).doubled(), "inside", depth=0.3)
    d.part(rect(-9, m.top - 4, 9, m.top + 3, 1), "label", depth=0, edge=0.6)


def _fly(d: Drawing, m: Legs, button: str = "button") -> None:
    end = m.crotch - 26
    d.seam(line(0, m.top + 17, 0, m.crotch))
    d.stitch(Pen(15, m.top + 20).to(15, end - 26).to(1, end, 0.3).open())
    d.button(0, m.top + 11, 4.0, button)


def _slant_pockets(d: Drawing, m: Legs) -> None:
    run = line(44, m.top + 20, m.hip + 2, m.hip_y - 30, -0.04)
    d.seam(run, two=True, width=1.4)
    d.stitch(line(40, m.top + 21, m.hip, m.hip_y - 22, -0.04), two=True)


def trousers(g: Garment, d: Drawing) -> None:
    wide = g.style == "Wide-Leg"
    grow = {"Slim": -5.0, "Regular": 0.0, "Relaxed": 6.0}[g.fit]
    m = Legs(
        knee_out=(104 if wide else 90) + grow * 0.6,
        knee_in=20.0 if wide else 26.0 - grow * 0.3,
        hem_out=(122 if wide else 84) + grow,
        hem_in=14.0 if wide else 36.0 - grow * 0.4,
    )
    outline = legs_outline(m)
    _inside_waist(d, m)
    d.part(outline)
    _leg_folds(d, m, crease=g.style in ("Tailored", "Wide-Leg"))
    _slant_pockets(d, m)
    if g.style != "Tailored":
        d.stitch(line(-140, m.hem_y - 10, 0, m.hem_y - 7), line(0, m.hem_y - 7, 140, m.hem_y - 10))
    _waistband(d, m, outline)
    _fly(d, m)
    if g.style == "Cargo":
        x = m.knee_out
        d.pair(rect(x - 36, 246, x + 3, 304, 3), depth=0.5)
        d.pair(rect(x - 39, 240, x + 5, 259, 3), depth=0.5)


def jeans(g: Garment, d: Drawing) -> None:
    out = {"Skinny": -12.0, "Slim": -7.0, "Straight": 0.0, "Relaxed": 7.0}[g.fit]
    flared = g.style == "Flared"
    m = Legs(
        knee_out=90.0 + out * 0.7,
        knee_in=26.0 - out * 0.3,
        hem_out=112.0 if flared else 84.0 + out,
        hem_in=16.0 if flared else 36.0 - out * 0.5,
    )
    outline = legs_outline(m)
    _inside_waist(d, m)
    d.part(outline)
    _leg_folds(d, m, crease=False)
    scoop = Pen(36, m.top + 17).curve(38, m.top + 46, 60, m.top + 52, m.hip + 4, m.top + 50).open()
    d.seam(scoop, two=True, width=1.5)
    d.stitch(moved(scoop, -3, 3), mirror(moved(scoop, -3, 3)), width=1.4)
    d.stitch(line(-140, m.hem_y - 8, 0, m.hem_y - 5), line(0, m.hem_y - 5, 140, m.hem_y - 8), width=1.4)
    d.stitch(
        Pen(m.hip - 5, m.hip_y)
        .curve(m.hip, m.hip_y + 60, m.knee_out - 4, m.knee_y - 50, m.knee_out - 4, m.knee_y)
        .open(),
        two=True,
    )
    d.part(rect(50, m.top + 28, 66, m.top + 44), depth=0.1, edge=0.9)
    d.stitch(rect(52, m.top + 30, 64, m.top + 42))
    if g.style == "Ripped":
        _rips(d, g, m)
    _waistband(d, m, outline)
    d.parts[-3].marks.clear()
    _fly(d, m, "metal")


def _rips(d: Drawing, g: Garment, m: Legs) -> None:
    rng = seeded(g, "rips")
    for side in (-1, 1):
        for y in (m.knee_y - rng.uniform(20, 40), m.knee_y + rng.uniform(0, 20)):
            x, w = side * (m.knee_in + m.knee_out) / 2, rng.uniform(15, 22)
            d.part(oval(x, y, w, rng.uniform(5, 8)), "label", depth=0.5, edge=0.9)
            for at in (-3, 0, 3):
                d.seam(line(x - w, y + at, x + w, y + at * 0.5, 0.05), width=0.7, strength=0.6)


def shorts(g: Garment, d: Drawing) -> None:
    hem_y, grow = 386.0 if g.length == "Knee Length" else 330.0, 5.0 if g.fit == "Relaxed" else 0.0
    m = Legs(top=104.0, waist=76.0, hip=100.0, hip_y=204.0, crotch=250.0, hem_out=116.0 + grow, hem_in=9.0, hem_y=hem_y)
    pen = (
        Pen(0, m.top + 5)
        .to(m.waist, m.top, -0.03)
        .curve(m.waist + 8, m.top + 40, m.hip - 2, m.hip_y - 30, m.hip, m.hip_y)
    )
    pen.to(m.hem_out, hem_y, 0.02).to(m.hem_in, hem_y + 8, 0.03).to(0, m.crotch, -0.04)
    outline = pen.doubled()
    _inside_waist(d, m)
    d.part(outline)
    d.fold(line(2, m.crotch, 58, m.crotch - 40, 0.12), two=True, width=8, strength=0.7)
    d.fold(line(66, hem_y + 4, 70, m.hip_y + 30, -0.05), two=True, width=11, strength=0.8)
    d.stitch(line(-140, hem_y - 10, 0, hem_y + 2), line(0, hem_y + 2, 140, hem_y - 10))
    if g.style == "Athletic":
        for sign in (1, -1):
            stripe = stroked(line(sign * (m.hip - 2), m.top, sign * (m.hem_out - 4), hem_y + 10), 20)
            d.part(inside(stripe, outline), "second", depth=0.2, edge=1.0)
        _elastic(d, m, outline)
        return
    _slant_pockets(d, m)
    _waistband(d, m, outline)
    _fly(d, m, "metal" if g.style == "Denim" else "button")


def _elastic(d: Drawing, m: Legs, outline: skia.Path) -> None:
    _waistband(d, m, outline, 22, loops=False, fabric="rib")
    for sign in (-1, 1):
        d.cord(line(sign * 4, m.top + 14, sign * 12, m.top + 64, 0.1 * sign), 3.2, "label")


def leggings(g: Garment, d: Drawing) -> None:
    hem_y = {"Full Length": 484.0, "Ankle Length": 456.0, "Capri": 374.0}[g.length]
    full = 484.0
    m = Legs(top=36.0, waist=56.0, hip=74.0, hip_y=134.0, crotch=172.0, knee_out=68.0, knee_in=22.0, knee_y=312.0,
             hem_out=52.0, hem_in=24.0, hem_y=full)  # fmt: skip
    outline = legs_outline(m)
    if hem_y < full:
        outline = inside(outline, rect(-180, 0, 180, hem_y))
    _inside_waist(d, m)
    d.part(outline)
    d.seam(line(0, m.top + 10, 0, m.crotch), strength=0.7)
    d.fold(line(2, m.crotch, 40, m.crotch - 32, 0.12), two=True, strength=0.6)
    d.fold(line(m.knee_in, m.knee_y, 48, m.knee_y + 6, 0.1), two=True, width=6, strength=0.7)
    d.light(Pen(46, 120).to(46, m.knee_y).to(40, hem_y - 20).open(), two=True, width=11, strength=0.5)
    d.stitch(line(-100, hem_y - 7, 100, hem_y - 7))
    if g.style == "Panelled":
        panel = Pen(60, 60).curve(44, 160, 76, 240, 48, m.knee_y).curve(40, 380, 46, 440, 50, full + 8)
        d.pair(inside(panel.to(120, full).to(120, 60).shape(), outline), "second", depth=0.3)
    band = inside(stroked(line(-90, m.top + 12, 90, m.top + 12, -0.04), 34), outline)
    d.part(band, "plain", depth=0.5)
    d.seam(line(-90, m.top + 29, 90, m.top + 29, -0.04))


def skirt_outline(waist: float, top: float, hip: float, hem: float, hem_y: float, dip: float = 14.0) -> skia.Path:
    pen = Pen(0, top + 5).to(waist, top, -0.03)
    pen.curve(waist + 8, top + 34, hip, top + 60, hip + (hem - hip) * 0.25, top + 60 + (hem_y - top - 60) * 0.25)
    return pen.to(hem, hem_y, 0.01).to(0, hem_y + dip, 0.05).doubled()


def skirt(g: Garment, d: Drawing) -> None:
    hem_y = SKIRT_HEM[g.length] + (40 if g.length == "Mini" else 0)
    top, tall = 62.0, SKIRT_HEM[g.length] - 62
    hem = {"A-Line": 84 + tall * 0.17, "Pencil": 74.0, "Pleated": 92 + tall * 0.18, "Tiered": 96 + tall * 0.17}[g.style]
    hip = 84.0 if g.style == "Pencil" else 80.0
    outline = skirt_outline(62.0, top, hip, hem, hem_y, 4 if g.style == "Pencil" else 14)
    m = Legs(top=top, waist=62.0)
    _inside_waist(d, m)
    d.part(outline)
    if g.style == "Pleated":
        pleats(d, 58, top + 18, hem, hem_y, 9)
    elif g.style == "Tiered":
        tiers(d, top, hem, hem_y)
    elif g.style == "Pencil":
        d.seam(line(34, top + 16, 38, top + 60), two=True, strength=0.8)
        d.seam(line(38, hem_y - 70, 38, hem_y + 6))
        d.fold(
            line(-74, top + 90, -30, top + 112, -0.1), line(78, top + 100, 36, top + 120, -0.1), width=8, strength=0.7
        )
    else:
        skirt_folds(d, 50, top + 40, hem, hem_y, 5)
    d.stitch(line(-hem - 20, hem_y - 8, hem + 20, hem_y - 8, -0.045))
    _waistband(d, m, outline, 18, loops=False)
    d.button(0, top + 12, 3.6) if g.style in ("A-Line", "Tiered") else d.seam(line(0, top, 0, top))


def skirt_folds(d: Drawing, top_half: float, top: float, hem: float, hem_y: float, count: int) -> None:
    """Folds that fall from the waist and open towards the hem."""
    for index in range(count):
        at = (index + 0.5) / count * 2 - 1
        length = 0.35 + 0.3 * ((index * 7) % 3) / 2
        start = hem_y - (hem_y - top) * length
        x = at * (top_half + (hem - top_half) * (start - top) / (hem_y - top))
        d.fold(line(at * hem * 0.96, hem_y + 12, x, start, -0.03 * at), width=13, strength=1.0)


def pleats(d: Drawing, top_half: float, top: float, hem: float, hem_y: float, count: int) -> None:
    for index in range(1, count):
        at = index / count * 2 - 1
        run = line(at * top_half, top, at * hem, hem_y + 14)
        d.fold(moved(run, 4, 0), width=8, strength=1.1)
        d.seam(run, width=1.2)


def tiers(d: Drawing, top: float, hem: float, hem_y: float) -> None:
    """Gathered layers: a seam with short folds below it."""
    for share in (0.36, 0.68):
        y = top + (hem_y - top) * share
        d.seam(line(-hem - 20, y, hem + 20, y, -0.05), width=1.4)
        d.fold(line(-hem - 20, y + 4, hem + 20, y + 4, -0.05), width=6, strength=0.8)
        for index in range(11):
            x = (index - 5) / 5 * hem * 0.9
            d.fold(line(x * 0.9, y + 8, x * 0.96, y + 30 + (index % 3) * 12), width=6, strength=0.9)
    skirt_folds(d, 58, top + 50, hem, hem_y, 7)
