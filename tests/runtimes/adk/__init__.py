"""The `python` adapter's output against google-adk and kagent-adk themselves."""
