"""Shoes in profile, toe to the left, as a pair: the second shoe stands a little behind the first."""

from __future__ import annotations

import skia

from builders.studio.garment import Garment
from builders.studio.pen import Drawing, Mark, Part, Pen, inside, line, moved, oval, rect, stroked, without


def _pair(
    d: Drawing, shoe: Drawing, dx: float = 40.0, dy: float = -112.0, size: float = 0.97, lift: float = 26.0
) -> None:
    for x, y, scale in ((dx, dy + lift, size), (-8.0, lift, 1.0)):
        for part in shoe.parts:
            marks = [Mark(moved(m.path, x, y, 0, scale), m.kind, m.width, m.strength) for m in part.marks]
            d.parts.append(
                Part(moved(part.outline, x, y, 0, scale), part.fabric, part.grain, part.depth, part.edge, marks)
            )


def _laces(
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
    _pair(d, shoe, dx=58.0 if g.style == "High-Top" else 40.0, dy=-124.0)


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
    upper = _upper((20, 222), (62, 248), (126, 226))
    d.part(Pen(-6, 236).to(8, 204, 0.1).to(34, 210, 0.2).to(40, 250).shape(), "plain", depth=0.6)
    d.part(oval(72, 244, 52, 13), "inside", depth=0.5)
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
    _laces(d, -44, 284, 14, 232, 5, 30)
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
    _laces(d, -46, 288, 14, 178, 7, 30)
    d.part(oval(84, 232, 21), "label", depth=0.2)
    d.part(oval(84, 232, 12), "second", depth=0.2)
    d.part(rect(128, 170, 142, 338, 3), "second", depth=0.4) if g.pattern == "Colourblocked" else None
    _flat_sole(d)
    d.part(rect(-152, 338, 150, 343), "second", depth=0, edge=0.6)


def _running(g: Garment, d: Drawing) -> None:
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
    _laces(d, -56, 272, 8, 218, 5, 32)
    sole = Pen(-162, 326).curve(-100, 344, 40, 330, 148, 318).curve(166, 336, 164, 356, 152, 366)
    sole.to(-128, 370, 0.02).curve(-160, 364, -174, 344, -162, 326)
    d.part(sole.shape(), "sole", depth=0.6)
    d.seam(Pen(-166, 342).curve(-100, 356, 40, 346, 158, 336).open())
    d.fold(Pen(20, 366).curve(40, 346, 100, 344, 150, 352).open(), width=6)
    tread = Pen(-140, 363).to(152, 359).to(148, 372).to(-126, 376).to(-146, 368)
    d.part(tread.shape(), "second", depth=0.3)


def _slip_on(g: Garment, d: Drawing) -> None:
    upper = _upper((0, 240), (58, 258), (128, 232))
    d.part(oval(66, 252, 58, 12), "inside", depth=0.5)
    d.part(upper)
    d.fold(line(-92, 312, -66, 288, 0.1), width=9)
    d.seam(Pen(-36, 262).to(-18, 300, -0.2).to(6, 262, -0.2).open())
    d.part(inside(Pen(-30, 262).to(8, 244).to(26, 266).to(-4, 300, 0.1).to(-30, 262).shape(), upper), "rib", depth=0.4)
    collar = Pen(0, 240).curve(16, 254, 38, 258, 58, 258).curve(82, 258, 104, 234, 128, 232).open()
    d.part(inside(stroked(collar, 12), upper), "plain", depth=0.4)
    d.stitch(Pen(92, 246).to(102, 338, -0.05).open())
    _flat_sole(d, "sole" if g.seed % 3 else "gum")


def boots(g: Garment, d: Drawing) -> None:
    shoe = Drawing()
    {"Chelsea": _chelsea, "Lace-Up": _lace_up, "Ankle": _ankle_boot, "Knee-High": _knee_high}[g.style](g, shoe)
    if g.style == "Knee-High":
        tall = Drawing()
        _pair(tall, shoe, dx=92.0, dy=-40.0, lift=92.0)
        d.parts += tall.parts
    else:
        _pair(d, shoe, dx=84.0, dy=-112.0)


def _boot(top: float, toe: float = -140.0, width: float = 1.0) -> skia.Path:
    pen = Pen(toe, 346).curve(toe - 12, 320, toe + 14, 298, toe + 46, 292).curve(-60, 282, -22, 262, -8, 226)
    pen.curve(-2, 200, 2 - 6 * width, top + 40, 0 - 8 * width, top)
    return pen.to(112 + 6 * width, top, -0.03).curve(116, 230, 108, 280, 124, 346).shape()


def _boot_sole(d: Drawing, fabric: str, heel: float = 16.0) -> None:
    pen = Pen(-146, 340).to(128, 340).to(128, 366 + heel).to(52, 366 + heel).curve(40, 356, 20, 356, 0, 358)
    d.part(pen.to(-130, 360).curve(-148, 358, -152, 348, -146, 340).shape(), fabric, depth=0.4)
    d.seam(line(-148, 350, 130, 350), strength=0.8)


def _chelsea(g: Garment, d: Drawing) -> None:
    boot = _boot(158)
    d.part(oval(53, 158, 58, 8), "inside", depth=0.5)
    d.part(boot)
    gore = Pen(30, 158).to(84, 158).curve(80, 220, 72, 256, 58, 270).curve(42, 254, 34, 220, 30, 158)
    d.part(gore.shape(), "dark" if g.colour != "Black" else "inside", depth=0.4)
    for x in (40, 48, 56, 64, 72):
        d.seam(line(x, 150, x + (57 - x) * 0.4, 270), strength=0.7)
    d.fold(line(-70, 318, -40, 274, 0.1), line(-24, 318, 20, 270, 0.1), width=9)
    d.cord(Pen(110, 166).curve(104, 134, 122, 130, 122, 160).open(), 6, "plain")
    _boot_sole(d, "leather sole" if g.seed % 2 else "dark")


def _lace_up(g: Garment, d: Drawing) -> None:
    boot = _boot(140)
    d.part(Pen(-14, 170).to(-12, 118, 0.08).to(26, 122, 0.2).to(30, 170).shape(), "plain", depth=0.6)
    d.part(oval(53, 141, 58, 9), "inside", depth=0.5)
    d.part(boot)
    d.fold(line(40, 300, 112, 256, -0.1), width=10)
    d.part(inside(Pen(-170, 346).to(-66, 346).to(-84, 280, 0.25).to(-170, 270).shape(), boot), "plain", depth=0.8)
    d.stitch(Pen(-62, 346).to(-80, 284, 0.25).open())
    d.part(inside(Pen(70, 346).to(84, 270, 0.12).to(120, 236, -0.1).to(150, 346).shape(), boot), "plain", depth=0.5)
    stay = Pen(-50, 296).curve(-16, 262, 2, 220, -4, 140).to(30, 140).curve(36, 220, 20, 280, -20, 316)
    d.part(inside(stay.shape(), boot), "plain", depth=0.4)
    d.part(
        inside(stroked(Pen(-20, 148).to(130, 148).open(), 18), boot),
        "dark" if g.colour != "Black" else "inside",
        depth=0.4,
    )
    _laces(d, -30, 286, 10, 156, 8, 34, "tan leather" if g.colour in ("Black", "Brown", "Burgundy") else "dark")
    _boot_sole(d, "gum" if g.seed % 2 else "dark")


def _heel(d: Drawing, top: float, floor: float, back: float, front: float, tip: float, fabric: str = "main") -> None:
    """A heel under the right end of the shoe; narrows from (front..back) at the top to `tip` at the floor."""
    pen = Pen(front, top).to(back, top).curve(back + 2, top + 30, back - 6, floor - 30, back - 8, floor)
    pen.to(back - 8 - tip, floor)
    d.part(pen.curve(back - 12 - tip, floor - 40, front + 14, top + 36, front, top).shape(), fabric, depth=0.6)
    d.part(rect(back - 8 - tip, floor - 5, back - 8, floor, 1), "dark", depth=0.2, edge=1.0)


def _ankle_boot(g: Garment, d: Drawing) -> None:
    high = 70.0 if g.heel == "High Heel" else 48.0
    rise = high * 0.9
    floor = 372.0
    _heel(d, floor - high - 8, floor, 122, 58, 26 if g.seed % 2 else 12, "plain")
    pen = Pen(-146, floor - 6).curve(-152, floor - 26, -130, floor - 38, -104, floor - 46)
    pen.curve(-50, floor - 66, -10, floor - 96, 2, floor - 130).curve(8, 220, 6, 190, 4, 160)
    pen.to(116, 152, -0.03).curve(112, 200, 110, 240, 124, floor - high)
    pen.to(62, floor - high + 4).curve(20, floor - rise + 20, -30, floor - 4, -80, floor - 2)
    boot = pen.to(-146, floor - 6, 0.05).shape()
    d.part(oval(60, 156, 56, 8), "inside", depth=0.5)
    d.part(boot)
    d.fold(line(-40, 340, 6, 284, 0.1), line(30, 300, 104, 250, -0.12), width=10)
    d.seam(line(52, 156, 40, floor - high * 0.7, -0.04), width=2.0)
    d.stitch(line(57, 156, 45, floor - high * 0.7, -0.04))
    d.part(rect(49, 172, 57, 192, 2), "metal", depth=0.5, edge=1.0)
    sole = (
        Pen(-148, floor - 7)
        .to(-80, floor - 3, -0.04)
        .curve(-30, floor - 4, 20, floor - rise + 22, 62, floor - high + 4)
    )
    d.part(stroked(sole.open(), 6), "dark", depth=0, edge=0.6)


def _knee_high(g: Garment, d: Drawing) -> None:
    heel = 40.0 if g.heel == "Mid Heel" else 18.0
    boot = _boot(10, width=3.0)
    if heel > 30:
        _heel(d, 350, 374, 122, 62, 30, "plain")
    d.part(oval(53, 10, 78, 10), "inside", depth=0.5)
    d.part(boot)
    d.fold(line(-10, 268, 60, 250, 0.15), line(110, 236, 40, 226, 0.15), line(0, 208, 70, 214, -0.1), width=10)
    d.fold(line(-70, 318, -36, 278, 0.1), width=9)
    d.light(line(10, 40, 22, 200, -0.04), width=12, strength=0.6)
    d.seam(line(82, 4, 76, 300, 0.02), width=1.8)
    d.seam(line(-40, 34, 150, 34, 0.03), strength=0.9)
    d.part(inside(stroked(line(-30, 30, 150, 30, 0.03), 12), boot), "plain", depth=0.3)
    d.part(rect(96, 22, 110, 40, 2), "metal", depth=0.5)
    sole = (
        Pen(-146, 340)
        .to(40, 344)
        .to(126, 340)
        .to(126, 352)
        .to(60, 354)
        .to(-128, 358)
        .curve(-148, 356, -150, 348, -146, 340)
    )
    d.part(sole.shape(), "dark", depth=0.3)
    if heel <= 30:
        d.part(rect(66, 350, 124, 372, 2), "dark", depth=0.4)


def heels(g: Garment, d: Drawing) -> None:
    shoe = Drawing()
    _court_shoe(g, shoe, 132.0 if g.heel == "High Heel" else 96.0)
    _pair(d, shoe, dx=46.0, dy=-132.0)


def _court_shoe(g: Garment, d: Drawing, high: float) -> None:
    floor = 376.0
    seat = floor - high
    block = g.style == "Block Heel"
    _heel(d, seat + 6, floor, 138, 84 if block else 92, 34.0 if block else 7.0, "plain")
    peep = g.style == "Peep Toe"
    toe = -134.0 if peep or block else -154.0
    insole = Pen(-60, floor - 40).curve(0, floor - 70, 50, seat - 6, 128, seat - 12).to(120, seat + 8)
    d.part(insole.curve(60, seat + 10, 0, floor - 40, -50, floor - 22).shape(), "insole", depth=0.3)
    pen = Pen(toe, floor - 6).curve(toe + 4, floor - 24, toe + 40, floor - 42, -66, floor - 52)
    pen.to(-48, floor - 50, 0.1).curve(-30, floor - 22, 30, seat + 34, 78, seat + 14)
    pen.curve(96, seat + 4, 108, seat - 30, 126, seat - 52).to(134, seat - 52, 0.2)
    pen.curve(144, seat - 26, 144, seat + 2, 138, seat + 14).to(92, seat + 22)
    pen.curve(40, seat + 52, -10, floor - 6, -60, floor - 3)
    upper = pen.to(toe, floor - 6, 0.03).shape()
    d.part(upper)
    d.light(Pen(toe + 20, floor - 18).to(-60, floor - 42, 0.1).open(), width=6, strength=0.8)
    if peep:
        d.part(inside(oval(toe + 2, floor - 14, 18, 12), upper), "insole", depth=0.4)
    sole = (
        Pen(toe - 1, floor - 4)
        .to(-60, floor - 1, -0.03)
        .curve(-10, floor - 4, 40, seat + 54, 92, seat + 24)
        .to(138, seat + 17)
    )
    d.part(stroked(sole.open(), 4.5), "leather sole" if g.seed % 3 else "dark", depth=0, edge=0.6)
    if g.style in ("Ankle Strap", "Block Heel"):
        y = seat - 84
        d.part(stroked(Pen(132, seat - 48).curve(136, seat - 70, 134, y, 132, y + 6).open(), 9), "plain", depth=0.5)
        d.part(stroked(Pen(50, y + 4).curve(60, y + 20, 110, y + 20, 134, y + 2).open(), 10), "plain", depth=0.5)
        d.part(stroked(Pen(50, y + 4).curve(60, y - 8, 110, y - 10, 134, y + 2).open(), 7), "inside", depth=0.3)
        d.part(rect(70, y + 8, 82, y + 22, 2), "metal", depth=0.5, edge=1.0)
    elif g.seed % 2 and not peep:
        d.part(rect(-76, floor - 60, -50, floor - 46, 3), "metal", depth=0.5, edge=1.0)


def formal_shoes(g: Garment, d: Drawing) -> None:
    shoe = Drawing()
    _dress_shoe(g, shoe)
    _pair(d, shoe, dx=40.0, dy=-116.0)


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
    if loafer:
        d.seam(Pen(-112, 318).curve(-90, 304, -50, 300, -26, 286).open(), width=2.0)
        d.part(
            inside(
                Pen(-58, 276).to(10, 244, 0.04).to(30, 290, 0.1).to(4, 344).to(-30, 344).to(-34, 300, 0.1).shape(),
                upper,
            ),
            "plain",
            depth=0.4,
        )
        d.part(rect(-34, 286, 0, 294, 2), "metal", depth=0.6) if g.seed % 2 else d.seam(line(-28, 292, 2, 288), width=3)
    elif g.style == "Monk Strap":
        strap = Pen(-34, 268).to(10, 240).to(64, 300, 0.06).to(48, 318).to(-34, 268, -0.1).shape()
        d.part(strap, "plain", depth=0.5)
        d.part(without(rect(30, 282, 54, 308, 3), rect(36, 288, 48, 302, 2)), "metal", depth=0.5, edge=1.0)
    else:
        facing = Pen(-36, 274).to(10, 234, 0.04).to(40, 262).to(2, 308, 0.08).to(-30, 292, 0.2).shape()
        d.part(inside(facing, upper), "plain", depth=0.4)
        _laces(d, -20, 272, 12, 244, 4, 26, "dark")
    sole = (
        Pen(-164, 338)
        .to(142, 338)
        .to(144, 376)
        .to(70, 376)
        .to(64, 352)
        .to(-146, 356)
        .curve(-166, 354, -170, 346, -164, 338)
    )
    d.part(sole.shape(), "leather sole" if g.colour != "Black" else "dark", depth=0.3)
    d.stitch(line(-160, 343, 140, 343))


def sandals(g: Garment, d: Drawing) -> None:
    if g.style in ("Slide", "Flip-Flop"):
        _from_above(g, d)
        return
    shoe = Drawing()
    (_gladiator if g.style == "Gladiator" else _wedge)(shoe)
    _pair(d, shoe, dx=44.0, dy=-124.0)


def _from_above(g: Garment, d: Drawing) -> None:
    """Slides and flip-flops are flat: seen from above, side by side."""
    strap = "inside" if g.seed % 2 else "second"
    for sign in (-1.0, 1.0):
        foot = Drawing()
        pen = (
            Pen(0, 92).curve(38, 88, 66, 120, 66, 178).curve(66, 230, 44, 270, 46, 320).curve(52, 380, 34, 420, 2, 420)
        )
        sole = (
            pen.curve(-32, 420, -46, 380, -42, 320)
            .curve(-38, 270, -60, 230, -58, 170)
            .curve(-56, 120, -34, 94, 0, 92)
            .shape()
        )
        rim = Drawing()
        rim.part(sole, "dark" if g.style == "Slide" else "sole", depth=0.4)
        bed = moved(sole, 0, 18, 0, 0.93)
        rim.part(bed, "cork" if g.style == "Slide" else "main", depth=0.5)
        rim.stitch(moved(sole, 0.2, 32, 0, 0.875))
        foot.parts += rim.parts
        if g.style == "Slide":
            for y in (160.0, 222.0) if g.seed % 2 else (180.0,):
                tall = 44 if g.seed % 2 else 92
                band = Pen(-66, y - 4).to(72, y - 8, 0.16).to(66, y + tall, 0.05).to(-60, y + tall + 4, -0.12)
                foot.part(band.to(-66, y - 4, 0.05).shape(), "main", depth=1.0)
                foot.stitch(moved(band.open(), 0, 5), moved(band.open(), 0, -5))
                foot.part(
                    without(rect(22, y + 6, 44, y + 34, 3), rect(27, y + 12, 39, y + 28, 2)),
                    "metal",
                    depth=0.5,
                    edge=1.0,
                )
        else:
            for end in (-58.0, 60.0):
                foot.part(
                    stroked(Pen(-3, 146).curve(end * 0.3, 170, end, 200, end, 262).open(), 15, True), strap, depth=1.0
                )
            foot.part(oval(-3, 146, 9), strap, depth=0.9)
        for part in foot.parts:
            marks = [
                Mark(moved(m.path, flip=sign < 0, dx=sign * 84, dy=0), m.kind, m.width, m.strength) for m in part.marks
            ]
            d.parts.append(
                Part(
                    moved(part.outline, flip=sign < 0, dx=sign * 84, dy=0), part.fabric, 0, part.depth, part.edge, marks
                )
            )


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
