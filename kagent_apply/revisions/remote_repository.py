"""A repository behind a Git server, over HTTP: trees are held here, files are fetched when they are read.

It is asked with kagent-render's own client, whose bounds, trust, proxies and credentials hold (decision 21).
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

from kagent_apply.revisions.remote_objects import RemoteObjects
from kagent_apply.revisions.repository import (
    HISTORY,
    MAX_BLOB,
    Commit,
    ObjectError,
    RefError,
    ref_names,
    too_large,
)
from kagent_render.artifacts.archive.limits import Limits
from kagent_render.artifacts.failure import public_url
from kagent_render.artifacts.git.connections import Connections
from kagent_render.artifacts.git.failure import GitFailure, ServerRefused
from kagent_render.artifacts.git.remote import Remote
from kagent_render.artifacts.git.repository_url import is_repository_url
from kagent_render.artifacts.git.request import Wanted
from kagent_render.artifacts.git.upload_pack import UploadPack
from kagent_render.artifacts.port import FetchContext
from kagent_render.diagnostics.reasons import Reason

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from kagent_render.artifacts.git.pack import Pack

T = TypeVar("T")

LIMITS: Final = Limits(content=128 << 20, archive=256 << 20)
"""What one answer may hold, and all of one reading."""

_AT_ONCE: Final = 2_000
"""How many files one request asks for."""


class RemoteRepository:
    """The repository at `url`; raises ValueError where that or `ref` can be none."""

    def __init__(self, url: str, ref: str, context: FetchContext | None = None) -> None:
        if not is_repository_url(url):
            raise ValueError(f"`{public_url(url)}` is no URL of a repository without credentials in it")
        self._url = url
        self._ref = ref
        self._names = ref_names(ref)
        self._context = context or FetchContext(LIMITS)
        self._connections = Connections()
        self._objects = RemoteObjects()
        self._server: UploadPack | None = None
        self._tip: Commit | None = None
        self._wanted = ""
        self._deepened: Commit | None = None

    @property
    def place(self) -> str:
        """The ref and the URL without its credentials."""
        return f"`{self._ref}` of `{public_url(self._url)}`"

    def tip(self) -> Commit:
        """The commit that the ref names now; of its trees, those that are new are fetched."""
        self._server = None
        self._objects.drop_files()
        return self._asking(self._move)

    def ancestor(self, commit: str) -> Commit:
        """A commit of the history, which is fetched when it is first asked for."""
        if not self._objects.has_commit(commit) and self._deepened != self._tip:
            self._deepened = self._tip
            self._asking(self._deepen)
        return self._objects.commit(commit)

    def tree(self, name: str) -> bytes:
        """The bytes of a tree."""
        return self._objects.tree(name)

    def gather(self, blobs: Collection[str]) -> None:
        """Fetch those files that are not here."""
        missing = [name for name in blobs if not self._objects.has_blob(name)]
        for start in range(0, len(missing), _AT_ONCE):
            names = missing[start : start + _AT_ONCE]
            self._asking(partial(self._fetch_blobs, names))

    def blob(self, name: str) -> bytes:
        """The bytes of a file."""
        data = self._objects.blob(name)
        if len(data) > MAX_BLOB:
            raise too_large(name)
        return data

    def _asking(self, ask: Callable[[UploadPack], T]) -> T:
        """What `ask` gives, as a failure of the ref where the server does not play its part."""
        try:
            return ask(self._server or self._connected())
        except GitFailure as failure:
            raise RefError(f"{self.place} cannot be read: {failure.what}") from None
        except ObjectError as error:
            raise RefError(f"{self.place} cannot be read: {error}") from None

    def _connected(self) -> UploadPack:
        """A new conversation, with an allowance of its own."""
        self._server = UploadPack(
            Remote(self._url, self._connections, self._context), None, self._context.limits
        )
        return self._server

    def _move(self, server: UploadPack) -> Commit:
        self._wanted, commit = self._target(server)
        if self._tip is None or self._tip.id != commit:
            haves = [self._tip.id] if self._tip is not None else []
            self._objects.add(self._ask(server, 1, haves=haves))
            if haves and not self._objects.holds_all_of(commit):
                # It took for granted more than is here.
                self._objects.add(self._ask(server, 1))
            self._tip = self._objects.commit(commit)
            self._objects.keep_only(commit)
        return self._tip

    def _target(self, server: UploadPack) -> tuple[str, str]:
        """What the ref names, and the commit that this is or leads to."""
        refs = server.refs(self._names)
        for name in self._names:
            if name in refs:
                return refs[name], refs.get(f"{name}^{{}}", refs[name])
        raise RefError(f"{self.place} does not exist")

    def _ask(self, server: UploadPack, depth: int, *, haves: Sequence[str] = (), files: bool = False) -> Pack:
        """What the ref leads to, as many generations of it; without files where the server can do that."""
        told = server.advertisement
        bounded = depth if told.shallow else None
        return server.ask(Wanted([self._wanted], bounded, told.filters and not files, haves))[0]

    def _deepen(self, server: UploadPack) -> None:
        """Fetch the history, as far back as it is looked through; one that is too large has an end."""
        try:
            self._objects.add(self._ask(server, HISTORY + 1))
        except GitFailure as failure:
            if failure.reason is not Reason.ARTIFACT_TOO_LARGE:
                raise
            self._server = None

    def _fetch_blobs(self, names: Sequence[str], server: UploadPack) -> None:
        """Ask for files by their ids, and where the server gives none by id, for all of them."""
        try:
            self._objects.add(server.ask(Wanted(names))[0])
        except ServerRefused:
            depth = HISTORY + 1 if self._deepened == self._tip else 1
            self._objects.add(self._ask(server, depth, files=True))
