"""kagent-apply: serves instances of committed agents, and asks such a server for them."""
