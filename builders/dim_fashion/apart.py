"""Leaves out the products that another benchmark asks for, so that one may train on what this build gives (ours)."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import replace

from builders.instances import Instance, SourceData, SourceImage


def without_products(source: SourceData, products: Container[str]) -> SourceData:
    """No instance starts from, asks for or accepts one of `products` (product_ids, or image_ids where no product is
    known). As candidates that do not fit, beside others of a query by attribute, their pictures stay."""

    def is_free(image_id: str) -> bool:
        return product_of(source.images[image_id]) not in products

    instances = [each for each in source.instances if all(map(is_free, _right(each)))]
    wrong = {image_id for each in instances for image_id in each.negatives}
    images = {name: image for name, image in source.images.items() if is_free(name) or name in wrong}
    coverage = replace(source.coverage, tolerated=source.coverage.tolerated.copy())
    coverage.tolerated["an instance with a product that is left out"] += len(source.instances) - len(instances)
    return replace(source, images=images, instances=instances, coverage=coverage)


def product_of(image: SourceImage) -> str:
    return image.product_id or image.image_id


def _right(instance: Instance) -> tuple[str, ...]:
    return (instance.target, *instance.references, *instance.positives)
