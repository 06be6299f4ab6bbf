"""Training of the encoders (torch; requirements-train.txt). The running app imports nothing of it."""
