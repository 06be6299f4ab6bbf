"""Encoders turn items and queries into unit vectors of one space: `embedded` (default) and `hashing` (test double)."""
