"""What changes below a root, which of it matters, and when it has come to rest."""
