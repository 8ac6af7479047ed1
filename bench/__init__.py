"""Ratios against the tools that users know, both sides in one run on one machine."""
