"""Which repository a setting names: a folder of this machine, or a URL."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote, urlsplit

from kagent_render.artifacts.failure import public_url

if TYPE_CHECKING:
    from urllib.parse import SplitResult

    from kagent_apply.revisions.repository import Repository

_HTTP: Final = ("http", "https")
_HELPED: Final = re.compile(r"[^/:]+:(?!//)")
"""`user@host:path` and `helper::address`, for which Git starts other programs."""

_HINT: Final = "use an `https://` URL, or a clone on this machine"


def repository_at(location: str, ref: str) -> Repository:
    """The repository that a path or URL names, and one of its refs; raises ValueError with one sentence."""
    if _HELPED.match(location) and not Path(location).is_dir():
        raise ValueError(f"the repository is neither a folder here nor a URL: {_HINT}")
    if "://" not in location:
        return _local(Path(location), ref)
    try:
        parts = urlsplit(location)
    except ValueError:  # which may quote a password
        raise ValueError(f"the URL of the repository cannot be read: {_HINT}") from None
    if _is_file(parts):
        return _local(Path(unquote(parts.path)), ref)
    if parts.scheme not in _HTTP:
        raise ValueError(f"`{public_url(location)}` is of a kind that is not fetched from: {_HINT}")
    from kagent_apply.revisions.remote_repository import RemoteRepository

    return RemoteRepository(location, ref)


def is_on_this_machine(location: str) -> bool:
    """Whether nobody has to answer for the repository to be read."""
    return local_path(location) is not None


def local_path(location: str) -> Path | None:
    """The folder that a path or a `file:` URL of this machine names; None for every other URL."""
    if "://" not in location:
        return Path(location)
    parts = urlsplit(location)
    return Path(unquote(parts.path)) if _is_file(parts) else None


def _is_file(parts: SplitResult) -> bool:
    return parts.scheme == "file" and parts.netloc in ("", "localhost")


def _local(path: Path, ref: str) -> Repository:
    from kagent_apply.revisions.local_repository import LocalRepository

    return LocalRepository(path, ref)
