"""Merging the output of two branches: a file follows from the merged manifests, or says why it cannot."""
