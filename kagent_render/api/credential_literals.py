"""Literals that look like credentials, and where manifests can hold them."""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qsl

from kagent_render.diagnostics.diagnostic import Severity
from kagent_render.diagnostics.reasons import Reason

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kagent_render.diagnostics.diagnostic import Diagnostic, FieldPath
    from kagent_render.source.document import Document

_SHAPES: Final = re.compile(
    r"""
      (?<![A-Za-z0-9])(?:
        sk-[A-Za-z0-9_-]{20,}                               # OpenAI, Anthropic
      | (?:AKIA|ASIA)[0-9A-Z]{16}                           # AWS access key id
      | ABSK[A-Za-z0-9+/=]{40,}                             # Bedrock API key
      | gh[oprsu]_[A-Za-z0-9]{36,} | github_pat_[A-Za-z0-9_]{22,}
      | glpat-[A-Za-z0-9_-]{20,}
      | xox[abeoprs]-[A-Za-z0-9-]{10,} | xapp-[A-Za-z0-9-]{10,}
      | AIza[0-9A-Za-z_-]{35} | ya29\.[0-9A-Za-z_-]{20,}    # Google
      | hf_[A-Za-z0-9]{30,} | npm_[A-Za-z0-9]{36} | gsk_[A-Za-z0-9]{40,}
      | eyJ[A-Za-z0-9_-]{10,1000}\.eyJ[A-Za-z0-9_-]{10,1000}\.[A-Za-z0-9_-]{10}
      )
    | -----BEGIN\ (?:[A-Z]+\ )*PRIVATE\ KEY
    | (?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{0,20}://[^\s/?\#:@]{0,200}:[^\s/?\#@$]{1,200}@  # URL password
    """,
    re.VERBOSE,
)
_WHOLE: Final = re.compile(rf"(?:{_SHAPES.pattern})[A-Za-z0-9_=-]*", re.VERBOSE)
_KEY_TEXT: Final = re.compile(
    "-----BEGIN (?:[A-Z]+ )*PRIVATE KEY.*?(?:-----END (?:[A-Z]+ )*PRIVATE KEY-----|\\Z)", re.DOTALL
)
_SECRET_NAME: Final = re.compile(
    r"(?:^|[_-])(?:KEY|TOKEN|APIKEY)$|PASSWORD|PASSWD|SECRET|^AUTHORIZATION$|^COOKIE$", re.IGNORECASE
)
_PRIVATE_NAME: Final = re.compile(
    r"KEY|TOKEN|PASS|PWD|SECRET|CRED|AUTH|COOKIE|SESSION|PRIVATE|SIGNATURE|SALT|DSN|CONN|WEBHOOK|BEARER",
    re.IGNORECASE,
)
_ANY_KEY: Final = "KEY"
_SCHEME: Final = re.compile(r"(?:Bearer|Basic|Token|ApiKey)\s+", re.IGNORECASE)
_ELSEWHERE: Final = re.compile(r"[./~$<{%]|\$|[a-z][a-z0-9+.-]*://|arn:|ssh-|\*", re.IGNORECASE)
_WORD: Final = re.compile(r"[A-Za-z]+|[0-9]{1,8}|[A-Za-z0-9]{1,3}")
_SEPARATORS: Final = re.compile(r"[-_.:/@,]+")
_SHORTEST: Final = 16
_LEAST_ENTROPY: Final = 3.0
_LONGEST_SCAN: Final = 16384
_ADDRESSES: Final = ("baseUrl", "azureEndpoint", "host", "endpoint", "authUrl")


def looks_like_credential(name: str, value: str) -> bool:
    """Whether the literal `value` of the variable or header `name` is probably a credential.

    Known shapes count anywhere; randomness counts where the name speaks of a key, token, password or secret.
    """
    value = value[:_LONGEST_SCAN]
    if _SHAPES.search(value):
        return True
    return _SECRET_NAME.search(name) is not None and _is_random(_SCHEME.sub("", value.strip(), count=1))


def without_credentials(text: str, instead: str) -> str:
    """Text in which all that has a known shape of a credential is replaced; a private key, up to its end."""
    return _WHOLE.sub(instead, _KEY_TEXT.sub(instead, text))


def may_be_credential(name: str, value: str) -> bool:
    """Whether a literal should not be shown: its name may speak of one, or its value is like one.

    This hides more than `looks_like_credential` warns of: a password of a few letters is one all the same.
    """
    value = value[:_LONGEST_SCAN]
    query = parse_qsl(value.partition("?")[2].partition("#")[0])
    return (
        _PRIVATE_NAME.search(name) is not None
        or looks_like_credential(_ANY_KEY, value)
        or any(_PRIVATE_NAME.search(parameter) for parameter, _ in query)
    )


def credential_literals(document: Document, spec: Mapping[str, Any]) -> Iterator[Diagnostic]:
    """A warning for every literal of `spec` that looks like a credential; `spec` may be invalid."""
    for field, name, value in _literals(document.ref.kind, spec):
        if isinstance(name, str) and isinstance(value, str) and looks_like_credential(name, value):
            yield _warning(document, field, document.ref.kind)
    token = _items(spec.get("azureOpenAI")).get("azureAdToken")
    if isinstance(token, str) and token and document.ref.kind == "ModelConfig":
        yield _warning(document, ("spec", "azureOpenAI", "azureAdToken"), "ModelConfig")


def holds_credential(name: str, value: object, depth: int = 8) -> bool:
    """Whether a literal at or below `value` looks like a credential."""
    if isinstance(value, str):
        return looks_like_credential(name, value)
    if depth == 0:
        return True
    if isinstance(value, dict):
        return any(holds_credential(str(key), item, depth - 1) for key, item in value.items())
    return isinstance(value, list) and any(holds_credential(name, item, depth - 1) for item in value)


def _literals(kind: str, spec: Mapping[str, Any]) -> Iterator[tuple[FieldPath, object, object]]:
    if kind == "Harness":
        yield from _entries(spec, "env")
    elif kind == "RemoteMCPServer":
        yield from _entries(spec, "headersFrom")
        yield from _query(("spec", "url"), spec.get("url"))
    elif kind == "ModelConfig":
        for name, value in _items(spec.get("defaultHeaders")).items():
            yield ("spec", "defaultHeaders", name), name, value
        for block in spec:
            for field in _ADDRESSES:
                yield from _query(("spec", block, field), _items(spec[block]).get(field))
    elif kind == "AgentPlugin":
        yield from _entries(spec, "env")
        yield from _lines(("spec", "config"), spec.get("config"))
    elif kind == "PlatformAgent":
        yield from _entries(_items(spec.get("deployment")), "env", ("spec", "deployment"))


def _query(field: FieldPath, address: object) -> Iterator[tuple[FieldPath, object, object]]:
    """The parameters of an address: a runtime is given them with it."""
    query = address.partition("?")[2].partition("#")[0] if isinstance(address, str) else ""
    for name, value in parse_qsl(query[:_LONGEST_SCAN]):
        yield field, name, value


def _lines(field: FieldPath, text: object) -> Iterator[tuple[FieldPath, object, object]]:
    """The first line of a text that has a credential's shape; no name there says more than its shape."""
    lines = text.splitlines() if isinstance(text, str) else ()
    for line in itertools.islice((line for line in lines if looks_like_credential("", line)), 1):
        yield field, "", line


def _entries(
    block: Mapping[str, Any], key: str, path: FieldPath = ("spec",)
) -> Iterator[tuple[FieldPath, object, object]]:
    entries = block.get(key)
    for index, entry in enumerate(entries if isinstance(entries, list) else ()):
        yield (*path, key, index, "value"), _items(entry).get("name"), _items(entry).get("value")


def _items(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


_HINTS: Final = {
    "Harness": "keep the value in a Secret and refer to it with `credentialRef`",
    "RemoteMCPServer": "keep the value in a Secret and refer to it with `valueFrom`",
    "ModelConfig": "keep the value in a Secret and refer to it with `apiKeySecret` and `apiKeySecretKey`",
    "AgentPlugin": "keep the value in a Secret and refer to it with `valueFrom.secretKeyRef` in `env`",
    "PlatformAgent": "keep the value in a Secret and refer to it with `valueFrom.secretKeyRef`",
}


def _warning(document: Document, field: FieldPath, kind: str) -> Diagnostic:
    return document.fault(
        Reason.CREDENTIAL_LITERAL,
        field,
        "the literal looks like a credential",
        hint=_HINTS[kind],
        severity=Severity.WARNING,
        sensitive=True,
    )


def _is_random(value: str) -> bool:
    """Whether `value` is no path, address, placeholder or series of words, and has the entropy of a key."""
    if len(value) < _SHORTEST or any(character.isspace() for character in value) or _ELSEWHERE.match(value):
        return False
    if all(_WORD.fullmatch(part) for part in _SEPARATORS.split(value) if part):
        return False
    return _entropy(value) >= _LEAST_ENTROPY


def _entropy(value: str) -> float:
    """The Shannon entropy of `value` in bits per character."""
    counts = Counter(value)
    return -sum(count / len(value) * math.log2(count / len(value)) for count in counts.values())
