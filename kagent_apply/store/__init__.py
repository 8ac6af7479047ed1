"""Instances, their shares and the revisions that they need, in SQLite or PostgreSQL."""
