"""From resolved templates to one bundle per boundary, and from a bundle to what a runtime reads."""
