"""The kube-agents AgentPlugin compiler: what the operator would make of a PlatformAgent and its plugins."""
