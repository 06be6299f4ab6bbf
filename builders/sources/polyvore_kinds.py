"""What Polyvore's categories are called in a request, and which of them stand for the same part of an outfit."""

from __future__ import annotations

from collections.abc import Mapping

KINDS: Mapping[str, tuple[str, str]] = {
    "dresses": ("dress", "Dresses|Day Dresses|Cocktail Dresses|Gowns|Wedding Dresses"),
    "jumpsuits": ("dress", "Jumpsuits|Rompers"),
    "tops": (
        "top",
        "Tops|Tunics|Blouses|T-Shirts|Tank Tops|Camisoles|Polos|Activewear Tops|Activewear Tank Tops",
    ),
    "shirts": ("top", "Shirts|Dress Shirts|Casual Shirts"),
    "sweaters": ("top", "Sweaters|Sweatshirts|Hoodies|Cardigans"),
    "jackets or coats": (
        "outerwear",
        "Outerwear|Coats|Jackets|Vests|Blazers|Sportcoats & Blazers|Activewear Jackets",
    ),
    "suits": ("suit", "Suits"),
    "skirts": ("bottom", "Skirts|Mini Skirts|Knee Length Skirts|Long Skirts|Activewear Skirts"),
    "jeans": (
        "bottom",
        "Jeans|Skinny Jeans|Bootcut Jeans|Wide Leg Jeans|Boyfriend Jeans|Straight Leg Jeans|Flared Jeans",
    ),
    "trousers": (
        "bottom",
        "Pants|Leggings|Capri & Cropped Pants|Activewear Pants|Casual Pants|Dress Pants",
    ),
    "shorts": ("bottom", "Shorts|Activewear Shorts"),
    "swimwear": (
        "swimwear",
        "Swimwear|Bikinis|Bikini Tops|Bikini Bottoms|One Piece Swimsuits|Cover-ups",
    ),
    "sportswear": ("sportswear", "Activewear|Sports Bras"),
    "nightwear": ("nightwear", "Sleepwear|Pajamas|Robes|Chemises"),
    "underwear": ("underwear", "Underwear|Intimates|Bras|Panties & Thongs|Shapewear"),
    "socks or tights": ("hosiery", "Hosiery|Socks|Tights"),
    "shoes": (
        "shoes",
        "Shoes|Pumps|Flats|Loafers & Moccasins|Oxfords|Clogs|Slippers|Dress Shoes",
    ),
    "boots": (
        "shoes",
        "Boots|Ankle Booties|Mid Calf Boots|Knee High Boots|Over-The-Knee Boots|Work Boots",
    ),
    "sandals": ("shoes", "Sandals|Flip Flops"),
    "sneakers": ("shoes", "Sneakers|Athletic Shoes"),
    "bags": (
        "bag",
        "Bags|Tote Bags|Shoulder Bags|Clutches|Handbags|Messenger Bags|Backpacks|Briefcases|Bags & Wallets|Luggage",
    ),
    "wallets": ("wallet", "Wallets|Money Clips"),
    "jewellery": (
        "jewellery",
        "Jewelry|Necklaces|Earrings|Rings|Brooches|Bracelets|Bracelets & Bangles|Charms & Pendants|Watches & Jewelry"
        "|Cuff Links",
    ),
    "watches": ("watch", "Watches"),
    "hats": ("hat", "Hats"),
    "belts": ("belt", "Belts|Suspenders"),
    "scarves": ("scarf", "Scarves"),
    "gloves": ("gloves", "Gloves"),
    "sunglasses": ("glasses", "Sunglasses"),
    "glasses": ("glasses", "Eyewear|Eyeglasses"),
    "ties": ("tie", "Ties|Bow Ties|Handkerchiefs"),
    "hair accessories": ("hair", "Hair Accessories"),
    "umbrellas": ("umbrella", "Umbrellas"),
    "accessories": ("accessory", "Accessories"),
}
"""Words of a request -> part of the outfit, and the categories, without "Men's". What is in none of them is furniture,
beauty, or too broad to ask for ("Clothing", "Men's Fashion", "Juniors")."""

_OF_CATEGORY = {name: (kind, group) for kind, (group, names) in KINDS.items() for name in names.split("|")}


def kind_of(category: str) -> tuple[str, str]:
    """What to call it, and its part of the outfit; two "" for what is no clothing."""
    return _OF_CATEGORY.get(category.removeprefix("Men's "), ("", ""))
