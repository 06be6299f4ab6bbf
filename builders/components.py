"""Union-find over whole numbers."""

from __future__ import annotations


class Components:
    """Joins members into components; a component's root is its smallest member."""

    def __init__(self, n: int) -> None:
        self._parent = list(range(n))

    def root(self, member: int) -> int:
        parent = self._parent
        while parent[member] != member:
            parent[member] = member = parent[parent[member]]
        return member

    def join(self, one: int, other: int) -> None:
        low, high = sorted((self.root(one), self.root(other)))
        self._parent[high] = low
