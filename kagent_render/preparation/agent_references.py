"""What the Secrets of a repository lack of what plugins' variables refer to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kagent_render.diagnostics.diagnostic import Severity
from kagent_render.diagnostics.reasons import Reason

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kagent_render.agentplugin.compiled import CompiledAgent, PluginVariable
    from kagent_render.api.hub import Secret
    from kagent_render.diagnostics.diagnostic import Diagnostic


def secret_findings(
    compiled: CompiledAgent, secrets: Mapping[tuple[str, str], Secret]
) -> Iterator[Diagnostic]:
    """A warning for each key that a Secret with a manifest lacks; others are not known here."""
    for variable in compiled.env:
        reference = (variable.variable.source or {}).get("secretKeyRef")
        if reference is None or reference.get("optional"):
            continue
        secret = secrets.get((compiled.agent.namespace, reference["name"]))
        if secret is not None and secret.keys and reference["key"] not in secret.keys:
            yield _missing(variable, secret, reference["key"])


def _missing(variable: PluginVariable, secret: Secret, key: str) -> Diagnostic:
    return variable.plugin.document.fault(
        Reason.CREDENTIAL_KEYS_UNKNOWN,
        ("spec", "env", variable.index, "valueFrom", "secretKeyRef", "key"),
        f"Secret `{secret.name}` in the repository has no key `{key}`, so the agent would not start",
        hint=f"use one of its keys, or add `{key}` to its manifest",
        severity=Severity.WARNING,
    )
