"""The real Codex CLI on loopback: a scripted model, a launcher, and what the two show."""
