"""Bags, seen from the front."""

from __future__ import annotations

import skia

from builders.studio.garment import Garment
from builders.studio.pen import Drawing, Pen, inside, line, oval, rect, stroked, without
from builders.studio.shapes.motifs import motif


def handbag(g: Garment, d: Drawing) -> None:
    {"Satchel": _satchel, "Shoulder": _shoulder, "Bucket": _bucket, "Quilted": _quilted}[g.style](g, d)


def _ring(d: Drawing, x: float, y: float, radius: float = 9.0) -> None:
    d.part(without(oval(x, y, radius), oval(x, y, radius * 0.55)), "metal", depth=0.4, edge=1.0)


def _satchel(_: Garment, d: Drawing) -> None:
    d.part(stroked(Pen(-62, 206).curve(-66, 96, 66, 96, 62, 206).open(), 14, True), "plain", depth=1.0)
    body = (
        Pen(0, 190)
        .to(112, 190)
        .curve(132, 192, 136, 204, 140, 226)
        .to(158, 380, 0.02)
        .curve(160, 404, 150, 412, 130, 412)
    )
    outline = body.to(0, 412).doubled()
    d.part(outline)
    d.fold(line(140, 226, 120, 400, -0.05), two=True, width=12, strength=0.9)
    d.seam(line(118, 190, 132, 412, -0.03), two=True)
    flap = (
        Pen(0, 186).to(114, 186).curve(134, 190, 134, 204, 134, 216).to(126, 276, 0.05).curve(118, 300, 90, 304, 0, 306)
    )
    d.part(flap.doubled(), depth=0.6)
    inset = (
        Pen(0, 196).to(110, 196).curve(124, 198, 124, 210, 124, 220).to(117, 270, 0.05).curve(110, 290, 86, 294, 0, 296)
    )
    d.stitch(inset.doubled())
    for x in (-62, 62):
        _ring(d, x, 200)
    d.part(rect(-19, 288, 19, 330, 5), "metal", depth=0.7)
    d.part(rect(-7, 304, 7, 314, 3), "dark", depth=0.2, edge=0.8)


def _shoulder(g: Garment, d: Drawing) -> None:
    d.part(stroked(Pen(-118, 262).curve(-100, 40, 100, 40, 118, 262).open(), 15), "plain", depth=0.8)
    d.stitch(
        Pen(-113, 262).curve(-96, 48, 96, 48, 113, 262).open(), Pen(-123, 262).curve(-104, 32, 104, 32, 123, 262).open()
    )
    pen = Pen(0, 236).to(120, 236, 0.02).curve(150, 260, 164, 330, 148, 392).curve(138, 424, 80, 432, 0, 432)
    d.part(pen.doubled())
    d.fold(line(70, 250, 110, 330, -0.15), line(20, 252, 34, 300, -0.1), two=True, width=12, strength=0.9)
    d.seam(Pen(148, 380).curve(90, 350, 40, 346, 0, 346).open(), two=True)
    d.stitch(Pen(148, 386).curve(90, 356, 40, 352, 0, 352).open(), two=True)
    d.zip(-112, 248, 112, 248, 8)
    d.part(rect(104, 246, 112, 274, 2), "metal", depth=0.5, edge=1.0)
    for x in (-119, 119):
        _ring(d, x, 256, 10)
    if g.seed % 2:
        d.cord(line(-70, 250, -76, 290, 0.1), 3, "plain")
        d.part(Pen(-84, 288).to(-68, 288).to(-62, 344).to(-90, 344).shape(), "second", depth=0.6)


def _bucket(_: Garment, d: Drawing) -> None:
    d.part(stroked(Pen(-92, 222).curve(-110, 30, 110, 30, 92, 222).open(), 13), "plain", depth=0.8)
    d.part(Pen(0, 196).to(88, 200, 0.06).to(92, 232).to(0, 232).doubled(), "inside", depth=0.6)
    pen = (
        Pen(0, 218).to(40, 214).to(96, 206, -0.05).curve(104, 260, 126, 360, 122, 402).curve(118, 428, 70, 436, 0, 436)
    )
    outline = pen.doubled()
    d.part(outline)
    for x in (-70, -38, -12, 16, 44, 74):
        d.fold(line(x, 214, x * 1.16, 300 + abs(x) * 0.4, 0.04), width=9, strength=1.1)
    d.part(inside(rect(-150, 384, 150, 450), outline), "plain", depth=0.5)
    d.stitch(line(-150, 391, 150, 391))
    d.cord(line(-108, 252, 108, 252, -0.03), 5, "second")
    for sign in (-1, 1):
        d.cord(line(sign * 6, 254, sign * 20, 330, 0.1 * sign), 4.5, "second")
        d.part(oval(sign * 20, 334, 6, 9), "metal", depth=0.6, edge=1.0)
    for x in (-94, 94):
        _ring(d, x, 222, 9)


def _quilted(_: Garment, d: Drawing) -> None:
    chain = Pen(-120, 240).curve(-110, 40, 110, 40, 120, 240).open()
    d.part(stroked(chain, 7, True), "metal", depth=0.6)
    d.stitch(chain, width=5)
    body = rect(-140, 226, 140, 412, 16)
    d.part(body, depth=1.0)
    flap = Pen(0, 222).to(130, 222).curve(144, 224, 144, 240, 142, 260).curve(138, 330, 80, 344, 0, 346).doubled()
    for outline in (body, flap):
        if outline is flap:
            d.part(flap, depth=0.7)
        for step in range(-8, 14):
            x = step * 36.0
            d.seam(line(x - 200, 200, x + 40, 440), line(x, 200, x - 240, 440), width=1.3)
            d.fold(line(x - 198, 202, x + 42, 442), line(x + 2, 202, x - 238, 442), width=5, strength=0.6)
    d.part(rect(-17, 324, 17, 360, 4), "metal", depth=0.7)
    d.part(without(oval(0, 342, 9), oval(0, 342, 5)), "steel", depth=0.3, edge=0.9)
    for x in (-122, 122):
        _ring(d, x, 238, 8)


def backpack(g: Garment, d: Drawing) -> None:
    for sign in (-1, 1):
        strap = Pen(sign * 62, 104).curve(sign * 160, 130, sign * 176, 300, sign * 126, 430).open()
        d.part(stroked(strap, 22), "plain", depth=0.9)
    d.part(stroked(Pen(-26, 92).curve(-24, 48, 24, 48, 26, 92).open(), 11), "plain", depth=0.8)
    {"Classic": _daypack, "Rolltop": _rolltop, "Outdoor": _outdoor}[g.style](g, d)


def _pack(top: float, wide: float) -> skia.Path:
    pen = Pen(0, top).curve(60, top, wide - 10, top + 4, wide - 4, top + 76).to(wide + 4, 400, 0.02)
    return pen.curve(wide + 4, 436, wide - 14, 444, wide - 36, 444).to(0, 446).doubled()


def _daypack(g: Garment, d: Drawing) -> None:
    body = _pack(82, 122)
    d.part(body)
    d.fold(line(110, 150, 84, 330, -0.06), two=True, width=14, strength=0.8)
    arch = Pen(-112, 250).curve(-106, 80, 106, 80, 112, 250).open()
    d.seam(arch, width=4.5)
    d.stitch(arch, width=2)
    trim = "tan leather" if g.material == "Canvas" else "plain"
    pocket = Pen(0, 288).to(76, 288, 0.03).curve(90, 292, 90, 304, 92, 320).to(94, 410).curve(94, 428, 84, 432, 70, 432)
    d.part(pocket.to(0, 434).doubled(), "plain" if g.seed % 2 else "main", depth=0.7)
    d.zip(-74, 304, 74, 304, 7, 0.03)
    d.part(rect(60, 303, 68, 330, 2), trim, depth=0.5, edge=1.0)
    d.part(Pen(0, 190).to(20, 198).to(20, 222).to(0, 230).doubled(), trim, depth=0.4)
    d.seam(line(-10, 203, -10, 217), line(10, 203, 10, 217), width=2)
    d.part(inside(rect(-150, 426, 150, 460), body), trim, depth=0.5)


def _rolltop(g: Garment, d: Drawing) -> None:
    body = Pen(0, 120).to(96, 120).to(116, 180, 0.05).to(124, 400).curve(124, 440, 110, 446, 88, 446).to(0, 448)
    d.part(body.doubled())
    d.fold(line(100, 130, 60, 220, 0.06), line(60, 130, 30, 190, 0.05), two=True, width=12)
    d.part(rect(-104, 84, 104, 112, 12), depth=1.0)
    d.part(rect(-108, 104, 108, 138, 14), depth=1.0)
    trim = "tan leather" if g.material == "Canvas" else "dark"
    for x in (-52, 52):
        d.part(rect(x - 9, 82, x + 9, 330, 3), trim, depth=0.4)
        d.part(
            without(rect(x - 15, 226, x + 15, 258, 4), rect(x - 8, 233, x + 8, 251, 2)), "metal", depth=0.4, edge=1.0
        )
    d.part(rect(-88, 318, 88, 430, 12), "main", depth=0.7)
    d.stitch(rect(-81, 325, 81, 423, 8))
    d.part(rect(-88, 318, 88, 342, 8), trim, depth=0.5)


def _outdoor(_: Garment, d: Drawing) -> None:
    for sign in (-1, 1):
        d.part(rect(sign * 128 - 26, 270, sign * 128 + 26, 420, 18), "second", depth=0.9)
        d.stitch(line(sign * 128 - 30, 292, sign * 128 + 30, 292), width=1.4)
    body = _pack(110, 124)
    d.part(body)
    d.fold(line(112, 180, 88, 360, -0.06), two=True, width=14)
    lid = Pen(0, 76).curve(70, 74, 116, 92, 122, 150).curve(124, 172, 112, 182, 84, 184).to(0, 188)
    d.part(lid.doubled(), "second", depth=1.0)
    d.zip(-70, 128, 70, 128, 7, 0.05)
    for x in (-58, 58):
        d.part(rect(x - 7, 180, x + 7, 350, 2), "dark", depth=0.3)
        d.part(rect(x - 13, 222, x + 13, 246, 4), "dark", depth=0.6)
    d.part(rect(-84, 300, 84, 428, 20), "main", depth=0.9)
    d.zip(-66, 326, 66, 326, 7, 0.04)
    zigzag = Pen(-46, 352)
    for index in range(6):
        zigzag.to(-46 + 92 * ((index + 1) % 2), 352 + index * 13)
    d.cord(zigzag.open(), 3.6, "second")


def tote_bag(g: Garment, d: Drawing) -> None:
    structured = g.style == "Structured"
    strap = "tan leather" if (g.seed % 3 == 0 and not structured) else "plain"
    wide = 128.0 if structured else 122.0
    back = Pen(-58, 222).curve(-60, 60, 60, 60, 58, 222).open()
    d.part(stroked(back, 13), "inside", depth=0.5)
    d.part(Pen(0, 202).to(wide - 6, 202).to(wide - 2, 226).to(0, 226).doubled(), "inside", depth=0.4)
    pen = Pen(0, 216).to(wide, 212, 0.01)
    if structured:
        pen.to(wide - 14, 430, -0.01).to(0, 432)
    else:
        pen.curve(wide + 4, 280, wide + 8, 400, wide - 2, 446).to(0, 450, 0.02)
    outline = pen.doubled()
    d.part(outline)
    d.fold(line(wide - 16, 216, wide - 50, 330, -0.1), line(36, 448, 60, 340, 0.08), two=True, width=13, strength=0.8)
    d.stitch(line(-150, 230, 150, 230), line(-150, 234, 150, 234))
    if structured:
        d.seam(line(wide - 26, 212, wide - 38, 432), two=True)
        d.part(inside(rect(-160, 396, 160, 440), outline), "plain", depth=0.4)
        d.part(rect(-12, 206, 12, 262, 5), "plain", depth=0.5)
        d.part(oval(0, 248, 5), "metal", depth=0.5, edge=1.0)
    front = Pen(-58, 270).to(-58, 222).curve(-64, 40, 64, 40, 58, 222).to(58, 270).open()
    d.part(stroked(front, 15), strap, depth=0.8)
    for x in (-58, 58):
        d.part(rect(x - 9, 236, x + 9, 274, 2), strap, depth=0.4)
        d.stitch(rect(x - 6, 239, x + 6, 271))
    if g.pattern == "Printed":
        motif(d, g, 0, 346, 1.15)
