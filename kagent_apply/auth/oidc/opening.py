"""An issuer with its keys, ready to be asked."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from kagent_apply.auth.file_reading import FileFault, FileFaultError
from kagent_apply.auth.oidc.fetching import PublishedKeys, trust_of
from kagent_apply.auth.oidc.http import HttpBounds
from kagent_apply.auth.oidc.key_cache import CacheBounds, KeyCache
from kagent_apply.auth.oidc.key_set import KeySetError, read_key_set
from kagent_apply.auth.oidc.keys import FileKeys
from kagent_apply.auth.oidc.method import IssuedTokens
from kagent_apply.auth.watched_file import WatchedFile

if TYPE_CHECKING:
    import ssl

    from kagent_apply.auth.oidc.issuer import Issuer
    from kagent_apply.auth.oidc.key_set import VerificationKey
    from kagent_apply.auth.watched_file import Clock, Told


def open_issuer(
    issuer: Issuer, told: Told, clock: Clock
) -> tuple[IssuedTokens, KeyCache | WatchedFile[tuple[VerificationKey, ...]]]:
    """The method, and where its keys come from; those of a server are on their way. Raises FileFaultError."""
    if issuer.jwks_file:
        file = WatchedFile(issuer.jwks_file, _read_keys, told, clock, private=False)
        return IssuedTokens(issuer, FileKeys(file), time.time), file
    published = PublishedKeys(issuer, _trust(issuer.ca_file), HttpBounds())
    cache = KeyCache(published.fetch, told, clock, CacheBounds())
    cache.reload()
    return IssuedTokens(issuer, cache, time.time), cache


def _read_keys(path: str, data: bytes) -> tuple[VerificationKey, ...]:
    try:
        return read_key_set(data)
    except KeySetError as error:
        raise FileFaultError(FileFault(path, 1, str(error), "write the JWKS of the issuer to it")) from None


def _trust(ca_file: str) -> ssl.SSLContext:
    try:
        return trust_of(ca_file)
    except (OSError, ValueError):
        message = "the file holds no certificate that can be read"
        raise FileFaultError(FileFault(ca_file, 1, message, "write the authority's PEM to it")) from None
