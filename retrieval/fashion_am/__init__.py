"""Training of the encoders (torch; requirements-train.txt). Nothing here is imported by the running app."""
