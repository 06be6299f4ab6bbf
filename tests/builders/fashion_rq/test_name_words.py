"""Material, pattern and style in names."""

from __future__ import annotations

import pytest

from builders.fashion_rq.name_words import read_name


@pytest.mark.parametrize(
    ("name", "brand", "found"),
    [
        ("Hidekraft Men Black Leather Wallet", "Hidekraft", {"material": "leather"}),
        ("Scullers Men Striped Slim Fit Shirt", "Scullers", {"pattern": "striped", "style": "slim fit"}),
        ("Femella Women Printed Floral Top", "Femella", {"pattern": "floral"}),
        ("Wrangler Men Check and Stripes Shirt", "Wrangler", {}),
        ("Silk and Cotton Sari", "", {}),
        ("Denim Co Men Blue Shirt", "Denim Co", {}),
        ("U.S. Polo Assn. Men Blue Shirt", "", {}),
        ("Nike Men Lace-Up Shoes", "Nike", {"style": "lace-up"}),
        ("", "", {}),
    ],
)
def test_a_name_tells_what_it_says_once(name: str, brand: str, found: dict[str, str]) -> None:
    assert read_name(name, brand) == found
