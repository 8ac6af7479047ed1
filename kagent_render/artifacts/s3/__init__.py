"""S3 objects by version."""
