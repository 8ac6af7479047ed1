"""Getting a commit by its id, also from servers that only give what a ref leads to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kagent_render.artifacts.git.failure import GitFailure, ServerRefused, not_found, unfetched
from kagent_render.artifacts.git.request import Wanted
from kagent_render.diagnostics.reasons import Reason

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kagent_render.artifacts.git.advertisement import Advertisement
    from kagent_render.artifacts.git.pack import Pack
    from kagent_render.artifacts.git.upload_pack import UploadPack

DEPTHS: Final = (16, 128, 1_024)
"""How many generations behind the refs are looked through, one request after another."""

_TIPS: Final = 256
_ORDER: Final = ("HEAD", "refs/heads/", "refs/tags/", "")
_ABSENT: Final = ("not our ref", "not valid", "unadvertised object")
_HINT: Final = (
    "push a branch or a tag at the commit, or set `uploadpack.allowAnySHA1InWant` where it is served"
)


def pack_with(commit: str, server: UploadPack, *, blobless: bool) -> Pack:
    """A pack with one commit and its trees, and its blobs unless `blobless`; other commits may be in it."""
    told = server.advertisement
    tip = commit if told.any_commit else _tip_at(commit, told.refs)
    if tip is None:
        return _searched(commit, server)
    try:
        return server.ask(Wanted([tip], _depth(1, told), blobless))[0]
    except ServerRefused as refused:
        if not any(text in refused.said for text in _ABSENT):
            raise
    if told.version == 2:
        raise not_found("the server has no such commit, or does not give it", f"check `commit`; {_HINT}")
    return _searched(commit, server)  # in version 0, some commits by id are not all of them


def _searched(commit: str, server: UploadPack) -> Pack:
    """Look for a commit in the history of the refs, deeper and deeper."""
    tips = _tips(server.advertisement.refs)
    searched = 0
    for depth in DEPTHS if tips else ():
        try:
            pack, shallow = server.ask(Wanted(tips, _depth(depth, server.advertisement)))
        except GitFailure as failure:
            if failure.reason is not Reason.ARTIFACT_TOO_LARGE:
                raise
            raise _beyond(searched, len(tips), f", and the last {depth:,} are too large to look at") from None
        if commit in pack:
            return pack
        if not shallow:
            raise not_found("it is not in the history of any ref that the server shows", _HINT)
        searched = depth
    if tips:
        raise _beyond(searched, len(tips))
    raise not_found("the repository is empty", "check `url`, and that the commit was pushed")


def _beyond(depth: int, refs: int, more: str = "") -> GitFailure:
    place = f"not among the last {depth:,} commits behind them" if depth else "at none of them"
    only = "the server gives commits by its refs only"
    return unfetched(f"{only}, and this one is {place} (refs looked at: {refs:,}){more}", _HINT)


def _depth(depth: int, told: Advertisement) -> int | None:
    return depth if told.shallow else None


def _tip_at(commit: str, refs: Mapping[str, str]) -> str | None:
    """What to ask for where a ref, or the tag that a ref names, points at the commit."""
    for name, target in refs.items():
        if target == commit:
            return refs.get(name.removesuffix("^{}"))
    return None


def _tips(refs: Mapping[str, str]) -> list[str]:
    """What refs point at, branches before tags before all else."""
    names = sorted(
        (name for name in refs if not name.endswith("^{}")),
        key=lambda name: next(i for i, prefix in enumerate(_ORDER) if name.startswith(prefix)),
    )
    return list(dict.fromkeys(refs[name] for name in names))[:_TIPS]
