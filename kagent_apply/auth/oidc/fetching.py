"""The keys of an issuer, from where it publishes them."""

from __future__ import annotations

import json
import ssl
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kagent_apply.auth.oidc.http import HttpBounds, get_document
from kagent_apply.auth.oidc.issuer import url_fault
from kagent_apply.auth.oidc.key_cache import FetchError
from kagent_apply.auth.oidc.key_set import KeySetError, read_key_set

if TYPE_CHECKING:
    from kagent_apply.auth.oidc.issuer import Issuer
    from kagent_apply.auth.oidc.key_set import VerificationKey

_DISCOVERY: Final = "/.well-known/openid-configuration"


@dataclass(frozen=True, slots=True)
class PublishedKeys:
    """Fetches the keys at `jwks_url`, or where the discovery document of the issuer says they are."""

    issuer: Issuer
    trust: ssl.SSLContext
    bounds: HttpBounds

    def fetch(self) -> tuple[VerificationKey, ...]:
        """The keys as they are published now; raises FetchError."""
        data = get_document(self.issuer.jwks_url or self._discovered(), self.trust, self.bounds)
        try:
            return read_key_set(data)
        except KeySetError as error:
            raise FetchError(str(error)) from None

    def _discovered(self) -> str:
        """The address in the discovery document (OpenID Connect Discovery §4)."""
        data = get_document(self.issuer.url.rstrip("/") + _DISCOVERY, self.trust, self.bounds)
        try:
            document = json.loads(data)
        except (ValueError, RecursionError):
            raise FetchError("the discovery document is not JSON") from None
        if not isinstance(document, dict) or document.get("issuer") != self.issuer.url:
            raise FetchError("the discovery document is another issuer's")
        return self._allowed(document.get("jwks_uri"))

    def _allowed(self, url: object) -> str:
        """No issuer elsewhere may have this machine asked for something."""
        plain = isinstance(url, str) and not url.startswith("https:")
        if not isinstance(url, str) or url_fault(url) or (plain and self.issuer.url.startswith("https:")):
            raise FetchError("the discovery document names no address that keys may come from")
        return url


def trust_of(ca_file: str) -> ssl.SSLContext:
    """What vouches for servers: the authorities of a file, or the system's; raises OSError."""
    context = ssl.create_default_context(cafile=ca_file or None)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context
