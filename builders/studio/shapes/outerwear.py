"""Outerwear: jacket (bomber, denim, biker, puffer), blazer, coat (trench, overcoat, duffle, puffer)."""

from __future__ import annotations

from dataclasses import replace

from builders.studio.garment import Garment
from builders.studio.pen import Drawing, Pen, inside, line, oval, rect, stroked
from builders.studio.shapes.tops import hood_back
from builders.studio.shapes.upper import (
    Body,
    back_neck,
    body,
    buttons,
    cuff_line,
    hem_band,
    patch_pocket,
    shirt_collar,
    sleeve,
    sleeves,
    stand_collar,
    torso,
    torso_part,
)


def jacket(g: Garment, d: Drawing) -> None:
    {"Bomber": _bomber, "Denim": _denim, "Biker": _biker, "Puffer": _puffer}[g.style](g, d)


def _bomber(g: Garment, d: Drawing) -> None:
    b = body(g, hem_y=392.0, chest=106.0, waist=108.0, hem=92.0, depth=14.0)
    trim = "second rib" if g.seed % 3 == 0 else "rib"
    sleeves(d, b, "main", trim, 24)
    outline = torso_part(d, b)
    hem_band(d, b, outline, 26, trim)
    d.seam(line(34, 266, 54, 322), two=True, width=2.0)
    d.stitch(line(39, 264, 59, 320), two=True)
    stand_collar(d, b, 18, trim)
    d.zip(0, b.top + b.depth - 12, 0, b.hem_y, 7)


def _denim(g: Garment, d: Drawing) -> None:
    b = body(g, hem_y=392.0, chest=101.0, waist=99.0, hem=94.0)
    sleeves(d, b, "main", "main", 22)
    outline = torso_part(d, b)
    chest = b.top + 84
    d.seam(line(-100, chest, 100, chest))
    d.stitch(line(-100, chest + 3, 100, chest + 3), width=1.3)
    d.seam(line(26, chest, 14, b.hem_y), line(56, chest, 40, b.hem_y), two=True)
    d.stitch(line(29, chest, 17, b.hem_y), line(53, chest, 37, b.hem_y), two=True, width=1.3)
    hem_band(d, b, outline, 18, "main")
    low = b.top + b.depth
    d.part(rect(-8, low, 8, b.hem_y + 4), depth=0.2, edge=1.1)
    d.stitch(line(-5, low, -5, b.hem_y), line(5, low, 5, b.hem_y), width=1.3)
    flap = Pen(22, chest - 4).to(64, chest - 4).to(64, chest + 12).to(43, chest + 20).to(22, chest + 12).shape()
    d.pair(flap, depth=0.4)
    for x in (-43, 43):
        d.button(x, chest + 12, 3.2, "metal")
    buttons(d, low + 30, b.hem_y - 6, 5, 3.8)
    shirt_collar(d, b, spread=1.1)


def _biker(g: Garment, d: Drawing) -> None:
    b = body(g, hem_y=372.0, depth=62.0, chest=99.0, waist=94.0, hem=94.0)
    sleeves(d, b, "main")
    for part, sign in ((d.parts[-2], -1), (d.parts[-1], 1)):
        x = b.shoulder + 38
        zipper = line(sign * (x + 4), 300, sign * (x + 18), 364)
        Drawing([part]).seam(zipper, width=3.2)
        Drawing([part]).stitch(zipper, width=1.6)
    back_neck(d, b)
    torso_part(d, b)
    d.seam(line(-100, b.hem_y - 24, 100, b.hem_y - 24))
    d.stitch(line(-100, b.hem_y - 21, 100, b.hem_y - 21))
    d.stitch(line(-b.chest, 130, -30, 138), line(30, 138, b.chest, 130))
    for x0, y0, x1, y1 in ((-62.0, 262.0, -42.0, 316.0), (62.0, 262.0, 44.0, 316.0), (46.0, 196.0, 66.0, 204.0)):
        d.zip(x0, y0, x1, y1, 5)
    d.zip(-20, 190, -12, b.hem_y - 2, 6)
    _lapels(d, b, b.top + b.depth + 42, 56, 14, notch=True)
    d.part(rect(-34, b.hem_y - 19, 40, b.hem_y - 6, 2), depth=0.4, edge=1.1)
    d.part(rect(18, b.hem_y - 22, 34, b.hem_y - 3, 2), "metal", depth=0.5, edge=1.0)
    for x, y in ((-50.0, 172.0), (50.0, 172.0), (-58.0, 190.0), (58.0, 190.0)):
        d.part(oval(x * 0.72, y - 22, 2.6), "metal", depth=0.3, edge=0.8)


def _quilts(d: Drawing, b: Body) -> None:
    """The torso in padded rows, each a part of its own so that it is shaded as a cushion."""
    outline, y, step = torso(b), b.top - 10, 37.0
    while y < b.hem_y + 8:
        d.part(inside(rect(-180, y, 180, min(y + step, b.hem_y + 12)), outline), depth=0.75, edge=1.3)
        y += step


def _quilted_sleeves(d: Drawing, b: Body) -> None:
    shape, up, step = sleeve(b), 17.0, 34.0
    d.pair(shape, grain=-b.angle)
    while up < b.sleeve - 26:
        d.pair(inside(stroked(cuff_line(b, up), step), shape), grain=-b.angle, depth=0.75, edge=1.3)
        up += step


def _puffer(g: Garment, d: Drawing, hem_y: float = 398.0) -> None:
    b = body(g, hem_y=hem_y, chest=112.0, waist=111.0, hem=108.0, depth=12.0)
    b = replace(b, cuff=50.0, angle=14.0)
    _quilted_sleeves(d, b)
    _quilts(d, b)
    d.pair(
        Pen(60, hem_y - 96).to(66, hem_y - 97).to(75, hem_y - 46).to(69, hem_y - 45).shape(),
        "inside",
        depth=0,
        edge=1.0,
    )
    stand_collar(d, b, 34)
    d.zip(0, b.top - 16, 0, b.hem_y + 1, 7)


def _lapels(
    d: Drawing, b: Body, end: float, width: float, overlap: float, notch: bool = True, fabric: str = "main"
) -> None:
    """Collar and lapels folded back from the opening that closes at (overlap, end)."""
    n, top = b.neck, b.top
    lapel_top = top + 50
    for sign in (-1, 1):
        foot = (overlap * 0.6 * sign, end)
        lapel = Pen(sign * (n - 6), top + 6).to(sign * (n + 10), lapel_top - 14, 0.04 * sign)
        lapel.to(sign * (width + 6), lapel_top - 4 if notch else lapel_top - 12).to(sign * (width - 4), lapel_top + 22)
        lapel.to(*foot, 0.1 * sign).to(sign * (n - 6), top + 6, -0.04 * sign)
        d.part(lapel.shape(), fabric, grain=14 * sign, depth=0.6)
        d.stitch(stroked(lapel.shape(), 8), strength=0.7)
        collar = Pen(sign * (n - 12), top - 16).to(sign * (n + 4), top - 6, 0.2 * sign)
        collar.to(sign * (n + 22), lapel_top - 20, 0.06 * sign).to(sign * (n + 8), lapel_top - 6)
        collar.to(sign * (n - 16), top + 22, 0.03 * sign)
        d.part(collar.shape(), fabric, grain=20 * sign, depth=0.6)


def _shirt_front(d: Drawing, b: Body) -> None:
    """The lining that shows inside an open collar."""
    n, top = b.neck, b.top
    hole = Pen(0, top - 16).curve(n * 0.5, top - 16, n * 0.8, top - 14, n, top - 4).to(n - 2, top + 20)
    d.part(hole.to(0, top + b.depth + 30).doubled(), "lining", depth=0.6)
    d.part(rect(-10, top - 4, 10, top + 7, 1), "label", depth=0, edge=0.7)


def blazer(g: Garment, d: Drawing) -> None:
    double = g.style == "Double-Breasted"
    b = body(g, hem_y=430.0, chest=99.0, waist=90.0, hem=103.0, depth=112.0, open_front=1.0, neck=36.0, cuff=38.0)
    sleeves(d, b, "main")
    for part, sign in ((d.parts[-2], -1), (d.parts[-1], 1)):
        for up in (12.0, 22.0, 32.0):
            x = sign * (b.shoulder + 34 + 5 - up * 0.2)
            Drawing([part]).part(oval(x, 395 - up, 2.4), "button", depth=0.3, edge=0.7)
    end = b.top + b.depth + 28
    _shirt_front(d, b)
    left = replace(b, hem_bend=-0.05)
    outline = torso_part(d, left)
    overlap = 22.0 if double else 8.0
    front = Pen(-overlap, end - 16).to(-overlap, b.hem_y - 22).to(-overlap + 24, b.hem_y + 6, -0.2)
    d.seam(front.open(), width=1.5)
    d.fold(front.open(), width=6, strength=0.7)
    d.seam(line(52, b.armpit + 20, 44, b.hem_y - 116), two=True, strength=0.7)
    pocket = b.hem_y - 112
    d.pair(rect(34, pocket, 76, pocket + 15, 2), depth=0.4)
    d.part(Pen(36, 186).to(66, 182).to(67, 191).to(37, 195).shape(), depth=0.3, edge=1.1)
    _lapels(d, b, end, 58 if not double else 66, overlap)
    if double:
        for y in (end + 6, end + 50):
            for x in (-24.0, 24.0):
                d.button(x, y, 4.6)
    else:
        buttons(d, end + 8, end + 54, 2, 4.8, x=-1)
    del outline


def coat(g: Garment, d: Drawing) -> None:
    {"Trench": _trench, "Overcoat": _overcoat, "Duffle": _duffle, "Puffer": _long_puffer}[g.style](g, d)


def _coat_body(g: Garment, **measures: float) -> Body:
    hem_y = 486.0 if g.length == "Midi" else 452.0
    base = {"top": 66.0, "armpit": 166.0, "waist_y": 268.0, "hem_y": hem_y, "chest": 94.0, "waist": 90.0, "hem": 112.0}
    b = body(g, **{**base, **measures})
    return replace(b, sleeve=b.sleeve * 0.92, cuff=38.0)


def _trench(g: Garment, d: Drawing) -> None:
    b = _coat_body(g, depth=76.0, open_front=1.0, waist=85.0, hem=129.0)
    sleeves(d, b, "main", "main", 12)
    _shirt_front(d, b)
    torso_part(d, b)
    end = b.top + b.depth + 30
    d.seam(line(24, end, 26, b.hem_y + 8), width=1.5)
    d.fold(line(-46, b.hem_y, -40, b.waist_y + 20), line(64, b.hem_y, 52, b.waist_y + 20), width=12)
    flap = Pen(-b.shoulder, 104).to(-34, 96).to(-30, 168, 0.1).to(-b.chest + 4, 172, 0.1)
    d.part(flap.shape(), depth=0.4, edge=1.1)
    for y in (end + 6, end + 40, b.waist_y + 64, b.waist_y + 106):
        for x in (-20.0, 36.0):
            d.button(x, y, 4.4)
    d.pair(
        Pen(52, b.waist_y + 42).to(64, b.waist_y + 38).to(74, b.waist_y + 84).to(62, b.waist_y + 88).shape(), depth=0.4
    )
    _lapels(d, b, end, 66, 16)
    _belt(d, b)
    for sign in (-1, 1):
        tab = Pen(sign * (b.neck + 14), 70).to(sign * (b.shoulder + 3), 84).to(sign * (b.shoulder + 1), 95)
        d.part(tab.to(sign * (b.neck + 16), 80).shape(), depth=0.4, edge=1.1)


def _belt(d: Drawing, b: Body) -> None:
    y, w = b.waist_y, b.waist + 3
    d.part(Pen(-w, y - 10).to(w, y - 10, -0.02).to(w, y + 10).to(-w, y + 10, 0.02).shape(), "main", depth=0.6)
    d.stitch(line(-w, y - 6, w, y - 6, -0.02), line(-w, y + 6, w, y + 6, -0.02))
    d.part(Pen(6, y - 6).to(22, y - 4).to(34, y + 70, 0.06).to(16, y + 74).shape(), "main", depth=0.5)
    d.part(
        inside(stroked(rect(-14, y - 14, 14, y + 14, 4), 5), rect(-30, y - 30, 30, y + 30)), "tan leather", depth=0.5
    )


def _overcoat(g: Garment, d: Drawing) -> None:
    b = _coat_body(g, depth=92.0, open_front=1.0)
    sleeves(d, b, "main")
    _shirt_front(d, b)
    torso_part(d, b)
    end = b.top + b.depth + 24
    d.seam(line(-9, end - 16, -9, b.hem_y + 6), width=1.5)
    d.fold(line(-12, end, -12, b.hem_y + 6), width=7)
    d.fold(line(58, b.hem_y, 50, b.waist_y + 30), line(-60, b.hem_y, -54, b.waist_y + 30), width=12)
    d.pair(rect(36, b.waist_y + 34, 78, b.waist_y + 50, 2), depth=0.4)
    d.part(Pen(34, 172).to(64, 168).to(65, 177).to(35, 181).shape(), depth=0.3, edge=1.1)
    _lapels(d, b, end, 58, 9)
    buttons(d, end + 10, end + 112, 3, 5.2)


def _duffle(g: Garment, d: Drawing) -> None:
    b = _coat_body(g, depth=30.0, waist=97.0, hem=113.0)
    sleeves(d, b, "main")
    torso_part(d, b)
    d.seam(line(-12, b.top + 40, -12, b.hem_y + 6), width=1.4)
    d.fold(line(-14, b.top + 40, -14, b.hem_y + 6), width=7)
    d.seam(line(-110, b.top + 58, 110, b.top + 58, 0.02), strength=0.8)
    d.pair(patch_pocket(30, b.waist_y + 44, 50, 62), depth=0.4)
    d.pair(rect(27, b.waist_y + 38, 83, b.waist_y + 58, 4), depth=0.4)
    for index in range(4):
        y = b.top + 78 + index * 58
        d.cord(line(-34, y, 34, y), 3.0, "tan leather")
        for x in (-38, 38):
            d.part(
                Pen(x - 9, y - 7).to(x + 9, y - 7).to(x + 9, y + 7).to(x - 9, y + 7).shape(),
                "tan leather",
                depth=0.4,
                edge=1.0,
            )
        d.part(rect(-13, y - 4, 13, y + 4, 4), "wood", depth=0.8, edge=1.0)
    hood_back(d, b)


def _long_puffer(g: Garment, d: Drawing) -> None:
    _puffer(g, d, hem_y=472.0)
