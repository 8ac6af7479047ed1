"""State is kept where the user's programs keep theirs, apart for each repository and ref."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kagent_apply.settings.model import Settings
from kagent_apply.settings.places import state_folder, store_url

HOME = Path("/home/ann")


def place(cwd: str = "/src/team", env: dict[str, str] | None = None, **settings: Any) -> Path:
    return state_folder(Settings(**settings), env or {}, HOME, Path(cwd))


@pytest.mark.parametrize(
    ("env", "base"),
    [
        ({}, "/home/ann/.local/state"),
        ({"XDG_STATE_HOME": "/state"}, "/state"),
        ({"XDG_STATE_HOME": "relative"}, "/home/ann/.local/state"),  # which the specification has ignored
    ],
)
def test_state_is_below_the_users_state_folder(env: dict[str, str], base: str) -> None:
    found = place(env=env)
    assert found.parent == Path(base) / "kagent-apply"
    assert found.name.startswith("team-")


def test_a_repository_has_one_folder_wherever_it_is_served_from() -> None:
    assert place("/src/team") == place("/src", repo="team") == place("/", repo="/src/team")


def test_folders_of_a_repository_have_the_folder_of_its_top(tmp_path: Path) -> None:
    (tmp_path / "team" / "agents").mkdir(parents=True)
    apart = place(str(tmp_path / "team" / "agents"))
    (tmp_path / "team" / ".git").write_text("gitdir: elsewhere\n")  # as in a work tree of another's
    assert place(str(tmp_path / "team" / "agents")) == place(str(tmp_path), repo="team") != apart


def test_a_bare_repository_is_one_of_its_own(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    for name in ("a", "b"):
        (tmp_path / name / "objects").mkdir(parents=True)
        (tmp_path / name / "HEAD").touch()
    assert len({place(str(tmp_path)), *(place(str(tmp_path), repo=name) for name in "ab")}) == 3


def test_other_repositories_and_refs_have_other_folders() -> None:
    found = [place(), place("/other/team"), place(ref="main"), place(repo="https://example.com/team")]
    assert len(set(found)) == len(found)


@pytest.mark.parametrize("repo", ["https://u:p@example.com/../..", "/", "..", "https://x/a b\n"])
def test_a_folder_has_a_plain_name(repo: str) -> None:
    found = place(repo=repo)
    assert found.parent == Path("/home/ann/.local/state/kagent-apply")
    assert set(found.name) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")


def test_a_folder_can_be_named() -> None:
    assert place(state="x") == Path("/src/team/x")


@pytest.mark.parametrize(
    ("store", "expected"), [("", "sqlite:////s/store.sqlite"), ("postgresql://h/d", "postgresql://h/d")]
)
def test_the_store_is_in_it_unless_told(store: str, expected: str) -> None:
    assert store_url(Settings(store=store), Path("/s")) == expected
