"""Scores: metrics, and the commands that print them (`python -m eval`)."""
