"""Archives as streams: nothing is written to disk, and everything not known to be safe is refused."""
