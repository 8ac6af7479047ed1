"""`commit` in repositories of every shape, at once, interrupted, and signed."""

from __future__ import annotations

import itertools
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from kagent_render.publication import tree_writing
from kagent_render.publication.branch import LocalBranch
from tests.cli.branches import BRANCH, LOCK, commit, content, done, edit_and_commit, listed, own_identity, put
from tests.cli.team import write_team
from tests.parts import missing
from tests.source.git_repositories import ENVIRONMENT, git

pytestmark = pytest.mark.server


@pytest.fixture(scope="module", autouse=True)
def identity() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        own_identity(patch)
        yield


def start(folder: Path, *options: str) -> Path:
    """A repository with the sources of `team`, and no output."""
    write_team(folder)
    git(folder, "init", "--quiet", "--initial-branch=main", *options, ".")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--message", "start")
    return folder


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return start(tmp_path / "team")


def test_a_detached_head_is_rendered(repository: Path) -> None:
    git(repository, "checkout", "--quiet", "--detach")
    assert done(repository)["source"] == git(repository, "rev-parse", "HEAD")


def test_a_detached_head_at_a_branch_leaves_that_branch_of_sources_alone(repository: Path) -> None:
    git(repository, "checkout", "--quiet", "--detach")
    found = commit(repository, branch="main")
    assert (found.status, "branch of sources" in found.err) == (2, True)


def test_a_linked_work_tree_commits_and_keeps_its_branch(repository: Path, tmp_path: Path) -> None:
    linked = tmp_path / "linked"
    git(repository, "worktree", "add", "--quiet", "-b", "topic", str(linked))
    edit_and_commit(linked, "You lead.", "You lead them.")
    done(linked)
    assert "You lead them." in content(repository, LOCK)
    for folder, branch in ((repository, "topic"), (linked, "main")):
        found = commit(folder, branch=branch)
        assert (found.status, "is checked out at" in found.err) == (2, True)


def test_a_branch_under_rebase_in_a_work_tree_is_refused(repository: Path) -> None:
    git(repository, "checkout", "--quiet", "-b", "topic")
    edit_and_commit(repository, "You lead.", "You lead them.")
    git(repository, "checkout", "--quiet", "main")
    edit_and_commit(repository, "You lead.", "You lead all.")
    git(repository, "checkout", "--quiet", "topic")
    subprocess.run(["git", "rebase", "main"], cwd=repository, env=ENVIRONMENT, capture_output=True)
    assert git(repository, "status", "--porcelain").startswith("UU")
    found = commit(repository, branch="topic")
    assert (found.status, "is checked out at" in found.err) == (2, True)


def test_a_bare_repository_has_no_work_tree_to_be_in_the_way(repository: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "--quiet", "--bare", str(repository), "bare.git")
    bare = tmp_path / "bare.git"
    done(bare, "--rev", "main")
    assert LOCK in listed(bare)
    found = commit(bare, branch="main")
    assert (found.status, "branch of sources" in found.err) == (2, True)


def test_packed_references_and_objects_are_read_and_moved_past(repository: Path) -> None:
    done(repository)
    git(repository, "gc", "--quiet")
    git(repository, "pack-refs", "--all")
    edit_and_commit(repository, "You lead.", "You lead them.")
    old = git(repository, "rev-parse", BRANCH)
    assert done(repository)["old"] == old
    git(repository, "gc", "--quiet", "--prune=now")
    git(repository, "fsck", "--strict")
    assert done(repository)["changed"] == []


def test_a_repository_of_sha256_names_its_objects_so(tmp_path: Path) -> None:
    folder = start(tmp_path / "team", "--object-format=sha256")
    first = done(folder)["new"]
    assert len(first) == 64
    edit_and_commit(folder, "You lead.", "You lead them.")
    assert done(folder)["old"] == first
    git(folder, "fsck", "--strict", "--no-dangling")


def test_references_that_are_kept_in_a_way_nobody_knows_are_told(repository: Path) -> None:
    git(repository, "config", "core.repositoryFormatVersion", "1")
    git(repository, "config", "extensions.refStorage", "unheard-of")
    found = commit(repository)
    assert found.status == 2
    assert "Traceback" not in found.err


def test_submodules_and_links_of_the_branch_stay(repository: Path, tmp_path: Path) -> None:
    done(repository)
    other = start(tmp_path / "module")
    identifier = git(other, "rev-parse", "HEAD")
    tree = git(repository, "ls-tree", BRANCH)
    lines = f"{tree}\n160000 commit {identifier}\tmodule\n"
    command = ["git", "mktree", "--missing"]
    made = subprocess.run(
        command, cwd=repository, env=ENVIRONMENT, input=lines.encode(), capture_output=True, check=True
    )
    commit_id = git(repository, "commit-tree", made.stdout.decode().strip(), "-p", BRANCH, "-m", "module")
    git(repository, "update-ref", f"refs/heads/{BRANCH}", commit_id)
    edit_and_commit(repository, "You lead.", "You lead them.")
    done(repository)
    assert f"160000 commit {identifier}\tmodule" in git(repository, "ls-tree", BRANCH)


def test_a_tip_that_a_shallow_clone_lacks_is_told(repository: Path) -> None:
    (repository / ".git" / "refs" / "heads" / BRANCH).write_text("0123456789" * 4 + "\n")
    found = commit(repository)
    assert found.status == 2
    assert "is not in this repository" in found.err


def test_a_branch_that_moved_while_it_was_rendered_is_rendered_again(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done(repository)
    edit_and_commit(repository, "You lead.", "You lead them.")
    move = LocalBranch.move
    raced: list[str] = []

    def move_second(branch: LocalBranch, new: str, old: str | None, message: str) -> None:
        if not raced:
            raced.append(put(repository, {"theirs": b"theirs"}))
        move(branch, new, old, message)

    monkeypatch.setattr(LocalBranch, "move", move_second)
    assert done(repository)["old"] == raced[0]
    assert content(repository, "theirs") == "theirs"


def test_a_lock_that_stays_is_told_in_the_end(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from kagent_render.cli.commit import run as commit_run

    monkeypatch.setattr(commit_run, "_PAUSE", 0.0)
    (repository / ".git" / "refs" / "heads" / f"{BRANCH}.lock").write_bytes(b"")
    found = commit(repository)
    assert (found.status, "could not be moved" in found.err, ".lock" in found.err) == (2, True, True)


def _start(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "kagent_render", "commit", "--branch", BRANCH, *arguments]
    environment = {**os.environ, **ENVIRONMENT}
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=folder, env=environment, stdout=pipe, stderr=pipe, text=True)


def test_of_many_at_once_the_latest_source_is_what_is_left(repository: Path) -> None:
    revisions = [
        edit_and_commit(repository, f"description: {old}", f"description: {new}")
        for old, new in (("Leads.", "A."), ("A.", "B."), ("B.", "C."), ("C.", "D."))
    ]
    started = [_start(repository, "--rev", revision) for revision in revisions]
    for process in started:
        _, told = process.communicate(timeout=120)
        assert process.returncode == 0, told
    assert "description: D." in git(repository, "show", f"{revisions[-1]}:lead.yaml")
    assert "description: D." in content(repository, LOCK)
    assert done(repository)["changed"] == []
    assert git(repository, "fsck", "--strict", "--no-dangling") == ""


@pytest.mark.parametrize("objects", range(0, 15, 2))
def test_a_death_at_any_object_leaves_nothing_that_can_be_seen(
    repository: Path, objects: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    tip = done(repository)["new"]
    edit_and_commit(repository, "You lead.", "You lead them.")
    written: list[Path] = []
    write = tree_writing._write_file

    def write_some(folder: Path, path: Path, data: bytes) -> None:
        if len(written) == objects:
            raise KeyboardInterrupt
        written.append(path)
        write(folder, path, data)

    with monkeypatch.context() as patch:
        patch.setattr(tree_writing, "_write_file", write_some)
        interrupted = _interrupted(repository)
    assert git(repository, "rev-parse", BRANCH) == (
        tip if interrupted else git(repository, "rev-parse", BRANCH)
    )
    assert done(repository)["changed"] == [] or interrupted
    assert git(repository, "fsck", "--strict", "--no-dangling") == ""


def _interrupted(repository: Path) -> bool:
    try:
        return commit(repository).status != 0
    except KeyboardInterrupt:
        return True


def test_a_kill_at_any_time_leaves_the_branch_old_or_new(repository: Path) -> None:
    texts = ["Leads.", *(f"Leads {number}." for number in range(6))]
    for number, (old, new) in enumerate(itertools.pairwise(texts)):
        edit_and_commit(repository, f"description: {old}", f"description: {new}")
        process = _start(repository)
        time.sleep(0.25 + 0.15 * number)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        assert git(repository, "fsck", "--strict", "--no-dangling") == ""
        (repository / ".git" / "refs" / "heads" / f"{BRANCH}.lock").unlink(missing_ok=True)
    done(repository)
    assert "Leads 5." in content(repository, LOCK)


def test_ten_thousand_files_of_other_people_are_no_burden(repository: Path) -> None:
    done(repository)
    files = "".join(f"M 100644 inline data/{n // 100}/{n}\ndata 1\nx\n" for n in range(10_000))
    who = "committer A <a@example.com> 1767225600 +0000\ndata 0\n"
    stream = f"commit refs/heads/{BRANCH}\n{who}from refs/heads/{BRANCH}^0\n{files}"
    command = ["git", "fast-import", "--quiet"]
    subprocess.run(command, cwd=repository, env=ENVIRONMENT, input=stream.encode(), check=True)
    edit_and_commit(repository, "You lead.", "You lead them.")
    begun = time.monotonic()
    done(repository)
    assert time.monotonic() - begun < 10
    assert len(listed(repository)) > 10_000


def _needs(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        missing(f"no `{name}` on PATH to sign with")
    return str(found)


def test_a_commit_is_signed_with_an_ssh_key(repository: Path, tmp_path: Path) -> None:
    key = tmp_path / "key"
    command = [_needs("ssh-keygen"), "-q", "-t", "ed25519", "-N", "", "-C", "a@example.com", "-f", str(key)]
    subprocess.run(command, check=True)
    allowed = tmp_path / "allowed"
    allowed.write_text(f"a@example.com {key.with_suffix('.pub').read_text()}")
    for name, value in {
        "commit.gpgSign": "true",
        "gpg.format": "ssh",
        "user.signingKey": str(key),
        "gpg.ssh.allowedSignersFile": str(allowed),
    }.items():
        git(repository, "config", name, value)
    done(repository)
    git(repository, "verify-commit", BRANCH)


def test_a_commit_is_signed_with_an_openpgp_key(
    repository: Path, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    home = tmp_path_factory.mktemp("g")  # the agent's socket has to have a short path
    home.chmod(0o700)
    monkeypatch.setenv("GNUPGHOME", str(home))
    make = [_needs("gpg"), "--batch", "--quiet", "--passphrase", "", "--quick-generate-key", "a@example.com"]
    subprocess.run(make, check=True, capture_output=True)
    try:
        git(repository, "config", "commit.gpgSign", "true")
        git(repository, "config", "user.signingKey", "a@example.com")
        done(repository)
        with monkeypatch.context() as patch:
            patch.setitem(ENVIRONMENT, "GNUPGHOME", str(home))
            git(repository, "verify-commit", BRANCH)
    finally:
        subprocess.run(["gpgconf", "--kill", "gpg-agent"], check=False)


def test_a_signature_that_cannot_be_made_commits_nothing(repository: Path) -> None:
    for name, value in {"commit.gpgSign": "true", "gpg.format": "ssh", "user.signingKey": "/no/key"}.items():
        git(repository, "config", name, value)
    found = commit(repository)
    assert (found.status, "does not make the commit" in found.err) == (2, True)
    assert git(repository, "for-each-ref", f"refs/heads/{BRANCH}") == ""


def test_somebody_without_a_name_is_told_by_git(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ENVIRONMENT:
        if name.startswith(("GIT_AUTHOR", "GIT_COMMITTER")):
            monkeypatch.delenv(name)
    git(repository, "config", "user.useConfigOnly", "true")
    found = commit(repository)
    assert (found.status, "does not make the commit" in found.err, "user.email" in found.err) == (
        2,
        True,
        True,
    )
    git(repository, "config", "user.name", "Configured")
    git(repository, "config", "user.email", "c@example.com")
    done(repository)
    assert git(repository, "log", "-1", "--format=%an %ce", BRANCH) == "Configured c@example.com"
