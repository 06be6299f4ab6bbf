"""MT-FashionIQ's own sessions as benchmarks: one for dresses, one for shirts, one for tops."""
