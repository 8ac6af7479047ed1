"""Git repositories over HTTP: one commit by its full id, without a Git program."""

from kagent_render.artifacts.git.fetcher import GitFetcher

__all__ = ["GitFetcher"]
