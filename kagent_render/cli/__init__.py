"""The only room that prints, exits or reads the environment; one module per command."""
