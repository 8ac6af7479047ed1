"""The vendored store in the repository."""
