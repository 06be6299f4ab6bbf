"""Outlines and details of every kind, one module for each family."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from builders.studio.garment import Garment
from builders.studio.pen import Drawing
from builders.studio.shapes import accessories, bags, boots, bottoms, dresses, footwear, headwear, outerwear, tops

SHAPES: Mapping[str, Callable[[Garment, Drawing], None]] = {
    "T-shirt": tops.t_shirt,
    "Shirt": tops.shirt,
    "Blouse": tops.blouse,
    "Polo": tops.polo,
    "Tank Top": tops.tank_top,
    "Sweater": tops.sweater,
    "Hoodie": tops.hoodie,
    "Cardigan": tops.cardigan,
    "Jacket": outerwear.jacket,
    "Blazer": outerwear.blazer,
    "Coat": outerwear.coat,
    "Dress": dresses.dress,
    "Jumpsuit": dresses.jumpsuit,
    "Skirt": bottoms.skirt,
    "Trousers": bottoms.trousers,
    "Jeans": bottoms.jeans,
    "Shorts": bottoms.shorts,
    "Leggings": bottoms.leggings,
    "Sneakers": footwear.sneakers,
    "Boots": boots.boots,
    "Heels": boots.heels,
    "Sandals": footwear.sandals,
    "Formal Shoes": footwear.formal_shoes,
    "Handbag": bags.handbag,
    "Backpack": bags.backpack,
    "Tote Bag": bags.tote_bag,
    "Hat": headwear.hat,
    "Cap": headwear.cap,
    "Scarf": accessories.scarf,
    "Belt": accessories.belt,
    "Tie": accessories.tie,
    "Sunglasses": accessories.sunglasses,
    "Watch": accessories.watch,
}


def draw(garment: Garment) -> Drawing:
    drawing = Drawing()
    SHAPES[garment.kind](garment, drawing)
    return drawing
