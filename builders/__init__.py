"""Builders make galleries and benchmarks; they read and write what `retrieval` defines."""
