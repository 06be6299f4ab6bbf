"""The same garment as a shop shows it a second time: turned, on a hanger, folded, from behind, or closer."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping

import skia
from PIL import Image

from builders.studio.fabric import RGB, seeded
from builders.studio.figure import LEGGED, UPPER, WHOLE, split
from builders.studio.garment import Garment, family
from builders.studio.hanging import hook, paint_hanger
from builders.studio.painting import blurred, paint_garment, silhouette, union
from builders.studio.patterns import paint
from builders.studio.pen import HEIGHT, WIDTH, Drawing, Mark, Part, both, line, rect, stroked
from builders.studio.shapes import draw

_GROUNDS: tuple[RGB, ...] = (
    (242, 240, 236), (234, 238, 241), (245, 241, 235), (232, 230, 228), (238, 234, 238), (236, 240, 234),
    (250, 250, 249),
)  # fmt: skip

_FROM_BEHIND = ("T-shirt", "Polo", "Sweater", "Skirt", "Trousers", "Jeans", "Leggings", "Shirt")
_FOLDED = ("T-shirt", "Shirt", "Polo", "Sweater")
_LEFT_AND_RIGHT = ("Watch", "Sunglasses")
"""Kinds that look wrong when mirrored."""


def other(garment: Garment, height: int = 512) -> Image.Image:
    """Another picture of the product, on plain ground; equal for equal garments."""
    width = round(height * WIDTH / HEIGHT)
    surface = skia.Surface(width, height)
    canvas = surface.getCanvas()
    canvas.scale(width / WIDTH, height / HEIGHT)
    canvas.translate(WIDTH / 2, 0)
    rng = seeded(garment, f"other {garment.kind}")
    _ground(canvas, rng)
    canvas.save()
    _WAYS[rng.choice(ways(garment))](canvas, garment, draw(garment), rng)
    canvas.restore()
    _glow(canvas, rng)
    return Image.fromarray(surface.makeImageSnapshot().toarray(colorType=skia.kRGBA_8888_ColorType)).convert("RGB")


def ways(garment: Garment) -> tuple[str, ...]:
    """The ways in which this garment may be shown; the likelier ones more than once."""
    found = ["turned"] if garment.kind in (*UPPER, *WHOLE, *LEGGED) else ["turned", "turned", "detail"]
    if garment.kind in (*UPPER, *WHOLE, "Trousers", "Skirt"):
        found += ["hanger", "hanger", "detail"]
    if garment.kind in _FROM_BEHIND and garment.pattern != "Printed" and garment.style != "Cargo":
        found += ["back", "back"]
    if garment.kind in _FOLDED:
        found += ["folded", "folded"]
    return tuple(found)


def _ground(canvas: skia.Canvas, rng: random.Random) -> None:
    """Paper that curves from the table up the wall."""
    tone = rng.choice(_GROUNDS)
    low = tuple(max(0, channel - rng.randrange(8, 20)) for channel in tone)
    shader = skia.GradientShader.MakeLinear(
        [skia.Point(0, 0), skia.Point(0, HEIGHT)],
        [skia.ColorSetARGB(255, *tone), skia.ColorSetARGB(255, *tone), skia.ColorSetARGB(255, *low)],
        [0.0, rng.uniform(0.5, 0.7), 1.0],
    )
    canvas.drawRect(skia.Rect.MakeLTRB(-WIDTH, 0, WIDTH, HEIGHT), skia.Paint(Shader=shader))


def _glow(canvas: skia.Canvas, rng: random.Random) -> None:
    """A lamp from one side."""
    x = rng.choice((-150, 150))
    shader = skia.GradientShader.MakeRadial(
        skia.Point(x, 80), 560, [skia.ColorSetARGB(34, 255, 255, 255), skia.ColorSetARGB(30, 40, 34, 50)]
    )
    canvas.drawRect(skia.Rect.MakeLTRB(-WIDTH, 0, WIDTH, HEIGHT), skia.Paint(Shader=shader))


def _fit(canvas: skia.Canvas, box: skia.Rect, size: float, y: float = HEIGHT / 2) -> None:
    """Puts the box's middle at (0, y), as large as `size` of the picture allows."""
    scale = size * min(WIDTH / box.width(), HEIGHT / box.height())
    canvas.translate(0, y)
    canvas.scale(scale, scale)
    canvas.translate(-box.centerX(), -box.centerY())


def _cast(canvas: skia.Canvas, parts: list[Part], dx: float, dy: float) -> None:
    canvas.save()
    canvas.translate(dx, dy)
    canvas.drawPath(silhouette(parts), blurred(paint((48, 44, 58), 88), 9))
    canvas.restore()


def _turned(canvas: skia.Canvas, garment: Garment, drawing: Drawing, rng: random.Random) -> None:
    """Seen from the other side, foreshortened."""
    box = drawing.bounds()
    cloth = family(garment.kind) not in ("shoes", "bags", "accessories")
    if cloth:
        _fit(canvas, box, rng.uniform(0.82, 0.9))
        canvas.rotate(rng.choice((-1, 1)) * rng.uniform(5, 11))
        _about(canvas, box, rng.uniform(0.8, 0.9), rng.choice((-1, 1)) * rng.uniform(0.04, 0.1))
        _cast(canvas, drawing.parts, 6, 10)
    else:
        _fit(canvas, box, rng.uniform(0.7, 0.86), HEIGHT * 0.52)
        foot = skia.Rect.MakeLTRB(box.left() + 6, box.bottom() - 16, box.right() - 2, box.bottom() + 12)
        canvas.drawOval(foot, blurred(paint((48, 44, 58), 96), 10))
        flip = 1.0 if garment.kind in _LEFT_AND_RIGHT else -1.0
        _about(canvas, box, flip * rng.uniform(0.86, 0.97), rng.choice((-1, 1)) * rng.uniform(0.02, 0.07))
    paint_garment(canvas, garment, drawing.parts, box)


def _about(canvas: skia.Canvas, box: skia.Rect, wide: float, skew: float) -> None:
    canvas.translate(box.centerX(), box.centerY())
    canvas.scale(wide, 1)
    canvas.skew(0, skew)
    canvas.translate(-box.centerX(), -box.centerY())


def _on_hanger(canvas: skia.Canvas, garment: Garment, drawing: Drawing, rng: random.Random) -> None:
    box = drawing.bounds()
    top = hook(garment, drawing)[1] - 14
    _fit(canvas, skia.Rect.MakeLTRB(box.left(), top, box.right(), box.bottom()), 0.88)
    canvas.rotate(rng.uniform(-2, 2))
    _about(canvas, box, rng.uniform(0.88, 0.97), 0)
    _cast(canvas, drawing.parts, 12, 12)
    behind, front = split(garment, drawing)
    paint_garment(canvas, garment, behind, box, shadow=False)
    paint_hanger(canvas, garment, drawing)
    paint_garment(canvas, garment, front, box)


def _detail(canvas: skia.Canvas, garment: Garment, drawing: Drawing, rng: random.Random) -> None:
    """Close enough to see the weave."""
    box = drawing.bounds()
    zoom = rng.uniform(1.5, 1.8) if garment.kind in (*UPPER, *WHOLE, *LEGGED) else rng.uniform(1.2, 1.4)
    at = 0.3 if garment.kind in (*UPPER, *WHOLE, *LEGGED) else 0.45
    scale = zoom * min((WIDTH - 28) / box.width(), (HEIGHT - 36) / box.height())
    canvas.translate(rng.uniform(-10, 10), HEIGHT * 0.46)
    canvas.rotate(rng.uniform(-5, 5))
    canvas.scale(scale, scale)
    canvas.translate(-box.centerX(), -(box.top() + box.height() * at))
    _cast(canvas, drawing.parts, 6, 10)
    paint_garment(canvas, garment, drawing.parts, box)


def _folded(canvas: skia.Canvas, garment: Garment, drawing: Drawing, rng: random.Random) -> None:
    """As it lies in a shop's pile, the sleeves behind."""
    box = drawing.bounds()
    left, right, low = -76.0, 76.0, box.top() + 236.0
    window = skia.Rect.MakeLTRB(left, box.top() - 4, right, low)
    _fit(canvas, window, rng.uniform(0.74, 0.82))
    canvas.translate(window.centerX(), window.centerY())
    canvas.rotate(rng.uniform(-4, 4))
    canvas.translate(-window.centerX(), -window.centerY())
    body = skia.Op(union(drawing.parts), rect(left, box.top() - 4, right, low, 9), skia.kIntersect_PathOp)
    canvas.save()
    canvas.translate(6, 10)
    canvas.drawPath(body, blurred(paint((48, 44, 58), 110), 9))
    canvas.restore()
    for inset, deep in ((3.0, 9.0), (1.5, 5.0)):
        layer = Part(rect(left + inset, low - 60, right - inset - 1, low + deep, 8), "main", 0, 0.8, 1.3)
        paint_garment(canvas, garment, [layer], box, shadow=False)
    canvas.save()
    canvas.clipPath(body, True)
    paint_garment(canvas, garment, drawing.parts, box, shadow=False)
    for x, towards in ((left, 1), (right, -1)):
        canvas.drawPath(line(x, box.top(), x, low), blurred(paint((20, 12, 30), 70, 16), 7))
        inner = x + 15 * towards
        canvas.drawPath(line(inner, box.top(), inner, low), blurred(paint((255, 255, 255), 40, 8), 5))
    canvas.drawPath(line(left, low, right, low), blurred(paint((20, 12, 30), 90, 14), 6))
    canvas.restore()
    canvas.drawPath(body, paint((30, 24, 34), 120, 1.1))


def _from_behind(canvas: skia.Canvas, garment: Garment, drawing: Drawing, rng: random.Random) -> None:
    parts = back_of(garment, drawing)
    box = drawing.bounds()
    _fit(canvas, box, rng.uniform(0.84, 0.92))
    canvas.rotate(rng.uniform(-2.5, 2.5))
    _about(canvas, box, rng.uniform(0.94, 1.0), 0)
    _cast(canvas, parts, 5, 8)
    paint_garment(canvas, garment, parts, box)


def back_of(garment: Garment, drawing: Drawing) -> list[Part]:
    """The large pieces without what belongs to the front; the neck or the waistband is closed."""
    box = drawing.bounds()
    closing = skia.Path()
    for part in drawing.parts:
        if part.fabric == "inside" and part.outline.getBounds().width() < box.width() * 0.9:
            closing = both(closing, part.outline)
    found: list[Part] = []
    main = max((p for p in drawing.parts if p.fabric in ("main", "plain")), key=lambda p: _area(p.outline))
    for part in drawing.parts:
        if part is main or not _belongs_to_the_front(part, box):
            outline = both(part.outline, closing) if part is main else part.outline
            found.append(Part(outline, part.fabric, part.grain, part.depth, part.edge, _soft_marks(part)))
    return [*found, *_back_seams(garment, main)]


def _belongs_to_the_front(part: Part, box: skia.Rect) -> bool:
    across = part.outline.getBounds()
    narrow = abs(across.centerX()) < 12 and across.width() < box.width() * 0.3
    small = _area(part.outline) < 0.012 * box.width() * box.height()
    collar = across.bottom() < box.top() + 80
    pocket = abs(across.centerX()) < 60 and across.width() < 60 and across.height() < 70
    return narrow or small or collar or pocket or part.fabric in ("inside", "label", "metal", "button")


def _area(path: skia.Path) -> float:
    bounds = path.getBounds()
    return float(bounds.width() * bounds.height())


def _soft_marks(part: Part) -> list[Mark]:
    """Folds and light, and seams that run across."""
    wide = part.outline.getBounds().width()
    return [
        m for m in part.marks
        if m.kind in ("fold", "light") or (m.kind == "stitch" and m.path.getBounds().width() > 0.8 * wide)
    ]  # fmt: skip


def _back_seams(garment: Garment, main: Part) -> list[Part]:
    box = main.outline.getBounds()
    if garment.kind in ("Trousers", "Jeans", "Leggings"):
        pockets = []
        if garment.kind != "Leggings":
            pocket = rect(22, box.top() + 46, 62, box.top() + 92, 5)
            mirrored = rect(-62, box.top() + 46, -22, box.top() + 92, 5)
            pockets = [Part(p, "main", 0, 0.3, 1.1) for p in (mirrored, pocket)]
        seam = Part(stroked(line(0, box.top() + 4, 0, box.top() + 126), 1.2), "inside", 0, 0, 0)
        return [seam, *pockets]
    if garment.kind == "Shirt":
        yoke = stroked(line(-box.width() * 0.4, box.top() + 44, box.width() * 0.4, box.top() + 44), 1.2)
        collar = rect(-38, box.top() - 8, 38, box.top() + 14, 8)
        return [Part(yoke, "inside", 0, 0, 0), Part(collar, "main", 0, 0.6, 1.3)]
    if garment.kind == "Polo":
        return [Part(rect(-40, box.top() - 8, 40, box.top() + 14, 8), "rib", 0, 0.6, 1.3)]
    if garment.kind == "Skirt":
        return [Part(stroked(line(0, box.top() + 8, 0, box.top() + 96), 1.4), "inside", 0, 0, 0)]
    return []


_WAYS: Mapping[str, Callable[[skia.Canvas, Garment, Drawing, random.Random], None]] = {
    "turned": _turned,
    "hanger": _on_hanger,
    "detail": _detail,
    "folded": _folded,
    "back": _from_behind,
}
