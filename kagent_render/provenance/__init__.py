"""What was made of what: in-toto statements with SLSA provenance."""
