"""Agent Skills and Agent Plugins: what of an artifact is a skill that may be used."""
