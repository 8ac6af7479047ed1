"""Many callers at once, and many instances one after the other."""
