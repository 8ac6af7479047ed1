"""Substrate: the port that makes actors, and the driver of its Control service."""
