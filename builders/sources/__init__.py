"""One file a data set: original files in, our instances out. `SOURCES` names them all."""
