"""Who understands a message and words the reply: `rules` (default, no LLM) and `scripted` (test double)."""
