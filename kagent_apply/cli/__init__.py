"""The commands of kagent-apply: the only room that prints, exits or reads the environment."""
