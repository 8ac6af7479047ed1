"""Real Git servers over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.artifacts.git.backend import git_backend
from tests.artifacts.git.repositories import Files, Repository, executable, link, make_repository
from tests.servers import ScriptedServer, serving


@pytest.fixture(autouse=True)
def no_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> pytest.MonkeyPatch:
    """An environment without proxies, credentials and trust of anybody's; gives the patch to add some."""
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    for name in ("GIT_SSL_CAINFO", "SSL_CERT_FILE", "NETRC"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    return monkeypatch


CONTENT: Files = {
    "README.md": b"# Plugins\n",
    "plugins/a/plugin.json": b"{}",
    "plugins/a/run.sh": executable(b"#!/bin/sh\n"),
    "plugins/a/shared": link("../../shared"),
    "plugins/b/plugin.json": b"[]",
    "shared/notes.md": b"notes",
    "large.bin": bytes(range(256)) * 4_000,
}
GENERATIONS = 30
"""How many commits each repository has; the tip is not the last one to be looked for."""


@pytest.fixture(scope="session")
def repositories(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Repository]:
    """A repository of each object format with the same content; every commit changes one file."""
    root = tmp_path_factory.mktemp("git")
    commits = [{**CONTENT, "number": b"%d" % number} for number in range(GENERATIONS)]
    found = {name: make_repository(root / name, *commits, object_format=name) for name in ("sha1", "sha256")}
    for repository in found.values():
        repository.allow("allowFilter")
    return found


@pytest.fixture(scope="session", params=["v2", "v0"])
def server(repositories: dict[str, Repository], request: pytest.FixtureRequest) -> Iterator[ScriptedServer]:
    """The repositories behind a server of each protocol version."""
    root = repositories["sha1"].folder.parent
    with serving(git_backend(root, version_2=request.param == "v2")) as running:
        yield running


@pytest.fixture(scope="session")
def newest(repositories: dict[str, Repository]) -> Iterator[ScriptedServer]:
    """The repositories behind a server of protocol version 2."""
    with serving(git_backend(repositories["sha1"].folder.parent)) as running:
        yield running


@pytest.fixture(scope="session")
def oldest(repositories: dict[str, Repository]) -> Iterator[ScriptedServer]:
    """The repositories behind a server that does not know version 2."""
    with serving(git_backend(repositories["sha1"].folder.parent, version_2=False)) as running:
        yield running
