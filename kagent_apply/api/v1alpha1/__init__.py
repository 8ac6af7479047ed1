"""`kagent.api.v1alpha1`: AgentInstanceService and CheckpointService."""
