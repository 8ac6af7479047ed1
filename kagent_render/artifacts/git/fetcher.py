"""Fetches one commit: asks for it, checks every object by its id, and gives the wanted files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kagent_render.api.hub import GitSource, Origin
from kagent_render.artifacts.archive.limits import Meter
from kagent_render.artifacts.archive.refusal import ArchiveRefused
from kagent_render.artifacts.archive.tree import Tree
from kagent_render.artifacts.git.connections import Connections
from kagent_render.artifacts.git.failure import GitFailure, ServerRefused, refused_commit
from kagent_render.artifacts.git.history import pack_with
from kagent_render.artifacts.git.object_format import format_of_id
from kagent_render.artifacts.git.objects import Objects, absent_from
from kagent_render.artifacts.git.remote import Remote
from kagent_render.artifacts.git.request import Wanted
from kagent_render.artifacts.git.selection import select
from kagent_render.artifacts.git.upload_pack import UploadPack
from kagent_render.artifacts.package import PackageFile

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kagent_render.artifacts.archive.limits import Limits
    from kagent_render.artifacts.git.pack import Pack
    from kagent_render.artifacts.git.tree_entries import TreeEntry
    from kagent_render.artifacts.package import Package
    from kagent_render.artifacts.port import FetchContext

_ROUNDS: Final = 10  # requests for blobs: one, and one more for each link that leads to further links


class GitFetcher:
    """Fetches commits of Git repositories over HTTP; connections are shared by all of them."""

    reads_paths = True

    def __init__(self) -> None:
        self._connections = Connections()

    def settings(self, origin: Origin) -> dict[str, str]:  # noqa: ARG002
        """Nothing: a commit's id alone decides on its content."""
        return {}

    def fetch(self, origin: Origin, paths: Sequence[str], context: FetchContext) -> Package:
        """The commit's files below `paths`, and those that links there lead to; raises ArtifactFailure."""
        assert isinstance(origin, GitSource)
        try:
            remote = Remote(origin.url, self._connections, context)
            server = UploadPack(remote, format_of_id(origin.commit), context.limits)
            return _package(origin.commit, server, paths, context.limits)
        except GitFailure as failure:
            raise failure.of(origin) from None
        except ArchiveRefused as refused:
            raise refused_commit(refused, origin) from None


def _package(commit: str, server: UploadPack, paths: Sequence[str], limits: Limits) -> Package:
    """The wanted files; a server that can leave blobs out is asked for those that are wanted only.

    Where links lead to further links too often, it is asked for all of them in the end.
    """
    blobless = server.advertisement.filters and "" not in paths
    objects = Objects(format_of_id(commit), commit)
    objects.add(pack_with(commit, server, blobless=blobless))
    entries = select(objects, paths, limits)
    rounds = _ROUNDS
    while blobless and (missing := _missing(entries, objects)):
        rounds -= 1
        objects.add(_blobs(missing, commit, server) if rounds else pack_with(commit, server, blobless=False))
        # What was left out once will not come.
        blobless = rounds > 0 and not absent_from(objects, missing)
        entries = select(objects, paths, limits)
    return _checkout(entries, objects, limits)


def _missing(entries: Mapping[str, TreeEntry], objects: Objects) -> list[str]:
    return absent_from(objects, (entry.target for entry in entries.values() if not entry.is_directory))


def _blobs(names: Sequence[str], commit: str, server: UploadPack) -> Pack:
    """A pack with blobs; all of the commit where the server does not give them by their ids after all."""
    try:
        return server.ask(Wanted(names))[0]
    except ServerRefused:
        return pack_with(commit, server, blobless=False)


def _checkout(entries: Mapping[str, TreeEntry], objects: Objects, limits: Limits) -> Package:
    tree, meter = Tree(limits), Meter(limits, limits.archive)
    for path, entry in entries.items():
        if entry.is_directory:
            tree.add_directory(path)
        elif entry.is_link:
            tree.add_symbolic_link(path, objects.blob(entry.target))
        else:
            data = objects.blob(entry.target)
            meter.count_content(len(data))
            tree.add_file(path, PackageFile(data, entry.is_executable))
    return tree.package()
