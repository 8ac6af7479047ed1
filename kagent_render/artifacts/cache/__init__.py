"""The cache of what was fetched."""
