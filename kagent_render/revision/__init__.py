"""The prepared-revision lock: its values, its canonical form and its digest."""
