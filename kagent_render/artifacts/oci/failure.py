"""Why an OCI artifact cannot be had, before the origin that it belongs to is named."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kagent_render.artifacts.failure import ArtifactFailure
from kagent_render.artifacts.source_identity import origin_text
from kagent_render.diagnostics.reasons import Reason

if TYPE_CHECKING:
    from kagent_render.api.hub import OciSource

_PUBLISH_HINT: Final = "publish it again with a tool that writes OCI image manifests, and pin the new digest"


class OciFault(Exception):  # noqa: N818  (named for what is at fault)
    """One fault; `what` completes a sentence that the origin begins.

    `passing`: the same request may well succeed a moment later. `unreachable`: nothing came from the host.
    """

    def __init__(
        self,
        reason: Reason,
        what: str,
        hint: str | None = None,
        *,
        passing: bool = False,
        unreachable: bool = False,
    ) -> None:
        super().__init__(what)
        self.reason = reason
        self.what = what
        self.hint = hint
        self.passing = passing
        self.unreachable = unreachable

    @property
    def is_final(self) -> bool:
        """Whether it is the content that is at fault, so that no other host may be asked for it."""
        return self.reason not in {Reason.ARTIFACT_FETCH_FAILED, Reason.ARTIFACT_NOT_FOUND}

    def of(self, origin: OciSource) -> ArtifactFailure:
        """The same fault as the failure of `origin`."""
        return ArtifactFailure(self.reason, f"{origin_text(origin)} {self.what}", self.hint)


def not_fetched(
    what: str, hint: str | None = None, *, passing: bool = False, unreachable: bool = False
) -> OciFault:
    """The transport failed."""
    what = f"could not be fetched: {what}"
    return OciFault(Reason.ARTIFACT_FETCH_FAILED, what, hint, passing=passing, unreachable=unreachable)


def not_found(what: str, hint: str) -> OciFault:
    """What is asked for is not there."""
    return OciFault(Reason.ARTIFACT_NOT_FOUND, f"cannot be found: {what}", hint)


def unusable(what: str, hint: str = _PUBLISH_HINT) -> OciFault:
    """The content is of a form that is never accepted."""
    return OciFault(Reason.ARTIFACT_UNSAFE, f"cannot be used: {what}", hint)


def too_large(what: str) -> OciFault:
    """The content is larger than what is ever read."""
    hint = "publish a smaller artifact that holds only the plugin or skill"
    return OciFault(Reason.ARTIFACT_TOO_LARGE, f"cannot be used: {what}", hint)
