"""The egress policy of one boundary: a rule for each origin, and what no rule can say (facts 10.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kagent_render.compile.credential_bindings import credential_uri
from kagent_render.compile.destination import destination_of, host_problem
from kagent_render.compile.egress_uses import egress_uses
from kagent_render.compile.origin import origin_of
from kagent_render.diagnostics.diagnostic import distinct
from kagent_render.diagnostics.reasons import Reason

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kagent_render.compile.adapters.adapter import Adapter
    from kagent_render.compile.bundle import Bundle
    from kagent_render.compile.credential_bindings import CredentialBinding
    from kagent_render.compile.destination import Destination
    from kagent_render.compile.egress_uses import EgressUse
    from kagent_render.compile.environment import Provenance
    from kagent_render.compile.policy import Policy
    from kagent_render.diagnostics.diagnostic import Diagnostic

MAX_RULES: Final = 256
"""Rules that one egress policy may have (facts 10.3)."""


def egress_rules(
    namespace: str, origins: tuple[str, ...], bindings: tuple[CredentialBinding, ...]
) -> list[dict[str, Any]]:
    """EgressPolicy's `rules` as protojson, one for each origin in the order of their texts.

    What protojson leaves out is left out: an empty prefix, effects without a header.
    """
    destinations = {str(found): found for found in map(destination_of, origins)}
    return [_rule(namespace, destinations[origin], bindings) for origin in sorted(destinations)]


def _rule(namespace: str, destination: Destination, bindings: Iterable[CredentialBinding]) -> dict[str, Any]:
    rule: dict[str, Any] = {
        "hostnames": [destination.host],
        "ports": {"numbers": [destination.port]},
    }
    own = [binding for binding in bindings if binding.hostname == destination.host]
    if own:
        own.sort(key=lambda binding: binding.header)
        rule["effects"] = {"replaceHeaders": [_replacement(namespace, binding) for binding in own]}
    return {destination.scheme: rule}


def _replacement(namespace: str, binding: CredentialBinding) -> dict[str, str]:
    return {
        "header": binding.header,
        **({"prefix": binding.prefix} if binding.prefix else {}),
        "credentialUri": credential_uri(namespace, binding.secret),
    }


def check_egress(bundle: Bundle, adapter: Adapter, policy: Policy) -> Iterator[Diagnostic]:
    """What an egress policy cannot allow, once at each field that asks for it."""
    uses = list(egress_uses(bundle, adapter, policy))
    yield from distinct([*_check_hosts(uses), *_check_schemes(uses), *_check_count(uses)])


def config_egress_problem(url: str) -> str | None:
    """Why an egress policy cannot allow an address of RenderConfig; None where it can."""
    origin = origin_of(url)
    if origin is None:
        return "an egress policy allows `http` and `https` addresses with a host and a port alone"
    return host_problem(destination_of(origin).host)


def config_schemes_problem(policy: Policy) -> str | None:
    """Why an egress policy cannot allow RenderConfig's addresses beside each other; None where it can."""
    tools = destination_of(origin_of(policy.tools_url) or policy.controller_url)
    ports = [destination_of(url).port for url in (policy.controller_url, f"http://{policy.controller_grpc}")]
    if tools.scheme == "http" or tools.host != policy.controller_host or tools.port not in ports:
        return None
    return (
        f"port {tools.port} of the controller is called over `http`, and here over `https`, which no egress"
        " policy allows together"
    )


def _check_hosts(uses: Iterable[EgressUse]) -> Iterator[Diagnostic]:
    for use in uses:
        problem = host_problem(use.destination.host)
        if problem is not None and use.named_by is not None:
            hint = "call the host by a DNS name, such as that of a Service"
            yield _unsupported(use.named_by, problem, hint)


def _check_schemes(uses: Iterable[EgressUse]) -> Iterator[Diagnostic]:
    """Ports that are called with and without TLS, at each field after the first that says otherwise."""
    first: dict[tuple[str, int], EgressUse] = {}
    for use in uses:
        destination = use.destination
        other = first.setdefault((destination.host, destination.port), use)
        if use.field is None or other.destination.scheme == destination.scheme:
            continue
        yield _unsupported(
            use.field,
            f"{use.user} calls port {destination.port} of `{destination.host}` over `{destination.scheme}`,"
            f" and {other.user} over `{other.destination.scheme}`, which no egress policy allows together",
            "use one scheme for both, or two ports",
        )


def _check_count(uses: Iterable[EgressUse]) -> Iterator[Diagnostic]:
    """More origins than a policy has rules, at the field that brings the first one more."""
    known: set[Destination] = set()
    for use in uses:
        if use.destination not in known and len(known) == MAX_RULES and use.field is not None:
            yield _unsupported(
                use.field,
                f"the runtime would contact more than {MAX_RULES} hosts and ports, and an egress policy has"
                f" {MAX_RULES} rules",
                "bind fewer MCP servers, or a Shared agent as Dedicated",
            )
            return
        known.add(use.destination)


def _unsupported(origin: Provenance, message: str, hint: str) -> Diagnostic:
    return origin.document.fault(Reason.EGRESS_UNSUPPORTED, origin.field, message, hint=hint)
