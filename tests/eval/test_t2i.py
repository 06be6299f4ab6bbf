import numpy as np
import pytest

from eval.t2i import Gallery, evaluate, gallery_hash, rankings, table
from retrieval.errors import GalleryError
from retrieval.protocols import Manifest
from retrieval.schema import Image, Item


def item(number: int, name: str, colour: str, category: str = "Shirts") -> Item:
    attributes = {"category": category, "colour": colour, "gender": "Men"}
    return Item(f"{number:02d}", Image(f"hash{number}", f"{number}.jpg"), name, attributes)


class OneHotEncoder:
    """Names and captions point at the axis of their first word."""

    axes = ("red", "blue", "green")
    manifest = Manifest("one-hot", "1", 3)

    def encode_queries(self, queries):
        words = [query.text.lower().split()[0] for query in queries]
        return np.stack([np.eye(3, dtype=np.float32)[self.axes.index(word)] for word in words])


ITEMS = [item(0, "Red A", "Red"), item(1, "Red A", "Red"), item(2, "Blue B", "Blue"), item(3, "Green C", "Green")]


def scores(embeddings, held_out):
    found = evaluate(OneHotEncoder(), ITEMS, np.array(embeddings, np.float32), held_out)
    return {(s.gallery.split()[0], s.queries, s.measure): s for s in found}


def test_a_perfect_encoder_succeeds_and_a_misplaced_product_is_missed():
    perfect = [[1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    assert scores(perfect, {"00", "01", "02"})["whole", "names", "success@1"].value == 1.0
    wrong = [[0, 1, 0], [0, 1, 0], [1, 0, 0], [0, 0, 1]]
    assert scores(wrong, {"00", "01", "02"})["whole", "names", "success@1"].value == 0.0


def test_any_product_of_the_name_is_a_success():
    second_only = [[0, 0, 1], [1, 0, 0], [0, 1, 0], [0, 1, 0]]
    assert scores(second_only, {"00"})["whole", "names", "success@1"].value == 1.0


def test_chance_is_that_of_a_random_order():
    found = scores(np.eye(4, 3), {"00", "02"})
    red, blue = 2 / 4, 1 / 4
    assert found["whole", "names", "success@1"].random == pytest.approx((red + blue) / 2)
    assert found["held-out", "names", "success@1"].random == pytest.approx(1 / 2)
    assert found["whole", "attribute captions", "colour precision@10"].random == pytest.approx((red + blue) / 2)
    assert found["whole", "attribute captions", "category precision@10"].random == 1


def test_names_are_counted_once_each_and_once_a_product():
    half = [[1, 0, 0], [1, 0, 0], [0, 0, 1], [0, 1, 0]]
    found = scores(half, {"00", "01", "02"})
    assert found["whole", "names", "success@1"].value == pytest.approx(1 / 2)
    assert found["whole", "names, one a product", "success@1"].value == pytest.approx(2 / 3)


def test_held_out_products_alone_are_their_own_gallery():
    found = scores([[1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 1, 0]], {"02"})
    assert found["held-out", "names", "success@1"].n_queries == 1
    assert found["held-out", "attribute captions", "colour precision@10"].value == pytest.approx(0.1)


def test_equal_scores_are_ordered_by_id_whatever_the_order_of_the_gallery():
    embeddings = np.array([[1, 0], [1, 0], [1, 0], [0, 1]], np.float32)
    query = np.array([[1, 0]], np.float32)
    for order in ([2, 0, 1, 3], [0, 1, 2, 3], [1, 2, 0, 3]):
        gallery = Gallery("", [ITEMS[row] for row in order], embeddings)
        first = sorted(ITEMS[row].item_id for row in order[:3])
        assert rankings(query, gallery, 2) == [first[:2]]
        assert rankings(query, gallery, 9) == [[*first, "03"]]


def test_a_gallery_that_leaves_nothing_to_ask_for_is_an_error_and_not_a_score():
    with pytest.raises(GalleryError, match="name"):
        evaluate(OneHotEncoder(), [item(0, "", "Red")], np.eye(1, 3, dtype=np.float32), {"00"})
    bare = Item("00", Image("hash", "0.jpg"), "Red A", {"colour": "Red"})
    with pytest.raises(GalleryError, match="gender"):
        evaluate(OneHotEncoder(), [bare], np.eye(1, 3, dtype=np.float32), {"00"})


def test_the_gallery_hash_depends_on_ids_and_pictures_and_not_on_order():
    assert gallery_hash(ITEMS) == gallery_hash(ITEMS[::-1])
    assert gallery_hash(ITEMS) != gallery_hash(ITEMS[:3])


def test_the_table_prints_every_score():
    found = list(scores([[1, 0, 0]] * 4, {"00"}).values())
    assert len(table(found).splitlines()) == len(found) + 2 * 2
