"""The output folder: which files it should hold, how it differs, and how it is written."""
