"""URLs of repositories, and where a server may lead from one to another."""

from __future__ import annotations

from urllib.parse import urljoin, urlsplit

from kagent_render.artifacts.git.failure import not_git, unfetched


def is_repository_url(url: str) -> bool:
    """Whether `url` may be asked at all: over HTTP, at some host, and without credentials in it."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return False
    return (
        parts.scheme in {"http", "https"} and bool(parts.hostname) and port != 0 and "@" not in parts.netloc
    )


def redirected(base: str, tail: str, location: str) -> str:
    """The repository's URL after a redirect of `base` and `tail` to `location`."""
    try:
        target = urljoin(base + tail, location)
    except ValueError:
        target = ""
    if not target.endswith(tail) or not is_repository_url(target):
        raise not_git("the server redirects to what is not a repository's URL")
    if urlsplit(base).scheme == "https" != urlsplit(target).scheme:
        raise unfetched("the server redirects from HTTPS to plain HTTP", "correct the server's redirect")
    return target.removesuffix(tail)
