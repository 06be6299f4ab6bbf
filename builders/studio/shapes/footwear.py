"""Low shoes in profile, toe to the left, as a pair: the second shoe stands a little behind the first."""

from __future__ import annotations

import skia

from builders.studio.garment import Garment
from builders.studio.pen import Drawing, Pen, inside, line, moved, oval, placed, rect, stroked, without


def pair_of(
    d: Drawing, shoe: Drawing, dx: float = 40.0, dy: float = -112.0, size: float = 0.97, lift: float = 26.0
) -> None:
    for x, y, scale in ((dx, dy + lift, size), (-8.0, lift, 1.0)):
        d.parts += [placed(part, x, y, scale) for part in shoe.parts]


def laces(
    d: Drawing, x0: float, y0: float, x1: float, y1: float, count: int, width: float, fabric: str = "label"
) -> None:
    """Crossing laces along the line from the toe end to the ankle end."""
    for index in range(count):
        at = index / max(count - 1, 1)
        x, y = x0 + (x1 - x0) * at, y0 + (y1 - y0) * at
        d.cord(line(x - width * 0.5, y - 4, x + width * 0.55, y + 9, -0.1), 4.2, fabric)


def sneakers(g: Garment, d: Drawing) -> None:
    shoe = Drawing()
    {"Low-Top": _low_top, "High-Top": _high_top, "Running": _running, "Slip-On": _slip_on}[g.style](g, shoe)
    pair_of(d, shoe, dx=58.0 if g.style == "High-Top" else 44.0, dy=-124.0 if g.style == "High-Top" else -100.0)


def _upper(tongue: tuple[float, float], dip: tuple[float, float], heel: tuple[float, float]) -> skia.Path:
    pen = Pen(-150, 346).curve(-164, 318, -146, 296, -104, 288).curve(-66, 280, -34, 256, tongue[0] - 24, tongue[1] + 4)
    pen.to(tongue[0], tongue[1], 0.2).curve(tongue[0] + 16, dip[1] - 4, dip[0] - 20, dip[1], *dip)
    pen.curve(dip[0] + 24, dip[1], heel[0] - 24, heel[1] + 2, *heel)
    return pen.curve(heel[0] + 14, heel[1] + 34, 140, 300, 146, 346).shape()


def _flat_sole(d: Drawing, fabric: str = "sole") -> None:
    pen = (
        Pen(-154, 336)
        .to(148, 336)
        .curve(156, 346, 154, 362, 148, 368)
        .to(-140, 370)
        .curve(-160, 366, -162, 350, -154, 336)
    )
    d.part(pen.shape(), fabric, depth=0.5)
    d.seam(line(-158, 357, 152, 355), strength=0.8)


def _low_top(g: Garment, d: Drawing) -> None:
    upper = _upper((22, 226), (68, 262), (128, 240))
    d.part(Pen(-6, 236).to(8, 204, 0.1).to(34, 210, 0.2).to(40, 250).shape(), "plain", depth=0.6)
    d.part(oval(78, 258, 50, 13), "inside", depth=0.5)
    d.part(upper)
    d.fold(line(-92, 312, -70, 290, 0.1), line(-74, 318, -50, 282, 0.1), width=8)
    d.stitch(Pen(-62, 280).to(-30, 306, -0.2).to(-44, 340, 0.1).open(), Pen(50, 252).to(66, 338, -0.05).open())
    d.part(
        inside(Pen(96, 210).to(150, 210).to(150, 340).to(116, 340, 0.08).to(96, 250, -0.1).shape(), upper),
        "second",
        depth=0.5,
    )
    toe = Pen(-170, 340).to(-98, 340).to(-108, 286, 0.25).to(-170, 270).shape()
    d.part(inside(toe, upper), "main" if g.material == "Leather" else "sole", depth=0.8)
    stay = Pen(-58, 288).to(14, 226, 0.02).to(38, 240).to(-16, 312, 0.05).to(-50, 308, 0.2).shape()
    d.part(inside(stay, upper), "plain", depth=0.4)
    laces(d, -44, 284, 14, 232, 5, 30)
    if g.pattern == "Colourblocked" or g.material == "Leather":
        d.part(inside(stroked(Pen(-6, 336).to(74, 270, -0.12).open(), 13), upper), "second", depth=0.3, edge=1.0)
    _flat_sole(d)


def _high_top(g: Garment, d: Drawing) -> None:
    pen = Pen(-150, 346).curve(-164, 318, -146, 298, -104, 290).curve(-56, 278, -10, 240, 4, 166)
    pen.to(24, 158, 0.2).curve(60, 172, 96, 172, 124, 160).curve(134, 220, 138, 300, 146, 346)
    upper = pen.shape()
    d.part(Pen(-14, 190).to(-2, 138, 0.05).to(28, 140, 0.2).to(36, 190).shape(), "plain", depth=0.6)
    d.part(oval(74, 162, 50, 11), "inside", depth=0.5)
    d.part(upper)
    d.fold(line(-88, 318, -62, 286, 0.1), line(40, 300, 116, 250, -0.1), width=9)
    d.stitch(Pen(56, 166).to(70, 336, -0.05).open(), Pen(-62, 284).to(-34, 338, -0.3).open())
    toe = Pen(-170, 340).to(-92, 340).to(-106, 286, 0.25).to(-170, 270).shape()
    d.part(inside(toe, upper), "sole", depth=0.8)
    d.stitch(Pen(-96, 336).to(-108, 292, 0.2).open())
    stay = (
        Pen(-60, 290).curve(-24, 262, -2, 230, 6, 164).to(34, 168).curve(32, 232, 10, 290, -34, 316).to(-54, 308, 0.2)
    )
    d.part(inside(stay.shape(), upper), "plain", depth=0.4)
    laces(d, -46, 288, 14, 178, 7, 30)
    d.part(oval(84, 232, 21), "label", depth=0.2)
    d.part(oval(84, 232, 12), "second", depth=0.2)
    d.part(rect(128, 170, 142, 338, 3), "second", depth=0.4) if g.pattern == "Colourblocked" else None
    _flat_sole(d)
    d.part(rect(-152, 338, 150, 343), "second", depth=0, edge=0.6)


def _running(_: Garment, d: Drawing) -> None:
    pen = Pen(-154, 340).curve(-166, 312, -140, 296, -100, 284).curve(-60, 272, -26, 240, 0, 214)
    pen.to(26, 206, 0.2).curve(44, 240, 80, 246, 104, 226).curve(112, 214, 124, 202, 134, 206)
    upper = pen.curve(140, 250, 132, 300, 146, 340).shape()
    d.part(oval(74, 228, 48, 16), "inside", depth=0.5)
    d.part(upper)
    d.fold(line(-96, 310, -66, 282, 0.1), line(-76, 316, -46, 272, 0.1), width=8)
    d.part(
        inside(Pen(-170, 330).to(-110, 326, 0.1).to(-118, 290, 0.2).to(-170, 280).shape(), upper), "second", depth=0.6
    )
    swoop = Pen(-30, 336).curve(10, 318, 40, 280, 56, 244).to(78, 246).curve(66, 290, 40, 324, 10, 338)
    d.part(inside(swoop.shape(), upper), "second", depth=0.3)
    d.part(
        inside(Pen(112, 200).to(160, 196).to(160, 330).to(100, 330, 0.1).to(112, 250, 0.1).shape(), upper),
        "second",
        depth=0.5,
    )
    laces(d, -56, 272, 8, 218, 5, 32)
    sole = Pen(-162, 326).curve(-100, 344, 40, 330, 148, 318).curve(166, 336, 164, 356, 152, 366)
    sole.to(-128, 370, 0.02).curve(-160, 364, -174, 344, -162, 326)
    d.part(sole.shape(), "sole", depth=0.6)
    d.seam(Pen(-166, 342).curve(-100, 356, 40, 346, 158, 336).open())
    d.fold(Pen(20, 366).curve(40, 346, 100, 344, 150, 352).open(), width=6)
    tread = Pen(-140, 363).to(152, 359).to(148, 372).to(-126, 376).to(-146, 368)
    d.part(tread.shape(), "second", depth=0.3)


def _slip_on(g: Garment, d: Drawing) -> None:
    upper = _upper((4, 252), (66, 276), (130, 252))
    d.part(oval(72, 270, 56, 12), "inside", depth=0.5)
    d.part(upper)
    d.fold(line(-92, 312, -66, 288, 0.1), width=9)
    d.seam(Pen(-36, 270).to(-18, 306, -0.2).to(6, 268, -0.2).open())
    d.part(inside(Pen(-28, 272).to(6, 254).to(26, 274).to(-4, 306, 0.1).to(-28, 272).shape(), upper), "rib", depth=0.4)
    collar = Pen(4, 252).curve(20, 272, 46, 276, 66, 276).curve(90, 276, 106, 254, 130, 252).open()
    d.part(inside(stroked(collar, 12), upper), "plain", depth=0.4)
    d.stitch(Pen(96, 262).to(104, 338, -0.05).open())
    _flat_sole(d, "sole" if g.seed % 3 else "gum")


def formal_shoes(g: Garment, d: Drawing) -> None:
    shoe = Drawing()
    _dress_shoe(g, shoe)
    pair_of(d, shoe, dx=44.0, dy=-104.0)


def _dress_shoe(g: Garment, d: Drawing) -> None:
    loafer = g.style == "Loafer"
    tongue = (2.0, 240.0) if loafer else (16.0, 226.0)
    pen = Pen(-160, 346).curve(-170, 326, -152, 306, -108, 298).curve(-66, 290, -36, 268, tongue[0] - 20, tongue[1] + 4)
    pen.to(*tongue, 0.15).curve(20, 262, 44, 264, 66, 262).curve(92, 260, 108, 236, 126, 236)
    upper = pen.curve(140, 270, 132, 310, 142, 346).shape()
    d.part(oval(70, 254, 58, 13), "insole", depth=0.4)
    if not loafer:
        d.part(Pen(-10, 250).to(0, 216, 0.1).to(26, 220, 0.2).to(34, 262).shape(), "plain", depth=0.6)
    d.part(upper)
    d.fold(line(-84, 322, -58, 290, 0.1), line(-60, 330, -36, 282, 0.1), width=8)
    d.light(Pen(-146, 322).to(-104, 304, 0.15).open(), width=8, strength=0.9)
    cap = Pen(-98, 346).to(-92, 296, 0.2).open()
    quarter = Pen(-40, 284).curve(-20, 310, 8, 320, 40, 312).curve(60, 318, 66, 330, 68, 346).open()
    if not loafer:
        d.seam(cap, quarter)
        d.stitch(moved(cap, 4, 0), moved(quarter, 3, -4))
    if g.style == "Brogue":
        d.stitch(moved(cap, -6, 0), moved(quarter, -2, 6), width=3.0)
        for x, y in ((-126, 318), (-134, 326), (-118, 324), (-128, 332), (-116, 312)):
            d.seam(oval(x, y, 1.6), width=1.6)
        d.stitch(Pen(84, 258).curve(88, 300, 110, 310, 138, 312).open(), width=2.6)
    _dress_front(g, d, upper)
    sole = Pen(-166, 342).to(142, 338).to(144, 374).to(72, 374).curve(68, 358, 40, 354, 10, 358)
    sole.curve(-20, 362, -60, 374, -100, 373).curve(-146, 371, -172, 360, -166, 342)
    d.part(sole.shape(), "leather sole" if g.colour != "Black" else "dark", depth=0.3)
    d.stitch(line(-160, 343, 140, 343))


def _dress_front(g: Garment, d: Drawing, upper: skia.Path) -> None:
    """What closes the shoe: an apron, a buckled strap, or laces."""
    if g.style == "Loafer":
        d.seam(Pen(-112, 318).curve(-90, 304, -50, 300, -26, 286).open(), width=2.0)
        apron = Pen(-58, 276).to(10, 244, 0.04).to(30, 290, 0.1).to(4, 344).to(-30, 344).to(-34, 300, 0.1).shape()
        d.part(inside(apron, upper), "plain", depth=0.4)
        if g.seed % 2:
            d.part(rect(-34, 286, 0, 294, 2), "metal", depth=0.6)
        else:
            d.seam(line(-28, 292, 2, 288), width=3)
    elif g.style == "Monk Strap":
        strap = Pen(-34, 268).to(10, 240).to(64, 300, 0.06).to(48, 318).to(-34, 268, -0.1).shape()
        d.part(strap, "plain", depth=0.5)
        d.part(without(rect(30, 282, 54, 308, 3), rect(36, 288, 48, 302, 2)), "metal", depth=0.5, edge=1.0)
    else:
        facing = Pen(-36, 274).to(10, 234, 0.04).to(40, 262).to(2, 308, 0.08).to(-30, 292, 0.2).shape()
        d.part(inside(facing, upper), "plain", depth=0.4)
        laces(d, -20, 272, 12, 244, 4, 26, "dark")


def sandals(g: Garment, d: Drawing) -> None:
    if g.style in ("Slide", "Flip-Flop"):
        _from_above(g, d)
        return
    shoe = Drawing()
    (_gladiator if g.style == "Gladiator" else _wedge)(shoe)
    pair_of(d, shoe, dx=44.0, dy=-124.0)


def _from_above(g: Garment, d: Drawing) -> None:
    """Slides and flip-flops are flat: seen from above, side by side."""
    pen = Pen(0, 92).curve(38, 88, 66, 120, 66, 178).curve(66, 230, 44, 270, 46, 320).curve(52, 380, 34, 420, 2, 420)
    pen.curve(-32, 420, -46, 380, -42, 320).curve(-38, 270, -60, 230, -58, 170).curve(-56, 120, -34, 94, 0, 92)
    sole, foot = pen.shape(), Drawing()
    foot.part(sole, "dark" if g.style == "Slide" else "sole", depth=0.4)
    foot.part(moved(sole, 0, 18, 0, 0.93), "cork" if g.style == "Slide" and g.seed % 3 == 0 else "main", depth=0.5)
    foot.stitch(moved(sole, 0.2, 32, 0, 0.875))
    if g.style == "Slide":
        _slide_bands(foot, two=g.seed % 2 == 1)
    else:
        strap = "inside" if g.seed % 2 else "second"
        for end in (-58.0, 60.0):
            thong = Pen(-3, 146).curve(end * 0.3, 170, end, 200, end, 262).open()
            foot.part(stroked(thong, 15, True), strap, depth=1.0)
        foot.part(oval(-3, 146, 9), strap, depth=0.9)
    for sign in (-1, 1):
        d.parts += [placed(part, sign * 84, 0, flip=sign < 0) for part in foot.parts]


def _slide_bands(foot: Drawing, two: bool) -> None:
    tall = 44 if two else 92
    for y in (160.0, 222.0) if two else (180.0,):
        band = Pen(-66, y - 4).to(72, y - 8, 0.16).to(66, y + tall, 0.05).to(-60, y + tall + 4, -0.12)
        foot.part(band.to(-66, y - 4, 0.05).shape(), "main", depth=1.0)
        foot.stitch(moved(band.open(), 0, 5), moved(band.open(), 0, -5))
        buckle = without(rect(22, y + 6, 44, y + 34, 3), rect(27, y + 12, 39, y + 28, 2))
        foot.part(buckle, "metal", depth=0.5, edge=1.0)


def _gladiator(d: Drawing) -> None:
    d.part(
        Pen(-150, 352)
        .to(-40, 348, 0.03)
        .to(140, 344, -0.03)
        .to(144, 364)
        .to(-136, 370)
        .curve(-156, 368, -160, 356, -150, 352)
        .shape(),
        "cork",
        depth=0.4,
    )
    d.part(Pen(-150, 366).to(144, 360).to(142, 371).to(-134, 376, 0.01).shape(), "leather sole", depth=0.3)
    d.part(Pen(96, 350).to(92, 250, 0.1).to(138, 246).to(142, 346).shape(), depth=0.8)
    for x0, y0, x1, y1, wide in (
        (-126.0, 352.0, -84.0, 350.0, 22.0),
        (-70.0, 350.0, -14.0, 348.0, 20.0),
        (-16.0, 348.0, 52.0, 346.0, 18.0),
    ):
        top = 300 - (x0 + 126) * 0.36
        d.part(stroked(Pen(x0, y0).curve(x0 + 6, top, x1 - 10, top, x1, y1).open(), wide), depth=0.8)
    d.part(stroked(Pen(-62, 318).curve(-30, 290, 0, 262, 26, 224).open(), 13), depth=0.7)
    for y in (224.0, 258.0):
        d.part(stroked(Pen(20 - (y - 224) * 0.5, y).curve(50, y + 24, 100, y + 22, 138, y - 2).open(), 14), depth=0.8)
        d.part(without(rect(66, y + 8, 86, y + 28, 2), rect(71, y + 13, 81, y + 23, 1)), "metal", depth=0.4, edge=1.0)


def _wedge(d: Drawing) -> None:
    sole = Pen(-152, 356).curve(-60, 356, 20, 300, 142, 284).curve(148, 310, 140, 350, 142, 374).to(-134, 376)
    d.part(sole.curve(-156, 374, -160, 364, -152, 356).shape(), "cork", depth=0.5)
    for y in (330, 344, 358):
        d.seam(line(-120 + (358 - y) * 4.4, y + 6, 160, y - 6, 0.01), strength=0.6)
    d.part(stroked(Pen(-150, 354).curve(-60, 354, 20, 298, 142, 281).open(), 7), "insole", depth=0.2, edge=1.0)
    d.part(stroked(Pen(-112, 352).curve(-110, 298, -60, 290, -34, 336).open(), 40), depth=0.9)
    d.stitch(Pen(-124, 330).curve(-110, 282, -60, 272, -26, 326).open())
    d.part(stroked(Pen(126, 284).curve(136, 250, 136, 220, 128, 200).open(), 16), depth=0.7)
    d.part(stroked(Pen(22, 214).curve(50, 240, 104, 234, 134, 206).open(), 14), depth=0.8)
    d.part(stroked(Pen(22, 214).curve(50, 196, 104, 190, 134, 206).open(), 9), "inside", depth=0.3)
    d.part(without(rect(56, 219, 78, 241, 2), rect(61, 224, 73, 236, 1)), "metal", depth=0.4, edge=1.0)
