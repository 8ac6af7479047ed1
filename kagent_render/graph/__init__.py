"""Which Harness and AgentTemplate form a pair, and the tree and runtime boundaries of each pair."""
