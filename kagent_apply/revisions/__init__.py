"""Prepared revisions as they are committed to a Git ref."""
