import numpy as np
import pytest

from retrieval.benchmark import Task
from retrieval.fashion_am.validation import Validation
from retrieval.fashion_am.vectors import PictureVectors
from retrieval.recorded import Example
from retrieval.schema import Image, Query

IMAGES = [f"i{number:02}" for number in range(12)]
ANGLES = np.arange(12) * 0.1
VECTORS = PictureVectors(
    {image: row for row, image in enumerate(IMAGES)}, np.stack([np.cos(ANGLES), np.sin(ANGLES)], 1).astype(np.float32)
)


def example(name, task, positives, references=()):
    query = Query(name, "words", tuple(Image(each, "") for each in references))
    return Example(query, task, positives[0], tuple(positives), None, 0)


def towards(image):
    return VECTORS.of([image])


def test_a_target_in_place_six_counts_at_eight_and_not_at_five():
    turns = Validation([example("a", Task.CIR, ["i05"])], IMAGES, {}, VECTORS)
    assert turns.scores(towards("i00")) == {
        "success@5": 0.0,
        "success@5/cir": 0.0,
        "success@8": 1.0,
        "success@8/cir": 1.0,
    }


def test_own_references_take_no_place():
    turns = Validation([example("a", Task.CIR, ["i05"], ["i00"])], IMAGES, {}, VECTORS)
    assert turns.scores(towards("i00"))["success@5"] == 1.0


def test_any_right_item_is_enough_but_the_reference_itself_is_none():
    turns = Validation([example("a", Task.IN_SHOP, ["i00", "i11"], ["i00"])], IMAGES, {}, VECTORS)
    assert turns.scores(towards("i00"))["success@8"] == 0.0
    assert turns.scores(towards("i11"))["success@8"] == 1.0


def test_a_query_by_attribute_is_ranked_within_its_pool():
    turns = Validation([example("a", Task.ASFR, ["i03", "i11"])], IMAGES, {"a": ["i02", "i03", "i10", "i11"]}, VECTORS)
    assert turns.scores(towards("i00")) == {"map": 0.5}  # i02, i03, i10, i11: (1/2 + 2/4) / 2
    assert turns.scores(towards("i11")) == {"map": 0.8333}  # i11, i10, i03, i02: (1/1 + 2/3) / 2


def test_a_vector_that_is_not_a_number_is_no_perfect_score():
    turns = Validation([example("a", Task.CIR, ["i05"])], IMAGES, {}, VECTORS)
    with pytest.raises(ValueError, match="not finite"):
        turns.scores(np.full((1, 2), np.nan, np.float32))
