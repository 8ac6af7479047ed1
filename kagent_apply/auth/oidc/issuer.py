"""An issuer whose tokens are taken, as it is configured."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from kagent_apply.auth.names import is_name
from kagent_apply.instances.fault import FieldFault
from kagent_apply.network.loopback import is_loopback_host

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ALGORITHMS: Final = ("RS256", "RS384", "RS512", "ES256", "ES384", "ES512", "EdDSA")
"""Those with a public key, of which there is no other with a key that is a secret as well."""

LONGEST_SKEW: Final = 300.0


@dataclass(frozen=True, slots=True)
class Issuer:
    """Takes tokens of `url` for one of `audiences`.

    Its keys are at `jwks_url`, in `jwks_file`, or where its discovery document says. `ca_file` is what
    vouches for its server in the place of the system's authorities. `prefix` goes before every subject and
    group, and `clock_skew` is in seconds.
    """

    url: str
    audiences: tuple[str, ...]
    jwks_url: str = ""
    jwks_file: str = ""
    ca_file: str = ""
    algorithms: tuple[str, ...] = ALGORITHMS
    subject_claim: str = "sub"
    groups_claim: str = ""
    prefix: str = ""
    clock_skew: float = 30.0


def issuers_faults(issuers: Sequence[Issuer]) -> list[FieldFault]:
    """All that is wrong with the issuers of a server, one by one and together."""
    faults = [fault for issuer in issuers for fault in _faults(issuer)]
    if len({issuer.url for issuer in issuers}) < len(issuers):
        faults.append(FieldFault("issuer", "an issuer is configured twice", "keep one, with all `audiences`"))
    elif any(a.prefix.startswith(b.prefix) for a, b in permutations(issuers, 2)):
        # Each could name a subject of the other, and have that one's instances.
        message = "two issuers could name the same subject"
        faults.append(FieldFault("prefix", message, "give each issuer a `prefix` that begins no other"))
    return faults


def url_fault(url: str) -> str:
    """Why keys may not come from an address; empty if they may."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        return "is no URL"
    if not host or not url.isascii() or not url.isprintable() or " " in url:
        return "is no URL"
    if "@" in parts.netloc or parts.fragment:
        return "has a user, a password or a fragment"
    if parts.scheme == "https" or (parts.scheme == "http" and is_loopback_host(host)):
        return ""
    return "does not begin with `https://`"


def _faults(issuer: Issuer) -> Iterator[FieldFault]:
    for field, url in (("issuer", issuer.url), ("jwks_url", issuer.jwks_url)):
        told = url_fault(url) if url or field == "issuer" else ""
        if told:
            yield FieldFault(field, f"`{field}` {told}", "write an `https` URL")
    if issuer.jwks_url and issuer.jwks_file:
        yield FieldFault("jwks_file", "keys are both at a URL and in a file", "keep one of the two")
    if not issuer.audiences or not all(issuer.audiences):
        message = "`audiences` names nobody, so that a token for any service would do"
        yield FieldFault("audiences", message, "name the audience that tokens for this server have")
    yield from _claim_faults(issuer)


def _claim_faults(issuer: Issuer) -> Iterator[FieldFault]:
    if not issuer.algorithms or not set(issuer.algorithms) <= set(ALGORITHMS):
        message = "`algorithms` names none, or one that is not taken"
        yield FieldFault("algorithms", message, f"name some of {', '.join(ALGORITHMS)}")
    if not is_name(f"{issuer.prefix}a"):
        yield FieldFault(
            "prefix", "`prefix` is not printable, or begins with a space", "write such as `corp:`"
        )
    if not issuer.subject_claim:
        yield FieldFault("subject_claim", "`subject_claim` is empty", "name a claim, such as `sub`")
    if not 0 <= issuer.clock_skew <= LONGEST_SKEW:
        message = f"`clock_skew` is not from 0 to {LONGEST_SKEW:.0f} seconds"
        yield FieldFault("clock_skew", message, "write `30`, and keep clocks right")
