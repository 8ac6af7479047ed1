"""What a Git ref has committed, and which of it serves."""
