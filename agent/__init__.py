"""One chat turn: understand what was asked, retrieve, reply."""
