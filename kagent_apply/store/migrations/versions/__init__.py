"""Each step, after the one that its `down_revision` names."""
