"""Outlines and drawings: what a garment looks like before it has a colour.

Coordinates: the picture is 384 units wide and 512 high; x runs from -192 to 192 with the axis of the garment at 0,
y runs down from 0. Outlines are drawn clockwise, so a positive bend bulges outwards.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import skia

WIDTH, HEIGHT = 384.0, 512.0

Point = tuple[float, float]
MarkKind = Literal["seam", "stitch", "fold", "light", "ink"]


class Pen:
    """Draws a curve piece by piece; every piece is a cubic, so that halves can be mirrored."""

    def __init__(self, x: float, y: float) -> None:
        self.start: Point = (x, y)
        self.pieces: list[tuple[Point, Point, Point]] = []

    @property
    def here(self) -> Point:
        return self.pieces[-1][2] if self.pieces else self.start

    def to(self, x: float, y: float, bend: float = 0.0) -> Pen:
        """A line, or an arc whose height is about half of `bend` times its length."""
        x0, y0 = self.here
        dx, dy = x - x0, y - y0
        qx, qy = x0 + dx / 2 + dy * bend, y0 + dy / 2 - dx * bend
        first = (x0 + (qx - x0) * 2 / 3, y0 + (qy - y0) * 2 / 3)
        second = (x + (qx - x) * 2 / 3, y + (qy - y) * 2 / 3)
        self.pieces.append((first, second, (x, y)))
        return self

    def curve(self, x1: float, y1: float, x2: float, y2: float, x: float, y: float) -> Pen:
        self.pieces.append(((x1, y1), (x2, y2), (x, y)))
        return self

    def _mirrored(self) -> list[tuple[Point, Point, Point]]:
        """The mirrored pieces in reverse order: from the mirrored end back to the mirrored start."""
        starts = [self.start, *(piece[2] for piece in self.pieces[:-1])]
        flipped = [
            ((-b[0], b[1]), (-a[0], a[1]), (-s[0], s[1])) for s, (a, b, _) in zip(starts, self.pieces, strict=True)
        ]
        return flipped[::-1]

    def open(self) -> skia.Path:
        return _path(self.start, self.pieces, False)

    def shape(self) -> skia.Path:
        return _path(self.start, self.pieces, True)

    def doubled(self) -> skia.Path:
        """The closed outline made of a right half, from the top of the axis to its foot, and its mirror image."""
        return _path(self.start, self.pieces + self._mirrored(), True)

    def doubled_open(self) -> skia.Path:
        """The curve from the mirrored end over the start, which lies on the axis, to the end."""
        end = self.here
        return _path((-end[0], end[1]), self._mirrored() + self.pieces, False)


def _path(start: Point, pieces: Sequence[tuple[Point, Point, Point]], closed: bool) -> skia.Path:
    path = skia.Path()
    path.moveTo(*start)
    for a, b, c in pieces:
        path.cubicTo(*a, *b, *c)
    if closed:
        path.close()
    return path


def line(x0: float, y0: float, x1: float, y1: float, bend: float = 0.0) -> skia.Path:
    return Pen(x0, y0).to(x1, y1, bend).open()


def rect(left: float, top: float, right: float, bottom: float, radius: float = 0.0) -> skia.Path:
    path = skia.Path()
    path.addRoundRect(skia.Rect.MakeLTRB(left, top, right, bottom), radius, radius)
    return path


def oval(x: float, y: float, rx: float, ry: float | None = None) -> skia.Path:
    ry = rx if ry is None else ry
    path = skia.Path()
    path.addOval(skia.Rect.MakeLTRB(x - rx, y - ry, x + rx, y + ry))
    return path


def mirror(path: skia.Path) -> skia.Path:
    return moved(path, flip=True)


def moved(
    path: skia.Path, dx: float = 0.0, dy: float = 0.0, turn: float = 0.0, size: float = 1.0, flip: bool = False
) -> skia.Path:
    """The path flipped about the axis, scaled and turned (degrees) about the origin, then shifted."""
    matrix = skia.Matrix()
    if flip:
        matrix.postScale(-1, 1)
    matrix.postScale(size, size)
    matrix.postRotate(turn)
    matrix.postTranslate(dx, dy)
    result = skia.Path()
    path.transform(matrix, result)
    return result


def stroked(path: skia.Path, width: float, round_ends: bool = False) -> skia.Path:
    """The area that a stroke of this width covers."""
    paint = skia.Paint(
        Style=skia.Paint.kStroke_Style,
        StrokeWidth=width,
        StrokeCap=skia.Paint.kRound_Cap if round_ends else skia.Paint.kButt_Cap,
        StrokeJoin=skia.Paint.kRound_Join,
    )
    result = skia.Path()
    paint.getFillPath(path, result)
    return skia.Simplify(result)


def tapered(path: skia.Path, width: float) -> skia.Path:
    """A brush stroke that is `width` wide in the middle and ends in points; closed paths keep their width."""
    measure = skia.PathMeasure(path, False)
    length = measure.getLength()
    if measure.isClosed() or length < width:
        return stroked(path, width * 0.7)
    left: list[skia.Point] = []
    right: list[skia.Point] = []
    steps = max(6, min(24, round(length / 8)))
    for step in range(steps + 1):
        point, tangent = measure.getPosTan(length * step / steps)
        half = width / 2 * max(math.sin(math.pi * step / steps), 0.0) ** 0.7
        left.append(skia.Point(point.x() - tangent.y() * half, point.y() + tangent.x() * half))
        right.append(skia.Point(point.x() + tangent.y() * half, point.y() - tangent.x() * half))
    result = skia.Path()
    result.addPoly(left + right[::-1], True)
    return result


def both(one: skia.Path, two: skia.Path) -> skia.Path:
    return skia.Op(one, two, skia.kUnion_PathOp)


def inside(one: skia.Path, two: skia.Path) -> skia.Path:
    return skia.Op(one, two, skia.kIntersect_PathOp)


def without(one: skia.Path, two: skia.Path) -> skia.Path:
    return skia.Op(one, two, skia.kDifference_PathOp)


def polar(x: float, y: float, angle: float, distance: float) -> Point:
    """The point at a distance in a direction: 0 degrees points down, positive turns towards +x."""
    return x + distance * math.sin(math.radians(angle)), y + distance * math.cos(math.radians(angle))


@dataclass(frozen=True, slots=True)
class Mark:
    """A line on a part, clipped to it. "fold" and "light" are soft and belong to the shading."""

    path: skia.Path
    kind: MarkKind
    width: float
    strength: float


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of cloth, sole or metal. `fabric` is a key of `fabric.fabrics`; `grain` (degrees) turns its pattern."""

    outline: skia.Path
    fabric: str
    grain: float
    depth: float
    """How round it looks: 1 for a sleeve, 0 for something flat and thin."""
    edge: float
    """Width of the outline."""
    marks: list[Mark] = field(default_factory=list)


def placed(part: Part, dx: float, dy: float, size: float = 1.0, flip: bool = False) -> Part:
    """A copy of the part elsewhere, with its marks."""
    marks = [Mark(moved(m.path, dx, dy, 0, size, flip), m.kind, m.width, m.strength) for m in part.marks]
    outline = moved(part.outline, dx, dy, 0, size, flip)
    return Part(outline, part.fabric, part.grain, part.depth, part.edge, marks)


@dataclass(slots=True)
class Drawing:
    """Parts from back to front. Marks belong to the part added last."""

    parts: list[Part] = field(default_factory=list)

    def bounds(self) -> skia.Rect:
        """The tight box around all parts."""
        boxes = [part.outline.computeTightBounds() for part in self.parts]
        return skia.Rect.MakeLTRB(
            min(b.left() for b in boxes),
            min(b.top() for b in boxes),
            max(b.right() for b in boxes),
            max(b.bottom() for b in boxes),
        )

    def part(
        self, outline: skia.Path, fabric: str = "main", grain: float = 0.0, depth: float = 1.0, edge: float = 1.5
    ) -> None:
        if not outline.isEmpty():
            self.parts.append(Part(outline, fabric, grain, depth, edge))

    def pair(
        self, outline: skia.Path, fabric: str = "main", grain: float = 0.0, depth: float = 1.0, edge: float = 1.5
    ) -> None:
        """A part and its mirror image."""
        self.part(mirror(outline), fabric, -grain, depth, edge)
        self.part(outline, fabric, grain, depth, edge)

    def _mark(self, paths: Sequence[skia.Path], kind: MarkKind, width: float, strength: float, two: bool) -> None:
        marks = self.parts[-1].marks
        for path in paths:
            marks.append(Mark(path, kind, width, strength))
            if two:
                marks.append(Mark(mirror(path), kind, width, strength))

    def seam(self, *paths: skia.Path, two: bool = False, width: float = 1.1, strength: float = 1.0) -> None:
        self._mark(paths, "seam", width, strength, two)

    def stitch(self, *paths: skia.Path, two: bool = False, width: float = 0.9, strength: float = 1.0) -> None:
        self._mark(paths, "stitch", width, strength, two)

    def fold(self, *paths: skia.Path, two: bool = False, width: float = 7.0, strength: float = 1.0) -> None:
        self._mark(paths, "fold", width, strength, two)

    def light(self, *paths: skia.Path, two: bool = False, width: float = 7.0, strength: float = 1.0) -> None:
        self._mark(paths, "light", width, strength, two)

    def ink(self, *paths: skia.Path, width: float = 3.0) -> None:
        self._mark(paths, "ink", width, 1.0, False)

    def button(self, x: float, y: float, radius: float = 4.0, fabric: str = "button") -> None:
        self.part(oval(x, y, radius), fabric, depth=0.6, edge=0.9)
        for dx in (-0.3, 0.3):
            self.seam(line(x + dx * radius, y - 0.35 * radius, x + dx * radius, y + 0.35 * radius), width=0.8)

    def zip(self, x0: float, y0: float, x1: float, y1: float, width: float = 6.0, bend: float = 0.0) -> None:
        teeth = line(x0, y0, x1, y1, bend)
        self.part(stroked(teeth, width), "metal", depth=0.4, edge=0.8)
        self.stitch(teeth, width=width * 0.55, strength=0.8)

    def cord(self, path: skia.Path, width: float = 3.0, fabric: str = "second", depth: float = 0.6) -> None:
        self.part(stroked(path, width, round_ends=True), fabric, depth=depth, edge=0.9)
