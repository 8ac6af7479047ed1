"""Who may read: credentials from Git's helpers and netrc, certificates, proxies."""

from __future__ import annotations

import select
import socket
import ssl
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import trustme

from kagent_render.artifacts.git.credentials import Credentials, find_credentials
from kagent_render.artifacts.git.failure import GitFailure
from kagent_render.diagnostics.reasons import Reason
from tests.artifacts.git.backend import git_backend
from tests.artifacts.git.fetching import HURRIED, failure, fetch
from tests.artifacts.git.packs import Objects, packfile, speaking
from tests.artifacts.git.repositories import Repository, make_repository
from tests.parts import program
from tests.servers import Answer, Request, ScriptedServer, serving

HONEST = Objects()
COMMIT_ID = HONEST.add_files({"a": b"honest"})
HONEST_ANSWER = speaking(packfile(HONEST.pack))
LOGIN = "reader:secret-of-the-user"

Settings = pytest.MonkeyPatch


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return make_repository(tmp_path / "served" / "r", {"a": b"private"})


@pytest.fixture
def private(repository: Repository) -> Iterator[ScriptedServer]:
    """A real server that asks for a user name and a password."""
    with serving(git_backend(repository.folder.parent, login=LOGIN)) as server:
        yield server


def helper(folder: Path, script: str) -> None:
    """Let the user's Git configuration name a credential helper."""
    program("git")  # without it, nobody is asked
    place = folder / "helper"
    place.write_text(f"#!/bin/sh\n{script}\n")
    place.chmod(0o755)
    (folder / "gitconfig").write_text(f"[credential]\n\thelper = {place}\n")


def answering(login: str) -> str:
    user, _, password = login.partition(":")
    return f'[ "$1" = get ] && echo username={user} && echo password={password}'


@pytest.mark.server
def test_a_credential_helper_is_asked(
    private: ScriptedServer, repository: Repository, tmp_path: Path
) -> None:
    helper(tmp_path, answering(LOGIN))
    assert fetch(f"{private.url}/r", repository.commits[0]).files["a"].data == b"private"


@pytest.mark.server
def test_a_netrc_file_is_read(
    private: ScriptedServer, repository: Repository, tmp_path: Path, no_settings: Settings
) -> None:
    user, _, password = LOGIN.partition(":")
    for place in (tmp_path / ".netrc", tmp_path / "elsewhere"):
        place.write_text(f"machine 127.0.0.1 login {user} password {password}\n")
        assert fetch(f"{private.url}/r", repository.commits[0]).files
        place.rename(tmp_path / "elsewhere")
        no_settings.setenv("NETRC", str(tmp_path / "elsewhere"))


@pytest.mark.server
@pytest.mark.parametrize(
    ("login", "text", "hint"),
    [
        (None, "asks for credentials, and none were found", "git credential fill"),
        ("reader:secret-but-wrong", "refused the credentials", "renew"),
    ],
)
def test_missing_and_refused_credentials_are_told_apart(
    login: str | None,
    text: str,
    hint: str,
    private: ScriptedServer,
    repository: Repository,
    tmp_path: Path,
) -> None:
    if login:
        helper(tmp_path, answering(login))
    told = failure(f"{private.url}/r", repository.commits[0])
    assert told.reason is Reason.ARTIFACT_FETCH_FAILED
    assert text in told.message
    assert hint in (told.hint or "")


def test_nobody_is_asked_unless_the_server_does(tmp_path: Path) -> None:
    helper(tmp_path, f"touch {tmp_path}/asked")
    with serving(HONEST_ANSWER) as server:
        assert fetch(server.url, COMMIT_ID).files
    assert not (tmp_path / "asked").exists()


def test_helpers_are_only_asked_and_never_told_to_change_anything(tmp_path: Path) -> None:
    helper(tmp_path, f'echo "$1" >> {tmp_path}/calls; {answering("a:b")}')
    with serving(lambda request: request.reply(b"", 401)) as server:
        assert "refused the credentials" in failure(server.url, COMMIT_ID).message
    assert (tmp_path / "calls").read_text().split() == ["get"]


def test_a_password_may_hold_anything_but_a_line_break(tmp_path: Path) -> None:
    password = "a=b \u2028\x0b\x1c:/@"
    helper(tmp_path, f"[ $1 = get ] && printf 'username=u\\npassword=%s\\n' '{password}'")
    assert find_credentials("https://git.example.com/r", 5) == Credentials("u", password)


def test_another_kind_of_credentials_is_told() -> None:
    with serving(lambda request: request.reply(b"", 401, WWW_Authenticate="Negotiate")) as server:
        assert "another kind of credentials" in failure(server.url, COMMIT_ID).message


ENVIRONMENT = {
    "GIT_DIR": "/nowhere",
    "GIT_WORK_TREE": "/nowhere",
    "GIT_INDEX_FILE": "/nowhere",
    "GIT_OBJECT_DIRECTORY": "/nowhere",
    "GIT_PREFIX": "x/",
    "GIT_ASKPASS": "/bin/false",
    "SSH_ASKPASS": "/bin/false",
    "GIT_TRACE": "1",
}


def test_helpers_run_outside_of_any_repository_and_ask_nobody(tmp_path: Path, no_settings: Settings) -> None:
    for name, value in ENVIRONMENT.items():
        no_settings.setenv(name, value)
    no_settings.setenv("GIT_CONFIG_COUNT", "0")
    no_settings.chdir(tmp_path)
    helper(tmp_path, f"env > {tmp_path}/environment; pwd > {tmp_path}/folder")
    assert find_credentials("https://git.example.com/r", 5) is None
    seen = dict(line.partition("=")[::2] for line in (tmp_path / "environment").read_text().splitlines())
    left = {name: seen[name] for name in ENVIRONMENT if name in seen and name != "GIT_PREFIX"}
    assert left == {"GIT_ASKPASS": "", "SSH_ASKPASS": ""}
    assert seen["GIT_TERMINAL_PROMPT"] == "0"
    assert seen["GIT_CONFIG_COUNT"] == "0"
    assert (tmp_path / "folder").read_text() == "/\n"


def test_a_repository_that_a_hook_runs_in_names_no_helpers(tmp_path: Path, no_settings: Settings) -> None:
    hostile = make_repository(tmp_path / "hostile")
    hostile.git("config", "credential.helper", f"!touch {tmp_path}/ran;")
    no_settings.chdir(hostile.folder)
    no_settings.setenv("GIT_DIR", str(hostile.folder))
    assert find_credentials("https://git.example.com/r", 5) is None
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("script", ["exec sleep 60", "sleep 60 & wait", "yes | cat", "exit 1", "kill $$"])
def test_a_helper_that_fails_or_never_ends_is_left(script: str, tmp_path: Path) -> None:
    helper(tmp_path, script)
    started = time.monotonic()
    assert find_credentials("https://git.example.com/r", 0.5) is None
    assert time.monotonic() - started < 1.5


def test_a_git_program_that_is_none_is_no_reason_to_stop(tmp_path: Path, no_settings: Settings) -> None:
    (tmp_path / "git").write_bytes(b"\x7fnot a program")
    (tmp_path / "git").chmod(0o755)
    no_settings.setenv("PATH", str(tmp_path))
    assert find_credentials("https://git.example.com/r", 5) is None


def test_a_helper_is_told_the_path_as_git_tells_it(tmp_path: Path) -> None:
    helper(tmp_path, f"cat > {tmp_path}/question")
    with (tmp_path / "gitconfig").open("a") as config:
        config.write("\tuseHttpPath = true\n")
    find_credentials("https://git.example.com:8443/team%20a/r.git", 5)
    question = (tmp_path / "question").read_text().splitlines()
    assert question == ["protocol=https", "host=git.example.com:8443", "path=team a/r.git"]


@pytest.mark.parametrize(
    "url",
    [
        "https://git.example.com/a%0ahost=other.example.com",
        "https://git.example.com/a%0d",
        "https://git.example.com/%00",
    ],
)
def test_a_url_cannot_ask_for_the_credentials_of_another_host(url: str, tmp_path: Path) -> None:
    helper(tmp_path, f"touch {tmp_path}/asked")
    assert find_credentials(url, 5) is None
    assert not (tmp_path / "asked").exists()


NETRC = {
    "user": ("machine git.example.com login a password b", Credentials("a", "b")),
    "another-host": ("machine other.example.com login a password b", None),
    "default": ("default login a password b", None),
    "empty": ("", None),
}


@pytest.mark.parametrize(("text", "found"), NETRC.values(), ids=NETRC)
def test_netrc_is_asked_for_the_host_alone(
    text: str, found: Credentials | None, tmp_path: Path, no_settings: Settings
) -> None:
    no_settings.setenv("PATH", str(tmp_path))  # no `git`, so that nobody else is asked
    (tmp_path / ".netrc").write_text(text)
    assert find_credentials("https://git.example.com/r", 5) == found


@pytest.mark.parametrize("data", [b"machine x secret y", b"\xff\xfe secret", b"nonsense secret", b'"secret'])
def test_a_broken_netrc_is_told_without_its_content(data: bytes, tmp_path: Path) -> None:
    (tmp_path / ".netrc").write_bytes(data)
    with pytest.raises(GitFailure) as told:
        find_credentials("https://git.example.com/r", 5)
    assert "netrc" in told.value.what
    assert "secret" not in f"{told.value.what}{told.value.hint}"


def test_credentials_do_not_show() -> None:
    assert "secret" not in repr(Credentials("secret-user", "secret"))


def asking(seen: list[tuple[str, str | None]], then: Answer) -> Answer:
    """A server that asks for credentials and remembers what it was given."""

    def answer(request: Request) -> None:
        given = request.headers.get("Authorization")
        seen.append((request.headers["Host"], given))
        if given is None:
            request.reply(b"", 401, WWW_Authenticate="Basic")
        else:
            then(request)

    return answer


def test_credentials_go_only_to_the_server_that_asked(tmp_path: Path) -> None:
    seen: list[tuple[str, str | None]] = []
    helper(tmp_path, answering("a:b"))

    def remember(request: Request) -> None:
        seen.append((request.headers["Host"], request.headers.get("Authorization")))
        HONEST_ANSWER(request)

    with serving(remember) as other:

        def redirect(request: Request) -> None:
            request.reply(b"", 301, Location=f"{other.url}{request.path}")

        with serving(asking(seen, redirect)) as first:
            assert fetch(f"{first.url}/r", COMMIT_ID).files
    assert [given is not None for _, given in seen] == [False, True, False, False]
    assert [host == first.host for host, _ in seen] == [True, True, False, False]


def test_credentials_that_the_first_request_needed_go_with_the_second(tmp_path: Path) -> None:
    seen: list[tuple[str, str | None]] = []
    helper(tmp_path, answering("a:b"))
    with serving(asking(seen, HONEST_ANSWER)) as server:
        assert fetch(server.url, COMMIT_ID).files
    assert [given is not None for _, given in seen] == [False, True, True]


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
def encrypted(authority: trustme.CA, repository: Repository) -> Iterator[ScriptedServer]:
    """A real server behind TLS, whose authority nobody knows."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    with serving(git_backend(repository.folder.parent), context) as server:
        yield server


@pytest.mark.server
@pytest.mark.parametrize("variable", ["GIT_SSL_CAINFO", "SSL_CERT_FILE"])
def test_an_authority_is_trusted_that_a_variable_names(
    variable: str,
    encrypted: ScriptedServer,
    authority: trustme.CA,
    repository: Repository,
    tmp_path: Path,
    no_settings: Settings,
) -> None:
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    no_settings.setenv(variable, str(tmp_path / "ca.pem"))
    assert fetch(f"{encrypted.url}/r", repository.commits[0]).files


@pytest.mark.server
def test_an_unknown_authority_is_told(
    encrypted: ScriptedServer, repository: Repository, no_settings: Settings
) -> None:
    no_settings.setenv("GIT_SSL_NO_VERIFY", "1")
    told = failure(f"{encrypted.url}/r", repository.commits[0])
    assert "certificate is not trusted" in told.message
    assert "GIT_SSL_CAINFO" in (told.hint or "")


@pytest.mark.parametrize("content", [None, b"no certificates"])
def test_a_file_that_holds_no_authority_is_told(
    content: bytes | None, tmp_path: Path, no_settings: Settings
) -> None:
    if content is not None:
        (tmp_path / "ca.pem").write_bytes(content)
    no_settings.setenv("GIT_SSL_CAINFO", str(tmp_path / "ca.pem"))
    told = failure("https://127.0.0.1:9/r", COMMIT_ID, bounds=HURRIED)
    assert "`GIT_SSL_CAINFO` names no readable file" in told.message


def test_plain_http_behind_https_is_told() -> None:
    with serving(HONEST_ANSWER) as server:
        told = failure(server.url.replace("http:", "https:"), COMMIT_ID, bounds=HURRIED)
    assert "no encrypted connection" in told.message


def test_a_redirect_never_leads_from_https_to_http(
    authority: trustme.CA, tmp_path: Path, no_settings: Settings
) -> None:
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    no_settings.setenv("GIT_SSL_CAINFO", str(tmp_path / "ca.pem"))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    with serving(HONEST_ANSWER) as plain:

        def redirect(request: Request) -> None:
            request.reply(b"", 302, Location=f"{plain.url}{request.path}")

        with serving(redirect, context) as server:
            assert "from HTTPS to plain HTTP" in failure(server.url, COMMIT_ID).message
    assert not plain.requests


def test_a_proxy_of_the_environment_is_used(no_settings: Settings) -> None:
    seen: list[tuple[str, str | None]] = []

    def proxy(request: Request) -> None:
        seen.append((request.path, request.headers.get("Proxy-Authorization")))
        HONEST_ANSWER(request)

    with serving(proxy) as server:
        no_settings.setenv("http_proxy", server.url.replace("://", "://user:p%40ss@"))
        assert fetch("http://git.example.invalid/r", COMMIT_ID).files
        no_settings.setenv("no_proxy", "git.example.invalid")
        assert (
            "connection failed" in failure("http://git.example.invalid/r", COMMIT_ID, bounds=HURRIED).message
        )
    assert seen[0] == ("http://git.example.invalid/r/info/refs?service=git-upload-pack", "Basic dXNlcjpwQHNz")
    assert len(seen) == 2


def tunnel(request: Request) -> None:
    """What a proxy does with CONNECT: bytes to and fro until either side has enough."""
    host, _, port = request.path.partition(":")
    with socket.create_connection((host, int(port))) as server:
        request.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
        sides = {server: request.connection, request.connection: server}
        running = True
        while running:
            for side in select.select(sides, [], [])[0]:
                piece = side.recv(1 << 16)
                sides[side].sendall(piece)
                running = running and bool(piece)
    request.close_connection = True


@pytest.mark.server
def test_https_goes_through_a_proxy_unseen(
    encrypted: ScriptedServer,
    authority: trustme.CA,
    repository: Repository,
    tmp_path: Path,
    no_settings: Settings,
) -> None:
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    no_settings.setenv("GIT_SSL_CAINFO", str(tmp_path / "ca.pem"))
    with serving(tunnel) as proxy:
        no_settings.setenv("https_proxy", proxy.url)
        assert fetch(f"{encrypted.url}/r", repository.commits[0]).files
        assert [request.command for request in proxy.requests] == ["CONNECT"]
        no_settings.delenv("GIT_SSL_CAINFO")
        assert "certificate is not trusted" in failure(f"{encrypted.url}/r", repository.commits[0]).message


PROXIES: dict[str, tuple[str, str]] = {
    "dead": ("http://127.0.0.1:9", "the proxy could not be used"),
    "socks": ("socks5://user:secret@127.0.0.1:9", "`socks5://127.0.0.1:9` is not the URL of an HTTP proxy"),
    "bad-port": ("http://127.0.0.1:port", "`http://127.0.0.1:port` is not the URL of an HTTP proxy"),
    "bad-host": ("http://[::1", "is not the URL of an HTTP proxy"),
}


@pytest.mark.parametrize(("proxy", "text"), PROXIES.values(), ids=PROXIES)
def test_a_proxy_that_cannot_be_used_is_told(proxy: str, text: str, no_settings: Settings) -> None:
    no_settings.setenv("http_proxy", proxy)
    assert text in failure("http://git.example.invalid/r", COMMIT_ID, bounds=HURRIED).message
