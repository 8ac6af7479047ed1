"""What the service is told at its start: flags, a file, the environment."""
