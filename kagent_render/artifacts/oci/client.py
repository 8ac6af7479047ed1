"""oras' client with its requests made safe; importing this module imports oras."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urljoin

import oras.auth
from oras.provider import Registry as OrasRegistry

from kagent_render.artifacts.failure import public_url
from kagent_render.artifacts.oci.challenge import challenge_in
from kagent_render.artifacts.oci.failure import not_fetched
from kagent_render.artifacts.oci.media_type import MANIFESTS
from kagent_render.artifacts.oci.request_failure import denied
from kagent_render.artifacts.oci.token import request_token
from kagent_render.artifacts.oci.trust import trusting_adapter

if TYPE_CHECKING:
    from requests import Response

    from kagent_render.artifacts.deadline import Bounds
    from kagent_render.artifacts.oci.docker_config import Login
    from kagent_render.artifacts.oci.endpoint import Endpoint

_REDIRECTS: Final = 5
_REDIRECTED: Final = frozenset({301, 302, 303, 307, 308})


class Client(OrasRegistry):  # type: ignore[misc]  # oras has no types
    """One endpoint's client: single operations are bounded, nothing is tried again or believed."""

    def __init__(self, endpoint: Endpoint, bounds: Bounds) -> None:
        super().__init__(hostname=endpoint.host, insecure=endpoint.is_plain)
        self.endpoint = endpoint
        self._send = partial(
            self.session.request, timeout=(bounds.connect, bounds.read), allow_redirects=False
        )
        self.has_login = False
        self.set_header("Accept-Encoding", "identity")
        # Logins come from the keychain alone; without this, requests adds those of a `.netrc`.
        self.session.auth = _unchanged
        # requests follows redirects by rules of its own, and reads their bodies without a bound.
        self.session.get_redirect_target = _nowhere
        self.session.mount("https://", trusting_adapter())

    def manifest(self, name: str) -> Response:
        """The answer to a request for a manifest or an index, by digest or tag."""
        headers = {**self.headers, "Accept": ", ".join(MANIFESTS)}
        return self.do_request(self.endpoint.address("manifests", name), headers=headers)

    def blob(self, digest: str) -> Response:
        """The answer to a request for a blob."""
        return self.do_request(self.endpoint.address("blobs", digest), headers=self.headers)

    def do_request(
        self,
        url: str,
        method: str = "GET",
        data: Any = None,
        headers: dict[str, str] | None = None,
        json: Any = None,
        stream: bool = True,
    ) -> Response:
        """One answer whose body is not read yet; redirects are followed where that is safe."""
        for _ in range(_REDIRECTS + 1):
            own = self.auth.get_auth_header() if self.endpoint.is_own(url) else {}
            answer: Response = self._send(
                method, url, headers={**(headers or {}), **own}, data=data, json=json, stream=stream
            )
            if answer.status_code not in _REDIRECTED:
                return answer
            answer.close()
            url = self._redirected(url, answer.headers.get("Location") or "")
        raise not_fetched(f"`{self.endpoint.host}` redirects without end")

    def authorize(self, answer: Response, login: Login | None) -> None:
        """Answer the challenge of a 401, for this and every later request; raises OciFault."""
        host, self.has_login = self.endpoint.host, login is not None
        challenge = challenge_in(answer.headers.get("WWW-Authenticate") or "")
        if challenge is None or not self.endpoint.is_own(answer.url):
            raise not_fetched(f"`{host}` asks for credentials in a way that is not known here", refused=True)
        if challenge.scheme == "bearer":
            self.auth = oras.auth.get_auth_backend("token", self.session)
            self.auth.set_token_auth(request_token(self._send, challenge, self.endpoint, login))
        elif login is None or login.is_token:
            raise denied(host, login=login is not None)
        else:
            self.auth = oras.auth.get_auth_backend("basic", self.session)
            self.auth.set_basic_auth(login.username, login.secret)

    def _redirected(self, url: str, location: str) -> str:
        try:
            target = urljoin(url, location)
        except ValueError:
            target = ""
        if not self.endpoint.may_lead_to(target):
            raise not_fetched(
                f"`{self.endpoint.host}` redirects to `{public_url(target)}`, which has no TLS",
                "check the registry; only a host in `artifacts.oci.insecure` may lead to another one there",
            )
        return target


def _unchanged(request: Any) -> Any:
    return request


def _nowhere(answer: object) -> None:
    """No redirect is left to requests."""
