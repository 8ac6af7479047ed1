"""Logins of tests, and registries that ask for them."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path

from kagent_render.artifacts.oci.keychain import Keychain
from tests.artifacts.oci.documents import REPOSITORY, Library
from tests.servers import Answer, Request

USER, WORD, TOKEN = "user", "secret-word", "secret.token-of_the~registry"
BASIC = "Basic " + base64.b64encode(f"{USER}:{WORD}".encode()).decode()
BEARER = f"Bearer {TOKEN}"
SCOPE = f"repository:{REPOSITORY}:pull"


def keychain(folder: Path, *hosts: str, **entry: str) -> Keychain:
    entry = entry or {"username": USER, "password": WORD}
    (folder / "config.json").write_text(json.dumps({"auths": dict.fromkeys(hosts, entry)}))
    return Keychain({"DOCKER_CONFIG": str(folder)})


def guarded(library: Library, authorization: str, challenge: Callable[[], str]) -> Answer:
    """A registry that answers only with `authorization`, else asks for it."""

    def answer(request: Request) -> None:
        if request.headers["Authorization"] == authorization:
            library.answer(request)
        else:
            request.reply(b"{}", 401, WWW_Authenticate=challenge())

    return answer


def sent(requests: list[Request]) -> list[str | None]:
    return [request.headers["Authorization"] for request in requests]
