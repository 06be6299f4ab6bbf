"""A shop whose products each have two shop pictures, a cutout, a street picture and a drawing."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

from retrieval.benchmark import Benchmark, BenchmarkImage, RecordedSession, RecordedTurn, Task
from retrieval.fashion_am.single_turns import REQUESTS, TASK_OF, description, single_turns

ROOT = Path(__file__).parents[3]
PRODUCTS = ("bag", "cape", "coat", "dress", "hat", "shirt")
VIEWS = {"front": "product", "side": "worn", "cutout": "cutout", "street": "street", "sketch": "sketch"}
ATTRIBUTES = {
    "category": "Thing", "colour": "Navy Blue", "material": "Wool", "fit": "Loose", "closure": "Zip",
    "gender": "Women", "usage": "Casual", "season": "Winter", "price": 12.5,
}  # fmt: skip
DESCRIBED = "loose navy blue wool thing zip women casual winter"


def picture(product, view, **changes):
    made = BenchmarkImage(
        image_id=f"s/{product}-{view}",
        source="s",
        path=f"{product}-{view}.png",
        kind=VIEWS[view],
        in_gallery=view in ("front", "side"),
        product_id=f"p-{product}",
        caption=f"My {product.title()}" if view == "front" else "",
        attributes=ATTRIBUTES,
    )
    return replace(made, **changes)


def turn(chosen, *references, number=1):
    return RecordedTurn(number, Task.CIR, "s", "words", f"s/{chosen}", tuple(f"s/{each}" for each in references))


SESSIONS = (
    RecordedSession("a", "train", (turn("dress-front", "coat-street"),)),
    RecordedSession("b", "val", (turn("shirt-front", "bag-street"),)),
    RecordedSession("c", "test", (turn("shirt-side"),)),
)
QRELS = {"a/1": {"s/coat-front": 1}, "b/1": {"s/shirt-front": 1}, "c/1": {"s/hat-side": 1, "s/cape-side": 0}}


def shop(images=None, sessions=SESSIONS):
    images = [picture(product, view) for product in PRODUCTS for view in VIEWS] if images is None else images
    return Benchmark(
        Path("shop"), {}, sessions, {each.image_id: each for each in images}, QRELS, {}, {"s": Path("pictures")}
    )


def shown(example):
    return [image.image_id for image in example.query.references]


def product_of(image_id):
    return image_id.removeprefix("s/").partition("-")[0]


def test_products_that_a_validation_or_test_session_shows_asks_for_or_accepts_have_no_single_turn():
    touched = {product_of(each) for example in single_turns(shop()) for each in (*shown(example), *example.positives)}
    assert touched == {"cape", "coat", "dress"}, "bag was shown, shirt asked for, hat a right answer"
    everything = single_turns(shop(sessions=SESSIONS[:1]))
    assert {product_of(example.chosen) for example in everything} == set(PRODUCTS)


def test_the_same_benchmark_gives_the_same_turns_whatever_the_hash_seed():
    printed = [
        subprocess.run(
            [sys.executable, __file__], cwd=ROOT, capture_output=True, text=True, check=True,
            env=os.environ | {"PYTHONPATH": str(ROOT), "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    ]  # fmt: skip
    assert printed[0] == printed[1] == f"{single_turns(shop())}\n"
    reversed_images = [picture(product, view) for product in reversed(PRODUCTS) for view in reversed(VIEWS)]
    assert single_turns(shop(reversed_images)) == single_turns(shop())


def test_right_are_the_shop_pictures_of_the_same_product_but_never_what_is_shown():
    for example in single_turns(shop()):
        product = product_of(example.chosen)
        assert set(example.positives) == {f"s/{product}-front", f"s/{product}-side"} - set(shown(example))
        assert list(example.positives) == sorted(example.positives)
        assert example.chosen in example.positives
        assert {product_of(image_id) for image_id in shown(example)} <= {product}


def test_each_kind_of_picture_asks_in_the_words_of_its_task():
    turns = [example for example in single_turns(shop()) if product_of(example.chosen) == "coat"]
    asked = {image_id: example for example in turns for image_id in shown(example)}
    assert {image_id: example.task for image_id, example in asked.items()} == {
        "s/coat-front": Task.IN_SHOP, "s/coat-side": Task.IN_SHOP,
        "s/coat-street": Task.STREET2SHOP, "s/coat-sketch": Task.SKETCH2IMG,
    }  # fmt: skip
    assert set(REQUESTS) == {*TASK_OF.values(), Task.IN_SHOP}
    for example in asked.values():
        assert example.query.text in REQUESTS[example.task]
        assert example.meant == tuple(shown(example))
    assert str(asked["s/coat-street"].query.references[0].path) == str(Path("pictures/coat-street.png"))


def test_requests_are_not_always_the_same():
    many = [picture(f"thing{i:02}", view) for i in range(40) for view in VIEWS]
    turns = single_turns(shop(many, sessions=()))
    for task, requests in REQUESTS.items():
        assert {example.query.text for example in turns if example.task is task} == set(requests)
    described = [example.query.text for example in turns if example.task is Task.T2I][1::2]
    assert len(set(described)) > 10


def test_a_first_search_says_the_name_or_what_is_known():
    turns = [example for example in single_turns(shop()) if example.task is Task.T2I]
    assert len(turns) == 2 * 3
    for name, known in zip(turns[::2], turns[1::2], strict=True):
        assert name.query.text == f"My {product_of(name.chosen).title()}"
        assert set(known.query.text.split()) <= set(DESCRIBED.split())
        assert name.meant == known.meant == ()
        assert not name.query.references


def test_every_turn_is_a_first_one_with_a_name_of_its_own():
    turns = single_turns(shop())
    assert len({example.query.query_id for example in turns}) == len(turns) == 3 * (2 + 4)
    assert all(example.query.query_id.startswith("single:") for example in turns)
    assert not any(example.query.history or example.rollback_to or example.n_before for example in turns)


def test_what_the_shop_does_not_show_is_no_answer_and_a_lone_picture_finds_no_other():
    images = [
        picture("glove", "street"),
        picture("scarf", "front"),
        picture("sock", "front", product_id=""),
        picture("sock", "side", product_id=""),
        picture("vest", "front"),
        picture("vest", "side", path=""),
    ]
    turns = single_turns(shop(images, sessions=()))
    assert {example.task for example in turns} == {Task.T2I}
    assert {example.positives for example in turns} == {
        ("s/scarf-front",), ("s/sock-front",), ("s/sock-side",), ("s/vest-front",),
    }  # fmt: skip


def test_a_description_is_in_everyday_order_and_lower_case():
    every, none = SimpleNamespace(random=lambda: 0.0), SimpleNamespace(random=lambda: 0.99)
    assert description(ATTRIBUTES, every) == DESCRIBED
    assert description(ATTRIBUTES, none) == ""


if __name__ == "__main__":
    sys.stdout.write(f"{single_turns(shop())}\n")
