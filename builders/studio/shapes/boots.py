"""Boots and heels in profile, toe to the left."""

from __future__ import annotations

import skia

from builders.studio.garment import Garment
from builders.studio.pen import Drawing, Pen, inside, line, oval, rect, stroked
from builders.studio.shapes.footwear import laces, pair_of


def boots(g: Garment, d: Drawing) -> None:
    shoe = Drawing()
    {"Chelsea": _chelsea, "Lace-Up": _lace_up, "Ankle": _ankle_boot, "Knee-High": _knee_high}[g.style](g, shoe)
    if g.style == "Knee-High":
        tall = Drawing()
        pair_of(tall, shoe, dx=92.0, dy=-40.0, lift=92.0)
        d.parts += tall.parts
    else:
        pair_of(d, shoe, dx=84.0, dy=-112.0)


def _boot(top: float, toe: float = -140.0, width: float = 1.0) -> skia.Path:
    pen = Pen(toe, 346).curve(toe - 12, 320, toe + 14, 298, toe + 46, 292).curve(-60, 282, -22, 262, -8, 226)
    pen.curve(-2, 200, 2 - 6 * width, top + 40, 0 - 8 * width, top)
    return pen.to(112 + 6 * width, top, -0.03).curve(116, 230, 108, 280, 124, 346).shape()


def _boot_sole(d: Drawing, fabric: str, heel: float = 16.0) -> None:
    floor = 362 + heel
    pen = Pen(-147, 340).to(128, 340).to(128, floor).to(54, floor).curve(48, floor - 16, 24, 356, 0, 358)
    pen.curve(-24, 360, -54, floor, -90, floor - 1).curve(-140, floor - 3, -160, 358, -147, 340)
    d.part(pen.shape(), fabric, depth=0.4)
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
    laces(d, -30, 286, 10, 156, 8, 34, "tan leather" if g.colour in ("Black", "Brown", "Burgundy") else "dark")
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
        d.part(Pen(64, 348).to(126, 348).to(122, 386, 0.03).to(84, 386).to(64, 348, 0.08).shape(), "plain", depth=0.5)
        d.part(rect(83, 382, 122, 388, 1), "dark", depth=0.2, edge=1.0)
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
    pair_of(d, shoe, dx=46.0, dy=-132.0)


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
