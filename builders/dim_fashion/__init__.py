"""DIM-Fashion: multi-turn sessions with changing intents, mined from single-turn instances of several data sets."""
