"""Connections to servers: kept open for the next request, through proxies, with the machine's trust."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote, urlsplit

from kagent_render.artifacts.failure import public_url
from kagent_render.artifacts.git.failure import unfetched

if TYPE_CHECKING:
    import ssl
    from collections.abc import Mapping

    from urllib3 import PoolManager

_KEPT: Final = 16  # idle connections to one server, and servers to which any are kept


class Connections:
    """The open connections of one run; may be used by several threads."""

    def __init__(self) -> None:
        self._managers: dict[tuple[bool, str | None], PoolManager] = {}
        self._lock = threading.Lock()

    def to(self, url: str) -> PoolManager:
        """What opens and reuses connections to the server of `url`, as the environment's proxies say."""
        key = urlsplit(url).scheme == "https", _proxy(url)
        with self._lock:
            if key not in self._managers:
                self._managers[key] = _manager(*key)
            return self._managers[key]


def _manager(encrypted: bool, proxy: str | None) -> PoolManager:
    from urllib3 import PoolManager, ProxyManager

    # An encrypted proxy is judged by the machine's trust too, whatever is asked through it.
    context = _trust() if encrypted or (proxy or "").startswith("https:") else None
    if proxy is None:
        return PoolManager(_KEPT, maxsize=_KEPT, ssl_context=context)
    return ProxyManager(
        _bare(proxy),
        _KEPT,
        proxy_headers=_proxy_authorization(proxy),
        maxsize=_KEPT,
        ssl_context=context,
        proxy_ssl_context=context,
    )


def _trust() -> ssl.SSLContext:
    """The system's certificate authorities, or those of `SSL_CERT_FILE`, and those of `GIT_SSL_CAINFO`."""
    import ssl

    context = ssl.create_default_context()
    if bundle := os.environ.get("GIT_SSL_CAINFO"):
        try:
            context.load_verify_locations(bundle)
        except OSError:
            raise unfetched(
                "`GIT_SSL_CAINFO` names no readable file of certificates",
                "set it to a PEM file with the server's certificate authority, or unset it",
            ) from None
    return context


def _proxy(url: str) -> str | None:
    """What `http_proxy`, `https_proxy` and `all_proxy` name for `url`, if `no_proxy` does not."""
    from urllib.request import getproxies_environment, proxy_bypass

    proxies: Mapping[str, str] = getproxies_environment()
    parts = urlsplit(url)
    proxy = proxies.get(parts.scheme) or proxies.get("all")
    if not proxy or proxy_bypass(parts.netloc):
        return None
    proxy = proxy if "://" in proxy else f"http://{proxy}"
    if not _is_http(proxy):
        raise unfetched(
            f"`{public_url(proxy)}` is not the URL of an HTTP proxy",
            f"set `{parts.scheme}_proxy` to an `http://` URL, or name the server in `no_proxy`",
        )
    return proxy


def _is_http(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def _bare(proxy: str) -> str:
    parts = urlsplit(proxy)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"


def _proxy_authorization(proxy: str) -> dict[str, str]:
    from urllib3 import make_headers

    user, _, password = urlsplit(proxy).netloc.rpartition("@")[0].partition(":")
    if not user:
        return {}
    return dict(make_headers(proxy_basic_auth=f"{unquote(user)}:{unquote(password)}"))
