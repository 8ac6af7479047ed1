"""Claude Code: its configuration, its files, and what it would drop, change or widen (facts 6.3)."""
