"""The optional watch over a Kubernetes cluster: live objects, status and deletion."""
