"""A registry's mirror is asked first; what it does not give is had from the registry."""

from __future__ import annotations

from pathlib import Path

import pytest

from kagent_render.diagnostics.reasons import Reason
from tests.artifacts.oci.documents import (
    REPOSITORY,
    Json,
    Library,
    failure_of,
    fetch,
    origin_at,
    registry,
    simple,
)
from tests.artifacts.oci.logins import BASIC, guarded, keychain, sent
from tests.servers import Answer, ScriptedServer, stall


def mirrored(mirror: ScriptedServer, server: ScriptedServer) -> Json:
    return {"mirrors": {server.host: f"{mirror.host}/hub"}}


def test_a_mirror_is_asked_below_its_path_and_its_registry_not_at_all() -> None:
    library, image = simple()
    with registry(library.answer) as mirror, registry(library.answer) as server:
        assert fetch(origin_at(server, image), server, mirror, **mirrored(mirror, server)).files
        assert server.requests == []
        assert all(request.path.startswith(f"/v2/hub/{REPOSITORY}/") for request in mirror.requests)


FALLBACKS: dict[str, tuple[Answer, int]] = {
    "has-nothing": (Library().answer, 3),
    "denies": (lambda request: request.reply(b"", 403), 3),
    "asks-for-a-login": (lambda request: request.reply(b"", 401, WWW_Authenticate="Basic"), 3),
    "breaks": (lambda request: request.reply(b"", 418), 3),
    "stalls": (stall(30), 1),
    "redirects-to-plain-text": (lambda request: request.reply(b"", 302, Location="http://127.0.0.1:9/"), 3),
}


@pytest.mark.parametrize(("answer", "asked"), FALLBACKS.values(), ids=FALLBACKS.keys())
def test_what_a_mirror_does_not_give_is_had_from_its_registry(answer: Answer, asked: int) -> None:
    library, image = simple()
    with registry(answer) as mirror, registry(library.answer) as server:
        assert fetch(origin_at(server, image), server, mirror, **mirrored(mirror, server)).files
        assert (len(mirror.requests), len(server.requests)) == (asked, 3)


def test_a_mirror_that_serves_something_else_is_told_and_not_passed_over() -> None:
    library, image = simple()
    other = Library(dict(library.contents))
    other.contents[image["digest"]] = b"{}", ""
    with registry(other.answer) as mirror, registry(library.answer) as server:
        failure = failure_of(origin_at(server, image), server, mirror, **mirrored(mirror, server))
        assert server.requests == []
    assert failure.reason is Reason.ARTIFACT_DIGEST_MISMATCH
    assert f"from `{mirror.host}`" in failure.message


def test_when_both_fail_both_are_told() -> None:
    _, image = simple()
    with (
        registry(lambda request: request.reply(b"", 403)) as mirror,
        registry(Library().answer) as server,
    ):
        failure = failure_of(origin_at(server, image), server, mirror, **mirrored(mirror, server))
    assert failure.reason is Reason.ARTIFACT_NOT_FOUND
    assert f"`{server.host}` does not have `{image['digest']}`" in failure.message
    assert f"before, its mirror failed: access was denied by `{mirror.host}`" in failure.message


def test_a_login_of_the_registry_is_not_told_to_its_mirror(tmp_path: Path) -> None:
    library, image = simple()
    with (
        registry(guarded(library, BASIC, lambda: "Basic")) as mirror,
        registry(guarded(library, BASIC, lambda: "Basic")) as server,
    ):
        keys = keychain(tmp_path, server.host)
        plan = mirrored(mirror, server)
        assert fetch(origin_at(server, image), server, mirror, keychain=keys, **plan).files
        assert set(sent(mirror.requests)) == {None}
