"""kagent-render: prepares kagent agents offline, from a Git repository to reviewable manifests."""

__version__ = "0.1.0"
