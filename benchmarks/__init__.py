"""Commands that print how fast a part is, as ratios to the nearest limit in the same run."""
