"""Stores keep items with their vectors: `memory` (exact; the truth in tests) and `lance` (default)."""
