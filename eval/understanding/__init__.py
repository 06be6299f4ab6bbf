"""Scores how messages are understood: labelled utterances, real language, exclusions in results, conversations."""
