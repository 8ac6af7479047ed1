"""A commit of a remote repository is read as one of this machine is, and leaves nothing behind."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from kagent_apply.cli.server.commit_check import CommitCheck
from kagent_apply.cli.server.remote_commit_check import RemoteCommitCheck
from kagent_apply.cluster.committed import CommitUnreadableError
from kagent_apply.embedded.folder_lock import lock_folder
from kagent_render.artifacts.archive.limits import Limits
from kagent_render.artifacts.deadline import Bounds
from kagent_render.artifacts.port import FetchContext
from tests.apply.cluster.lasting_server import eventually
from tests.apply.cluster.test_commit_check import commit
from tests.artifacts.git.backend import git_backend
from tests.artifacts.git.conftest import no_settings
from tests.running import copy_example
from tests.servers import ScriptedServer, serving
from tests.source.git_repositories import git

pytestmark = pytest.mark.server

__all__ = ["no_settings"]

CONTEXT = FetchContext(bounds=Bounds(retry=0.05, pause=0.02))


@pytest.fixture(params=[True, False], ids=["version 2", "version 0"])
def served(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[ScriptedServer, Path]]:
    """The example behind a Git server, and where it is."""
    folder = copy_example(tmp_path / "served" / "r")
    commit(folder)
    with serving(git_backend(tmp_path / "served", version_2=request.param)) as server:
        yield server, folder


def _check(server: ScriptedServer, newest: SimpleNamespace, place: Path) -> RemoteCommitCheck:
    return RemoteCommitCheck(f"{server.url}/r/.git", lambda: newest.id, place, CONTEXT, first_wait=0.001)


def test_it_says_what_a_clone_says_commit_after_commit(
    served: tuple[ScriptedServer, Path], tmp_path: Path
) -> None:
    server, folder = served
    newest = SimpleNamespace(id="")
    check = _check(server, newest, tmp_path / "state")
    with pytest.raises(CommitUnreadableError, match="has not been read"):
        check()
    for number in range(2):
        (folder / "README").write_text(f"{number}")
        newest.id = commit(folder)
        assert check() == CommitCheck(folder, "main")()
        asked = len(server.requests)
        assert check().commit == newest.id
        assert len(server.requests) == asked
    assert [path.name for path in (tmp_path / "state").iterdir()] == ["lock"]


def test_what_cannot_be_had_is_told_without_an_address(
    served: tuple[ScriptedServer, Path], tmp_path: Path
) -> None:
    newest = SimpleNamespace(id="1" * 40)
    check = _check(served[0], newest, tmp_path / "state")
    with pytest.raises(CommitUnreadableError, match="cannot be read"):
        check()
    newest.id = git(served[1], "rev-parse", "HEAD")
    assert check().commit == newest.id  # another commit is asked for at once


def test_a_commit_that_is_too_large_is_not_kept(served: tuple[ScriptedServer, Path], tmp_path: Path) -> None:
    server, folder = served
    commit_id = git(folder, "rev-parse", "HEAD")
    small = FetchContext(Limits(content=20_000), CONTEXT.bounds)
    check = RemoteCommitCheck(f"{server.url}/r/.git", lambda: commit_id, tmp_path / "state", small)
    with pytest.raises(CommitUnreadableError, match="MiB"):
        check()
    asked = len(server.requests)
    with pytest.raises(CommitUnreadableError, match="MiB"):
        check()
    assert len(server.requests) == asked  # it is left alone for a while
    assert [path.name for path in (tmp_path / "state").iterdir()] == ["lock"]


def test_what_a_killed_server_left_goes_and_what_another_uses_stays(
    served: tuple[ScriptedServer, Path], tmp_path: Path
) -> None:
    server, folder = served
    newest = SimpleNamespace(id=git(folder, "rev-parse", "HEAD"))
    left = tmp_path / "state" / "commit" / "objects"
    left.mkdir(parents=True)
    held = lock_folder(tmp_path / "state", 0)
    check = _check(server, newest, tmp_path / "state")
    with pytest.raises(CommitUnreadableError, match="another server"):
        check()
    assert left.exists()
    os.close(held)
    eventually(lambda: _is_read(check))
    assert not left.exists()


def _is_read(check: RemoteCommitCheck) -> bool:
    try:
        return bool(check().commit)
    except CommitUnreadableError:  # until the short while after a failure is over
        return False
