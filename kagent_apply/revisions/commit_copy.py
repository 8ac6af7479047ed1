"""One commit of a remote repository in a bare repository of this machine, for who reads it as a whole."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Final

from kagent_apply.revisions.remote_repository import LIMITS
from kagent_apply.revisions.repository import ObjectError, RefError, read_commit
from kagent_apply.revisions.trees import read_entries
from kagent_render.artifacts.failure import public_url
from kagent_render.artifacts.git.connections import Connections
from kagent_render.artifacts.git.failure import GitFailure, too_large
from kagent_render.artifacts.git.history import pack_with
from kagent_render.artifacts.git.object_format import format_of_id
from kagent_render.artifacts.git.remote import Remote
from kagent_render.artifacts.git.upload_pack import UploadPack
from kagent_render.artifacts.port import FetchContext

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from kagent_render.artifacts.git.pack import GitObject, Pack

_FAST: Final = 1
"""How hard objects are compressed, which are read once."""


def copy_commit(url: str, commit: str, place: Path, context: FetchContext | None = None) -> None:
    """Make `place` a bare repository with a commit and its files, and none of its history.

    It is asked for by its full id, which the id of everything in it follows from. Raises RefError, and
    OSError where nothing can be written.
    """
    context = context or FetchContext(LIMITS)
    left = context.limits.content
    try:
        pack = _fetched(url, commit, context)
        _make_repository(place, commit)
        for found in _objects(pack, commit):
            left -= len(found.data)
            if left < 0:
                raise too_large(f"its files have more than {context.limits.content >> 20} MiB")
            _write(place, found)
    except (GitFailure, ObjectError) as error:
        what = error.what if isinstance(error, GitFailure) else str(error)
        raise RefError(f"`{commit}` of `{public_url(url)}` cannot be read: {what}") from None


def _fetched(url: str, commit: str, context: FetchContext) -> Pack:
    remote = Remote(url, Connections(), context)
    return pack_with(commit, UploadPack(remote, format_of_id(commit), context.limits), blobless=False)


def _make_repository(place: Path, commit: str) -> None:
    from dulwich.repo import Repo

    Repo.init_bare(place, mkdir=True, object_format=format_of_id(commit).name).close()


def _objects(pack: Pack, commit: str) -> Iterator[GitObject]:
    """The commit, its folders and its files, each once; raises ObjectError where one did not come."""
    top = _object(pack, commit, "commit")
    yield top
    pending, seen = [(read_commit(commit, top.data).tree, "tree")], set[str]()
    while pending:
        name, kind = pending.pop()
        if name in seen:
            continue
        seen.add(name)
        found = _object(pack, name, kind)
        yield found
        if kind == "tree":
            pending += _below(found)


def _below(tree: GitObject) -> Iterator[tuple[str, str]]:
    """What a folder holds that is read: neither links nor submodules."""
    for entry in read_entries(tree.name, tree.data).values():
        if entry.is_folder:
            yield entry.id, "tree"
        elif entry.is_file:
            yield entry.id, "blob"


def _object(pack: Pack, name: str, kind: str) -> GitObject:
    if name not in pack:
        raise ObjectError(f"the server did not send the {kind} `{name}`")
    found = pack.read(name)
    if found.kind != kind:
        raise ObjectError(f"the {found.kind} `{name}` stands in the place of a {kind}")
    return found


def _write(place: Path, found: GitObject) -> None:
    """Write an object as Git keeps one by itself."""
    folder = place / "objects" / found.name[:2]
    folder.mkdir(exist_ok=True)
    header = f"{found.kind} {len(found.data)}\0".encode()
    (folder / found.name[2:]).write_bytes(zlib.compress(header + found.data, _FAST))
