"""Garment -> picture: the product illustration, other views of it, the hand-drawn sketch, a user's picture."""

from __future__ import annotations

from typing import Literal

import skia
from PIL import Image

from builders.studio import street, views
from builders.studio.fabric import seeded
from builders.studio.garment import FAMILY_CATEGORIES, Garment, family
from builders.studio.painting import paint_garment, paint_mask
from builders.studio.patterns import paint
from builders.studio.pen import HEIGHT, WIDTH, Drawing
from builders.studio.shapes import draw

View = Literal["product", "sketch", "mask", "other", "street", "cutout"]


def render(garment: Garment, view: View = "product", height: int = 512) -> Image.Image:
    """The picture, 3 wide to 4 high: RGB, or mode "L" for "mask" (255 inside the product's outline).

    "product", "sketch" and "cutout" are on white, "other" is on plain ground. Equal garments give equal pixels.
    """
    if view == "other":
        return views.other(garment, height)
    if view == "street":
        return street.street(garment, height)[0]
    if view == "cutout":
        return street.cutout(garment, height)
    width = round(height * WIDTH / HEIGHT)
    surface = skia.Surface(width, height)
    canvas = surface.getCanvas()
    canvas.clear(skia.ColorBLACK if view == "mask" else skia.ColorWHITE)
    canvas.scale(width / WIDTH, height / HEIGHT)
    canvas.translate(WIDTH / 2, 0)
    drawing = draw(garment)
    _centre(canvas, garment, drawing)
    if view == "product":
        paint_garment(canvas, garment, drawing.parts, drawing.bounds())
    elif view == "sketch":
        _sketch(canvas, garment, drawing)
    else:
        paint_mask(canvas, drawing.parts)
    pixels = surface.makeImageSnapshot().toarray(colorType=skia.kRGBA_8888_ColorType)
    picture = Image.fromarray(pixels).convert("RGB")
    return picture.convert("L") if view == "mask" else picture


def _centre(canvas: skia.Canvas, garment: Garment, drawing: Drawing) -> None:
    """Move the garment to the middle; fill the picture with what has no natural size, shrink only what does not fit."""
    box = drawing.bounds()
    fit = min((WIDTH - 28) / box.width(), (HEIGHT - 36) / box.height())
    largest = 1.0 if FAMILY_CATEGORIES[family(garment.kind)][0] == "Apparel" else 1.1
    canvas.translate(0, HEIGHT / 2)
    canvas.scale(min(fit, largest), min(fit, largest))
    canvas.translate(-box.centerX(), -box.centerY())


def _sketch(canvas: skia.Canvas, garment: Garment, drawing: Drawing) -> None:
    """Black lines with a wobble of their own for every seed, as a shopper would scribble them."""
    rng = seeded(garment, "sketch")
    box = drawing.bounds()
    canvas.translate(box.centerX() + rng.uniform(-5, 5), box.centerY())
    canvas.rotate(rng.uniform(-3, 3))
    canvas.scale(rng.uniform(0.92, 1.02), rng.uniform(0.92, 1.02))
    canvas.translate(-box.centerX(), -box.centerY())
    width, wobble = rng.uniform(2.0, 3.6), rng.uniform(0.6, 1.9)
    passes = rng.choice((1, 1, 2))
    detailed = rng.random() < 0.7
    for part in drawing.parts:
        canvas.drawPath(part.outline, paint((255, 255, 255)))
        for _ in range(passes):
            canvas.drawPath(part.outline, _pencil(rng.randrange(1 << 30), width, wobble))
        canvas.save()
        canvas.clipPath(part.outline, True)
        for mark in part.marks:
            if mark.kind in ("seam", "ink") or (detailed and mark.kind == "stitch" and mark.width < 2):
                canvas.drawPath(mark.path, _pencil(rng.randrange(1 << 30), width * 0.65, wobble * 0.7))
        canvas.restore()


def _pencil(seed: int, width: float, wobble: float) -> skia.Paint:
    p = paint((24, 24, 28), 235, width)
    p.setStrokeJoin(skia.Paint.kRound_Join)
    p.setPathEffect(
        skia.PathEffect.MakeCompose(skia.CornerPathEffect.Make(14), skia.DiscretePathEffect.Make(13, wobble, seed))
    )
    return p
