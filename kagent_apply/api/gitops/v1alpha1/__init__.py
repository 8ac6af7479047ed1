"""`kagent.gitops.v1alpha1`: RevisionService."""
