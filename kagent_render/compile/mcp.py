"""MCP servers as a runtime needs them: headers with credentials by reference, never by value."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kagent_render.api.credential_literals import looks_like_credential
from kagent_render.api.hub import ConfigMapKeyRef, McpServer, SecretKeyRef
from kagent_render.compile.environment import EnvVar, Provenance
from kagent_render.compile.origin import origin_of
from kagent_render.diagnostics.diagnostic import Severity
from kagent_render.diagnostics.reasons import Reason

if TYPE_CHECKING:
    from collections.abc import Callable

    from kagent_render.diagnostics.diagnostic import Diagnostic


@dataclass(frozen=True, slots=True)
class ResolvedServer:
    """An MCP server with its headers looked up; a Secret's stay references."""

    server: McpServer
    headers: tuple[tuple[str, str | SecretKeyRef], ...]
    origin: str | None
    used: tuple[ConfigMapKeyRef, ...]


def resolve_server(
    server: McpServer, config_map_value: Callable[[ConfigMapKeyRef, McpServer, int], str | Diagnostic]
) -> tuple[ResolvedServer | None, list[Diagnostic]]:
    """Look up the headers of one server; ConfigMap values are inlined (facts 2.2)."""
    faults = _unsupported(server)
    headers: list[tuple[str, str | SecretKeyRef]] = []
    used: list[ConfigMapKeyRef] = []
    for index, header in enumerate(server.headers):
        value = header.value
        if isinstance(value, ConfigMapKeyRef):
            used.append(value)
            found = config_map_value(value, server, index)
            if isinstance(found, str):
                headers.append((header.name, found))
                faults += _literal_credential(server, index, header.name, found)
            else:
                faults.append(found)
        else:
            headers.append((header.name, value))
    if any(fault.is_error for fault in faults):
        return None, faults
    return ResolvedServer(server, tuple(headers), origin_of(server.url), tuple(used)), faults


def _literal_credential(server: McpServer, index: int, name: str, value: str) -> list[Diagnostic]:
    """A ConfigMap's value that is inlined although it looks like a credential."""
    if not looks_like_credential(name, value):
        return []
    return [
        server.document.fault(
            Reason.CREDENTIAL_LITERAL,
            ("spec", "headersFrom", index, "valueFrom"),
            "the ConfigMap's value looks like a credential",
            hint="keep the value in a Secret and refer to it with `type: Secret`",
            severity=Severity.WARNING,
            sensitive=True,
        )
    ]


def _unsupported(server: McpServer) -> list[Diagnostic]:
    faults = []
    if origin_of(server.url) is None:
        faults.append(
            server.document.fault(
                Reason.INVALID_SPEC,
                ("spec", "url"),
                "the URL is no `http` or `https` address with a host and a port that can be called",
                hint="write the whole URL, such as `https://mcp.example.com/mcp`",
            )
        )
    if server.tls is not None and server.tls.ca_cert is not None:
        faults.append(
            server.document.fault(
                Reason.VOLUME_REQUIRED,
                ("spec", "tls", "caCertSecretRef"),
                "a CA certificate is read from a mounted Secret, and an ActorTemplate cannot mount one",
                hint="serve the MCP server with a public certificate",
            )
        )
    return faults


CREDENTIAL_PREFIX = "KAGENT_CREDENTIAL"


def credential_name(namespace: str, reference: SecretKeyRef, prefix: str = CREDENTIAL_PREFIX) -> str:
    """The variable that carries one Secret key into the runtime (facts 2.2, 6.2, 6.3)."""
    text = f"{namespace}\0{reference.name}\0{reference.key}"
    return f"{prefix}_{hashlib.sha256(text.encode()).hexdigest()[:16].upper()}"


def written_headers(resolved: ResolvedServer, form: str, prefix: str = CREDENTIAL_PREFIX) -> dict[str, str]:
    """Headers by name; a Secret's value is its variable in the `form` in which a runtime expands it."""
    namespace = resolved.server.namespace
    return {
        name: form.format(credential_name(namespace, value, prefix))
        if isinstance(value, SecretKeyRef)
        else value
        for name, value in sorted(resolved.headers, key=lambda header: header[0])
    }


def credential_env(resolved: ResolvedServer, prefix: str = CREDENTIAL_PREFIX) -> tuple[EnvVar, ...]:
    """The Secret references of a server's headers, in header order."""
    server = resolved.server
    return tuple(
        EnvVar(
            credential_name(server.namespace, value, prefix),
            value,
            Provenance(server.document, ("spec", "headersFrom", index, "valueFrom")),
        )
        for index, (_, value) in enumerate(resolved.headers)
        if isinstance(value, SecretKeyRef)
    )
