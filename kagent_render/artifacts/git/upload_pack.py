"""Asking one server for objects by id, and for refs by name."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, TypeVar

from kagent_render.artifacts.git.advertisement import Advertisement, read_advertisement
from kagent_render.artifacts.git.failure import Interrupted, not_git
from kagent_render.artifacts.git.inflation import Expansion
from kagent_render.artifacts.git.pack import Pack
from kagent_render.artifacts.git.request import Wanted, encoded, encoded_refs
from kagent_render.artifacts.git.response import Answer, read_refs, read_version_0, read_version_2

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kagent_render.artifacts.archive.limits import Limits
    from kagent_render.artifacts.git.object_format import ObjectFormat
    from kagent_render.artifacts.git.packets import Packets
    from kagent_render.artifacts.git.remote import Remote

T = TypeVar("T")


class UploadPack:
    """A conversation about one repository; it begins with the advertisement.

    The repository has to be of an object format, unless that is None.
    """

    def __init__(self, remote: Remote, object_format: ObjectFormat | None, limits: Limits) -> None:
        self._remote = remote
        self._expansion = Expansion(limits)
        read = partial(read_advertisement, expected=object_format)
        self.advertisement: Advertisement = _twice(lambda: remote.advertisement(read))
        self._format = object_format or self.advertisement.object_format

    def refs(self, names: Sequence[str]) -> Mapping[str, str]:
        """Ids by the full names of refs, of an old server others too; a tag's commit has `^{}`."""
        told = self.advertisement
        if told.version != 2:
            return told.refs
        request = encoded_refs(names, told)
        found = _twice(lambda: self._remote.refs(request, partial(read_refs, names=names)))
        if not all(map(self._format.is_id, found.values())):
            raise not_git()
        return found

    def ask(self, wanted: Wanted) -> tuple[Pack, bool]:
        """The objects that are `wanted`, and whether their history was cut off."""
        request = encoded(wanted, self.advertisement)
        read = self._reader(deepened=wanted.depth is not None)
        answer = _twice(lambda: self._remote.upload_pack(request, read))
        return Pack(answer.pack, self._format, self._expansion), answer.shallow

    def _reader(self, *, deepened: bool) -> Callable[[Packets], Answer]:
        if self.advertisement.version == 2:
            return read_version_2
        return partial(read_version_0, deepened=deepened)


def _twice(exchange: Callable[[], T]) -> T:
    """What an exchange gives, at the second attempt where the first answer broke off."""
    try:
        return exchange()
    except Interrupted:
        return exchange()
