"""Scores: metrics, runs and the commands that print them (`python -m eval`)."""
