"""Callers by tokens that a file lists, of the kind `TokenList`."""

from __future__ import annotations

import hashlib
import hmac
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from kagent_apply.auth.names import is_name
from kagent_apply.auth.port import Caller
from kagent_apply.auth.sections import read_sections

if TYPE_CHECKING:
    from kagent_apply.auth.port import Credentials
    from kagent_apply.auth.sections import Section
    from kagent_apply.auth.watched_file import WatchedFile

TOKENS_KIND: Final = "TokenList"

SHORTEST_TOKEN: Final = 32
"""Characters: 128 bits in hexadecimal digits."""

_SHA256: Final = re.compile(r"[0-9a-f]{64}")
_VISIBLE: Final = re.compile(r"[!-~]+")
_METHOD: Final = "tokens"


@dataclass(frozen=True, slots=True)
class ListedToken:
    """Who has a token, and its sha256."""

    caller: Caller
    digest: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class ListedTokens:
    """Knows callers by the tokens of a file, as it is now or was when it was last understood."""

    file: WatchedFile[tuple[ListedToken, ...]]
    name: str = _METHOD
    taken: str = "a bearer token that this server lists"
    by_token: bool = True

    def identify(self, credentials: Credentials) -> Caller | None:
        """The caller who has the token; None where it is not listed."""
        if credentials.bearer is None:
            return None
        digest = _digest(credentials.bearer)
        found = None
        # All are compared, each in the same time, so that no answer's time tells how near a guess was.
        for listed in self.file.current():
            if hmac.compare_digest(listed.digest, digest):
                found = listed.caller
        return found


def read_tokens(path: str, data: bytes) -> tuple[ListedToken, ...]:
    """The tokens that a file lists; raises FileFaultError, which holds none of them."""
    return read_sections(path, data, TOKENS_KIND, _tokens)


def _tokens(spec: Section) -> tuple[ListedToken, ...]:
    found: dict[bytes, ListedToken] = {}
    for section in spec.sections("tokens"):
        token = _token(section)
        if found.setdefault(token.digest, token) is not token and token.digest:
            section.fault("", "the token is listed already", "give every entry a token of its own")
    return tuple(found.values())


def _token(section: Section) -> ListedToken:
    subject = section.text("subject", is_name, "a printable name without spaces around it")
    groups = section.texts("groups", is_name, "a printable name without spaces around it")
    told = f"at least {SHORTEST_TOKEN} visible ASCII characters"
    token = section.text(
        "token", lambda text: len(text) >= SHORTEST_TOKEN and bool(_VISIBLE.fullmatch(text)), told
    )
    digest = section.text("sha256", lambda text: bool(_SHA256.fullmatch(text)), "64 digits of `0-9a-f`")
    section.close()
    if not section.has("subject"):
        section.fault("", "the token is nobody's", "write its `subject`")
    if section.has("token") == section.has("sha256"):
        section.fault("", "exactly one of `sha256` and `token` must be there", "keep `sha256`")
    return ListedToken(
        Caller(subject, groups, _METHOD),
        bytes.fromhex(digest) if digest else _digest(token) if token else b"",
    )


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode(errors="surrogatepass")).digest()
