"""Logins are found where container tools keep them, and none of them is ever shown."""

from __future__ import annotations

import base64
import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from kagent_render.artifacts.oci.docker_config import Login
from kagent_render.artifacts.oci.endpoint import Endpoint
from kagent_render.artifacts.oci.failure import OciFault
from kagent_render.artifacts.oci.keychain import Keychain
from kagent_render.artifacts.oci.reference import DOCKER_HUB

HOST, HUB = Endpoint("r.example:5000", "team/skills"), Endpoint(DOCKER_HUB, "library/redis")
USER, OTHER = Login("user", "secret-word"), Login("other", "secret-of-another")
TOKEN = Login("", "secret-token", is_token=True)


def basic(login: Login) -> dict[str, str]:
    return {"auth": base64.b64encode(f"{login.username}:{login.secret}".encode()).decode()}


def keychain(folder: Path, config: Any, seconds: float = 10, **environment: str) -> Keychain:
    """A keychain whose Docker configuration is `config`; helpers are looked up in `folder`."""
    data = config if isinstance(config, bytes) else json.dumps(config).encode()
    (folder / "config.json").write_bytes(data)
    path = f"{folder}{os.pathsep}{os.environ['PATH']}"
    return Keychain({"DOCKER_CONFIG": str(folder), "PATH": path} | environment, seconds)


def helper(folder: Path, script: str, suffix: str = "test") -> None:
    program = folder / f"docker-credential-{suffix}"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)


def answering(login: Login, user: str | None = None) -> str:
    answer = json.dumps({"ServerURL": "x", "Username": user or login.username, "Secret": login.secret})
    return f"cat > \"${{0%/*}}/asked\"; echo '{answer}'"


@pytest.mark.parametrize(
    ("auths", "endpoint", "login"),
    [
        ({"r.example:5000": basic(USER)}, HOST, USER),
        ({"https://r.example:5000": basic(USER)}, HOST, USER),
        ({"https://r.example:5000/v2/": basic(USER)}, HOST, USER),
        ({"R.example:5000/": basic(USER)}, HOST, USER),
        ({"r.example:5000": {"username": "user", "password": "secret-word"}}, HOST, USER),
        ({"r.example:5000": {"identitytoken": "secret-token"} | basic(OTHER)}, HOST, TOKEN),
        ({"r.example:5000": basic(OTHER), "r.example:5000/team": basic(USER)}, HOST, USER),
        ({"r.example:5000/team": basic(OTHER), "r.example:5000/team/skills": basic(USER)}, HOST, USER),
        ({"r.example:5000": basic(USER), "r.example:5000/tea": basic(OTHER)}, HOST, USER),
        ({"r.example:5000": {"auth": base64.b64encode(b"user:a:b").decode()}}, HOST, Login("user", "a:b")),
        ({"https://index.docker.io/v1/": basic(USER)}, HUB, USER),
        ({"docker.io": basic(USER)}, HUB, USER),
        ({"registry-1.docker.io": basic(USER)}, HUB, USER),
        ({"r.example": basic(OTHER), "r.example:5001": basic(OTHER)}, HOST, None),
        ({"https://index.docker.io/v1/": basic(OTHER)}, HOST, None),
        ({"r.example:5000": {}}, HOST, None),
        ({"r.example:5000": None}, HOST, None),
        ({}, HOST, None),
    ],
)
def test_an_entry_is_found_under_every_spelling_of_its_registry(
    tmp_path: Path, auths: dict[str, Any], endpoint: Endpoint, login: Login | None
) -> None:
    assert keychain(tmp_path, {"auths": auths}).login(endpoint) == login


def test_docker_s_file_is_read_before_podman_s_and_a_named_one_instead_of_both(tmp_path: Path) -> None:
    named, podman, home = tmp_path / "named.json", tmp_path / "run/containers", tmp_path / "home/.docker"
    for folder in (podman, home):
        folder.mkdir(parents=True)
    named.write_text(json.dumps({"auths": {"r.example:5000": basic(Login("named", "x"))}}))
    (podman / "auth.json").write_text(json.dumps({"auths": {"r.example:5000": basic(Login("podman", "x"))}}))
    environment = {"HOME": str(tmp_path / "home"), "XDG_RUNTIME_DIR": str(tmp_path / "run")}
    assert Keychain(environment).login(HOST) == Login("podman", "x")
    (home / "config.json").write_text(json.dumps({"auths": {"r.example:5000": basic(Login("home", "x"))}}))
    assert Keychain(environment).login(HOST) == Login("home", "x")
    assert Keychain(environment | {"REGISTRY_AUTH_FILE": str(named)}).login(HOST) == Login("named", "x")
    assert Keychain(environment | {"REGISTRY_AUTH_FILE": str(named / "none")}).login(HOST) is None
    assert Keychain({}).login(HOST) is None


BROKEN: dict[str, tuple[object, str]] = {
    "no-json": (b"{secret", "is not JSON"),
    "list": ([], "is not a JSON object"),
    "auths": ({"auths": ["secret"]}, "`auths` that are not an object"),
    "entry": ({"auths": {"r.example:5000": "secret"}}, "that is not a mapping of texts"),
    "number": ({"auths": {"r.example:5000": {"auth": 5}}}, "that is not a mapping of texts"),
    "no-base64": ({"auths": {"r.example:5000": {"auth": "secret%"}}}, "not base64 of `USER:PASSWORD`"),
    "no-colon": ({"auths": {"r.example:5000": {"auth": "c2VjcmV0"}}}, "not base64 of `USER:PASSWORD`"),
    "no-utf-8": ({"auths": {"r.example:5000": {"auth": "//86Og=="}}}, "not base64 of `USER:PASSWORD`"),
    "helpers": ({"credHelpers": {"a": 1}}, "`credHelpers` that are not an object of texts"),
    "store": ({"credsStore": ["secret"]}, "`credsStore` that is not a text"),
    "huge": (b" " * (1 << 20) + b"{}", "is larger than 1 MiB"),
}


@pytest.mark.parametrize(("config", "text"), BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_file_is_told_with_its_name(tmp_path: Path, config: object, text: str) -> None:
    with pytest.raises(OciFault, match=text) as fault:
        keychain(tmp_path, config).login(HOST)
    assert "config.json" in fault.value.cause
    assert "secret" not in fault.value.cause + (fault.value.hint or "")


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    (tmp_path / "config.json").mkdir()
    with pytest.raises(OciFault, match="cannot be read"):
        Keychain({"DOCKER_CONFIG": str(tmp_path)}).login(HOST)


@pytest.mark.parametrize(
    ("config", "endpoint", "asked"),
    [
        ({"credHelpers": {"r.example:5000": "test"}}, HOST, "r.example:5000"),
        ({"credHelpers": {"https://r.example:5000/": "test"}}, HOST, "r.example:5000"),
        ({"credHelpers": {"docker.io": "test"}}, HUB, "https://index.docker.io/v1/"),
        ({"credHelpers": {"index.docker.io": "test"}}, HUB, "https://index.docker.io/v1/"),
        ({"credsStore": "test"}, HOST, "r.example:5000"),
        ({"credsStore": "other", "credHelpers": {"r.example:5000": "test"}}, HOST, "r.example:5000"),
        ({"credsStore": "test", "auths": {"r.example:5000": basic(OTHER)}}, HOST, "r.example:5000"),
    ],
)
def test_a_helper_is_asked_for_its_registry(
    tmp_path: Path, config: dict[str, Any], endpoint: Endpoint, asked: str
) -> None:
    helper(tmp_path, answering(USER))
    assert keychain(tmp_path, config).login(endpoint) == USER
    assert (tmp_path / "asked").read_text() == asked


def test_a_helper_s_token_is_an_identity_token(tmp_path: Path) -> None:
    helper(tmp_path, answering(TOKEN, "<token>"))
    assert keychain(tmp_path, {"credsStore": "test"}).login(HOST) == TOKEN


def test_a_helper_that_knows_nothing_leaves_it_to_the_file(tmp_path: Path) -> None:
    helper(tmp_path, "echo credentials not found in native keychain; exit 1")
    config = {"credsStore": "test", "auths": {"r.example:5000": basic(USER)}}
    assert keychain(tmp_path, config).login(HOST) == USER
    assert keychain(tmp_path, {"credsStore": "test"}).login(HOST) is None


def test_a_helper_is_asked_once_for_a_registry(tmp_path: Path) -> None:
    helper(tmp_path, 'echo once >> "${0%/*}/calls"; ' + answering(USER))
    keys = keychain(tmp_path, {"credsStore": "test"})
    assert [keys.login(Endpoint("r.example:5000", name)) for name in ("a", "b", "a")] == [USER] * 3
    assert (tmp_path / "calls").read_text() == "once\n"


@pytest.mark.parametrize(
    ("script", "text"),
    [
        ("echo secret >&2; echo secret; exit 3", "failed with status 3"),
        ("echo secret", "answered something else than a login"),
        ('echo \'{"Username": "secret"}\'', "answered something else than a login"),
        ("echo '[\"secret\"]'", "answered something else than a login"),
        ("yes secret", "answered more than 64 KiB"),
        ("sleep 60", "did not answer in time"),
        ("sleep 60 & exec sleep 60", "did not answer in time"),
    ],
)
def test_a_helper_that_fails_is_told_without_its_output(tmp_path: Path, script: str, text: str) -> None:
    helper(tmp_path, script)
    with pytest.raises(OciFault, match=f"`docker-credential-test` {text}") as fault:
        keychain(tmp_path, {"credsStore": "test"}, seconds=0.5).login(HOST)
    assert "secret" not in fault.value.cause + (fault.value.hint or "")


@pytest.mark.parametrize(
    ("suffix", "text"),
    [
        ("absent", "`docker-credential-absent` cannot be started"),
        ("../evil", "cannot be the name of a program"),
        ("a b", "cannot be the name of a program"),
        ("a\n", "cannot be the name of a program"),
        ("a;b", "cannot be the name of a program"),
    ],
)
def test_a_helper_that_is_none_is_told(tmp_path: Path, suffix: str, text: str) -> None:
    with pytest.raises(OciFault, match=text):
        keychain(tmp_path, {"credsStore": suffix}).login(HOST)


def test_a_login_does_not_print_its_secret() -> None:
    assert "secret" not in f"{USER!r} {USER} {TOKEN!r}"
