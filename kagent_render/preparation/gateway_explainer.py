"""What the egress gateway puts into which requests, with the fields that ask for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kagent_render.compile.credential_headers import secret_headers

if TYPE_CHECKING:
    from kagent_render.api.hub import SecretKeyRef
    from kagent_render.compile.adapters.adapter import Adapter
    from kagent_render.compile.boundary import CompiledBoundary
    from kagent_render.compile.credential_bindings import CredentialBinding
    from kagent_render.compile.environment import EnvVar, Provenance


def binding_sources(
    boundary: CompiledBoundary, adapter: Adapter
) -> list[tuple[CredentialBinding, tuple[Provenance, ...]]]:
    """Each binding of a boundary, with the fields that name its Secret: several agents may share one."""
    found: dict[tuple[str, str], dict[Provenance, None]] = {}
    for use in secret_headers(boundary.bundle, adapter, _given(boundary)):
        found.setdefault((use.destination.host, use.header), {})[use.origin] = None
    return [(bound, tuple(found.get((bound.hostname, bound.header), ()))) for bound in boundary.bindings]


def bound_value(binding: CredentialBinding) -> str:
    """What a header gets, a Secret's value by its name and key."""
    return f"{binding.prefix}{_key(binding.secret)}"


def placeholder_note(boundary: CompiledBoundary, adapter: Adapter, name: str, secret: SecretKeyRef) -> str:
    """Why a variable has no value of its own, and where the value goes instead."""
    uses = secret_headers(boundary.bundle, adapter, _given(boundary))
    places = dict.fromkeys(
        f"header {use.header} of {use.destination.host}" for use in uses if use.variable == name
    )
    goes = f": the egress gateway puts {_key(secret)} into {' and '.join(places)}" if places else ""
    return f"a placeholder{goes}"


def allowed_value(boundary: CompiledBoundary, host: str) -> str:
    """What the policy does with requests to a host."""
    headers = ", ".join(bound.header for bound in boundary.bindings if bound.hostname == host)
    return f"allowed, with {headers} put in" if headers else "allowed"


def _given(boundary: CompiledBoundary) -> dict[str, EnvVar]:
    return {variable.name: variable for variable in boundary.env}


def _key(secret: SecretKeyRef) -> str:
    return f"key {secret.key} of Secret {secret.name}"
