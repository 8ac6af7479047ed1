"""What goes wrong with a Git server, told before it is known which source it was asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kagent_render.artifacts.failure import ArtifactFailure, printable
from kagent_render.artifacts.source_identity import origin_text
from kagent_render.diagnostics.reasons import Reason

if TYPE_CHECKING:
    from kagent_render.api.hub import GitSource
    from kagent_render.artifacts.archive.refusal import ArchiveRefused

_OUTCOMES: Final = {
    Reason.ARTIFACT_FETCH_FAILED: "could not be fetched",
    Reason.ARTIFACT_NOT_FOUND: "cannot be found",
    Reason.ARTIFACT_DIGEST_MISMATCH: "is not what its id says",
    Reason.ARTIFACT_TOO_LARGE: "is too large",
    Reason.ARTIFACT_UNSAFE: "cannot be used",
}


class GitFailure(Exception):  # noqa: N818  (named for what happened to the artifact)
    """A commit that cannot be had: a stable reason, what happened, and an action."""

    def __init__(self, reason: Reason, what: str, hint: str | None = None) -> None:
        super().__init__(what)
        self.reason = reason
        self.what = what
        self.hint = hint

    def of(self, origin: GitSource) -> ArtifactFailure:
        """The same as a failure of `origin`."""
        message = f"{origin_text(origin)} {_OUTCOMES[self.reason]}: {self.what}"
        return ArtifactFailure(self.reason, message, self.hint)


def refused_commit(refused: ArchiveRefused, origin: GitSource) -> ArtifactFailure:
    """A refusal of the archive reader's catalogue, whose rules hold for a commit's files too."""
    subject = f"`{printable(refused.entry)}`" if refused.entry is not None else "the commit"
    text = refused.refusal.text.replace("the archive", "the commit")
    large = refused.reason is Reason.ARTIFACT_TOO_LARGE
    return ArtifactFailure(
        refused.reason,
        f"{origin_text(origin)}: {subject} {text}",
        "set `source.path` to a smaller directory that holds the plugin or skill"
        if large
        else "commit regular files under plain names, and links that stay inside the repository",
    )


class Interrupted(GitFailure):
    """An answer that broke off: asking once more may well give all of it."""

    def __init__(self) -> None:
        super().__init__(
            Reason.ARTIFACT_FETCH_FAILED,
            "the server's answer broke off",
            "check the network, and the server's log",
        )


class ServerRefused(GitFailure):
    """The server said no in Git's own protocol; `said` is its text, fit to print."""

    def __init__(self, said: str) -> None:
        super().__init__(Reason.ARTIFACT_FETCH_FAILED, f"the server refused with `{said}`")
        self.said = said


def unfetched(what: str, hint: str | None = None) -> GitFailure:
    """A failure of the transport, of the credentials, or of a server that breaks the protocol."""
    return GitFailure(Reason.ARTIFACT_FETCH_FAILED, what, hint)


def not_found(what: str, hint: str | None = None) -> GitFailure:
    """A failure of a server that answered and does not have it."""
    return GitFailure(Reason.ARTIFACT_NOT_FOUND, what, hint)


def mismatch(what: str, expected: str, got: str) -> GitFailure:
    """A failure of content whose hash is not the one that names it."""
    return GitFailure(
        Reason.ARTIFACT_DIGEST_MISMATCH,
        f"{what}: expected `{expected}`, got `{got}`",
        "either what serves the repository was tampered with or damaged: compare it with another clone; "
        "or the pin is wrong: correct `commit`",
    )


def malformed(what: str) -> GitFailure:
    """A failure of objects or a pack that no Git program writes."""
    return unfetched(f"the server sent {what}", "run `git fsck` on the repository where it is served")


def too_large(what: str) -> GitFailure:
    """A failure of a repository that is more than is read."""
    return GitFailure(
        Reason.ARTIFACT_TOO_LARGE,
        what,
        "publish the plugin or skill from a smaller repository, "
        "or set `uploadpack.allowFilter` where it is served and use it by its path",
    )


def not_git(what: str = "the server's answer is not Git's protocol") -> GitFailure:
    """A failure of a server that speaks something else than Git's protocol over HTTP."""
    return unfetched(what, "set `url` to what `git clone` takes, and check that the server is a Git server")
