"""Painting a drawing: cloth with its pattern and weave, folds, seams, light and shadow."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import skia

from builders.studio.fabric import Fabric, fabrics, ink, luminance, mix, seeded, weave_shader
from builders.studio.garment import Garment
from builders.studio.patterns import paint, pattern_shader
from builders.studio.pen import Mark, Part, tapered


def blurred(p: skia.Paint, sigma: float) -> skia.Paint:
    p.setMaskFilter(skia.MaskFilter.MakeBlur(skia.kNormal_BlurStyle, sigma))
    return p


def paint_garment(
    canvas: skia.Canvas, garment: Garment, parts: Sequence[Part], bounds: skia.Rect, shadow: bool = True
) -> None:
    """These parts of the garment; `bounds` is the box of the whole: colour blocks divide it."""
    if shadow:
        _shadow(canvas, silhouette(parts))
    cloth = fabrics(garment)
    for part in parts:
        _cloth(canvas, garment, part, cloth[part.fabric], bounds)


def silhouette(parts: Iterable[Part]) -> skia.Path:
    """All outlines in one path; where mirrored ones overlap they may cancel out: for what lies below the parts."""
    path = skia.Path()
    for part in parts:
        path.addPath(part.outline)
    return path


def union(parts: Iterable[Part]) -> skia.Path:
    """The outline of all parts together."""
    builder = skia.OpBuilder()
    for part in parts:
        builder.add(part.outline, skia.kUnion_PathOp)
    return builder.resolve()


def paint_mask(canvas: skia.Canvas, parts: Iterable[Part]) -> None:
    """The parts in white."""
    for part in parts:
        canvas.drawPath(part.outline, paint((255, 255, 255)))


def _shadow(canvas: skia.Canvas, silhouette: skia.Path) -> None:
    canvas.save()
    canvas.translate(3, 6)
    canvas.drawPath(silhouette, blurred(paint((52, 50, 66), 70), 6))
    canvas.restore()


def _cloth(canvas: skia.Canvas, garment: Garment, part: Part, fabric: Fabric, bounds: skia.Rect) -> None:
    """One part: colour, pattern, weave, shading, marks, outline."""
    canvas.save()
    canvas.clipPath(part.outline, True)
    fill = paint(fabric.colour, fabric.alpha)
    shader = pattern_shader(garment, fabric.pattern, part.grain, bounds) if fabric.pattern else None
    if shader is not None:
        fill.setShader(shader)
    canvas.drawPath(part.outline, fill)
    if fabric.pattern == "Washed":
        _wash(canvas, garment, part)
    weave = weave_shader(fabric.weave, part.grain)
    if weave is not None:
        relief = skia.Paint(Shader=weave, BlendMode=skia.BlendMode.kSoftLight)
        relief.setAlphaf(0.85 if luminance(fabric.colour) < 0.75 else 0.6)
        canvas.drawPath(part.outline, relief)
    _shade(canvas, part, fabric)
    line = ink(fabric.colour)
    for mark in part.marks:
        _mark(canvas, mark, fabric, line)
    canvas.restore()
    if part.edge:
        canvas.drawPath(part.outline, _edge_paint(line, part.edge))


def _edge_paint(line: tuple[int, int, int], width: float) -> skia.Paint:
    p = paint(line, 235, width)
    p.setStrokeJoin(skia.Paint.kRound_Join)
    return p


def _wash(canvas: skia.Canvas, garment: Garment, part: Part) -> None:
    """Lighter where worn denim fades: down the middle of the part."""
    box = part.outline.getBounds()
    if box.height() < 60:
        return
    glow = blurred(paint((235, 240, 248), 95), min(box.width(), 60) / 4)
    rng = seeded(garment, "wash")
    centre = box.centerX()
    for at, tall in ((0.27, 0.2), (0.52, 0.14)):
        wide = box.width() * rng.uniform(0.14, 0.2)
        spot = skia.Rect.MakeLTRB(
            centre - wide, box.top() + box.height() * (at - tall), centre + wide, box.top() + box.height() * (at + tall)
        )
        canvas.drawOval(spot, glow)


def _shade(canvas: skia.Canvas, part: Part, fabric: Fabric) -> None:
    """Light from the upper left: a soft shadow inside the outline, strongest at the lower right, and a highlight."""
    box = part.outline.getBounds()
    size = min(box.width(), box.height())
    if part.depth <= 0 or size < 3:
        return
    wide = min(size * 0.5, 26.0)
    pale = 0.5 if luminance(fabric.colour) > 0.85 else 1.0
    thin = 0.75 if size < 34 else 1.0
    dark = paint(_shadow_tone(fabric), round(84 * part.depth * pale * thin), wide)
    canvas.save()
    canvas.translate(-wide * 0.2, -wide * 0.24)
    canvas.drawPath(part.outline, blurred(dark, wide * 0.34))
    canvas.restore()
    strength = 40 + 70 * fabric.gloss
    if luminance(fabric.colour) > 0.9:
        strength *= 0.5
    light = paint((255, 255, 255), round(strength * part.depth), wide * 0.45)
    canvas.save()
    canvas.translate(wide * 0.42, wide * 0.36)
    light.setBlendMode(skia.BlendMode.kSoftLight if fabric.gloss < 0.4 else skia.BlendMode.kScreen)
    canvas.drawPath(part.outline, blurred(light, wide * (0.3 - 0.12 * fabric.gloss)))
    canvas.restore()
    if size > 40:
        _fall_of_light(canvas, part, fabric, box)


def _shadow_tone(fabric: Fabric) -> tuple[int, int, int]:
    """The cloth's own colour in the shade: dark, but of its hue."""
    return mix(fabric.colour, (14, 8, 34), 0.7)


def _fall_of_light(canvas: skia.Canvas, part: Part, fabric: Fabric, box: skia.Rect) -> None:
    fade = 22 if luminance(fabric.colour) > 0.85 else 44
    shader = skia.GradientShader.MakeLinear(
        [skia.Point(box.left(), box.top()), skia.Point(box.right() * 0.6 + box.left() * 0.4, box.bottom())],
        [
            skia.ColorSetARGB(round(30 * part.depth), 255, 255, 255),
            0,
            skia.ColorSetARGB(round(fade * part.depth), *_shadow_tone(fabric)),
        ],
        [0.0, 0.45, 1.0],
    )
    canvas.drawPath(part.outline, skia.Paint(Shader=shader))


def _mark(canvas: skia.Canvas, mark: Mark, fabric: Fabric, line: tuple[int, int, int]) -> None:
    if mark.kind == "fold":
        soft = 0.7 if luminance(fabric.colour) > 0.75 else 1.0
        crease = tapered(mark.path, mark.width * 1.25)
        dark = paint(_shadow_tone(fabric), min(255, round(76 * soft * mark.strength)))
        canvas.drawPath(crease, blurred(dark, mark.width * 0.3))
        light = paint((255, 255, 255), min(255, round((18 + 50 * fabric.gloss) * mark.strength)))
        canvas.save()
        canvas.translate(-mark.width * 0.7, -mark.width * 0.25)
        canvas.drawPath(crease, blurred(light, mark.width * 0.28))
        canvas.restore()
    elif mark.kind == "light":
        canvas.drawPath(
            mark.path,
            blurred(paint((255, 255, 255), min(255, round(90 * mark.strength)), mark.width), mark.width * 0.3),
        )
    elif mark.kind == "stitch":
        tone = mix(line, (255, 255, 255), 0.18) if luminance(fabric.colour) < 0.6 else line
        p = paint(tone, round(215 * min(mark.strength, 1.0)), mark.width)
        p.setStrokeCap(skia.Paint.kButt_Cap)
        p.setPathEffect(skia.DashPathEffect.Make([3.2, 2.1], 0))
        canvas.drawPath(mark.path, p)
    elif mark.kind == "ink":
        canvas.drawPath(mark.path, paint((34, 32, 40), round(255 * min(mark.strength, 1.0)), mark.width))
    else:
        canvas.drawPath(mark.path, paint(line, round(225 * min(mark.strength, 1.0)), mark.width))
