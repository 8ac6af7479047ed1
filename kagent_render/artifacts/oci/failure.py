"""Why an OCI artifact cannot be had, before the origin that it belongs to is named."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kagent_render.artifacts.failure import ArtifactFailure, PlatformMissing
from kagent_render.artifacts.source_identity import origin_text
from kagent_render.diagnostics.reasons import Reason

if TYPE_CHECKING:
    from kagent_render.api.hub import OciSource

_VERDICTS: Final = {
    Reason.ARTIFACT_FETCH_FAILED: "could not be fetched",
    Reason.ARTIFACT_NOT_FOUND: "cannot be found",
    Reason.ARTIFACT_DIGEST_MISMATCH: "is not what its digest says",
    Reason.ARTIFACT_UNSAFE: "cannot be used",
    Reason.ARTIFACT_TOO_LARGE: "cannot be used",
}
_PUBLISH_HINT: Final = "publish it again with a tool that writes OCI image manifests, and pin the new digest"


class OciFault(Exception):  # noqa: N818  (named for what is at fault)
    """One fault: a reason, its cause in a clause, and an action.

    `passing`: the same request may well succeed a moment later. `unreachable`: nothing came from the host.
    `refused`: the reference is none, or its registry answers nothing that anybody could use.
    """

    def __init__(
        self,
        reason: Reason,
        cause: str,
        hint: str | None = None,
        *,
        passing: bool = False,
        unreachable: bool = False,
        refused: bool = False,
    ) -> None:
        super().__init__(cause)
        self.reason = reason
        self.cause = cause
        self.hint = hint
        self.passing = passing
        self.unreachable = unreachable
        self.refused = refused

    @property
    def is_final(self) -> bool:
        """Whether it is the content that is at fault, so that no other host may be asked for it."""
        return self.reason not in {Reason.ARTIFACT_FETCH_FAILED, Reason.ARTIFACT_NOT_FOUND}

    @property
    def is_of_image(self) -> bool:
        """Whether a kubelet meets the same: the image is not there, refused, or not what it has to be."""
        return self.refused or self.reason is not Reason.ARTIFACT_FETCH_FAILED

    def of(self, origin: OciSource) -> ArtifactFailure:
        """The same fault as the failure of `origin`."""
        message = f"{origin_text(origin)} {_VERDICTS[self.reason]}: {self.cause}"
        return ArtifactFailure(self.reason, message, self.hint)


class OtherPlatforms(OciFault):
    """An image that there is, for other platforms than the one that is asked for."""

    def of(self, origin: OciSource) -> ArtifactFailure:
        """The same fault as the failure of `origin`."""
        failure = super().of(origin)
        return PlatformMissing(failure.reason, failure.message, failure.hint)


def not_fetched(
    cause: str,
    hint: str | None = None,
    *,
    passing: bool = False,
    unreachable: bool = False,
    refused: bool = False,
) -> OciFault:
    """The transport failed."""
    return OciFault(
        Reason.ARTIFACT_FETCH_FAILED, cause, hint, passing=passing, unreachable=unreachable, refused=refused
    )


def not_found(cause: str, hint: str) -> OciFault:
    """What is asked for is not there."""
    return OciFault(Reason.ARTIFACT_NOT_FOUND, cause, hint)


def unusable(cause: str, hint: str = _PUBLISH_HINT) -> OciFault:
    """The content is of a form that is never accepted."""
    return OciFault(Reason.ARTIFACT_UNSAFE, cause, hint)


def too_large(cause: str) -> OciFault:
    """The content is larger than what is ever read."""
    return OciFault(
        Reason.ARTIFACT_TOO_LARGE, cause, "publish a smaller artifact that holds only the plugin or skill"
    )
