"""Dresses, jumpsuits and dungarees."""

from __future__ import annotations

from dataclasses import replace

import skia

from builders.studio.garment import Garment
from builders.studio.pen import Drawing, Pen, inside, line, rect, stroked
from builders.studio.shapes.bottoms import pleats, skirt_folds, tiers
from builders.studio.shapes.upper import (
    Body,
    back_neck,
    body,
    buttons,
    neckline,
    ribbon_bow,
    shirt_collar,
    sleeves,
    torso,
)

_HEMS = {"Mini": 366.0, "Knee Length": 418.0, "Midi": 462.0, "Maxi": 492.0}


def _dress_body(g: Garment, **measures: float) -> Body:
    base = {
        "top": 40.0,
        "shoulder": 78.0,
        "slope": 18.0,
        "chest": 71.0,
        "armpit": 128.0,
        "waist": 66.0,
        "waist_y": 204.0,
    }
    neck = {"Boat Neck": 52.0, "Square Neck": 42.0, "Scoop Neck": 40.0}.get(g.neckline, 34.0)
    depth = {"V-Neck": 62.0, "Square Neck": 46.0, "Scoop Neck": 50.0, "Boat Neck": 14.0}.get(g.neckline, 22.0)
    b = body(g, **{**base, "neck": neck, "depth": depth, "hem_y": 208.0, "hem": 71.0, **measures})
    shrink = {"Long Sleeves": 0.82, "Three-Quarter Sleeves": 0.82, "Short Sleeves": 0.74}.get(g.sleeves, 0.8)
    return replace(b, sleeve=b.sleeve * shrink, cuff=b.cuff * 0.84, hem_y=b.waist_y + 4, hem=b.waist, hem_bend=-0.02)


def _bodice(d: Drawing, b: Body) -> skia.Path:
    outline = torso(b)
    d.part(outline)
    d.fold(line(b.chest - 4, b.armpit + 4, 30, b.armpit + 26, -0.12), two=True, width=8, strength=0.8)
    d.fold(line(b.waist - 4, b.waist_y - 4, 34, b.waist_y - 40, 0.08), two=True, width=8, strength=0.8)
    return outline


def _dress_skirt(b: Body, hem: float, hem_y: float, dip: float = 12.0, start: float = 0.0) -> skia.Path:
    y = b.waist_y + start
    pen = Pen(0, y).to(b.waist, y).curve(b.waist + 10, y + 40, hem - 26, hem_y - 130, hem, hem_y)
    return pen.to(0, hem_y + dip, 0.05).doubled()


def dress(g: Garment, d: Drawing) -> None:
    hem_y = _HEMS[g.length]
    if g.style == "Slip":
        _slip(g, d, hem_y)
        return
    b = _dress_body(g)
    back_neck(d, b)
    sleeves(d, b, "main", "plain" if g.sleeves == "Puff Sleeves" else "", 8)
    tall = hem_y - b.waist_y
    if g.style == "Sheath":
        _sheath(g, d, b, hem_y)
    else:
        spread = {"A-Line": 0.24, "Wrap": 0.2, "Fit and Flare": 0.42, "Tiered": 0.3}[g.style]
        hem = min(b.waist + 18 + tall * spread, 164.0)
        skirt = _dress_skirt(b, hem, hem_y)
        d.part(skirt)
        if g.style == "Tiered":
            tiers(d, b.waist_y, hem, hem_y)
        elif g.style == "Fit and Flare" and g.seed % 2:
            pleats(d, b.waist - 4, b.waist_y, hem, hem_y, 9)
        else:
            skirt_folds(d, b.waist, b.waist_y + 10, hem, hem_y, 7)
        if g.style == "Wrap":
            d.seam(line(-20, b.waist_y, -hem * 0.45, hem_y + 12, -0.08), width=1.6)
            d.fold(line(-16, b.waist_y, -hem * 0.41, hem_y + 12, -0.08), width=9)
        d.stitch(line(-hem - 20, hem_y - 6, hem + 20, hem_y - 6, -0.05))
        _bodice(d, b)
    _dress_details(g, d, b)


def _sheath(_: Garment, d: Drawing, b: Body, hem_y: float) -> None:
    whole = replace(b, hem_y=hem_y, hem=b.waist + 10)
    pen = neckline(whole).to(b.shoulder, b.top + b.slope, 0.03)
    inset = b.shoulder - (7 if b.sleeve else 14)
    pen.curve(inset, b.top + 50, min(inset, b.chest) - 2, b.armpit - 22, b.chest, b.armpit)
    pen.curve(b.chest - 2, b.armpit + 30, b.waist - 6, b.waist_y - 30, b.waist - 6, b.waist_y)
    pen.curve(b.waist - 4, b.waist_y + 30, b.waist + 22, b.waist_y + 50, b.waist + 22, b.waist_y + 88)
    pen.curve(b.waist + 22, b.waist_y + 150, b.waist + 12, hem_y - 60, b.waist + 10, hem_y).to(0, hem_y + 4, 0.02)
    d.part(pen.doubled())
    d.seam(Pen(44, b.armpit - 4).to(30, b.waist_y, -0.05).to(40, b.waist_y + 90, -0.05).open(), two=True, strength=0.6)
    d.fold(
        line(b.waist, b.waist_y - 8, 26, b.waist_y + 10, -0.1),
        line(b.waist, b.waist_y + 12, 30, b.waist_y + 24),
        two=True,
    )
    d.fold(line(-40, hem_y, -44, b.waist_y + 120), line(34, hem_y, 44, b.waist_y + 140), width=11, strength=0.8)
    d.stitch(line(-120, hem_y - 6, 120, hem_y - 6))


def _dress_details(g: Garment, d: Drawing, b: Body) -> None:
    edge = neckline(b).doubled_open()
    if g.style == "Wrap":
        d.seam(line(-b.neck, b.top, 26, b.waist_y, 0.05), width=1.6)
        d.fold(line(-b.neck + 2, b.top + 24, 22, b.waist_y, 0.05), width=7)
    else:
        d.stitch(stroked(edge, 10))
    y, w = b.waist_y + 2, b.waist
    if g.style in ("Wrap", "Fit and Flare", "A-Line"):
        d.part(rect(-w, y - 7, w, y + 7, 1), "plain", depth=0.5)
    if g.style == "Wrap":
        ribbon_bow(d, 30, y, 19, "plain", tails=70)
    elif g.style == "Fit and Flare" and g.pattern == "Solid":
        d.part(rect(-11, y - 9, 11, y + 9, 3), "metal", depth=0.5)
    if g.style == "Tiered" and g.neckline == "V-Neck":
        buttons(d, b.top + b.depth + 12, b.waist_y - 10, 4, 3)


def _slip(_: Garment, d: Drawing, hem_y: float) -> None:
    top, w = 92.0, 62.0
    for sign in (-1, 1):
        d.cord(line(sign * 33, top + 4, sign * 38, 30, 0.02 * sign), 3.6, "plain")
        d.cord(line(sign * 38, 30, sign * 56, top + 40, -0.06 * sign), 3.6, "inside")
    pen = Pen(0, top + 40).to(34, top, -0.12).to(w, top + 44, -0.1)
    pen.curve(w - 2, top + 80, w - 8, 176, w - 8, 200).curve(w - 6, 240, w + 22, 270, w + 24, 300)
    hem = w + 26 + (hem_y - 300) * 0.16
    outline = pen.curve(w + 26, 340, hem - 4, hem_y - 50, hem, hem_y).to(0, hem_y + 10, 0.04).doubled()
    d.part(
        Pen(0, top + 46).to(w - 4, top + 44, 0.04).to(w - 4, top + 70).to(0, top + 70).doubled(), "inside", depth=0.3
    )
    d.part(outline)
    d.fold(line(24, top + 44, 8, top + 100, 0.1), line(w - 4, 190, 22, 214, -0.12), two=True, width=9)
    skirt_folds(d, w, 220, hem, hem_y, 5)
    d.light(line(-30, 240, -46, hem_y - 40, -0.05), width=12, strength=0.7)
    edge = Pen(0, top + 40).to(34, top, -0.12).to(w, top + 44, -0.1).doubled_open()
    d.part(inside(stroked(edge, 9), outline), "plain", depth=0.4, edge=1.0)


def jumpsuit(g: Garment, d: Drawing) -> None:
    if g.style == "Dungarees":
        _dungarees(d)
        return
    b = _dress_body(g, neck=34.0, depth={"V-Neck": 64.0, "Square Neck": 44.0}.get(g.neckline, 18.0))
    if g.neckline != "Shirt Collar":
        back_neck(d, b)
    sleeves(d, b, "main")
    wide = g.style == "Wide-Leg"
    d.part(_jump_legs(b, 116.0 if wide else 76.0, 10.0 if wide else 36.0))
    y = b.waist_y
    d.seam(line(0, y, 0, y + 96))
    d.fold(line(3, y + 92, 46, y + 66, 0.15), line(2, y + 106, 40, y + 104, 0.1), two=True)
    d.fold(line(40, y + 6, 50, y + 70, 0.05), two=True, width=7)
    d.fold(line(70 if wide else 58, 486, 60, 330, 0.03), two=True, width=12)
    d.seam(line(b.waist - 14, y + 8, b.waist + 14, y + 56, -0.05), two=True, width=1.4)
    _bodice(d, b)
    low = b.top + b.depth
    if g.neckline == "Shirt Collar":
        d.part(rect(-7, low, 7, y), depth=0.2, edge=1.0)
        buttons(d, low + 24, y - 18, 4, 3.2)
        shirt_collar(d, replace(b, neck=b.neck - 2), spread=0.9)
    else:
        d.stitch(stroked(neckline(b).doubled_open(), 10))
    d.part(rect(-b.waist - 1, y - 8, b.waist + 1, y + 9, 1), "plain", depth=0.5)
    ribbon_bow(d, 0, y, 18, "plain", tails=48)


def _jump_legs(b: Body, hem_out: float, hem_in: float, start: float = 0.0) -> skia.Path:
    y = b.waist_y + start
    pen = Pen(0, y).to(b.waist, y).curve(b.waist + 12, y + 30, b.waist + 20, y + 60, b.waist + 20, y + 84)
    pen.curve(b.waist + 22, y + 150, hem_out, 420, hem_out, 486).to(hem_in, 490, 0.03)
    return pen.curve(hem_in, 420, 6, y + 150, 0, y + 102).doubled()


def _dungarees(d: Drawing) -> None:
    b = Body(waist=70.0, waist_y=206.0)
    back = Pen(0, 110).to(30, 100, -0.05).to(60, 206, -0.1).to(0, 206)
    d.part(back.doubled(), "inside", depth=0.4)
    for sign in (-1, 1):
        d.part(stroked(line(sign * 26, 104, sign * 46, 40, 0.04 * sign), 17), depth=0.5)
        d.part(stroked(Pen(sign * 46, 40).to(sign * 34, 124, 0.12 * sign).open(), 17), depth=0.5)
    d.part(_jump_legs(b, 88.0, 28.0))
    y = b.waist_y
    d.seam(line(0, y, 0, y + 100))
    d.stitch(Pen(14, y + 8).to(14, y + 50).to(1, y + 72, 0.3).open(), width=1.3)
    d.fold(line(3, y + 96, 46, y + 66, 0.15), line(66, 486, 60, 330, 0.03), two=True, width=9)
    pocket = Pen(40, y + 8).curve(42, y + 36, 66, y + 46, 96, y + 42).open()
    d.seam(pocket, two=True, width=1.4)
    d.stitch(line(-120, 478, 0, 480), line(0, 480, 120, 478), width=1.3)
    bib = Pen(0, 118).to(46, 116).to(60, 206, -0.12).to(0, 208).doubled()
    d.part(bib, depth=0.5)
    d.stitch(line(-60, 124, 60, 124), Pen(41, 118).to(55, 206, -0.12).open(), width=1.3)
    d.part(rect(-27, 138, 27, 186, 4), depth=0.3, edge=1.1)
    d.stitch(line(-27, 146, 27, 146), line(0, 146, 0, 186), width=1.3)
    d.part(rect(-72, y - 9, 72, y + 9, 2), depth=0.4)
    d.stitch(line(-72, y - 5, 72, y - 5), line(-72, y + 5, 72, y + 5), width=1.3)
    for x in (-35, 35):
        d.button(x, 124, 5.4, "metal")
    for x in (-62, 62):
        d.button(x, y, 4, "metal")
