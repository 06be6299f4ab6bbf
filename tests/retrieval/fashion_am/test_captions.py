import random

import pytest

from retrieval.fashion_am.captions import (
    CATEGORY_WORDS,
    COLOUR_WORDS,
    attribute_caption,
    attribute_captions,
    benchmark_caption,
)

SHIRT = {"category": "Tshirts", "colour": "Navy Blue", "gender": "Men", "usage": "Casual", "season": "Summer"}


@pytest.mark.parametrize(
    ("unknown", "caption"),
    [
        ((), "navy blue tshirts for men, casual summer"),
        (("season",), "navy blue tshirts for men, casual"),
        (("usage", "season"), "navy blue tshirts for men"),
        (("gender",), "navy blue tshirts, casual summer"),
        (("colour", "gender", "usage", "season"), "tshirts"),
    ],
)
def test_the_benchmark_caption_has_one_form_and_leaves_out_what_is_unknown(unknown, caption):
    assert benchmark_caption({name: word for name, word in SHIRT.items() if name not in unknown}) == caption


def test_equal_seeds_give_equal_captions_and_others_do_not():
    captions = attribute_captions(SHIRT, 8, "1")
    assert len(captions) == 8
    assert captions == attribute_captions(SHIRT, 8, "1")
    assert captions != attribute_captions(SHIRT, 8, "2")


def test_every_caption_names_the_category_and_most_the_colour():
    captions = attribute_captions(SHIRT, 200, "1")
    categories = (*CATEGORY_WORDS["tshirts"], "tshirts")
    assert all(any(word in caption for word in categories) for caption in captions)
    coloured = sum(any(word in caption for word in COLOUR_WORDS["navy blue"]) for caption in captions)
    assert 150 < coloured < 200


def test_a_caption_for_a_line_drawing_names_no_colour():
    captions = attribute_captions(SHIRT, 200, "1", colour=False)
    assert not [caption for caption in captions if any(word in caption for word in COLOUR_WORDS["navy blue"])]


def test_words_are_varied_and_single_spaced():
    captions = attribute_captions(SHIRT, 100, "1")
    assert len(set(captions)) > 60
    assert all(caption == " ".join(caption.split()) for caption in captions)


def test_a_product_of_which_only_the_category_is_known_still_has_a_caption():
    assert attribute_caption({"category": "Shorts"}, random.Random(0)).endswith(("shorts", "short"))
