"""Tops: T-shirt, shirt, blouse, polo, tank top, sweater, hoodie, cardigan."""

from __future__ import annotations

from dataclasses import replace

import skia

from builders.studio.garment import Garment
from builders.studio.pen import Drawing, Pen, inside, line, oval, rect, stroked, without
from builders.studio.shapes.upper import (
    Body,
    back_neck,
    body,
    buttons,
    chest_motif,
    cuff_line,
    hem_band,
    hem_line,
    hem_stitches,
    neck_band,
    neckline,
    patch_pocket,
    placket,
    ribbon_bow,
    shirt_collar,
    sleeves,
    stand_collar,
    torso_part,
)


def _tee_sleeves(d: Drawing, b: Body, fabric: str = "main", cuff: str = "") -> None:
    sleeves(d, b, fabric, cuff, 9.0)
    if not cuff:
        for part, sign in ((d.parts[-2], -1), (d.parts[-1], 1)):
            for up in (7.0, 10.0):
                run = cuff_line(b, up)
                flipped = skia.Path()
                run.transform(skia.Matrix.Scale(sign, 1), flipped)
                Drawing([part]).stitch(flipped)


def t_shirt(g: Garment, d: Drawing) -> None:
    b = body(g)
    back_neck(d, b)
    raglan = g.pattern == "Colourblocked" and g.seed % 2 == 0
    _tee_sleeves(d, b, "second" if raglan else "main")
    outline = torso_part(d, b)
    hem_stitches(d, b)
    neck_band(d, b, outline, 8, "second rib" if raglan else "rib")
    chest_motif(d, g, 0, 205, 0.85)


def polo(g: Garment, d: Drawing) -> None:
    b = body(g)
    trim = "second rib" if g.pattern in ("Tipped", "Colourblocked") else "rib"
    sleeves(d, b, "main", trim, 10)
    torso_part(d, b)
    hem_stitches(d, b)
    low = b.top + b.depth
    placket(d, low, low + 58, 17)
    buttons(d, low + 20, low + 46, 2, 3.2)
    shirt_collar(d, replace(b, depth=b.depth), trim if trim != "rib" else "plain", 0.8)


def shirt(g: Garment, d: Drawing) -> None:
    b = body(g, hem_y=432.0, hem_bend=-0.08)
    cuff = "main" if b.sleeve > 150 else ""
    sleeves(d, b, "main", cuff, 25)
    torso_part(d, b)
    yoke = line(-b.shoulder - 4, b.top + 42, b.shoulder + 4, b.top + 42)
    if g.style == "Classic" and g.material in ("Denim", "Corduroy"):
        d.seam(yoke)
        d.stitch(line(-b.shoulder - 4, b.top + 45, b.shoulder + 4, b.top + 45))
    d.stitch(hem_line(b, 6))
    low = b.top + b.depth
    placket(d, low, b.hem_y + 6)
    buttons(d, low + 34, b.hem_y - 46, 6)
    for side in {"Chest Pocket": (1,), "Chest Pockets": (-1, 1)}.get(g.pockets, ()):
        x = 22.0 if side > 0 else -62.0
        d.part(patch_pocket(x, 172, 40, 46), depth=0.25, edge=1.1)
        d.stitch(line(x, 180, x + 40, 180))
    if g.neckline == "Mandarin Collar":
        stand_collar(d, b, 17)
        d.button(0, low - 3, 3.2)
    else:
        shirt_collar(d, b)
        d.button(0, low + 6, 3.2)


def _blouse_hem(g: Garment, d: Drawing, b: Body) -> None:
    if g.style == "Peplum":
        y, w = b.waist_y, b.waist
        flare = Pen(0, y).to(w + 1, y).curve(w + 8, y + 30, b.hem + 20, y + 70, b.hem + 26, y + 96)
        flare.to(b.hem * 0.55, y + 112, 0.1).to(0, y + 108, -0.12)
        d.part(flare.doubled())
        for at in (-0.75, -0.45, -0.15, 0.2, 0.5, 0.8):
            d.fold(line(at * (b.hem + 16), y + 106, at * w * 0.9, y + 4, 0.03), width=9)
        d.seam(line(-w, y + 2, w, y + 2))
    elif g.style == "Tie-Front":
        ribbon_bow(d, 0, b.hem_y - 12, 34, tails=56)


def blouse(g: Garment, d: Drawing) -> None:
    hem_y = {"Peplum": 296.0, "Tie-Front": 372.0}.get(g.style, 410.0)
    b = body(g, hem_y=hem_y, sleeves=0, hem=99.0 if g.style != "Peplum" else 80.0, waist_y=min(290.0, hem_y - 8))
    b = replace(b, sleeves=g.sleeves)
    back_neck(d, b, label=b.depth > 30)
    sleeves(d, b, "main", "plain" if b.sleeve > 150 or g.sleeves == "Puff Sleeves" else "", 12)
    torso_part(d, b)
    hem_stitches(d, b, 5)
    low = b.top + b.depth
    if g.neckline in ("Bow Collar", "Ruffled Collar"):
        stand_collar(d, b, 16, "plain")
        buttons(d, low + 26, b.hem_y - 40, 6, 3)
    if g.neckline == "Bow Collar":
        ribbon_bow(d, 0, low + 8, 30, "plain", tails=92)
    elif g.neckline == "Ruffled Collar":
        _ruffle(d, low)
    elif g.neckline == "V-Neck":
        _facing(d, b)
    else:
        _facing(d, b)
        d.fold(line(-18, low + 14, 18, low + 14, -0.2), width=8, strength=0.6)
    _blouse_hem(g, d, b)


def _facing(d: Drawing, b: Body) -> None:
    d.stitch(stroked(neckline(b).doubled_open(), 14))


def _ruffle(d: Drawing, low: float) -> None:
    """Frills along both sides of the button line."""
    pen = Pen(3, low)
    y = low
    while y < low + 130:
        pen.to(20 - (y - low) * 0.06, y + 9, 0.25).to(14 - (y - low) * 0.06, y + 17, 0.5)
        y += 17
    d.pair(pen.to(3, y + 6, 0.2).shape(), "plain", depth=0.9)
    for step in range(8):
        for part in d.parts[-2:]:
            sign = -1 if part is d.parts[-2] else 1
            Drawing([part]).fold(
                line(sign * 4, low + step * 17 + 4, sign * 17, low + step * 17 + 9), width=4, strength=0.9
            )


def tank_top(g: Garment, d: Drawing) -> None:
    if g.style == "Camisole":
        _camisole(g, d)
        return
    b = body(g, neck=46.0, depth=58.0, hem_y=420.0)
    racer = g.style == "Racerback"
    strap = 18.0 if racer else 26.0
    outline, edge = _vest(b, strap, 30 if racer else 12)
    back, _ = _vest(replace(b, depth=24.0), strap, 40 if racer else 14)
    d.part(back, "inside", depth=0.5)
    if b.neckline == "V-Neck":
        outline, edge = _vest(b, strap, 12)
    d.part(rect(-9, b.top + 32, 9, b.top + 41, 1), "label", depth=0, edge=0.7)
    d.part(outline)
    d.fold(line(b.chest - 6, b.armpit + 12, 30, b.armpit + 44, -0.1), two=True, width=10, strength=0.7)
    d.fold(line(-40, b.hem_y, -34, b.waist_y + 20, 0.06), width=11, strength=0.6)
    d.fold(line(b.waist + 2, b.waist_y - 10, 40, b.waist_y + 16, -0.1), two=True, width=8, strength=0.6)
    hem_stitches(d, b)
    trim = "second" if g.seed % 3 == 0 and g.pattern in ("Solid", "Printed") else "plain"
    for run in edge:
        d.part(inside(stroked(run, 11), outline), trim, depth=0.4, edge=1.0)
    chest_motif(d, g, 0, 250, 0.8)


def _vest(b: Body, strap: float, cut: float) -> tuple[skia.Path, list[skia.Path]]:
    """Outline of a sleeveless top with wide straps, and its bound edges (neck and armholes)."""
    low, inner = b.top + b.depth, b.neck - 4
    neck = Pen(0, low)
    if b.neckline == "V-Neck":
        neck.to(inner, b.top, -0.1)
    else:
        neck.curve(inner * 0.7, low, inner * 0.98, b.top + b.depth * 0.45, inner, b.top)
    hole = Pen(inner + strap, b.top + 4)
    hole.curve(inner + strap - cut * 0.4, b.top + 66, b.chest - 22 - cut * 0.6, b.armpit - 6, b.chest, b.armpit)
    pen = Pen(*neck.start)
    pen.pieces = [*neck.pieces]
    pen.to(inner + strap, b.top + 4)
    pen.pieces += hole.pieces
    pen.curve(b.chest - 2, b.armpit + 40, b.waist, b.waist_y - 45, b.waist, b.waist_y)
    pen.curve(b.waist, b.waist_y + 40, b.hem - 1, b.hem_y - 50, b.hem, b.hem_y)
    outline = pen.to(0, b.hem_y - b.hem * b.hem_bend, b.hem_bend).doubled()
    flipped = skia.Path()
    hole.open().transform(skia.Matrix.Scale(-1, 1), flipped)
    return outline, [neck.doubled_open(), hole.open(), flipped]


def _camisole(g: Garment, d: Drawing) -> None:
    b = body(g, hem_y=390.0)
    top = 168.0
    back = Pen(0, top + 26).to(b.chest - 8, top + 46, 0.05).to(b.chest - 12, top + 70).to(0, top + 70)
    d.part(back.doubled(), "inside", depth=0.4)
    for sign in (-1, 1):
        d.cord(line(sign * 40, top, sign * 46, 76, 0.02 * sign), 4.5, "plain")
    pen = Pen(0, top + 40).to(42, top - 4, -0.12).to(b.chest, top + 46, -0.1)
    pen.curve(b.chest - 4, top + 90, b.waist, b.waist_y - 30, b.waist, b.waist_y)
    pen.curve(b.waist + 2, b.waist_y + 40, b.hem + 6, b.hem_y - 40, b.hem + 8, b.hem_y)
    outline = pen.to(0, b.hem_y + 6, 0.03).doubled()
    d.part(outline)
    edge = Pen(0, top + 40).to(42, top - 4, -0.12).to(b.chest, top + 46, -0.1).doubled_open()
    d.fold(line(28, top + 48, 12, top + 120, 0.1), two=True, width=11, strength=0.7)
    d.fold(line(-46, b.hem_y, -30, b.waist_y - 20, 0.08), line(30, b.hem_y, 22, b.waist_y, -0.06), width=12)
    d.stitch(line(-b.hem - 10, b.hem_y - 4, b.hem + 10, b.hem_y - 4, -0.03))
    d.part(inside(stroked(edge, 12), outline), "plain", depth=0.4, edge=1.0)


def sweater(g: Garment, d: Drawing) -> None:
    chunky = g.style == "Chunky Knit"
    b = body(g, hem_y=412.0, chest=101.0, waist=98.0, hem=92.0)
    back_neck(d, b, label=g.neckline != "Turtleneck")
    sleeves(d, b, "main", "rib", 30 if chunky else 24)
    outline = torso_part(d, b)
    if g.style == "Cable Knit":
        _cables(d, b)
    hem_band(d, b, outline, 28 if chunky else 22)
    if g.neckline == "Turtleneck":
        _turtleneck(d, b)
    else:
        neck_band(d, b, outline, 13 if chunky else 10)


def _cables(d: Drawing, b: Body) -> None:
    """Braids down the front: crossing waves between two ribs."""
    for x in (-40.0, 0.0, 40.0):
        top, end = b.top + b.depth + 20 if x == 0 else b.top + 40, b.hem_y - 24
        for side in (-12, 12):
            d.seam(line(x + side, top, x + side, end), strength=0.45)
        y, flip = top, 1
        while y < end:
            d.seam(
                Pen(x - 8 * flip, y).curve(x - 8 * flip, y + 10, x + 8 * flip, y + 12, x + 8 * flip, y + 22).open(),
                width=2.4,
                strength=0.5,
            )
            d.fold(line(x - 7, y, x + 7, y, 0.4), width=4, strength=0.9)
            y, flip = y + 22, -flip


def _turtleneck(d: Drawing, b: Body) -> None:
    n, top = b.neck + 2, b.top
    d.part(oval(0, top - 30, n - 4, 8), "inside", depth=0.4)
    pen = Pen(0, top - 24).to(n - 4, top - 31, -0.1).to(n + 1, top - 8, 0.06).to(n + 6, top + 6, -0.05)
    d.part(pen.to(0, top + 14, 0.12).doubled(), "rib")
    d.seam(line(-n - 4, top - 6, n + 4, top - 6, -0.1), strength=0.9)
    d.fold(line(-n, top - 3, n, top - 3, -0.1), width=5)


def hood_back(d: Drawing, b: Body, fabric: str = "main") -> None:
    """A hood lying back: its rim frames the opening that shows the lining."""
    n, top = b.neck, b.top
    outer = Pen(0, top - 46).curve(40, top - 46, n + 16, top - 28, n + 22, top + 12)
    outer.to(n + 4, top + 34, 0.12).to(0, top + b.depth + 22, 0.08)
    d.part(outer.doubled(), fabric)
    d.seam(line(0, top - 46, 0, top - 20), width=1.2)
    hole = Pen(0, top - 26).curve(30, top - 26, n + 2, top - 14, n + 3, top + 8).to(0, top + b.depth + 14, 0.14)
    d.part(hole.doubled(), "inside", depth=0.9)
    d.stitch(stroked(hole.doubled(), 10))


def hoodie(g: Garment, d: Drawing) -> None:
    b = body(g, hem_y=404.0, chest=106.0, waist=103.0, hem=94.0, depth=30.0)
    sleeves(d, b, "main", "rib", 24)
    outline = torso_part(d, b)
    hem_band(d, b, outline, 24)
    low = b.top + b.depth
    pocket_top, pocket_end = 292.0, b.hem_y - 24
    if g.style == "Zip-Up":
        half = Pen(6, pocket_top).to(44, pocket_top).to(66, pocket_top + 46, -0.05).to(66, pocket_end)
        d.pair(half.to(6, pocket_end).shape(), depth=0.4)
        for part in d.parts[-2:]:
            sign = -1 if part is d.parts[-2] else 1
            Drawing([part]).stitch(line(sign * 40, pocket_top, sign * 62, pocket_top + 48, -0.05 * sign))
    else:
        half = Pen(0, pocket_top).to(42, pocket_top).to(66, pocket_top + 46, -0.05).to(66, pocket_end)
        d.part(half.to(0, pocket_end).doubled(), depth=0.4)
        d.stitch(line(38, pocket_top, 62, pocket_top + 48, -0.05), two=True)
        chest_motif(d, g, 0, 236, 0.66)
    hood_back(d, b)
    if g.style == "Zip-Up":
        d.zip(0, low + 14, 0, b.hem_y + 1, 6)
    for sign in (-1, 1):
        d.cord(
            line(sign * 13, low + 8, sign * 19, low + 68, 0.06 * sign), 3.4, "label" if g.colour != "White" else "plain"
        )
        d.part(rect(sign * 19 - 2.4, low + 64, sign * 19 + 2.4, low + 76, 1), "metal", depth=0.4, edge=0.8)


def cardigan(g: Garment, d: Drawing) -> None:
    hem_y = 462.0 if g.style == "Longline" else 408.0
    b = body(g, hem_y=hem_y, chest=101.0, waist=97.0, hem=94.0, depth=92.0 if g.neckline == "V-Neck" else 27.0)
    sleeves(d, b, "main", "rib", 24)
    back_neck(d, b)
    outline = torso_part(d, b)
    hem_band(d, b, outline, 22)
    low = b.top + b.depth
    edge = neckline(b).doubled_open()
    if g.neckline == "V-Neck":
        d.part(inside(stroked(edge, 26), outline), "rib", depth=0.5)
    else:
        neck_band(d, b, outline, 11)
    d.part(without(rect(-7.5, low - 2, 7.5, b.hem_y + 6), rect(-1, 0, -1, 0)), "rib", depth=0.3)
    buttons(d, low + 14, b.hem_y - 12, 6 if g.neckline != "V-Neck" else 5, 4.4)
    if g.pockets == "Patch Pockets":
        y = b.hem_y - 108
        d.pair(rect(22, y, 66, y + 70, 3), depth=0.3)
        d.pair(rect(22, y, 66, y + 13), "rib", depth=0.4)
