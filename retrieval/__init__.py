"""Pictures, queries and galleries: what a vector is, where items live, how they are found. Knows nothing of chat."""
