"""Hats and caps."""

from __future__ import annotations

import math

from builders.studio.garment import Garment
from builders.studio.pen import Drawing, Pen, inside, line, oval, rect, stroked
from builders.studio.shapes.motifs import motif


def hat(g: Garment, d: Drawing) -> None:
    {"Fedora": _fedora, "Bucket": _bucket, "Beanie": _beanie, "Sun Hat": _sun_hat}[g.style](g, d)


def _fedora(_: Garment, d: Drawing) -> None:
    d.part(Pen(0, 296).curve(70, 296, 130, 300, 152, 292).to(0, 330, 0.12).doubled(), "inside", depth=0.5)
    crown = Pen(0, 182).curve(18, 168, 46, 160, 66, 172).curve(88, 186, 92, 250, 98, 312).to(0, 330, 0.08)
    d.part(crown.doubled())
    d.fold(Pen(0, 184).curve(-6, 204, -4, 216, 0, 228).open(), width=16, strength=1.1)
    d.fold(line(-66, 190, -40, 230, -0.15), line(66, 190, 40, 230, 0.15), width=16)
    band = Pen(0, 284).to(95, 270, -0.06).to(99, 314).to(0, 332, 0.08)
    d.part(band.doubled(), "second", depth=0.6)
    d.part(Pen(-92, 276).to(-68, 280).to(-76, 294).to(-66, 308).to(-92, 306).shape(), "second", depth=0.5)
    brim = Pen(0, 322).curve(60, 318, 90, 300, 100, 296).curve(134, 290, 168, 288, 176, 302)
    brim.curve(178, 326, 96, 362, 0, 362)
    d.part(brim.doubled())
    d.stitch(Pen(172, 310).curve(150, 336, 80, 354, 0, 354).open(), two=True)
    d.fold(Pen(0, 326).curve(60, 322, 90, 306, 106, 298).open(), two=True, width=8)


def _bucket(_: Garment, d: Drawing) -> None:
    crown = Pen(0, 168).curve(50, 166, 84, 168, 92, 180).curve(100, 220, 104, 260, 112, 296).to(0, 310, 0.05).doubled()
    d.part(crown)
    d.seam(Pen(92, 184).to(0, 194, 0.1).open(), two=True)
    d.seam(line(0, 194, 0, 310))
    for x in (-54, 54):
        d.seam(oval(x, 232, 3.4), width=1.6)
    brim = (
        Pen(0, 296).to(111, 286, -0.05).curve(130, 310, 156, 344, 166, 366).curve(110, 392, 50, 394, 0, 394).doubled()
    )
    d.part(brim)
    for step in range(1, 6):
        y = 300 + step * 16
        d.stitch(Pen(0, y).to(112 + step * 9, y - 15 + step * 1.5, -0.07).open(), two=True)
    d.fold(line(40, 310, 60, 390, 0.02), line(-70, 310, -96, 388, 0.02), width=13)


def _beanie(g: Garment, d: Drawing) -> None:
    dome = Pen(0, 138).curve(70, 136, 116, 190, 118, 300).to(118, 330).to(0, 330).doubled()
    if g.seed % 2:
        for index in range(26):
            angle = index * 2.399
            reach = 24 * math.sqrt((index + 1) / 26)
            d.part(oval(math.sin(angle) * reach, 120 + math.cos(angle) * reach, 9), "second", depth=0.9, edge=0.6)
    d.part(dome)
    for x in range(-5, 6):
        d.fold(Pen(x * 22, 330).curve(x * 21, 240, x * 14, 170, x * 3, 142).open(), width=8, strength=0.9)
    cuff = Pen(0, 304).to(122, 300, 0.01).curve(128, 320, 128, 360, 122, 378).to(0, 384, 0.02).doubled()
    d.part(cuff, "second rib" if g.pattern == "Colourblocked" else "rib", depth=1.0)
    for x in range(-10, 11):
        d.fold(line(x * 12, 300, x * 12, 386), width=5, strength=0.8)
    d.part(rect(-17, 334, 17, 354, 2), "tan leather", depth=0.3, edge=1.0)


def _sun_hat(_: Garment, d: Drawing) -> None:
    d.part(oval(0, 318, 176, 62), depth=0.8)
    for share in (0.92, 0.82, 0.72):
        d.seam(oval(0, 316, 176 * share, 62 * share), strength=0.5)
    d.fold(oval(0, 312, 106, 34), width=14, strength=1.0)
    crown = Pen(0, 178).curve(58, 176, 88, 204, 92, 300).curve(60, 326, 30, 328, 0, 328).doubled()
    d.part(crown)
    for y in (206, 230, 254):
        d.seam(line(-100, y, 100, y, -0.1), strength=0.5)
    band = inside(stroked(line(-110, 288, 110, 288, -0.13), 30), crown)
    d.part(band, "second", depth=0.6)
    tail = Pen(70, 302).to(94, 296).to(118, 340, 0.05).to(104, 338).to(96, 350).shape()
    d.part(tail, "second", depth=0.5)


def cap(g: Garment, d: Drawing) -> None:
    {"Baseball": _baseball, "Trucker": _trucker, "Flat Cap": _flat_cap}[g.style](g, d)


def _dome(d: Drawing, back: str, front: str) -> None:
    """A cap in three-quarter view, peak to the left."""
    dome = Pen(-96, 302).curve(-100, 214, -50, 164, 24, 164).curve(104, 166, 146, 226, 146, 306)
    outline = dome.curve(100, 326, -20, 330, -96, 302).shape()
    d.part(outline, back)
    panel = Pen(-104, 310).curve(-100, 214, -50, 160, 24, 160).curve(50, 210, 56, 270, 46, 330).to(-104, 330).shape()
    d.part(inside(panel, outline), front, depth=0.7)


def _peak(d: Drawing, fabric: str) -> None:
    peak = (
        Pen(-98, 290)
        .curve(-140, 292, -178, 320, -182, 346)
        .curve(-150, 366, -70, 356, -8, 320)
        .curve(-40, 318, -80, 310, -98, 290)
    )
    d.part(peak.shape(), fabric)
    for step in range(1, 4):
        s = step * 9
        d.stitch(Pen(-100, 296 + s).curve(-130, 300 + s * 0.6, -162, 322, -172 + s, 348).open(), strength=0.8)
    d.fold(Pen(-98, 294).curve(-80, 314, -40, 322, -4, 324).open(), width=9)


def _baseball(g: Garment, d: Drawing) -> None:
    _dome(d, "main", "main")
    d.seam(Pen(24, 164).curve(90, 190, 106, 250, 104, 322).open())
    d.part(oval(24, 165, 9, 5), "plain", depth=0.6)
    d.seam(oval(72, 212, 3), width=1.6)
    if g.pattern == "Printed":
        motif(d, g, -36, 250, 0.46)
    else:
        d.seam(Pen(24, 164).curve(-26, 190, -50, 240, -48, 320).open())
    _peak(d, "second" if g.pattern == "Colourblocked" else "main")


def _trucker(g: Garment, d: Drawing) -> None:
    _dome(d, "second", "plain")
    back = d.parts[-2]
    for step in range(-14, 20):
        x = step * 12.0
        Drawing([back]).seam(line(x, 150, x + 190, 340), line(x + 100, 150, x - 90, 340), width=0.8, strength=0.7)
    d.part(oval(24, 165, 9, 5), "plain", depth=0.6)
    motif(d, g, -36, 248, 0.5)
    _peak(d, "plain")


def _flat_cap(_: Garment, d: Drawing) -> None:
    body = Pen(-128, 318).curve(-120, 252, -50, 206, 40, 202).curve(120, 200, 160, 250, 152, 320)
    d.part(
        Pen(-150, 318).curve(-166, 336, -150, 350, -120, 350).to(-10, 338, 0.08).to(-60, 312, 0.05).shape(),
        "plain",
        depth=0.8,
    )
    d.part(body.curve(90, 340, -60, 346, -128, 318).shape())
    d.seam(Pen(-40, 222).curve(20, 250, 100, 260, 150, 290).open(), strength=0.9)
    d.fold(Pen(-120, 312).curve(-60, 290, 40, 300, 140, 316).open(), width=13, strength=1.1)
    d.fold(line(-80, 270, 20, 240, 0.1), line(60, 214, 130, 260, -0.1), width=13, strength=0.8)
    d.part(oval(42, 206, 9, 6), "plain", depth=0.6)
    d.button(-104, 316, 4)
