"""Tokens of the distribution protocol: asked from the server that a challenge names as its `realm`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from kagent_render.artifacts.failure import printable, public_url
from kagent_render.artifacts.oci.body import read_body
from kagent_render.artifacts.oci.failure import OciFault, not_fetched
from kagent_render.artifacts.oci.request_failure import fault_of
from kagent_render.artifacts.strict_json import JsonInvalid, read_json

if TYPE_CHECKING:
    from collections.abc import Callable

    from requests import Response

    from kagent_render.artifacts.oci.challenge import Challenge
    from kagent_render.artifacts.oci.docker_config import Login
    from kagent_render.artifacts.oci.endpoint import Endpoint

_ANSWER_BYTES: Final = 1 << 18
_TOKEN: Final = re.compile(r"[\x21-\x7e]+")
_CLIENT: Final = "kagent-render"


def request_token(
    send: Callable[..., Response], challenge: Challenge, endpoint: Endpoint, login: Login | None
) -> str:
    """A token to pull from the endpoint's repository, anonymous without a login; raises OciFault.

    The login goes to the realm, and so only to one that the endpoint may lead to: with TLS, or without where
    both hosts are configured so. No redirect is followed from there.
    """
    realm = challenge.parameters.get("realm", "")
    if not endpoint.may_lead_to(realm):
        raise not_fetched(
            f"`{endpoint.host}` sends for a token to `{public_url(realm)}`, which has no TLS",
            "check the registry; only a host in `artifacts.oci.insecure` may lead to another one there",
        )
    wanted = {"scope": challenge.parameters.get("scope") or f"repository:{endpoint.repository}:pull"}
    if service := challenge.parameters.get("service"):
        wanted["service"] = service
    try:
        return _token(_answer(_ask(send, realm, wanted, login), realm, login), realm)
    except Exception as error:
        fault = fault_of(error, printable(urlsplit(realm).netloc))
        if fault is None:
            raise
        raise fault from None


def _answer(answer: Response, realm: str, login: Login | None) -> bytes:
    try:
        if answer.status_code != 200:
            raise _failed(realm, answer.status_code, login)
        beyond = not_fetched(f"the token server `{public_url(realm)}` answered more than 256 KiB")
        return read_body(answer, _ANSWER_BYTES, beyond, _uncounted)
    finally:
        answer.close()


def _ask(send: Callable[..., Response], realm: str, wanted: dict[str, str], login: Login | None) -> Response:
    if login is None:
        return send("GET", realm, params=wanted, stream=True)
    if login.is_token:
        form = {
            **wanted, "grant_type": "refresh_token", "client_id": _CLIENT, "refresh_token": login.secret
        }  # fmt: skip
        return send("POST", realm, data=form, stream=True)
    from requests.auth import HTTPBasicAuth

    basic = HTTPBasicAuth(login.username.encode(), login.secret.encode())
    return send("GET", realm, params=wanted, auth=basic, stream=True)


def _token(data: bytes, realm: str) -> str:
    try:
        members = read_json(data)
    except JsonInvalid:
        members = None
    found: Any = members if isinstance(members, dict) else {}
    token = found.get("token") or found.get("access_token")
    if not isinstance(token, str) or not _TOKEN.fullmatch(token):
        raise not_fetched(f"the token server `{public_url(realm)}` answered without a token")
    return token


def _uncounted(size: int) -> None:
    """A token is no part of the artifact."""


def _failed(realm: str, status: int, login: Login | None) -> OciFault:
    server = f"the token server `{public_url(realm)}`"
    if status in {400, 401, 403}:
        return not_fetched(
            f"{server} denied access",
            "log in again with `docker login`"
            if login
            else "log in with `docker login`, or check that the repository exists",
            refused=True,
        )
    return not_fetched(f"{server} answered {status}", passing=status == 429 or status >= 500)
