"""What the egress gateway can do with no Secret, whatever else a boundary holds: at the field that asks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from kagent_render.api.hub import SecretKeyRef
from kagent_render.api.names import is_dns_label, is_dns_subdomain
from kagent_render.compile.adapters.http_headers import is_header_name
from kagent_render.compile.credential_headers import providers
from kagent_render.compile.environment import Provenance
from kagent_render.diagnostics.diagnostic import Severity
from kagent_render.diagnostics.reasons import Reason

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kagent_render.compile.adapters.adapter import Adapter
    from kagent_render.compile.bundle import Bundle
    from kagent_render.compile.credential_headers import Environment, SecretHeader
    from kagent_render.compile.provider import Provider
    from kagent_render.diagnostics.diagnostic import Diagnostic

FRAMING_HEADERS: Final = frozenset(
    {
        "connection",
        "content-length",
        "host",
        "http2-settings",
        "keep-alive",
        "proxy-authenticate",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)
"""Headers that say where a request goes and where it ends, or that no proxy passes on (RFC 9110 §7.6.1)."""

_SECRET_KEY = re.compile(r"(?!\.$|\.\.)[-._a-zA-Z0-9]{1,253}")
_LITERALS = frozenset({"defaultHeaders", "env", "headersFrom"})
_BEARER = "AWS_BEARER_TOKEN_BEDROCK"
_OTHER_PROVIDER = "choose a ModelConfig of another provider"
_TOKEN_IN_SECRET = f"set `apiKeySecret` to a Secret with the key `{_BEARER}`"
_KEYS = {
    "Bedrock": ("signs each request with its keys", _TOKEN_IN_SECRET),
    "SAPAICore": ("exchanges its keys for a token", _OTHER_PROVIDER),
}
"""Providers whose clients may not send a key as it is: what they do with it, and what to do."""

_CLOUDS = {
    "GeminiVertexAI": ("Google's", ("spec", "provider"), _OTHER_PROVIDER),
    "AnthropicVertexAI": ("Google's", ("spec", "provider"), _OTHER_PROVIDER),
    "Bedrock": ("AWS's", ("spec", "apiKeySecret"), _TOKEN_IN_SECRET),
}
"""Providers whose clients ask a machine for a credential: whose, the field that says so, what to do."""


def unsupported(
    origin: Provenance, message: str, hint: str, severity: Severity = Severity.ERROR
) -> Diagnostic:
    """A `CredentialUnsupported` at a field."""
    return origin.document.fault(
        Reason.CREDENTIAL_UNSUPPORTED,
        origin.field,
        message,
        hint=hint,
        severity=severity,
        sensitive=not _LITERALS.isdisjoint(origin.field),
    )


def can_be_secret(namespace: str, secret: SecretKeyRef) -> bool:
    """Whether a Secret can have this name and key, so that neither changes the path of a URI."""
    names = is_dns_label(namespace) and is_dns_subdomain(secret.name)
    return names and _SECRET_KEY.fullmatch(secret.key) is not None


def check_header(use: SecretHeader, namespace: str) -> Iterator[Diagnostic]:
    """A reference that is no possible Secret, and headers that a Secret may not set."""
    if not can_be_secret(namespace, use.secret):
        message = f"`{use.variable}` refers to a Secret name or key that no Secret can have"
        yield unsupported(use.origin, message, "correct the reference")
    elif not is_header_name(use.header):
        message = f"`{use.header[:64]}` is no name of an HTTP header (RFC 9110 §5.1)"
        yield unsupported(_header_field(use), message, "use letters, digits and `-`")
    elif use.header in FRAMING_HEADERS:
        message = f"`{use.header}` belongs to the connection, and no egress policy puts a Secret into it"
        yield unsupported(_header_field(use), message, "send the credential in another header")


def check_sources(bundle: Bundle, adapter: Adapter, env: Environment) -> Iterator[Diagnostic]:
    """Secrets that are no request header: of the Harness itself, of providers that sign or exchange them."""
    for variable in env.values():
        origin = variable.origin
        if not isinstance(variable.value, SecretKeyRef) or origin is None:
            continue
        if origin.document is bundle.harness.document:
            yield unsupported(
                Provenance(origin.document, (*origin.field[:-1], "credentialRef")),
                f"the Harness gives the Secret behind `{variable.name}` to the process itself, and the egress"
                " gateway puts Secrets into request headers alone",
                "remove it, or give its Secret to the `apiKeySecret` of a ModelConfig or a header of a"
                " RemoteMCPServer",
            )
    for provider in providers(bundle):
        yield from _check_keys(provider, adapter, env)
        yield from _check_machine(provider, env)


def _check_keys(provider: Provider, adapter: Adapter, env: Environment) -> Iterator[Diagnostic]:
    """Keys that a client does not send as they are."""
    name = provider.model.provider
    secret = (v for v in provider.env if isinstance(v.value, SecretKeyRef))
    # What an adapter cannot call at all has been told as that.
    if name not in _KEYS or not any(
        v.name not in adapter.KEY_HEADERS and env.get(v.name) == v for v in secret
    ):
        return
    does, hint = _KEYS[name]
    yield unsupported(
        Provenance(provider.model.document, ("spec", "apiKeySecret")),
        f"provider `{name}` {does}, and the egress gateway puts Secrets into request headers alone",
        hint,
    )


def _check_machine(provider: Provider, env: Environment) -> Iterator[Diagnostic]:
    """Credentials that a client would get from the machine, which no egress policy lets a runtime ask."""
    name = provider.model.provider
    given = (_BEARER, "AWS_ACCESS_KEY_ID")
    if name not in _CLOUDS or (name == "Bedrock" and any(variable in env for variable in given)):
        return
    if provider.model.spec.get("apiKeyPassthrough"):
        return
    whose, field, hint = _CLOUDS[name]
    yield unsupported(
        Provenance(provider.model.document, field),
        f"without a key provider `{name}` asks {whose} metadata server for one, and the egress policy lets no"
        " runtime reach it",
        hint,
        Severity.WARNING,
    )


def _header_field(use: SecretHeader) -> Provenance:
    """The name of an MCP server's header, whose value stands beside it."""
    return Provenance(use.origin.document, (*use.origin.field[:-1], "name"))
