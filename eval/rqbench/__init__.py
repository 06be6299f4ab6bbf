"""Scores systems on a FASHION-RQ benchmark: its four tasks, attribute scores and attribute weights."""
