"""The KRM functions specification: ResourceLists, their items, and results."""
