"""Ends a command with what Git, a repository or a branch has against it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from kagent_render.cli.failure import EnvironmentFailure
from kagent_render.diagnostics.text import printable
from kagent_render.emit.folder import OutputError
from kagent_render.publication.branch import BranchRefusedError
from kagent_render.source.git_program import GitFailure
from kagent_render.source.repository import RepositoryError


@contextmanager
def telling_git_failures() -> Iterator[None]:
    """Turn what Git or a repository raises into the one failure that a command may end with.

    Every line that Git or a remote said is marked as theirs, so that none can pass for one of ours, or for a
    command to the program that reads them.
    """
    try:
        yield
    except GitFailure as failure:
        said = "".join(f"\n  git: {line}" for line in failure.lines)
        raise EnvironmentFailure(printable(failure.action) + said, failure.hint) from None
    except (BranchRefusedError, OutputError) as refusal:
        hint = printable(refusal.hint) if refusal.hint is not None else None
        raise EnvironmentFailure(printable(str(refusal)), hint) from None
    except RepositoryError as error:
        raise EnvironmentFailure(printable(str(error))) from None
