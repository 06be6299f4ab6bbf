"""Images, queries and galleries: what a query vector is, where items live, how they are found. Knows nothing of chat."""
