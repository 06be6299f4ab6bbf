"""Scarf, belt, tie, sunglasses, watch."""

from __future__ import annotations

import math

import skia

from builders.studio.garment import Garment
from builders.studio.pen import Drawing, Pen, both, inside, line, mirror, moved, oval, polar, rect, stroked, without


def scarf(g: Garment, d: Drawing) -> None:
    """Looped once, both ends hanging."""
    d.part(Pen(-56, 118).curve(-60, 60, 60, 60, 56, 118).to(0, 150, 0.2).to(-56, 118, 0.2).shape(), "inside", depth=0.6)
    _scarf_end(g, d, Pen(4, 180).to(70, 168).to(92, 400, 0.04).to(20, 414), 20, 92, 414, 400)
    _scarf_end(g, d, Pen(-52, 180).to(26, 190).to(10, 440, -0.04).to(-72, 434), -72, 10, 434, 440)
    loop = Pen(-84, 130).curve(-84, 86, -60, 72, -46, 82).curve(-40, 132, 40, 132, 46, 82)
    loop.curve(64, 72, 86, 92, 82, 136).curve(76, 186, 36, 210, 0, 210).curve(-40, 210, -78, 182, -84, 130)
    d.part(loop.shape(), grain=8)
    d.fold(
        Pen(-74, 112).curve(-60, 160, 40, 176, 78, 118).open(),
        Pen(-62, 96).curve(-40, 150, 40, 152, 62, 98).open(),
        width=10,
        strength=1.2,
    )
    d.fold(Pen(-76, 150).curve(-40, 196, 30, 200, 70, 160).open(), width=9)


def _scarf_end(g: Garment, d: Drawing, pen: Pen, x0: float, x1: float, y0: float, y1: float) -> None:
    d.part(pen.shape(), grain=-3)
    middle = (x0 + x1) / 2
    d.fold(line(middle - 16, y0, middle - 24, 210), line(middle + 16, y1, middle + 2, 240), width=11, strength=1.1)
    if g.style != "Fringed":
        d.stitch(line(x0, y0 - 6, x1, y1 - 6))
        return
    for index in range(12):
        at = (index + 0.5) / 12
        x, y = x0 + (x1 - x0) * at, y0 + (y1 - y0) * at
        sway = math.sin(index * 2.4) * 2
        d.cord(line(x, y - 1, x + sway, y + 32 + (index % 3) * 2, 0.05), 3.4, "plain")


def belt(g: Garment, d: Drawing) -> None:
    """Rolled up and seen slightly from above, the buckle in front."""
    tall = 62.0 if g.style == "Wide" else 42.0
    rx, ry, y = 138.0, 62.0, 236.0
    ring = without(
        both(oval(0, y, rx, ry), both(rect(-rx, y, rx, y + tall), oval(0, y + tall, rx, ry))), oval(0, y, rx, ry)
    )
    inner = inside(without(oval(0, y, rx, ry), oval(0, y + tall * 0.9, rx, ry)), oval(0, y, rx, ry))
    d.part(inner, "back", depth=0.3)
    d.part(ring, depth=0.8)
    lower, upper = Pen(-rx, y + tall - 5), Pen(-rx, y + 5)
    d.stitch(upper.curve(-rx, y + ry * 1.36, rx, y + ry * 1.36, rx, y + 5).open())
    d.stitch(lower.curve(-rx, y + tall + ry * 1.26, rx, y + tall + ry * 1.26, rx, y + tall - 5).open())
    if g.style == "Braided":
        _braid(d, rx, ry, y, tall)
    base = y + ry
    tip = (
        Pen(24, base - 2)
        .to(112, base - 34, -0.1)
        .to(126, base - 14, 0.2)
        .to(116, base + tall - 32, 0.2)
        .to(24, base + tall, 0.1)
    )
    d.part(tip.shape(), "plain", depth=0.6)
    for x in (52, 74, 96):
        d.seam(oval(x, base + tall / 2 - 6 - (x - 40) * 0.2, 2.6), width=2.6)
    half = tall / 2 + 9
    mid = base + tall / 2
    if g.closure == "Plate Buckle":
        d.part(rect(-42, mid - half, 30, mid + half, 8), "metal", depth=0.8)
        d.seam(rect(-34, mid - half + 8, 22, mid + half - 8, 4))
    else:
        frame = without(rect(-44, mid - half, 30, mid + half, 9), rect(-32, mid - half + 12, 18, mid + half - 12, 4))
        d.part(frame, "metal", depth=0.7)
        d.part(rect(-34, mid - 4, 34, mid + 4, 3), "metal", depth=0.5)
    d.part(rect(52, mid - tall / 2 - 8, 66, mid + tall / 2 - 1, 3), "plain", depth=0.5)


def _braid(d: Drawing, rx: float, ry: float, y: float, tall: float) -> None:
    for index in range(25):
        angle = math.pi * (index / 24)
        x, at = -rx * math.cos(angle), y + ry * math.sin(angle)
        d.seam(line(x - 9, at, x + 9, at + tall), line(x + 9, at, x - 9, at + tall), width=1.4)
        d.fold(line(x - 8, at + 2, x + 10, at + tall), width=4, strength=0.9)


def tie(g: Garment, d: Drawing) -> None:
    if g.style == "Bow Tie":
        _bow_tie(d)
        return
    wide = 34.0 if g.style == "Skinny Tie" else 50.0
    grain = 45.0 if g.pattern == "Striped" else 0.0
    for sign in (-1, 1):
        loop = Pen(sign * 4, 92).curve(sign * 40, 60, sign * 66, 46, sign * 70, 30).to(sign * 56, 24, 0.1)
        d.part(loop.curve(sign * 50, 44, sign * 20, 66, 0, 78).shape(), grain=grain, depth=0.7)
    d.part(
        Pen(0, 110).to(12, 110).to(wide * 0.6, 430, 0.01).to(wide * 0.36, 452).to(4, 440).shape(), "inside", depth=0.4
    )
    blade = Pen(0, 112).to(16, 112).to(wide, 436, 0.01).to(0, 486).doubled()
    d.part(blade, grain=grain)
    d.fold(line(-4, 116, -10, 210, 0.05), line(6, 118, 14, 170), width=8, strength=1.0)
    knot = Pen(0, 68).to(27, 66, 0.05).curve(30, 84, 22, 104, 16, 122).to(0, 126, 0.1).doubled()
    d.part(knot, grain=-grain, depth=0.9)
    d.fold(Pen(-14, 124).to(0, 112, 0.2).to(14, 124, 0.2).open(), width=6, strength=1.2)


def _bow_tie(d: Drawing) -> None:
    for sign in (-1.0, 1.0):
        d.part(
            stroked(Pen(sign * 10, 236).curve(sign * 60, 190, sign * 120, 150, sign * 60, 120).open(), 16),
            "inside",
            depth=0.6,
        )
    d.part(stroked(Pen(-62, 121).curve(-20, 108, 20, 108, 62, 121).open(), 16), "plain", depth=0.7)
    for sign in (-1.0, 1.0):
        wing = Pen(0, 222).curve(sign * 40, 212, sign * 90, 178, sign * 146, 172).to(sign * 156, 182, 0.2 * sign)
        wing.curve(sign * 148, 220, sign * 148, 260, sign * 156, 300).to(sign * 146, 310, 0.2 * sign)
        d.part(wing.curve(sign * 90, 304, sign * 40, 270, 0, 260).shape(), grain=8 * sign)
        d.fold(line(sign * 20, 236, sign * 96, 222, 0.06), line(sign * 20, 248, sign * 84, 266), width=9, strength=1.2)
    d.part(rect(-25, 206, 25, 276, 13), "plain", depth=1.0)
    d.fold(line(-8, 210, -10, 272), line(9, 212, 8, 270), width=5)


def sunglasses(g: Garment, d: Drawing) -> None:
    """From the front, a little from above; the arms run back behind the lenses."""
    frame = {"Wayfarer": _wayfarer, "Aviator": _aviator, "Round": _round, "Cat-Eye": _cat_eye}[g.style]()
    thin = g.style == "Aviator" or (g.style == "Round" and g.material == "Metal")
    for sign in (-1, 1):
        arm = Pen(sign * 148, 236).curve(sign * 152, 190, sign * 116, 160, sign * 92, 150).open()
        d.part(stroked(arm, 4 if thin else 9, True), "main", depth=0.6)
    lens = frame
    rim = stroked(lens, 9 if thin else 18)
    whole = both(lens, rim)
    for flip in (True, False):
        d.part(mirror(lens) if flip else lens, "lens", depth=0.5, edge=0)
        box = lens.getBounds()
        left = -box.right() if flip else box.left()
        d.light(line(left + 26, box.bottom(), left + 74, box.top()), width=15, strength=0.55)
        d.light(line(left + 52, box.bottom(), left + 96, box.top()), width=6, strength=0.45)
    ring = without(whole, lens) if thin else without(whole, moved(lens, 0, 0))
    bridge = stroked(Pen(-30, 236).curve(-12, 218, 12, 218, 30, 236).open(), 5 if thin else 13)
    front = both(both(ring, mirror(ring)), without(without(bridge, lens), mirror(lens)))
    if g.style == "Aviator":
        front = both(front, stroked(line(-52, 222, 52, 222), 5))
    hinge = rect(140, 212, 160, 224, 3) if g.style == "Cat-Eye" else rect(136, 232, 156, 244, 3)
    hinge = without(hinge, lens)
    hinges = both(hinge, mirror(hinge))
    d.part(both(front, hinges), "main", depth=0.6)


def _wayfarer() -> skia.Path:
    pen = (
        Pen(26, 236)
        .curve(40, 222, 110, 220, 142, 226)
        .curve(144, 262, 132, 306, 92, 308)
        .curve(52, 310, 30, 284, 26, 236)
    )
    return pen.shape()


def _aviator() -> skia.Path:
    pen = (
        Pen(24, 238)
        .curve(34, 222, 110, 220, 140, 232)
        .curve(150, 268, 126, 322, 88, 322)
        .curve(48, 320, 26, 276, 24, 238)
    )
    return pen.shape()


def _round() -> skia.Path:
    return oval(86, 266, 54)


def _cat_eye() -> skia.Path:
    pen = (
        Pen(26, 246)
        .curve(44, 228, 110, 222, 158, 204)
        .curve(160, 240, 140, 302, 92, 304)
        .curve(52, 304, 30, 284, 26, 246)
    )
    return pen.shape()


def watch(g: Garment, d: Drawing) -> None:
    digital, bracelet = g.style == "Digital", g.style == "Bracelet"
    wide = 33.0 if g.gender != "Women" else 27.0
    size = (66.0 if g.gender != "Women" else 56.0) * (1.06 if g.style == "Chronograph" else 1.0)
    band = Pen(0, 24).to(wide * 0.8, 24, 0.02).to(wide, 206, 0.01).to(0, 206).doubled()
    lower = Pen(0, 306).to(wide, 306).to(wide * 0.78, 480, 0.01).to(0, 492, 0.12).doubled()
    for strap in (band, lower):
        d.part(strap, "main", depth=0.9)
        if bracelet:
            _links(d, strap, wide)
        elif not digital:
            edge = stroked(strap, 9)
            d.stitch(edge)
    if not bracelet:
        for y in (410, 428, 446, 464):
            d.part(oval(0, y, 3), "dark", depth=0, edge=0.6)
        d.part(without(rect(-wide - 4, 18, wide + 4, 48, 5), rect(-wide + 5, 26, wide - 5, 40, 2)), "metal", depth=0.5)
        d.part(rect(-2, 22, 2, 46, 1), "metal", depth=0.3, edge=0.8)
    if digital:
        _digital(d)
        return
    case = "main" if bracelet else "metal"
    for sign in (-1, 1):
        d.part(
            Pen(sign * 14, 190).to(sign * (wide + 8), 196).to(sign * (wide + 8), 316).to(sign * 14, 322).shape(),
            case,
            depth=0.5,
        )
    d.part(rect(size - 4, 248, size + 13, 264, 3), case, depth=0.6)
    if g.style == "Chronograph":
        for y in (222, 282):
            d.part(rect(size - 10, y, size + 8, y + 10, 2), case, depth=0.6)
    d.part(oval(0, 256, size), case, depth=0.8)
    d.part(oval(0, 256, size - 9), "face", depth=0.5)
    _dial(g, d, size - 9)


def _links(d: Drawing, strap: skia.Path, wide: float) -> None:
    box = strap.getBounds()
    y = box.top()
    while y < box.bottom():
        d.seam(line(-60, y, 60, y), width=1.4)
        d.fold(line(-60, y + 2, 60, y + 2), width=4)
        y += 11
    d.seam(
        line(-wide * 0.36, box.top(), -wide * 0.4, box.bottom()), line(wide * 0.36, box.top(), wide * 0.4, box.bottom())
    )


def _dial(g: Garment, d: Drawing, radius: float) -> None:
    y = 256.0
    if g.style == "Chronograph":
        for at, dy in ((-0.44, 0.0), (0.44, 0.0), (0.0, 0.46)):
            d.part(oval(at * radius, y + dy * radius, radius * 0.23), "face", depth=0.4, edge=1.0)
            d.seam(line(at * radius, y + dy * radius, at * radius + 5, y + dy * radius - 7), width=1.2)
    for hour in range(12):
        angle = hour * 30.0
        long = 0.76 if hour % 3 == 0 else 0.84
        a, b = polar(0, y, angle, radius * long), polar(0, y, angle, radius * 0.93)
        d.part(stroked(line(*a, *b), 3.4 if hour % 3 == 0 else 2.0), "metal", depth=0, edge=0.7)
    for turn, reach, width in ((122.0, 0.5, 4.0), (232.0, 0.74, 3.0)):
        d.part(stroked(line(0, y, *polar(0, y, turn, radius * reach)), width, True), "metal", depth=0, edge=0.8)
    d.part(stroked(line(0, y, *polar(0, y, 20, radius * 0.7)), 1.2), "second", depth=0, edge=0.5)
    d.part(oval(0, y, 4), "metal", depth=0.3, edge=0.8)


def _digital(d: Drawing) -> None:
    d.part(rect(-66, 182, 66, 330, 24), "main", depth=1.0)
    for y in (214, 286):
        for x in (-70, 62):
            d.part(rect(x, y, x + 9, y + 16, 3), "metal", depth=0.5, edge=1.0)
    d.part(rect(-52, 200, 52, 312, 14), "dark", depth=0.5)
    d.part(rect(-42, 226, 42, 286, 5), "screen", depth=0.3)
    for left, lit in ((-32.0, "1111110"), (-13.0, "0110011"), (6.0, "1011011"), (24.0, "1111011")):
        _digit(d, left, 240, lit)
    d.ink(line(-1, 250, -1, 252), line(-1, 262, -1, 264))


def _digit(d: Drawing, x: float, y: float, lit: str) -> None:
    """Seven bars: top, upper right, lower right, bottom, lower left, upper left, middle."""
    w, h = 11.0, 16.0
    bars = (
        line(x + 1, y, x + w - 1, y),
        line(x + w, y + 1, x + w, y + h - 1),
        line(x + w, y + h + 1, x + w, y + 2 * h - 1),
        line(x + 1, y + 2 * h, x + w - 1, y + 2 * h),
        line(x, y + h + 1, x, y + 2 * h - 1),
        line(x, y + 1, x, y + h - 1),
        line(x + 1, y + h, x + w - 1, y + h),
    )
    d.ink(*(bar for bar, on in zip(bars, lit, strict=True) if on == "1"))
