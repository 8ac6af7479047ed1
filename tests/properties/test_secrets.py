"""A credential that stands anywhere in a repository or its environment is never shown, nor written."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.properties import planted
from tests.properties.planted import ENCODED, WORD
from tests.properties.repositories import write
from tests.running import run, tree

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from tests.properties.planted import Files

pytestmark = pytest.mark.process

COMMANDS = (
    ("render", "--verbose", "--keep-going"),
    ("render", "-o", "json"),
    ("check", "--strict", "--verbose", "-o", "json"),
    ("explain", "team/runtime/agent", "--verbose"),
    ("explain", "team/runtime/agent", "-o", "json"),
)

ENVIRONMENT = dict.fromkeys(
    (
        "AWS_ACCESS_KEY_ID",
        "AWS_SECRET_ACCESS_KEY",
        "AWS_SESSION_TOKEN",
        "OPENAI_API_KEY",
        "GITHUB_TOKEN",
        "GIT_ASKPASS",
        "KAGENT_CONFIG_JSON",
        "DOCKER_AUTH_CONFIG",
    ),
    WORD,
)


def plant(root: Path, files: Files) -> Path:
    texts = {path: text.replace("WORD", WORD).encode() for path, text in files.items()}
    return write(root, texts)


def said(root: Path, env: Mapping[str, str] | None = None) -> Iterator[tuple[str, str]]:
    """Every command with what it printed."""
    for command in COMMANDS:
        done = run(*command, "--offline", cwd=root, env=env)
        yield " ".join(command), done.out + done.err


def shows(text: str | bytes) -> bool:
    """Whether a text holds the credential, or enough of its start to be of use."""
    data = text if isinstance(text, bytes) else text.encode()
    return WORD[:12].encode() in data or ENCODED[:12].encode() in data


def assert_hidden(root: Path, cache: Path, env: Mapping[str, str] | None = None) -> None:
    for command, text in said(root, env):
        assert not shows(text), f"{command}\n{text}"
    for folder in (root / "rendered", cache):
        assert [path for path, data in tree(folder).items() if shows(data)] == []


HIDDEN = {
    f"{table}: {name}": files
    for table, cases in {
        "Secret": planted.SECRETS,
        "broken": planted.BROKEN,
        "address": planted.ADDRESSES,
        "query": planted.QUERIES,
        "literal": planted.FAULTY_LITERALS,
    }.items()
    for name, files in cases.items()
}


@pytest.mark.parametrize("files", HIDDEN.values(), ids=HIDDEN)
def test_a_planted_credential_is_neither_shown_nor_written(tmp_path: Path, cache: Path, files: Files) -> None:
    assert_hidden(plant(tmp_path, files), cache)


@pytest.mark.parametrize("files", planted.ADDRESSES.values(), ids=planted.ADDRESSES)
def test_no_address_with_a_user_prepares(tmp_path: Path, files: Files) -> None:
    assert run("render", "--offline", cwd=plant(tmp_path, files)).status in (1, 2)


def test_the_environment_is_neither_shown_nor_written(tmp_path: Path, cache: Path) -> None:
    root = plant(tmp_path, planted.SECRETS["data in another file"])
    assert_hidden(root, cache, ENVIRONMENT)
    assert run("check", "--offline", cwd=root).status == 0


@pytest.mark.parametrize("name", planted.LITERALS)
def test_a_literal_is_written_with_a_warning_and_not_shown(tmp_path: Path, name: str) -> None:
    root = plant(tmp_path, planted.LITERALS[name])
    done = run("render", "--offline", "--verbose", cwd=root)
    assert done.status == 0
    assert "CredentialLiteral" in done.err
    assert not shows(done.err + done.out)
    holding = [path for path, data in tree(root / "rendered").items() if shows(data)]
    assert len(holding) == 1
    assert "/actortemplates/" in holding[0]
    strict = run("check", "--offline", "--strict", "-o", "json", cwd=root)
    assert strict.status == 1
    assert "CredentialLiteral" in {fault["reason"] for fault in strict.faults}
    for command, text in said(root):
        assert not shows(text), f"{command}\n{text}"


def test_an_object_store_that_fails_shows_nothing_of_the_environment(tmp_path: Path) -> None:
    root = plant(tmp_path, planted.UNREACHABLE)
    for command in COMMANDS[:3]:
        done = run(*command, cwd=root, env=ENVIRONMENT)
        assert done.status == 1
        assert not shows(done.out + done.err), done.err
    assert {fault["reason"] for fault in done.faults} >= {"ArtifactFetchFailed"}, done.out
