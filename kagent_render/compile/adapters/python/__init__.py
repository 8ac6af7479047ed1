"""The ADK: its AgentConfig, and what it would drop or mistake (facts 3)."""
