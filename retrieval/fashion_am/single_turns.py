"""Single turns made of a benchmark's products, to train beside the recorded ones (ours): what no session asks for, but
its pictures and words would answer.

A product's name or what is known of it is a first search for it, a street picture or drawing of it asks for it in the
shop, and one shop picture asks for another. Products that a validation or test session touches are left out. It imports
no torch.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from retrieval.benchmark import Benchmark, BenchmarkImage, Task
from retrieval.recorded import Example, held_out_products, product_of
from retrieval.schema import Attributes, Image, Query

REQUESTS: dict[Task, tuple[str, ...]] = {
    Task.STREET2SHOP: ("", "where can I get this?", "this one, from your shop", "I saw this somewhere, is it yours?"),
    Task.SKETCH2IMG: ("", "I drew what I want", "it should look like this drawing", "find what I sketched"),
    Task.IN_SHOP: ("", "this again, seen differently", "another picture of this", "show me this from another side"),
}
DESCRIBED_BY = (
    "fit", "length", "colour", "pattern", "material", "style", "category", "sleeves", "neckline", "closure", "heel",
    "gender", "usage", "season",
)  # fmt: skip
"""Attributes in the order in which a description names them."""
NAMED = 0.8
"""How often each of them is named."""
TASK_OF = {"street": Task.STREET2SHOP, "sketch": Task.SKETCH2IMG}


def single_turns(benchmark: Benchmark) -> list[Example]:
    """Sorted by product; the same for the same benchmark."""
    held_out = held_out_products(benchmark)
    products: dict[str, list[BenchmarkImage]] = {}
    for image in sorted(benchmark.images.values(), key=lambda image: image.image_id):
        if image.path and product_of(image) not in held_out:
            products.setdefault(product_of(image), []).append(image)
    return [
        example
        for product, pictures in sorted(products.items())
        if any(picture.in_gallery for picture in pictures)
        for example in _of_product(benchmark, product, pictures)
    ]


def _of_product(benchmark: Benchmark, product: str, pictures: Sequence[BenchmarkImage]) -> Iterator[Example]:
    rng = random.Random(f"single turns/{product}")
    shop = [picture for picture in pictures if picture.in_gallery]
    words = [shop[0].caption, description(shop[0].attributes, rng)]
    for text in dict.fromkeys(word for word in words if word):
        yield _example(f"{product}/{text}", Task.T2I, Query("", text), shop)
    for picture in pictures:
        task = Task.IN_SHOP if picture.in_gallery else TASK_OF.get(picture.kind)
        others = [other for other in shop if other is not picture]
        if task is not None and others:
            image = Image(picture.image_id, str(benchmark.picture_path(picture.image_id)))
            query = Query("", rng.choice(REQUESTS[task]), references=(image,))
            yield _example(f"{picture.image_id}/{task}", task, query, others)


def description(attributes: Attributes, rng: random.Random) -> str:
    """Most of what is known, in everyday order and lower case: "knee length blue cotton dress short sleeves"."""
    known = [str(attributes[name]).lower() for name in DESCRIBED_BY if name in attributes]
    return " ".join(word for word in known if rng.random() < NAMED)


def _example(name: str, task: Task, query: Query, right: Sequence[BenchmarkImage]) -> Example:
    positives = tuple(sorted(image.image_id for image in right))
    return Example(
        query=Query(f"single:{name}", query.text, query.references),
        task=task,
        chosen=positives[0],
        positives=positives,
        rollback_to=None,
        n_before=0,
        meant=tuple(image.image_id for image in query.references),
    )
