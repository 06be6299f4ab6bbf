from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType

import pytest

from builders import colours, instances, wording
from builders.dim_fashion.annotators import claims, differences, embedded, vocabulary
from builders.dim_fashion.annotators.embedded import EmbeddedAnnotator
from builders.dim_fashion.drafts import DraftTurn
from builders.instances import SourceImage
from retrieval.benchmark import PictureKind, Task
from retrieval.schema import Attributes

SHIRT: Attributes = {
    "category": "Shirt", "colour": "Blue", "pattern": "Solid", "gender": "Men", "sleeves": "Long Sleeves",
    "material": "Cotton", "usage": "Formal",
}  # fmt: skip


def picture(
    name: str, kind: PictureKind = "product", product_id: str = "", caption: str = "", **attributes: str | float
) -> SourceImage:
    return SourceImage(f"s/{name}", f"{name}.jpg", kind, product_id, caption, attributes)


def annotator(*pictures: SourceImage) -> EmbeddedAnnotator:
    return EmbeddedAnnotator({image.image_id: image for image in pictures})


def read(one: Mapping[str, str | float], other: Mapping[str, str | float]) -> str:
    reading = annotator(picture("a", **one), picture("b", **other)).read_bridges([("s/a", "s/b")])[0]
    assert not reading.is_same
    return reading.modification


def turn(task: Task, text: str = "", references: tuple[str, ...] = ("s/a",), **more: object) -> DraftTurn:
    return DraftTurn(task, "s", text, "s/b", references, **more)  # type: ignore[arg-type]


def check(task: Task, text: str, one: SourceImage, other: SourceImage, **more: object) -> bool:
    return annotator(one, other).check_turns([turn(task, text, (one.image_id,), **more)])[0]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("T-shirt", "Tshirts"), ("Navy", "navy blue"), ("V-Neck", "v neck"), ("Dresses", "Dress"), ("Scarves", "Scarf"),
        ("Long Sleeves", "long-sleeved"), ("Women's", "Women"), ("Striped", "stripes"), ("Watches", "Watch"),
        ("Ties", "Tie"), ("Hoodies", "Hoodie"), ("Pants", "Trousers"), ("Grey", "gray"),
    ],
)  # fmt: skip
def test_spellings_of_one_word_fold_to_the_same(one: str, other: str) -> None:
    assert vocabulary.fold(one) == vocabulary.fold(other) != ""


@pytest.mark.parametrize("word", ["NA", "", "None", 12.5, None])
def test_what_says_nothing_folds_to_nothing(word: str | float | None) -> None:
    assert vocabulary.fold(word) == ""


def test_a_loose_word_of_another_catalogue_is_no_difference() -> None:
    assert vocabulary.agree("category", "Casual Shoes", "Sneakers") is True
    assert vocabulary.agree("category", "Dress", "Sneakers") is False
    assert vocabulary.agree("gender", "Unisex", "Men") is True
    assert vocabulary.agree("colour", None, "Red") is None


@pytest.mark.parametrize(
    ("narrow", "wide"),
    [
        ("Day Dresses", "dress"), ("vest dress", "dress"), ("Skinny Jeans", "Jeans"), ("Graphic Tees", "Tshirts"),
        ("short sleeve dress", "Dresses"), ("sling", "top"), ("camisole", "top"), ("tank top", "tops"),
        ("Jeans", "bottom"), ("Skirts", "bottom"), ("Casual Shirts", "top"), ("Ankle Boots", "Boots"),
    ],
)  # fmt: skip
def test_a_narrower_kind_is_no_other_kind(narrow: str, wide: str) -> None:
    assert vocabulary.agree("category", narrow, wide) is True
    assert vocabulary.agree("category", wide, narrow) is True


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("T-shirt", "Shirt"), ("Dress Shirt", "Dress"), ("Sports Shoes", "Casual Shoes"), ("Waistcoat", "Coat"),
        ("Sweatshirt", "Shirt"), ("Track Pants", "Trousers"), ("Rain Jacket", "Raincoat"),
    ],
)  # fmt: skip
def test_kinds_that_only_sound_alike_are_two(one: str, other: str) -> None:
    assert vocabulary.agree("category", one, other) is False


def test_a_bottom_has_its_place() -> None:
    assert vocabulary.group("bottom") == vocabulary.group("Jeans")
    assert read({"category": "bottom", "colour": "Red"}, {"category": "Jeans", "colour": "Blue"}) != ""


def test_equal_products_are_the_same_garment() -> None:
    a, b = picture("a", product_id="p", **SHIRT), picture("b", "street", product_id="p")
    assert annotator(a, b).read_bridges([("s/a", "s/b")])[0].is_same


def test_an_id_given_to_two_kinds_does_not_make_a_shirt_a_shoe() -> None:
    a, b = picture("a", product_id="1", **SHIRT), picture("b", product_id="1", category="Heels", colour="Blue")
    assert not annotator(a, b).read_bridges([("s/a", "s/b")])[0].is_same


def test_unknown_products_are_not_equal_to_each_other() -> None:
    assert not annotator(picture("a"), picture("b")).read_bridges([("s/a", "s/b")])[0].is_same


def test_the_same_name_in_the_same_colour_is_the_same_garment() -> None:
    a = picture("a", product_id="s/1", caption="Hollin Oxford Shirt", **SHIRT)
    b = picture("b", caption="Hollin Oxford shirt", **SHIRT)
    red = picture("c", caption="Hollin Oxford Shirt", **{**SHIRT, "colour": "Red"})
    readings = annotator(a, b, red).read_bridges([("s/a", "s/b"), ("s/a", "s/c")])
    assert [reading.is_same for reading in readings] == [True, False]
    assert "red" in readings[1].modification


def test_products_that_their_ids_tell_apart_are_never_the_same_garment() -> None:
    a = picture("a", product_id="s/1", caption="Hollin Oxford Shirt", **SHIRT)
    b = picture("b", product_id="s/2", caption="Hollin Oxford Shirt", **SHIRT)
    assert not annotator(a, b).read_bridges([("s/a", "s/b")])[0].is_same
    assert not check(Task.IN_SHOP, "", a, b)


def test_ids_of_two_sources_tell_no_products_apart() -> None:
    a = picture("a", product_id="s/1", caption="Hollin Oxford Shirt", **SHIRT)
    b = SourceImage("t/b", "b.jpg", "product", "t/2", "Hollin Oxford Shirt", SHIRT)
    both = annotator(a, b)
    assert both.read_bridges([("s/a", "t/b")])[0].is_same
    assert both.check_turns([DraftTurn(Task.IN_SHOP, "s", "", "t/b", ("s/a",))]) == [True]


def test_ids_of_a_shared_name_space_tell_products_apart_across_sources() -> None:
    a = picture("a", product_id="asin/1", caption="Hollin Oxford Shirt", **SHIRT)
    b = SourceImage("t/b", "b.jpg", "product", "asin/2", "Hollin Oxford Shirt", SHIRT)
    assert not annotator(a, b).read_bridges([("s/a", "t/b")])[0].is_same


@pytest.mark.parametrize("task", [Task.IN_SHOP, Task.STREET2SHOP, Task.SKETCH2IMG])
@pytest.mark.parametrize("ids", [("s/1", "s/1"), ("s/1", "s/2"), ("s/1", "t/1"), ("", "s/1"), ("asin/1", "asin/2")])
@pytest.mark.parametrize("source", ["s", "t"])
def test_what_is_the_same_garment_is_a_reasonable_target_of_the_same_item(
    task: Task, ids: tuple[str, str], source: str
) -> None:
    a = picture("a", product_id=ids[0], caption="Hollin Oxford Shirt", **SHIRT)
    b = SourceImage(f"{source}/b", "b.jpg", "product", ids[1], "Hollin Oxford Shirt", SHIRT)
    both = annotator(a, b)
    is_reasonable = both.check_turns([DraftTurn(task, "s", "", b.image_id, (a.image_id,))])[0]
    assert both.read_bridges([(a.image_id, b.image_id)])[0].is_same == is_reasonable


def test_the_only_difference_is_what_is_said() -> None:
    text = read(SHIRT, {**SHIRT, "colour": "Navy Blue"})
    assert "in navy blue" in text
    assert "shirt" not in text
    assert "formal" not in text


def test_another_spelling_is_never_said() -> None:
    assert read(SHIRT, {**SHIRT, "category": "Shirts", "sleeves": "long sleeve"}) == ""


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"pattern": "Polka Dot"}, "polka dot"), ({"pattern": "Solid", "sleeves": "Sleeveless"}, "sleeveless"),
        ({"sleeves": "Short Sleeves"}, "with short sleeves"), ({"gender": "Women"}, "for women"),
        ({"category": "Dress"}, "a dress"), ({"category": "Tshirts"}, "a t-shirt"), ({"usage": "Party"}, "for a party"),
        ({"category": "Jackets", "colour": "Orange"}, "a jacket in orange"),
    ],
)  # fmt: skip
def test_every_difference_has_natural_words(changed: dict[str, str], words: str) -> None:
    assert words in read(SHIRT, {**SHIRT, **changed})


def test_at_most_three_differences_are_said() -> None:
    text = read(SHIRT, {**SHIRT, "colour": "Red", "pattern": "Striped", "sleeves": "Sleeveless", "material": "Linen"})
    assert "linen" not in text
    assert all(word in text for word in ("red", "striped", "sleeveless"))


def test_no_wish_leads_from_a_shirt_to_a_shoe() -> None:
    assert read(SHIRT, {"category": "Casual Shoes", "colour": "Red"}) == ""


def test_no_wish_leads_to_what_differs_in_everything() -> None:
    other = {"colour": "Red", "pattern": "Striped", "sleeves": "Sleeveless", "material": "Silk", "usage": "Party"}
    assert read(SHIRT, {**SHIRT, **other, "gender": "Women"}) == ""


def test_a_change_of_gender_is_always_said() -> None:
    other = {**SHIRT, "gender": "Women", "colour": "Red", "pattern": "Striped", "sleeves": "Sleeveless"}
    assert "for women" in read(SHIRT, other)


def test_several_values_agree_in_one_of_them() -> None:
    assert vocabulary.agree("material", "Leather; Suede", "suede") is True
    assert vocabulary.agree("category", "Blouses Shirts", "Shirt") is True
    assert vocabulary.agree("gender", "Boys; Girls", "Women") is False
    assert vocabulary.group("Jackets & Coats") == "outer"
    assert vocabulary.group("Tops & Shoes") == ""


@pytest.mark.parametrize(
    ("category", "said"),
    [
        ("Dresses", "dress"), ("Tshirts", "t-shirt"), ("Watches", "watch"), ("Casual Shoes", "casual shoes"),
        ("Blouses Shirts", "blouse or shirt"), ("Track Pants", "track pants"), ("Sunglasses", "sunglasses"),
        ("Flip Flops", "flip flops"), ("Hoodies", "hoodie"),
    ],
)  # fmt: skip
def test_a_kind_is_said_as_a_shopper_says_it(category: str, said: str) -> None:
    assert differences.noun(category) == said


def test_phrasings_vary_by_picture_and_stay_for_a_picture() -> None:
    pictures = [picture(f"{number}", **{**SHIRT, "colour": "Red"}) for number in range(30)]
    pairs = [("s/a", image.image_id) for image in pictures]
    one, other = annotator(picture("a", **SHIRT), *pictures), annotator(picture("a", **SHIRT), *reversed(pictures))
    texts = [reading.modification for reading in one.read_bridges(pairs)]
    assert len(set(texts)) >= 4
    assert texts == [reading.modification for reading in other.read_bridges(pairs)]


def test_a_first_search_describes_the_product() -> None:
    found = annotator(picture("a", **SHIRT)).enrich(["s/a"])[0]
    assert found.is_item_centric
    assert "blue" in found.text
    assert "shirt" in found.text
    assert "plain" not in found.text
    assert 3 <= len(found.text.split()) <= 9


def test_a_style_that_names_the_kind_stands_for_it() -> None:
    tie = picture("a", category="Tie", style="Bow Tie", colour="Grey", material="Wool")
    assert "grey wool bow tie" in annotator(tie).enrich(["s/a"])[0].text


@pytest.mark.parametrize("kind", ["street", "sketch", "worn", "cutout"])
def test_pictures_with_a_background_get_no_first_search(kind: PictureKind) -> None:
    found = annotator(picture("a", kind, caption="a blue shirt for men", **SHIRT)).enrich(["s/a"])[0]
    assert (found.is_item_centric, found.text) == (False, "")


def test_a_product_of_which_nothing_is_known_gets_no_first_search() -> None:
    bare, named = annotator(picture("a"), picture("b", caption="Hollin Blue Shirt")).enrich(["s/a", "s/b"])
    assert not bare.is_item_centric
    assert named.text == "Hollin Blue Shirt"


def test_a_long_name_is_no_first_search_since_its_end_would_be_cut_off() -> None:
    name = "Hollin Women Linen Slim Fit Long Sleeve Embroidered Round Neck Kaftan"
    assert not annotator(picture("a", caption=name)).enrich(["s/a"])[0].is_item_centric


@pytest.mark.parametrize(
    ("text", "colour", "expected"),
    [
        ("is red", "Red", False), ("is red", "Blue", True), ("a dark blue one", "Navy Blue", False),
        ("not red", "Blue", False), ("black instead of red", "Black", False), ("has red dots", "Blue", False),
        ("with red buttons", "Blue", False), ("with long sleeves in red", "Blue", True), ("is red", "", False),
        ("is red", "Multi", False), ("is cream", "White", False), ("is off white", "Off-White", False),
        ("is off-white", "Beige", False), ("in off white", "Red", True), ("red and white", "White", False),
        ("with a black collar, in green", "Yellow", True),
    ],
)  # fmt: skip
def test_a_colour_that_is_asked_for_must_be_there(text: str, colour: str, expected: bool) -> None:
    assert claims.contradict(text, {"colour": colour}, names_kind=False) is expected


def test_words_of_the_targets_own_name_contradict_nothing() -> None:
    target: Attributes = {"colour": "Brown", "gender": "Boys"}
    named = "Indigo Nation Mr.Men Brown Shirt"
    assert claims.contradict("a shirt by Indigo Nation for men", target, names_kind=False)
    assert not claims.contradict("a shirt by Indigo Nation for men", target, named, names_kind=False)
    assert claims.contradict("Indigo Nation, but in black", target, named, names_kind=False)


def test_a_second_colour_beside_the_right_one_contradicts_nothing() -> None:
    yellow = {"colour": "Yellow"}
    assert not claims.contradict("leggings, yellow, a block of green", yellow, "Yellow Leggings", names_kind=False)
    assert claims.contradict("leggings, red, a block of green", yellow, "Yellow Leggings", names_kind=False)


def test_a_search_for_a_dress_does_not_end_at_a_shoe() -> None:
    b = picture("b", category="Heels")
    texts = ["a red dress", "heels for a dress", "something nice"]
    verdicts = annotator(b).check_turns([turn(Task.T2I, text, ()) for text in texts])
    assert verdicts == [False, True, True]


def test_a_request_without_words_is_not_reasonable() -> None:
    assert not check(Task.CIR, " ", picture("a", **SHIRT), picture("b", **SHIRT))


def test_no_change_makes_a_shoe_of_a_shirt_unless_it_is_asked_for() -> None:
    shirt, shoes = picture("a", **SHIRT), picture("b", category="Casual Shoes", colour="Blue")
    assert not check(Task.CIR, "in a lighter blue", shirt, shoes)
    assert check(Task.CIR, "shoes in the same blue", shirt, shoes)
    assert check(Task.CIR, "in a lighter blue", picture("a"), shoes)


def test_outfits_take_garments_of_different_places_for_one_gender() -> None:
    shirt = picture("a", **SHIRT)
    assert check(Task.COMPATIBLE, "what goes with it", shirt, picture("b", category="Jeans", gender="Unisex"))
    assert not check(Task.COMPATIBLE, "what goes with it", shirt, picture("b", category="Jeans", gender="Women"))
    assert not check(Task.COMPATIBLE, "what goes with it", shirt, picture("b", category="Tops", gender="Men"))
    assert check(Task.COMPATIBLE, "what goes with it", shirt, picture("b"))


@pytest.mark.parametrize("task", [Task.IN_SHOP, Task.STREET2SHOP, Task.SKETCH2IMG])
def test_the_same_item_is_the_same_product(task: Task) -> None:
    street = picture("a", "street", product_id="1")
    assert check(task, "", street, picture("b", product_id="1"))
    assert not check(task, "", street, picture("b", product_id="2"))
    assert check(task, "", street, picture("b"))


def test_a_shared_attribute_is_shared() -> None:
    a = picture("a", neckline="V-Neck")
    same, other = picture("b", neckline="v neck"), picture("b", neckline="Boat Neck")
    assert check(Task.ASFR, "the same neckline", a, same, attribute="neckline")
    assert not check(Task.ASFR, "the same neckline", a, other, attribute="neckline")
    assert check(Task.ASFR, "the same neckline", a, picture("b"), attribute="neckline")


def coherent(*turns: DraftTurn) -> bool:
    pictures = [picture(name, gender=gender) for name, gender in (("m", "Men"), ("n", "Men"), ("w", "Women"))]
    return annotator(*pictures, picture("u", gender="Unisex"), picture("x")).check_sessions([turns])[0]


def step(text: str, target: str, reference: str = "", rollback_to: int | None = None) -> DraftTurn:
    references = (f"s/{reference}",) if reference else ()
    return DraftTurn(Task.CIR, "s", text, f"s/{target}", references, rollback_to=rollback_to)


def test_a_session_changes_gender_only_when_asked() -> None:
    assert coherent(step("a shirt", "m"), step("the same for women", "w", "m"))
    assert not coherent(step("a shirt", "m"), step("in red", "w", "m"))
    assert not coherent(step("a shirt", "m"), step("in red", "w", "x"))
    assert coherent(step("a shirt", "m"), step("in red", "u", "m"), step("in blue", "n", "u"))
    assert not coherent(step("a shirt", "m"), step("in red", "x", "m"), step("in blue", "w", "x"))


def test_a_rollback_goes_back_to_the_gender_of_its_turn() -> None:
    session = step("a shirt", "m"), step("one for women", "w", "m")
    assert coherent(*session, step("go back to round 1, then in red", "n", "m", rollback_to=1))


def test_a_rollback_says_the_turn_that_it_goes_to() -> None:
    session = step("a shirt", "m"), step("in red", "n", "m")
    assert not coherent(*session, step("go back to round 2, then in blue", "x", "m", rollback_to=1))
    assert not coherent(*session, step("go back, then in blue", "x", "m", rollback_to=3))


def test_nobody_says_the_same_twice() -> None:
    assert not coherent(step("in Red", "m"), step("in  red", "n", "m"))
    assert coherent(step("in red", "m"), step("", "n", "m"), step("", "m", "n"))


def test_the_name_tells_the_rules_and_does_not_hang_on_hashing() -> None:
    program = "from builders.dim_fashion.annotators.embedded import EmbeddedAnnotator as A; print(A({}).name)"
    names = {
        subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": seed},
            cwd=Path(__file__).parents[3],
        ).stdout.strip()
        for seed in ("1", "2")
    }
    assert names == {annotator().name}


@pytest.mark.parametrize("module", [claims, colours, differences, embedded, instances, vocabulary, wording])
def test_the_name_changes_with_the_code_of_any_answer(
    module: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = annotator().name
    changed = tmp_path / Path(str(module.__file__)).name
    changed.write_bytes(Path(str(module.__file__)).read_bytes() + b"\n")
    monkeypatch.setattr(module, "__file__", str(changed))
    assert annotator().name != before
