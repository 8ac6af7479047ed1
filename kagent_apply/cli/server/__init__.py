"""What `serve` puts together and lives by."""
