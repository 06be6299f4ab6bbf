"""Cloth: base colours, patterns as repeating shaders, and the weave that is laid over both."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import skia
from numpy.typing import NDArray

from builders.studio.garment import Garment
from builders.studio.kinds import COLOURS

RGB = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Fabric:
    """How a part is filled. `shader` replaces the plain colour; `weave` names a texture; gloss 0 (matt) to 1."""

    colour: RGB
    weave: str = ""
    gloss: float = 0.15
    pattern: str = ""
    alpha: int = 255


def mix(one: RGB, two: RGB, share: float) -> RGB:
    """`share` of `two` in `one`."""
    r, g, b = (round(a + (c - a) * share) for a, c in zip(one, two, strict=True))
    return r, g, b


def luminance(colour: RGB) -> float:
    """0 to 1."""
    return (0.299 * colour[0] + 0.587 * colour[1] + 0.114 * colour[2]) / 255


def ink(colour: RGB) -> RGB:
    """The colour of outlines and seams on a cloth: darker, or lighter where the cloth is nearly black."""
    if luminance(colour) < 0.2:
        return mix(colour, (150, 150, 165), 0.42)
    return mix(colour, (26, 22, 34), 0.55 if luminance(colour) > 0.75 else 0.6)


_WEAVES: Mapping[str, str] = {
    "Cotton": "plain", "Jersey": "plain", "Linen": "linen", "Denim": "denim", "Corduroy": "corduroy",
    "Pique Cotton": "pique", "Wool": "felt", "Cashmere": "felt", "Fleece": "felt", "Velvet": "felt", "Suede": "felt",
    "Felt": "felt", "Canvas": "canvas", "Leather": "leather", "Polyester": "mesh", "Mesh": "mesh", "Straw": "straw",
}  # fmt: skip
"""Material -> weave; smooth materials have none."""
_GLOSS: Mapping[str, float] = {
    "Silk": 0.55, "Satin": 0.75, "Nylon": 0.45, "Leather": 0.6, "Patent Leather": 1.0, "Lycra": 0.4, "Velvet": 0.35,
    "Chiffon": 0.3, "Polyester": 0.35, "Rubber": 0.4, "Acetate": 0.9, "Metal": 0.9, "Steel": 0.9,
}  # fmt: skip
PANELLED = (
    *(("Sneakers", style) for style in ("Low-Top", "High-Top", "Running", "Slip-On")),
    ("Leggings", "Panelled"),
    ("Shorts", "Athletic"),
    ("Backpack", "Outdoor"),
    ("Cap", "Trucker"),
    ("Hat", "Beanie"),
)
"""(kind, style) whose blocks of colour are parts of their own, not a division of the whole."""

_KNITS = ("Sweater", "Cardigan")
_WARM = ("Gold", "Brown", "Tan", "Beige", "Cream", "Burgundy", "Mustard", "Rust", "Olive", "Black", "Red")
"""Colours whose buckles may be golden."""
_METALS: Mapping[str, RGB] = {"Gold": (214, 176, 92), "Silver": (198, 203, 210)}


def weave_of(garment: Garment) -> str:
    if garment.kind in _KNITS or (garment.kind, garment.style) == ("Hat", "Beanie"):
        return "chunky" if garment.style in ("Chunky Knit", "Beanie") else "knit"
    return _WEAVES.get(garment.material, "")


_TRIMMINGS: Mapping[str, Fabric] = {
    "label": Fabric((250, 249, 245), "", 0.0),
    "dark": Fabric((38, 37, 41), "", 0.3),
    "steel": Fabric(_METALS["Silver"], "", 0.9),
    "gold": Fabric(_METALS["Gold"], "", 0.9),
    "sole": Fabric((248, 247, 243), "", 0.2),
    "gum": Fabric((176, 128, 82), "", 0.2),
    "leather sole": Fabric((70, 46, 34), "", 0.3),
    "tan leather": Fabric((168, 112, 66), "leather", 0.5),
    "wood": Fabric((150, 104, 66), "", 0.4),
    "cork": Fabric((206, 166, 116), "felt", 0.1),
    "insole": Fabric((226, 200, 166), "", 0.1),
    "screen": Fabric((196, 208, 196), "", 0.2),
}
"""Materials that do not depend on the garment."""


def fabrics(garment: Garment) -> dict[str, Fabric]:
    """Fabric name, as the shapes use it -> how it is filled."""
    main, second = COLOURS[garment.colour], COLOURS[garment.second]
    weave, gloss = weave_of(garment), _GLOSS.get(garment.material, 0.15)
    pattern = "" if garment.pattern in ("Solid", "Tipped") else garment.pattern
    if (garment.kind, garment.style) in PANELLED:
        pattern = "" if pattern == "Colourblocked" else pattern
    warm = garment.colour in _WARM
    metal = _METALS["Gold" if warm and garment.seed % 3 else "Silver"]
    pale = luminance(main) > 0.72
    button: RGB = mix(main, (60, 50, 50), 0.45) if pale else mix(main, (250, 246, 238), 0.75)
    return {
        **_TRIMMINGS,
        "main": Fabric(main, weave, gloss, pattern),
        "plain": Fabric(main, weave, gloss),
        "second": Fabric(second, weave, gloss),
        "rib": Fabric(mix(main, (20, 16, 30), 0.08), "rib", 0.1),
        "second rib": Fabric(second, "rib", 0.1),
        "inside": Fabric(mix(main, (24, 20, 34), 0.34 if not pale else 0.2), weave, 0.0),
        "back": Fabric(mix(main, (24, 20, 34), 0.18), weave, 0.1),
        "lining": Fabric(mix(second, (40, 36, 48), 0.25), "", 0.2),
        "button": Fabric(button, "", 0.6),
        "metal": Fabric(metal, "", 0.9),
        "face": Fabric((250, 250, 248) if garment.seed % 3 else (34, 38, 52), "", 0.3),
        "lens": Fabric(mix(main, (52, 47, 54), 0.74) if garment.seed % 3 else (56, 52, 58), "", 1.0, alpha=238),
    }


def _tile(
    side: int, make: Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.float64]]
) -> NDArray[np.float64]:
    y, x = np.mgrid[0:side, 0:side].astype(np.float64)
    return make(x, y)


def _noise(side: int, blur: float, seed: int) -> NDArray[np.float64]:
    """Periodic smooth noise, mean 0, unit deviation."""
    rng = np.random.default_rng(seed)
    spectrum = np.fft.fft2(rng.standard_normal((side, side)))
    f = np.fft.fftfreq(side)
    window = np.exp(-((f[:, None] ** 2 + f[None, :] ** 2) * (2 * math.pi * blur) ** 2) / 2)
    smooth = np.real(np.fft.ifft2(spectrum * window))
    result: NDArray[np.float64] = (smooth - smooth.mean()) / smooth.std()
    return result


def _weave_values(name: str) -> NDArray[np.float64]:
    """Relief of a weave around 0, about -1 to 1, 128 x 128 at two pixels a unit; repeats."""
    tau, side = 2 * math.pi, 128
    fine = _noise(side, 0.8, 11)
    if name == "plain":
        return _tile(side, lambda x, y: 0.16 * np.sin(tau * x / 4) * np.sin(tau * y / 4)) + 0.14 * fine
    if name == "linen":
        rng = np.random.default_rng(5)
        return 0.1 * rng.standard_normal(side)[:, None] + 0.1 * rng.standard_normal(side)[None, :] + 0.14 * fine
    if name == "denim":
        return _tile(side, lambda x, y: 0.34 * np.sin(tau * (x + y) / 8)) + 0.24 * fine
    if name == "corduroy":
        return _tile(side, lambda x, _: 0.42 * np.cos(tau * x / 8)) + 0.12 * fine
    if name == "pique":
        return _tile(side, lambda x, y: 0.3 * np.sin(tau * (x + y) / 8) * np.sin(tau * (x - y) / 8)) + 0.08 * fine
    if name == "felt":
        return 0.14 * _noise(side, 0.7, 3) + 0.03 * _noise(side, 4, 4)
    if name == "leather":
        return -0.12 * np.abs(_noise(side, 1.6, 8)) + 0.09 + 0.05 * fine
    if name == "canvas":
        return _tile(side, lambda x, y: 0.26 * np.sign(np.sin(tau * x / 8) * np.sin(tau * y / 8))) + 0.14 * fine
    if name == "mesh":
        return _tile(side, lambda x, y: -0.5 * np.maximum(np.sin(tau * x / 8) * np.sin(tau * y / 8), 0)) + 0.06 * fine
    if name == "straw":
        return _tile(
            side, lambda x, y: 0.5 * np.sin(tau * (x / 8 + 0.5 * np.floor(y / 8))) * np.abs(np.sin(tau * y / 16))
        )
    if name == "rib":
        return _tile(side, lambda x, _: 0.6 * np.cos(tau * x / 8)) + 0.08 * fine
    if name in ("knit", "chunky"):
        step = 8 if name == "knit" else 16
        return _tile(side, lambda x, y: _stitches(x, y, step)) + 0.1 * fine
    return np.zeros((side, side))


def _stitches(x: NDArray[np.float64], y: NDArray[np.float64], step: int) -> NDArray[np.float64]:
    """Rows of knitted V's."""
    u, leg = (x % step) / step - 0.5, 1.6
    v = (y / step + np.abs(u) * -leg) % 1 - 0.5
    gap = np.exp(-((np.abs(u) - 0.5) ** 2) / 0.006) + 0.6 * np.exp(-(u**2) / 0.004)
    return 0.5 * np.cos(2 * math.pi * v) - 0.45 * gap


@lru_cache(maxsize=32)
def weave_image(name: str) -> skia.Image | None:
    """Grey relief to be laid over a colour with soft light, or None for a smooth cloth."""
    if not name:
        return None
    grey = np.clip(128 + 90 * _weave_values(name), 0, 255).astype(np.uint8)
    rgba = np.dstack([grey, grey, grey, np.full_like(grey, 255)])
    return skia.Image.fromarray(np.ascontiguousarray(rgba), colorType=skia.kRGBA_8888_ColorType)


def weave_shader(name: str, grain: float) -> skia.Shader | None:
    image = weave_image(name)
    if image is None:
        return None
    matrix = skia.Matrix()
    matrix.postScale(0.5, 0.5)
    matrix.postRotate(grain)
    return image.makeShader(
        skia.TileMode.kRepeat, skia.TileMode.kRepeat, skia.SamplingOptions(skia.FilterMode.kLinear), matrix
    )


def seeded(garment: Garment, salt: str) -> random.Random:
    """A generator for one aspect of a garment, independent of the others."""
    return random.Random(f"{garment.seed}/{salt}")
