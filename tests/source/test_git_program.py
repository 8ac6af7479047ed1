"""What Git and remotes say is made safe before it is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from kagent_render.source.git_program import GitFailure, GitProgram, safe_lines
from tests.source.git_repositories import git

_REPLACED = "\N{REPLACEMENT CHARACTER}"


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (b"fatal: no\n", ["fatal: no"]),
        (b"remote: a\rremote: b\r\n\n", ["remote: a", "remote: b"]),
        (b"remote: \x1b[31mred\x07", [f"remote: {_REPLACED}[31mred{_REPLACED}"]),
        (b"unable to access 'https://u:p@example.com/r.git/'", ["unable to access 'https://example.com/r.git/'"]),
        (b"https://u:p@ss@example.com/", ["https://example.com/"]),
        (b"ssh://git@example.com/r", ["ssh://example.com/r"]),
        (b"a\tb", ["a       b"]),
        (b"\xff\xfe", [_REPLACED * 2]),
    ],
)  # fmt: skip
def test_what_a_remote_says_is_cleaned(said: bytes, told: list[str]) -> None:
    assert list(safe_lines(said)) == told


def test_what_a_remote_says_is_bounded() -> None:
    lines = safe_lines(b"".join(b"%d %s\n" % (number, b"x" * 5000) for number in range(1000)))
    assert len(lines) == 12
    assert max(map(len, lines)) == 500
    assert lines[-1].startswith("999 ")


def test_the_surroundings_of_a_hook_lead_to_no_other_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(tmp_path, "init", "--quiet", "here")
    git(tmp_path, "init", "--quiet", "there")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "there" / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(tmp_path / "there"))
    found = GitProgram(tmp_path / "here").run("rev-parse", "--show-toplevel")
    assert found.text == str(tmp_path / "here")


def test_a_machine_without_git_is_told_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(GitFailure, match="not installed"):
        GitProgram(tmp_path).run("status")
