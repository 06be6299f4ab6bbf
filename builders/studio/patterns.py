"""Patterns: pictures that repeat over the cloth. Each draws one tile in the pattern's two colours."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import skia

from builders.studio.fabric import RGB, luminance, mix, seeded
from builders.studio.garment import Garment
from builders.studio.kinds import COLOURS


@dataclass(frozen=True, slots=True)
class Tile:
    """One repeat of a pattern: a square canvas that is filled with the main colour already."""

    canvas: skia.Canvas
    side: float
    main: RGB
    second: RGB
    rng: random.Random


def paint(colour: RGB, alpha: int = 255, stroke: float = 0.0) -> skia.Paint:
    result = skia.Paint(AntiAlias=True, Color=skia.ColorSetARGB(alpha, *colour))
    if stroke:
        result.setStyle(skia.Paint.kStroke_Style)
        result.setStrokeWidth(stroke)
        result.setStrokeCap(skia.Paint.kRound_Cap)
    return result


def _bar(canvas: skia.Canvas, x: float, y: float, w: float, h: float, p: skia.Paint) -> None:
    canvas.drawRect(skia.Rect.MakeXYWH(x, y, w, h), p)


def _striped(t: Tile) -> None:
    share = t.rng.choice((0.28, 0.36, 0.42))
    _bar(t.canvas, 0, t.side * 0.3, t.side, t.side * share, paint(t.second))


def _pinstriped(t: Tile) -> None:
    _bar(t.canvas, t.side / 2, 0, 1.3, t.side, paint(_pale(t.main, t.second), 230))


def _pale(main: RGB, second: RGB) -> RGB:
    """A thin line's colour: the second colour, moved away from the main one where they are alike."""
    return mix(second, (255, 255, 255) if luminance(main) < 0.5 else (60, 60, 90), 0.35)


def _checked(t: Tile) -> None:
    dark = mix(t.main, (20, 18, 30), 0.45) if luminance(t.main) > 0.25 else mix(t.main, t.second, 0.5)
    band = paint(dark, 105)
    _bar(t.canvas, 0, 0, t.side, t.side * 0.4, band)
    _bar(t.canvas, 0, 0, t.side * 0.4, t.side, band)
    thin = paint(t.second, 215)
    for at in (0.17, 0.7):
        _bar(t.canvas, 0, t.side * at, t.side, t.side * 0.055, thin)
        _bar(t.canvas, t.side * at, 0, t.side * 0.055, t.side, thin)


def _gingham(t: Tile) -> None:
    light = (252, 252, 250) if luminance(t.main) < 0.85 else t.second
    half = paint(light, 135)
    _bar(t.canvas, 0, 0, t.side, t.side / 2, half)
    _bar(t.canvas, 0, 0, t.side / 2, t.side, half)


def _dots(t: Tile) -> None:
    for x, y in ((0.25, 0.25), (0.75, 0.75)):
        t.canvas.drawCircle(t.side * x, t.side * y, t.side * 0.14, paint(t.second))


def _scatter(side: float, rng: random.Random, count: int, gap: float) -> list[tuple[float, float]]:
    """Points of a repeating tile that keep their distance."""
    points: list[tuple[float, float]] = []
    for _ in range(400):
        x, y = rng.uniform(0, side), rng.uniform(0, side)
        if all(
            math.hypot((x - a + side / 2) % side - side / 2, (y - b + side / 2) % side - side / 2) > gap
            for a, b in points
        ):
            points.append((x, y))
        if len(points) == count:
            break
    return points


def _repeated(side: float, x: float, y: float, reach: float) -> list[tuple[float, float]]:
    """The copies of a point that touch the tile."""
    return [
        (x + dx * side, y + dy * side)
        for dx in (-1, 0, 1)
        for dy in (-1, 0, 1)
        if -reach < x + dx * side < side + reach and -reach < y + dy * side < side + reach
    ]


def _floral(t: Tile) -> None:
    leaf = (92, 134, 84) if abs(t.main[1] - 134) + abs(t.main[0] - 92) > 70 else (226, 226, 190)
    centre = (248, 214, 96) if luminance(t.second) < 0.75 or t.second[2] > 180 else (196, 92, 60)
    for index, (x, y) in enumerate(_scatter(t.side, t.rng, 9, t.side * 0.27)):
        size, turn = t.side * t.rng.uniform(0.1, 0.15), t.rng.uniform(0, 360)
        petals = (
            t.second if index % 3 else mix(t.second, (255, 255, 255) if luminance(t.second) < 0.7 else t.main, 0.45)
        )
        for cx, cy in _repeated(t.side, x, y, t.side * 0.3):
            _flower(t.canvas, cx, cy, size, turn, petals, centre, leaf)


def _flower(
    canvas: skia.Canvas, x: float, y: float, size: float, turn: float, petals: RGB, centre: RGB, leaf: RGB
) -> None:
    canvas.save()
    canvas.translate(x, y)
    canvas.rotate(turn)
    for angle in (30, 190):
        canvas.save()
        canvas.rotate(angle)
        canvas.drawOval(skia.Rect.MakeXYWH(size * 0.7, -size * 0.24, size * 1.0, size * 0.48), paint(leaf))
        canvas.restore()
    for _ in range(5):
        canvas.rotate(72)
        canvas.drawOval(skia.Rect.MakeXYWH(0, -size * 0.36, size * 0.95, size * 0.72), paint(petals))
    canvas.drawCircle(0, 0, size * 0.27, paint(centre))
    canvas.restore()


def _chevron(t: Tile) -> None:
    path = skia.Path()
    path.moveTo(-t.side * 0.5, t.side)
    for step in range(4):
        path.lineTo(t.side * 0.5 * step, t.side * (0.25 if step % 2 else 0.75))
    p = paint(t.second, stroke=t.side * 0.22)
    p.setStrokeCap(skia.Paint.kButt_Cap)
    t.canvas.drawPath(path, p)


def _leopard(t: Tile) -> None:
    spot = (42, 30, 26) if luminance(t.main) > 0.3 else mix(t.main, (236, 210, 170), 0.6)
    heart = mix(t.main, spot, 0.42)
    for index, (x, y) in enumerate(_scatter(t.side, t.rng, 22, t.side * 0.155)):
        size, turn, flat = t.side * t.rng.uniform(0.05, 0.075), t.rng.uniform(-40, 40), t.rng.uniform(0.6, 0.85)
        arcs = [(t.rng.uniform(0, 40) + start, t.rng.uniform(60, 85)) for start in (0, 120, 240)]
        for cx, cy in _repeated(t.side, x, y, t.side * 0.15):
            t.canvas.save()
            t.canvas.translate(cx, cy)
            t.canvas.rotate(turn)
            if index % 4 == 3:
                t.canvas.drawOval(skia.Rect.MakeLTRB(-size * 0.55, -size * 0.4, size * 0.55, size * 0.4), paint(spot))
            else:
                t.canvas.drawOval(skia.Rect.MakeLTRB(-size, -size * flat, size, size * flat), paint(heart))
                for start, sweep in arcs:
                    ring = skia.Rect.MakeLTRB(-size, -size * flat, size, size * flat)
                    t.canvas.drawArc(ring, start, sweep, False, paint(spot, stroke=size * 0.6))
            t.canvas.restore()


def _camouflage(t: Tile) -> None:
    tones = (mix(t.main, (24, 24, 20), 0.42), mix(t.main, (225, 215, 180), 0.42), mix(t.main, (70, 50, 36), 0.55))
    for layer, tone in enumerate(tones):
        for x, y in _scatter(t.side, t.rng, 5, t.side * 0.3):
            blobs = [
                (t.rng.uniform(-0.11, 0.11), t.rng.uniform(-0.06, 0.06), t.rng.uniform(0.05, 0.1)) for _ in range(5)
            ]
            for cx, cy in _repeated(t.side, x, y, t.side * 0.25):
                for dx, dy, r in blobs:
                    rx, ry = t.side * r * (1.5 - 0.2 * layer), t.side * r * 0.8
                    oval = skia.Rect.MakeLTRB(-rx, -ry, rx, ry).makeOffset(cx + dx * t.side, cy + dy * t.side)
                    t.canvas.drawOval(oval, paint(tone))


def _argyle(t: Tile) -> None:
    third = mix(t.main, t.second, 0.35)
    for x, colour in ((0.25, t.second), (0.75, third)):
        path = skia.Path()
        path.addPoly(
            [skia.Point(t.side * (x + dx), t.side * y) for dx, y in ((0, 0.0), (0.25, 0.5), (0, 1.0), (-0.25, 0.5))],
            True,
        )
        t.canvas.drawPath(path, paint(colour))
    thin = paint(
        mix(t.main, (255, 255, 255), 0.7) if luminance(t.main) < 0.7 else mix(t.main, (60, 50, 60), 0.6), 220, 0.9
    )
    for a, b in ((0.0, 0.5), (0.5, 1.0)):
        t.canvas.drawLine(t.side * a, 0, t.side * b, t.side, thin)
        t.canvas.drawLine(t.side * b, 0, t.side * a, t.side, thin)


def _houndstooth(t: Tile) -> None:
    """Woven as the real one: four dark and four light threads both ways, in a two-and-two twill."""
    p = paint(mix(t.main, (24, 22, 30), 0.75) if luminance(t.main) > 0.35 else mix(t.main, (240, 236, 228), 0.75))
    p.setAntiAlias(False)
    cell = t.side / 8
    for x in range(8):
        for y in range(8):
            thread = x if (x + y) % 4 < 2 else y
            if thread < 4:
                _bar(t.canvas, x * cell, y * cell, cell * 1.04, cell * 1.04, p)


def _fair_isle(t: Tile) -> None:
    third = mix(t.second, t.main, 0.4)
    cell = t.side / 16

    def row(y: int, cells: str, colour: RGB) -> None:
        for x, mark in enumerate(cells):
            if mark == "x":
                _bar(t.canvas, x * cell, y * cell, cell * 1.02, cell * 1.02, paint(colour))

    for y, cells in enumerate(("x...x...x...x...", ".x.x.x.x.x.x.x.x", "..x...x...x...x.")):
        row(y, cells, third)
    snow = (
        "...x.x.....x.x..",
        "....x.......x...",
        ".x..x..x.x..x..x",
        "..xxxxx...xxxxx.",
        ".x..x..x.x..x..x",
        "....x.......x...",
    )
    for y, cells in enumerate((*snow, snow[0])):
        row(y + 5, cells, t.second)
    for y, cells in enumerate(("xxxxxxxxxxxxxxxx", "x.x.x.x.x.x.x.x.")):
        row(y + 14, cells, third)


def _paisley(t: Tile) -> None:
    drop = skia.Path()
    drop.moveTo(0, -9)
    drop.cubicTo(7, -6, 9, 6, 1, 8)
    drop.cubicTo(-8, 9, -7, -2, -1, -1)
    drop.cubicTo(2, -1, 3, -6, 0, -9)
    scale = t.side / 36
    for x, y, turn in ((9, 9, 20), (27, 27, 200)):
        t.canvas.save()
        t.canvas.translate(x * scale, y * scale)
        t.canvas.rotate(turn)
        t.canvas.scale(scale, scale)
        t.canvas.drawPath(drop, paint(t.second))
        t.canvas.drawCircle(0, 4, 2.0, paint(t.main))
        t.canvas.restore()


def _melange(t: Tile) -> None:
    light, dark = mix(t.main, (255, 255, 255), 0.5), mix(t.main, (20, 20, 30), 0.35)
    for _ in range(170):
        x, y, length = t.rng.uniform(0, t.side), t.rng.uniform(0, t.side), t.rng.uniform(2, 6)
        tone = paint(light if t.rng.random() < 0.6 else dark, 105, 0.8)
        t.canvas.drawLine(x, y, x + length, y + t.rng.uniform(-0.6, 0.6), tone)


_TILES: Mapping[str, tuple[Callable[[Tile], None], float]] = {
    "Striped": (_striped, 24),
    "Pinstriped": (_pinstriped, 11),
    "Checked": (_checked, 46),
    "Gingham": (_gingham, 15),
    "Polka Dot": (_dots, 25),
    "Floral": (_floral, 74),
    "Chevron": (_chevron, 26),
    "Leopard": (_leopard, 58),
    "Camouflage": (_camouflage, 110),
    "Argyle": (_argyle, 52),
    "Houndstooth": (_houndstooth, 22),
    "Fair Isle": (_fair_isle, 66),
    "Paisley": (_paisley, 34),
    "Melange": (_melange, 64),
}
PATTERNS = (*_TILES, "Solid", "Tipped", "Colourblocked", "Printed", "Washed")


def pattern_shader(
    garment: Garment, pattern: str, grain: float, bounds: skia.Rect, scale: float = 1.0
) -> skia.Shader | None:
    """The repeating picture over the main colour; None where the pattern is not a repeat.

    `bounds` is the garment's box: colour blocks divide it.
    """
    main, second = COLOURS[garment.colour], COLOURS[garment.second]
    if pattern == "Colourblocked":
        return _blocks(garment, main, second, bounds)
    if pattern not in _TILES:
        return None
    draw_tile, side = _TILES[pattern]
    rng = seeded(garment, "pattern")
    side *= scale * rng.uniform(0.85, 1.2)
    recorder = skia.PictureRecorder()
    rect = skia.Rect.MakeWH(side, side)
    canvas = recorder.beginRecording(rect)
    canvas.drawRect(rect, paint(main))
    draw_tile(Tile(canvas, side, main, second, rng))
    matrix = skia.Matrix()
    matrix.postRotate(grain)
    picture = recorder.finishRecordingAsPicture()
    return picture.makeShader(skia.TileMode.kRepeat, skia.TileMode.kRepeat, skia.FilterMode.kLinear, matrix, rect)


def _blocks(garment: Garment, main: RGB, second: RGB, bounds: skia.Rect) -> skia.Shader:
    """The upper or the lower third in the second colour, sometimes with a stripe between."""
    bag = garment.kind in ("Handbag", "Tote Bag", "Backpack")
    top = not bag and seeded(garment, "blocks").random() < 0.5
    at = 0.3 if top else 0.72
    colours = [second, main] if top else [main, second]
    stops = [colours[0], colours[0], colours[1], colours[1]]
    return skia.GradientShader.MakeLinear(
        [skia.Point(0, bounds.top()), skia.Point(0, bounds.bottom())],
        [skia.ColorSetARGB(255, *c) for c in stops],
        [0.0, at, at, 1.0],
    )
