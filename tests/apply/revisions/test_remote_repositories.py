"""A real Git server over HTTP, in both versions of the protocol, with and without what it may grant."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from kagent_apply.revisions.remote_repository import RemoteRepository
from kagent_render.artifacts.archive.limits import Limits
from kagent_render.artifacts.deadline import Bounds
from kagent_render.artifacts.port import FetchContext
from tests.apply.revisions.world import PAIRS, Served, Upstream, edition, lock_of
from tests.artifacts.git.backend import git_backend
from tests.artifacts.git.conftest import no_settings
from tests.artifacts.git.test_access import answering, helper
from tests.servers import Answer, Request, ScriptedServer, serving, stall

pytestmark = pytest.mark.server

LOGIN = "reader:secret-of-the-user"
BOUNDS = Bounds(retry=0.05, pause=0.02)
QUICK = Bounds(connect=0.3, read=0.3, answer=0.4, body=0.4, retry=0.05, pause=0.02)

__all__ = ["no_settings"]


def upstream_in(tmp_path: Path, object_format: str = "sha1") -> Upstream:
    return Upstream.make(tmp_path / "served" / "r", object_format)


def remote(url: str, place: Path, ref: str = "main", context: FetchContext | None = None) -> Served:
    return Served(RemoteRepository(f"{url}/r", ref, context or FetchContext(bounds=BOUNDS)), place)


@contextmanager
def served_by(
    upstream: Upstream, *, version_2: bool = True, login: str | None = None
) -> Iterator[ScriptedServer]:
    with serving(git_backend(upstream.folder.parent, version_2=version_2, login=login)) as server:
        yield server


def sizes(server: ScriptedServer) -> list[int]:
    """The lengths of the requests for objects so far."""
    return [len(request.body) for request in server.requests if request.command == "POST"]


KINDS = {
    "version 2": (True, "sha1", ()),
    "version 2, partial": (True, "sha1", ("allowFilter",)),
    "version 2, partial, sha256": (True, "sha256", ("allowFilter",)),
    "version 0": (False, "sha1", ()),
    "version 0, any object": (False, "sha1", ("allowAnySHA1InWant",)),
}


@pytest.mark.parametrize("kind", KINDS)
def test_commits_are_followed(kind: str, tmp_path: Path) -> None:
    version_2, object_format, granted = KINDS[kind]
    upstream = upstream_in(tmp_path, object_format)
    for name in granted:
        upstream.git("config", f"uploadpack.{name}", "true")
    editions = [edition(number) for number in (1, 2, 3)]
    first = upstream.commit(editions[0])
    with served_by(upstream, version_2=version_2) as server:
        running = remote(server.url, tmp_path / "kept").refresh()
        assert (running.index.problem(), running.serving(*editions)) == ("", dict.fromkeys(PAIRS, 0))
        upstream.commit({"README": b"other"})
        upstream.commit({**editions[1], lock_of("researcher"): b"broken"})
        expected = {"coordinator": 1, "researcher": None, "reviewer": 1}
        assert running.refresh().serving(*editions) == expected
        upstream.commit({**editions[2], lock_of("reviewer"): b"broken"})
        expected = {"coordinator": 2, "researcher": 2, "reviewer": 1}
        assert running.refresh().serving(*editions) == expected
        fresh = remote(server.url, tmp_path / "fresh").refresh()
        assert (fresh.index.problem(), fresh.serving(*editions)) == ("", expected)
        upstream.git("update-ref", "refs/heads/main", first)
        assert running.refresh().serving(*editions) == dict.fromkeys(PAIRS, 0)
        upstream.commit(editions[1], parent=None)
        assert running.refresh().serving(*editions) == dict.fromkeys(PAIRS, 1)
        assert running.index.problem() == ""


def test_nothing_is_fetched_while_the_ref_stays(tmp_path: Path) -> None:
    upstream = upstream_in(tmp_path)
    upstream.git("config", "uploadpack.allowFilter", "true")
    upstream.commit(edition(1))
    with served_by(upstream) as server:
        running = remote(server.url, tmp_path / "kept").refresh()
        before = len(sizes(server))
        running.refresh()
        assert len(sizes(server)) == before + 1  # the refs


def test_only_what_changed_is_fetched(tmp_path: Path) -> None:
    upstream = upstream_in(tmp_path)
    upstream.git("config", "uploadpack.allowFilter", "true")
    upstream.commit(edition(1))
    with served_by(upstream) as server:
        running = remote(server.url, tmp_path / "kept").refresh()
        assert running.serving(edition(1)) == dict.fromkeys(PAIRS, 0)
        changed = {path: data for path, data in edition(2).items() if "incident-reviewer/" in path}
        kept = {path: data for path, data in edition(1).items() if "incident-reviewer/" not in path}
        upstream.commit({**kept, **changed})
        assert running.refresh().serving(edition(1), edition(2))["reviewer"] == 1
        trees, files = (request.body for request in server.requests[-2:])
        assert trees.count(b"have ") == trees.count(b"want ") == 1
        assert files.count(b"want ") == 2  # the lock and its one manifest


@pytest.mark.parametrize("ref", ["HEAD", "main", "refs/heads/main", "v1", "refs/tags/v1", "light"])
@pytest.mark.parametrize("version_2", [True, False])
def test_a_ref_leads_to_its_commit(ref: str, version_2: bool, tmp_path: Path) -> None:
    upstream = upstream_in(tmp_path)
    newest = upstream.commit(edition(1))
    upstream.git("-c", "user.name=t", "-c", "user.email=t@example.com", "tag", "-am", "x", "v1", "main")
    upstream.git("tag", "light", "main")
    with served_by(upstream, version_2=version_2) as server:
        running = remote(server.url, tmp_path / "kept", ref).refresh()
        assert (running.index.problem(), running.index.commit) == ("", newest)
        assert running.serving(edition(1)) == dict.fromkeys(PAIRS, 0)


def test_a_server_goes_and_comes_back(tmp_path: Path) -> None:
    upstream = upstream_in(tmp_path)
    upstream.commit(edition(1))
    with served_by(upstream) as server:
        running = remote(server.url, tmp_path / "kept").refresh()
        honest = server.answer
        upstream.commit(edition(2))
        server.answer = lambda request: request.reply(b"down", 503)
        assert running.refresh().serving(edition(1)) == dict.fromkeys(PAIRS, 0)
        assert "the server answered 503" in running.index.problem()
        restarted = remote(server.url, tmp_path / "kept").refresh()
        assert restarted.serving(edition(1)) == dict.fromkeys(PAIRS, 0)
        server.answer = honest
        for served in (running, restarted):
            assert served.refresh().serving(edition(1), edition(2)) == dict.fromkeys(PAIRS, 1)
            assert served.index.problem() == ""
    restarted = remote(server.url, tmp_path / "kept").refresh()
    assert restarted.serving(edition(1), edition(2)) == dict.fromkeys(PAIRS, 1)
    assert "the connection failed" in restarted.index.problem()


def cut_off(honest: Answer) -> Answer:
    """Objects break off in the middle."""

    def answer(request: Request) -> None:
        if request.command == "POST" and b"want" in request.body:
            request.reply(b"0008NAK\n", length=99_999, Content_Type="application/x-git-upload-pack-result")
        else:
            honest(request)

    return answer


HOSTILE: dict[str, Answer] = {
    "a web page": lambda request: request.reply(b"<html>", Content_Type="text/html"),
    "no repository": lambda request: request.reply(b"", 404),
    "another protocol": lambda request: request.reply(
        b"ffff", Content_Type="application/x-git-upload-pack-advertisement"
    ),
    "silence": stall(2),
    "denied": lambda request: request.reply(b"", 403),
    "elsewhere": lambda request: request.reply(b"", 302, Location="http://127.0.0.1:1/x"),
}


@pytest.mark.parametrize("case", [*HOSTILE, "cut off"])
def test_a_server_that_does_not_play_its_part_changes_nothing(case: str, tmp_path: Path) -> None:
    upstream = upstream_in(tmp_path)
    upstream.commit(edition(1))
    with served_by(upstream) as server:
        context = FetchContext(bounds=QUICK if case == "silence" else BOUNDS)
        first = remote(server.url, tmp_path / "kept").refresh()
        upstream.commit(edition(2))
        server.answer = HOSTILE.get(case) or cut_off(server.answer)
        for running in (first, remote(server.url, tmp_path / "kept", context=context)):
            assert running.refresh().serving(edition(1)) == dict.fromkeys(PAIRS, 0)
            assert running.index.problem().startswith("`main` of `http://127.0.0.1:")
            assert running.index.problem().isprintable()


def test_a_ref_that_is_gone_is_told(tmp_path: Path) -> None:
    upstream = upstream_in(tmp_path)
    upstream.commit(edition(1))
    with served_by(upstream) as server:
        running = remote(server.url, tmp_path / "kept").refresh()
        upstream.git("update-ref", "-d", "refs/heads/main")
        assert running.refresh().serving(edition(1)) == dict.fromkeys(PAIRS, 0)
        assert running.index.problem() == f"`main` of `{server.url}/r` does not exist"


def test_credentials_come_from_where_git_has_them_and_are_told_to_nobody(tmp_path: Path) -> None:
    upstream = upstream_in(tmp_path)
    upstream.commit(edition(1))
    with served_by(upstream, login=LOGIN) as server:
        running = remote(server.url, tmp_path / "kept").refresh()
        assert "asks for credentials" in running.index.problem()
        helper(tmp_path, answering("reader:wrong-secret"))
        assert "refused the credentials" in running.refresh().index.problem()
        helper(tmp_path, answering(LOGIN))
        assert running.refresh().serving(edition(1)) == dict.fromkeys(PAIRS, 0)
        assert running.index.problem() == ""
        assert "secret" not in repr(running.events)


def test_a_repository_that_is_more_than_is_read_is_refused(tmp_path: Path) -> None:
    upstream = upstream_in(tmp_path)
    upstream.commit({**edition(1), "large": bytes(range(256)) * 40_000, "noise": str(hash("x")).encode()})
    context = FetchContext(Limits(content=1 << 20, archive=1 << 20), BOUNDS)
    with served_by(upstream) as server:
        running = remote(server.url, tmp_path / "kept", context=context).refresh()
        assert "larger than 1 MiB" in running.index.problem()
        upstream.git("config", "uploadpack.allowFilter", "true")
        assert running.refresh().serving(edition(1)) == dict.fromkeys(PAIRS, 0)
