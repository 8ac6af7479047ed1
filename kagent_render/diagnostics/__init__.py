"""What a user can cause, as values: diagnostics, their reasons, and how they are written."""
