"""FASHION-RQ: a retrieval benchmark mined from a catalogue through the hierarchy of an RQ-VAE."""
