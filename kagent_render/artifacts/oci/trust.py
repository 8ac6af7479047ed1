"""Whose certificates are trusted: the system's authorities, and those that the environment adds."""

from __future__ import annotations

import functools
import os
import ssl
from pathlib import Path
from typing import Any, Final

from kagent_render.artifacts.oci.failure import not_fetched

_OF_OPENSSL: Final = ("SSL_CERT_FILE", "SSL_CERT_DIR")
_ADDED: Final = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")


def trusting_adapter() -> Any:
    """An adapter of requests that trusts so; requests itself brings its own authorities."""
    from requests.adapters import HTTPAdapter

    context = _trust(*(os.environ.get(name, "") for name in (*_OF_OPENSSL, *_ADDED)))

    class Adapter(HTTPAdapter):
        def init_poolmanager(self, *args: Any, **settings: Any) -> None:
            super().init_poolmanager(*args, ssl_context=context, **settings)

        def proxy_manager_for(self, proxy: str, **settings: Any) -> Any:
            return super().proxy_manager_for(proxy, ssl_context=context, **settings)

        def cert_verify(self, *args: Any) -> None:
            """Everything is said by the context."""

    return Adapter()


@functools.lru_cache(maxsize=8)
def _trust(*places: str) -> ssl.SSLContext:
    """The context for these values of the variables; OpenSSL itself reads the first ones."""
    context = ssl.create_default_context()
    paths = ssl.get_default_verify_paths()
    if not (paths.cafile or paths.capath):
        import certifi

        context.load_verify_locations(certifi.where())
    for name, place in zip(_ADDED, places[len(_OF_OPENSSL) :], strict=True):
        if place:
            _add(context, name, Path(place))
    return context


def _add(context: ssl.SSLContext, name: str, place: Path) -> None:
    try:
        if place.is_dir():
            context.load_verify_locations(capath=place)
        else:
            context.load_verify_locations(cafile=place)
    except OSError:
        raise not_fetched(
            f"`{name}` does not name a file of certificates", "correct the variable, or remove it"
        ) from None
