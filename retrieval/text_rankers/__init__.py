"""Text rankers of the FASHION-RQ paper by their names on a hub: sparse, multi-vector, dense, and a cross-encoder."""
