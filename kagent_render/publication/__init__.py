"""The output on a branch of its own: its files and records there, its commits, its way to a remote."""
