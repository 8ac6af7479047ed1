"""Commits by id against Git's own server, in both protocol versions and both object formats."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from kagent_render.api.hub import ArtifactSource, GitSource
from kagent_render.artifacts.archive.formats import read_archive
from kagent_render.artifacts.archive.limits import Limits
from kagent_render.artifacts.failure import ArtifactFailure
from kagent_render.artifacts.git import GitFetcher
from kagent_render.artifacts.package import Package
from kagent_render.artifacts.port import FetchContext
from kagent_render.artifacts.resolution import Means, resolve
from kagent_render.artifacts.store.vendored import VendoredStore
from kagent_render.diagnostics.reasons import Reason
from kagent_render.source.reader import MemoryFiles
from tests.artifacts.git.backend import git_backend
from tests.artifacts.git.conftest import CONTENT, GENERATIONS
from tests.artifacts.git.fetching import failure, fetch
from tests.artifacts.git.repositories import (
    Files,
    Node,
    Repository,
    executable,
    link,
    make_repository,
    submodule,
)
from tests.servers import Request, ScriptedServer, serving

pytestmark = pytest.mark.server

Repositories = dict[str, Repository]
NOTHING_VENDORED = VendoredStore(MemoryFiles({}), {})
PLACES = {"tip": -1, "behind-the-tip": -5, "far-behind": 0}


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
@pytest.mark.parametrize("place", PLACES)
def test_any_commit_of_a_branch_is_fetched(
    server: ScriptedServer, repositories: Repositories, object_format: str, place: str
) -> None:
    number = range(GENERATIONS)[PLACES[place]]
    commit = repositories[object_format].commits[number]
    package = fetch(f"{server.url}/{object_format}", commit)
    assert package.files["number"].data == b"%d" % number
    assert package.files["large.bin"].data == CONTENT["large.bin"]
    assert package.files["plugins/a/run.sh"].executable
    assert package.links == {
        "plugins/a/shared": "shared",
        "plugins/a/shared/notes.md": "shared/notes.md",
    }


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
def test_a_path_is_as_in_the_whole_commit(
    server: ScriptedServer, repositories: Repositories, object_format: str
) -> None:
    url, commit = f"{server.url}/{object_format}", repositories[object_format].commits[-1]
    whole, part = fetch(url, commit), fetch(url, commit, "plugins/a")
    assert part.subtree("plugins/a") == whole.subtree("plugins/a")
    assert part.subtree("plugins/a").outside == ("shared/notes.md",)
    assert "large.bin" not in part.files


def test_only_wanted_blobs_cross_the_network_where_the_server_filters(
    newest: ScriptedServer, repositories: Repositories
) -> None:
    counted: list[int] = []
    origin = GitSource(f"{newest.url}/sha1", repositories["sha1"].commits[0])
    GitFetcher().fetch(origin, ["plugins/b"], FetchContext(received=counted.append))
    assert 0 < sum(counted) < 10_000


def test_one_question_and_one_request_are_enough_and_share_a_connection(repositories: Repositories) -> None:
    seen = []
    backend = git_backend(repositories["sha1"].folder.parent)

    def answer(request: Request) -> None:
        seen.append((request.command, request.client_address))
        backend(request)

    with serving(answer) as server:
        sources = [
            ArtifactSource(GitSource(f"{server.url}/sha1", commit), "")
            for commit in repositories["sha1"].commits[:3]
        ]
        resolve(sources, Means(NOTHING_VENDORED, {GitSource: GitFetcher()}, jobs=1))
    assert [command for command, _ in seen] == ["GET", "POST"] * 3
    assert len({address for _, address in seen}) == 1


@pytest.fixture
def aside(tmp_path: Path) -> Repository:
    """A repository with a commit that is on no branch, and an annotated tag."""
    repository = make_repository(tmp_path / "aside", {"a": b"first"}, {"a": b"second"})
    repository.git("-c", "user.name=a", "-c", "user.email=a", "tag", "-a", "v1", "-m", "v1", "main~1")
    repository.git("update-ref", "refs/heads/main", "main~1")
    return repository


_ALLOWED = {"v0-any": "allowAnySHA1InWant", "v0-reachable": "allowReachableSHA1InWant"}


def allowing(repository: Repository, how: str) -> bool:
    """Set what `how` names; gives whether it is protocol version 2."""
    if how in _ALLOWED:
        repository.allow(_ALLOWED[how])
    return how == "v2"


@pytest.mark.parametrize("how", ["v2", "v0-any"])
def test_a_commit_on_no_branch_is_fetched_where_the_server_gives_any(aside: Repository, how: str) -> None:
    with serving(git_backend(aside.folder.parent, version_2=allowing(aside, how))) as server:
        assert fetch(f"{server.url}/aside", aside.commits[1]).files["a"].data == b"second"


@pytest.mark.parametrize("how", ["v2", "v0", "v0-any", "v0-reachable"])
def test_a_commit_that_a_tag_points_at_is_fetched(aside: Repository, how: str) -> None:
    aside.git("update-ref", "-d", "refs/heads/main")
    with serving(git_backend(aside.folder.parent, version_2=allowing(aside, how))) as server:
        assert fetch(f"{server.url}/aside", aside.commits[0]).files["a"].data == b"first"


@pytest.mark.parametrize("how", ["v2", "v0", "v0-any", "v0-reachable"])
def test_an_absent_commit_is_not_found(aside: Repository, how: str) -> None:
    with serving(git_backend(aside.folder.parent, version_2=allowing(aside, how))) as server:
        told = failure(f"{server.url}/aside", "1" * 40)
    assert told.reason is Reason.ARTIFACT_NOT_FOUND


@pytest.mark.parametrize("how", ["v0", "v0-reachable"])
def test_a_commit_on_no_branch_is_told_with_what_helps(aside: Repository, how: str) -> None:
    with serving(git_backend(aside.folder.parent, version_2=allowing(aside, how))) as server:
        told = failure(f"{server.url}/aside", aside.commits[1])
    assert told.reason is Reason.ARTIFACT_NOT_FOUND
    if how == "v0":
        assert "uploadpack.allowAnySHA1InWant" in (told.hint or "")


def test_a_commit_beyond_the_depth_that_is_looked_through_is_told(
    oldest: ScriptedServer, repositories: Repositories, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kagent_render.artifacts.git.history.DEPTHS", (2, 5))
    repository, url = repositories["sha1"], f"{oldest.url}/sha1"
    assert fetch(url, repository.commits[-5]).files
    told = failure(url, repository.commits[-6])
    assert told.reason is Reason.ARTIFACT_FETCH_FAILED
    assert "not among the last 5 commits behind them (refs looked at: 1)" in told.message
    assert "tag" in (told.hint or "")


def test_a_history_that_is_too_large_to_look_through_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kagent_render.artifacts.git.history.DEPTHS", (1, 5))
    chance = random.Random(1)
    repository = make_repository(tmp_path / "r", *({"a": chance.randbytes(40_000)} for _ in range(6)))
    with serving(git_backend(tmp_path, version_2=False)) as server:
        told = failure(f"{server.url}/r", repository.commits[2], limits=Limits(archive=100_000))
    assert told.reason is Reason.ARTIFACT_FETCH_FAILED
    assert "the last 1 commits behind them (refs looked at: 1), and the last 5 are too large" in told.message


def test_a_commit_behind_a_tip_is_found_where_the_server_gives_only_tips_by_id(aside: Repository) -> None:
    aside.git("update-ref", "refs/heads/main", aside.commits[1])
    aside.git("tag", "-d", "v1")
    aside.allow("allowTipSHA1InWant")
    with serving(git_backend(aside.folder.parent, version_2=False)) as server:
        assert fetch(f"{server.url}/aside", aside.commits[0]).files["a"].data == b"first"


@pytest.mark.parametrize("what", ["v1", "main^{tree}", "main:a"])
@pytest.mark.parametrize("how", ["v2", "v0-any"])
def test_an_id_of_something_else_is_told(aside: Repository, what: str, how: str) -> None:
    with serving(git_backend(aside.folder.parent, version_2=allowing(aside, how))) as server:
        told = failure(f"{server.url}/aside", aside.git("rev-parse", what))
    assert told.reason is Reason.ARTIFACT_NOT_FOUND
    assert "and not of a commit" in told.message


@pytest.mark.parametrize("how", ["v2", "v0"])
def test_an_empty_repository_has_no_commit(tmp_path: Path, how: str) -> None:
    repository = make_repository(tmp_path / "empty")
    with serving(git_backend(tmp_path, version_2=allowing(repository, how))) as server:
        told = failure(f"{server.url}/empty", "1" * 40)
    assert told.reason is Reason.ARTIFACT_NOT_FOUND


@pytest.mark.parametrize(("object_format", "commit"), [("sha1", "1" * 64), ("sha256", "1" * 40)])
def test_a_commit_of_the_other_format_is_told(
    server: ScriptedServer, object_format: str, commit: str
) -> None:
    told = failure(f"{server.url}/{object_format}", commit)
    assert told.reason is Reason.ARTIFACT_FETCH_FAILED
    assert "does not name its commits by" in told.message


def test_a_repository_that_is_not_there_is_not_found(server: ScriptedServer) -> None:
    assert failure(f"{server.url}/nothing", "1" * 40).reason is Reason.ARTIFACT_NOT_FOUND


def test_a_path_that_is_not_there_is_not_found(newest: ScriptedServer, repositories: Repositories) -> None:
    origin = GitSource(f"{newest.url}/sha1", repositories["sha1"].commits[0])
    sources = [ArtifactSource(origin, path) for path in ("plugins/c", "README.md", "plugins/b")]
    missing, file, found = resolve(sources, Means(NOTHING_VENDORED, {GitSource: GitFetcher()})).values()
    for outcome in (missing, file):
        assert isinstance(outcome, ArtifactFailure)
        assert outcome.reason is Reason.ARTIFACT_NOT_FOUND
    assert isinstance(found, Package)
    assert list(found.files) == ["plugin.json"]


def test_a_submodule_matters_only_below_a_wanted_path(tmp_path: Path) -> None:
    files: Files = {"a/x": b"x", "b/sub": submodule(), "b/y": b"y"}
    repository = make_repository(tmp_path / "r", files)
    with serving(git_backend(tmp_path)) as server:
        assert list(fetch(f"{server.url}/r", repository.commits[0], "a").files) == ["a/x"]
        for path in ("", "b", "b/sub", "b/sub/deep"):
            told = failure(f"{server.url}/r", repository.commits[0], path)
            assert told.reason is Reason.ARTIFACT_UNSAFE
            assert "`b/sub` is a submodule" in told.message


def generated(seed: int) -> Iterator[Files]:
    """A few commits of files that are like each other, so that Git packs them as deltas."""
    chance = random.Random(seed)
    names = ["a", "b c", "d/é", "d/e/f", "d/e/g", "日本", "-x", 'z/q"uote', "z/$(x)"]
    lines = [chance.randbytes(40).hex() for _ in range(400)]
    files: dict[str, bytes | Node] = {
        "empty": b"",
        "large": bytes(200_000),
        "links/file": link("../large"),
        "links/directory": link("../d"),
        "d/e/g": b"",
    }
    for _ in range(6):
        for name in chance.sample(names, 5):
            lines[chance.randrange(400)] = chance.randbytes(40).hex()
            data = "\n".join(lines[: chance.randrange(400)]).encode()
            files[name] = executable(data) if chance.random() < 0.3 else data
        yield dict(files)


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
@pytest.mark.parametrize("seed", range(3))
def test_a_commit_is_what_git_archive_writes(tmp_path: Path, seed: int, object_format: str) -> None:
    repository = make_repository(tmp_path / "r", *generated(seed), object_format=object_format)
    repository.git("repack", "-adfq", "--depth=50", "--window=50")
    with serving(git_backend(tmp_path)) as server:
        for commit in repository.commits[::2]:
            archive = repository.archive(commit)
            assert fetch(f"{server.url}/r", commit) == read_archive(archive, "a.tar")


def test_attributes_are_never_applied(tmp_path: Path) -> None:
    files: Files = {
        ".gitattributes": b"* export-subst text eol=crlf\nb export-ignore\n",
        "a": b"$Format:%H$\n",
        "b": b"b",
    }
    repository = make_repository(tmp_path / "r", files)
    with serving(git_backend(tmp_path)) as server:
        package = fetch(f"{server.url}/r", repository.commits[0])
    assert {path: file.data for path, file in package.files.items()} == files


def test_what_was_changed_where_it_is_served_is_a_mismatch(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "r", {"a": b"honest", "b": b"other"})
    repository.plant(repository.git("rev-parse", "main:a"), "blob", b"tampered")
    with serving(git_backend(tmp_path)) as server:
        told = failure(f"{server.url}/r", repository.commits[0])
    assert told.reason is Reason.ARTIFACT_DIGEST_MISMATCH
    assert repository.git("rev-parse", "main:a") in told.message


@pytest.mark.parametrize("packed", [False, True])
def test_what_was_damaged_where_it_is_served_is_told(tmp_path: Path, packed: bool) -> None:
    repository = make_repository(tmp_path / "r", {"a": random.Random(1).randbytes(5_000)})
    if packed:
        repository.git("repack", "-adq")
    (largest,) = (path for path in repository.folder.glob("objects/*/*") if path.stat().st_size > 4_000)
    data = bytearray(largest.read_bytes())
    data[len(data) // 2] ^= 1
    largest.chmod(0o644)
    largest.write_bytes(data)
    with serving(git_backend(tmp_path)) as server:
        assert failure(f"{server.url}/r", repository.commits[0]).reason in {
            Reason.ARTIFACT_FETCH_FAILED,
            Reason.ARTIFACT_DIGEST_MISMATCH,
        }
