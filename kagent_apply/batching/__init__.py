"""Many callers' work in one go."""
