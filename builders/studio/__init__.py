"""A parametric renderer of garments: clean product illustrations with exact attributes."""
