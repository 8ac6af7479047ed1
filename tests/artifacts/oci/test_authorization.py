"""Who is told a login: the host it is for, its token server, and nobody else."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import parse_qs

import pytest

from kagent_render.artifacts.oci.keychain import Keychain
from kagent_render.diagnostics.reasons import Reason
from tests.artifacts.oci.documents import failure_of, fetch, origin_at, paths, registry, simple
from tests.artifacts.oci.logins import BASIC, BEARER, SCOPE, TOKEN, USER, WORD, guarded, keychain, sent
from tests.servers import Answer, Request, drip, stall


def bearer(realm: str, scope: str | None = SCOPE) -> str:
    return f'Bearer realm="{realm}",service="the registry"' + (f',scope="{scope}"' if scope else "")


def tokens(token: object = TOKEN, member: str = "token", **more: object) -> Answer:
    return lambda request: request.reply(json.dumps({member: token, **more}).encode())


def test_a_password_is_sent_when_it_is_asked_for(tmp_path: Path) -> None:
    library, image = simple()
    with registry(guarded(library, BASIC, lambda: 'Basic realm="Registry Realm"')) as server:
        keys = keychain(tmp_path, server.host)
        assert fetch(origin_at(server, image), server, keychain=keys).files
        assert sent(server.requests) == [None, BASIC, BASIC, BASIC]


def test_a_login_of_another_host_is_not_sent(tmp_path: Path) -> None:
    library, image = simple()
    with registry(guarded(library, BASIC, lambda: "Basic")) as server:
        keys = keychain(tmp_path, "127.0.0.1", "other.example", "https://index.docker.io/v1/")
        failure = failure_of(origin_at(server, image), server, keychain=keys)
        assert "access was denied" in failure.message
        assert f"docker login {server.host}" in (failure.hint or "")
        assert sent(server.requests) == [None]


def test_a_login_that_is_refused_is_told(tmp_path: Path) -> None:
    library, image = simple()
    with registry(guarded(library, "Basic other", lambda: "Basic")) as server:
        failure = failure_of(origin_at(server, image), server, keychain=keychain(tmp_path, server.host))
        assert "access was denied" in failure.message
        assert sent(server.requests) == [None, BASIC]


def test_without_credentials_a_broken_configuration_is_not_looked_at(tmp_path: Path) -> None:
    library, image = simple()
    (tmp_path / "config.json").write_text("{broken")
    keys = Keychain({"DOCKER_CONFIG": str(tmp_path)})
    with registry(library.answer) as server:
        assert fetch(origin_at(server, image), server, keychain=keys).files
    with registry(guarded(library, BASIC, lambda: "Basic")) as server:
        assert "is not JSON" in failure_of(origin_at(server, image), server, keychain=keys).message


def test_a_login_of_a_netrc_is_never_sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library, image = simple()
    netrc = tmp_path / "netrc"
    netrc.write_text(f"default login {USER} password {WORD}\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    with registry(library.answer) as server:
        assert fetch(origin_at(server, image), server).files
        assert set(sent(server.requests)) == {None}


@pytest.mark.parametrize("member", ["token", "access_token"])
def test_a_token_is_asked_for_once_and_without_a_login_anonymously(member: str) -> None:
    library, image = simple()
    with (
        registry(tokens(member=member, expires_in=60)) as server_of_tokens,
        registry(guarded(library, BEARER, lambda: bearer(f"{server_of_tokens.url}/t?a=b"))) as server,
    ):
        assert fetch(origin_at(server, image), server, server_of_tokens).files
        (asked,) = server_of_tokens.requests
        assert asked.headers["Authorization"] is None
        assert parse_qs(asked.path.partition("?")[2]) == {
            "a": ["b"], "scope": [SCOPE], "service": ["the registry"]
        }  # fmt: skip
        assert sent(server.requests) == [None, *[BEARER] * 3]


def test_a_challenge_without_a_scope_asks_for_the_repository() -> None:
    library, image = simple()
    with (
        registry(tokens()) as server_of_tokens,
        registry(guarded(library, BEARER, lambda: bearer(server_of_tokens.url, None))) as server,
    ):
        assert fetch(origin_at(server, image), server, server_of_tokens).files
        assert parse_qs(server_of_tokens.requests[0].path.partition("?")[2])["scope"] == [SCOPE]


def test_a_login_is_told_to_the_token_server_only(tmp_path: Path) -> None:
    library, image = simple()
    with (
        registry(tokens()) as server_of_tokens,
        registry(guarded(library, BEARER, lambda: bearer(server_of_tokens.url))) as server,
    ):
        keys = keychain(tmp_path, server.host)
        assert fetch(origin_at(server, image), server, server_of_tokens, keychain=keys).files
        assert sent(server_of_tokens.requests) == [BASIC]
        assert BASIC not in sent(server.requests)


def test_an_identity_token_is_exchanged(tmp_path: Path) -> None:
    library, image = simple()
    with (
        registry(tokens(member="access_token")) as server_of_tokens,
        registry(guarded(library, BEARER, lambda: bearer(server_of_tokens.url))) as server,
    ):
        keys = keychain(tmp_path, server.host, identitytoken="secret-identity")
        assert fetch(origin_at(server, image), server, server_of_tokens, keychain=keys).files
        (asked,) = server_of_tokens.requests
        assert (asked.command, asked.headers["Authorization"]) == ("POST", None)
        assert parse_qs(asked.body.decode()) == {
            "grant_type": ["refresh_token"], "refresh_token": ["secret-identity"], "scope": [SCOPE],
            "service": ["the registry"], "client_id": ["kagent-render"],
        }  # fmt: skip


def test_a_token_that_expires_is_asked_for_again() -> None:
    library, image = simple()
    given: list[str] = []

    def give(request: Request) -> None:
        given.append(f"token-{len(given)}")
        tokens(given[-1])(request)

    def answer(request: Request) -> None:
        """Every token is good for one request."""
        if (
            request.headers["Authorization"] == f"Bearer {given[-1] if given else ''}"
            and given[-1] not in used
        ):
            used.append(given[-1])
            library.answer(request)
        else:
            request.reply(b"{}", 401, WWW_Authenticate=bearer(server_of_tokens.url))

    used: list[str] = []
    with registry(give) as server_of_tokens, registry(answer) as server:
        assert fetch(origin_at(server, image), server, server_of_tokens).files
    assert used == ["token-0", "token-1", "token-2"]


def hang_up(request: Request) -> None:
    request.close_connection = True


REALMS = [
    "http://169.254.169.254/latest", "http://{other}/token", "file:///etc/passwd", "ftp://127.0.0.1/", "",
    "//127.0.0.1/x", "https://user:secret@127.0.0.1/x", "https://[::1/x", "gopher://127.0.0.1/", "token",
]  # fmt: skip


@pytest.mark.parametrize("realm", REALMS)
def test_a_realm_without_tls_is_not_asked_unless_it_is_configured(tmp_path: Path, realm: str) -> None:
    library, image = simple()
    with registry(tokens()) as other:
        named = realm.replace("{other}", other.host)
        with registry(guarded(library, "", lambda: bearer(named))) as server:
            keys = keychain(tmp_path, server.host, other.host)
            failure = failure_of(origin_at(server, image), server, keychain=keys)
        assert other.requests == []
    assert failure.reason is Reason.ARTIFACT_FETCH_FAILED
    assert "for a token to" in failure.message


TOKEN_SERVERS: dict[str, tuple[Answer, str]] = {
    "denies": (lambda request: request.reply(b'{"details":"secret"}', 401), "denied access"),
    "forbids": (lambda request: request.reply(b"secret", 403), "denied access"),
    "fails": (lambda request: request.reply(b"secret", 500), "answered 500"),
    "redirects": (
        lambda request: request.reply(b"", 302, Location=request.path + "x"), "answered 302"
    ),
    "no-json": (lambda request: request.reply(b"secret"), "answered without a token"),
    "no-object": (lambda request: request.reply(b'["secret"]'), "answered without a token"),
    "no-token": (tokens(None), "answered without a token"),
    "number": (tokens(7), "answered without a token"),
    "list": (tokens([TOKEN]), "answered without a token"),
    "header": (tokens("secret\r\nX-Evil: 1"), "answered without a token"),
    "not-ascii": (tokens("secret-ü"), "answered without a token"),
    "huge": (lambda request: request.reply(b" " * (1 << 19)), "answered more than 256 KiB"),
    "stalls": (stall(30), "did not answer in time"),
    "drips": (drip(b"HTTP/1.1 200 OK\r\n\r\n", b" ", 0.05, 600), "did not answer in time"),
}  # fmt: skip


@pytest.mark.parametrize(("answer", "text"), TOKEN_SERVERS.values(), ids=TOKEN_SERVERS.keys())
def test_a_token_server_is_bounded_and_not_believed(tmp_path: Path, answer: Answer, text: str) -> None:
    library, image = simple()
    with (
        registry(answer) as server_of_tokens,
        registry(guarded(library, "", lambda: bearer(f"{server_of_tokens.url}/token"))) as server,
    ):
        keys = keychain(tmp_path, server.host)
        failure = failure_of(origin_at(server, image), server, server_of_tokens, keychain=keys)
        assert len(paths(server_of_tokens.requests)) < 6
    assert failure.reason is Reason.ARTIFACT_FETCH_FAILED
    assert text in failure.message


@pytest.mark.parametrize(
    ("answer", "text"),
    [(stall(30), "did not answer in time"), (hang_up, "failed")],
    ids=["stalls", "hangs-up"],
)
def test_a_token_server_that_is_away_is_told_by_its_name(answer: Answer, text: str) -> None:
    library, image = simple()
    with (
        registry(answer) as server_of_tokens,
        registry(guarded(library, "", lambda: bearer(server_of_tokens.url))) as server,
    ):
        failure = failure_of(origin_at(server, image), server, server_of_tokens)
        assert f"`{server_of_tokens.host}` {text}" in failure.message
