"""Credential bindings: which Secret the egress gateway puts into which header of which host (facts 4.4).

A runtime of target `ateapi` holds inert placeholders. The gateway replaces a whole header, by host and name
alone: so whatever two objects send in one header to one host has to be the same.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kagent_render.compile.credential_faults import can_be_secret, check_header, check_sources, unsupported
from kagent_render.compile.credential_headers import literal_headers, secret_headers
from kagent_render.compile.destination import destination_of, host_problem
from kagent_render.compile.egress_uses import called, egress_uses
from kagent_render.compile.origin import origin_of
from kagent_render.diagnostics.diagnostic import Severity, distinct

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from kagent_render.api.hub import SecretKeyRef
    from kagent_render.compile.adapters.adapter import Adapter
    from kagent_render.compile.bundle import Bundle
    from kagent_render.compile.credential_headers import LiteralHeader, SecretHeader
    from kagent_render.compile.environment import EnvVar, Provenance
    from kagent_render.compile.policy import Policy
    from kagent_render.diagnostics.diagnostic import Diagnostic

    Bound = Mapping[tuple[str, str], SecretHeader]

MAX_HEADERS: Final = 16
"""Headers that one rule of an egress policy may replace (facts 10.3)."""


@dataclass(frozen=True, slots=True)
class CredentialBinding:
    """One header of one host, both in lower case: the gateway puts `prefix` and a Secret's value there.

    `variables` are those whose placeholders stand in the header until then, sorted.
    """

    hostname: str
    header: str
    prefix: str
    variables: tuple[str, ...]
    secret: SecretKeyRef


def credential_uri(namespace: str, secret: SecretKeyRef) -> str:
    """How an egress policy names a Secret's key (facts 4.4); ValueError where no Secret can be called so."""
    if not can_be_secret(namespace, secret):
        raise ValueError("no Secret can have this namespace, name or key")
    return f"ate-secret://k8s.io/default/{namespace}/{secret.name}/{secret.key}"


def bind_credentials(
    bundle: Bundle, adapter: Adapter, env: tuple[EnvVar, ...], policy: Policy
) -> tuple[tuple[CredentialBinding, ...], list[Diagnostic]]:
    """The bindings of a boundary, sorted by host and header, and what cannot be bound.

    `env` is its final environment: a variable that a literal of the Harness replaced has no placeholder.
    """
    given = {variable.name: variable for variable in env}
    faults = list(check_sources(bundle, adapter, given))
    sent = []
    for use in secret_headers(bundle, adapter, given):
        wrong = list(check_header(use, bundle.namespace))
        faults += wrong
        if not wrong and host_problem(use.destination.host) is None:  # told by the check of egress
            sent.append(use)
    bound, conflicts = _merge(sent)
    faults += conflicts
    faults += _check_literals(bound, literal_headers(bundle, adapter, given))
    faults += _check_schemes(bundle, adapter, bound)
    faults += _check_tools(bundle, bound, policy)
    admitted, excess = _limit(bound)
    faults += (*excess, *_check_clear(sent))  # warnings last: they give way to an error of the same field
    holders = _holders(sent)
    bindings = [_binding(place, admitted[place], holders[place]) for place in sorted(admitted)]
    return tuple(bindings), distinct(faults)


def _binding(place: tuple[str, str], use: SecretHeader, variables: set[str]) -> CredentialBinding:
    return CredentialBinding(*place, use.prefix, tuple(sorted(variables)), use.secret)


def _holders(uses: Iterable[SecretHeader]) -> Mapping[tuple[str, str], set[str]]:
    """The variables whose placeholders are sent in each header of each host."""
    found: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for use in uses:
        found[use.destination.host, use.header].add(use.variable)
    return found


def _merge(uses: Iterable[SecretHeader]) -> tuple[dict[tuple[str, str], SecretHeader], list[Diagnostic]]:
    """One use for each header of each host, the first met, and a fault for each that wants another value."""
    bound: dict[tuple[str, str], SecretHeader] = {}
    faults = []
    for use in uses:
        place = use.destination.host, use.header
        other = bound.setdefault(place, use)
        if _value(use) != _value(other):
            faults.append(_conflict(use, other))
    return bound, faults


def _value(use: SecretHeader) -> tuple[str, str, str]:
    return use.prefix, use.secret.name, use.secret.key


def _conflict(use: SecretHeader, other: SecretHeader) -> Diagnostic:
    return unsupported(
        use.origin,
        f"the egress gateway has one value for header `{use.header}` of `{use.destination.host}`:"
        f" {called(use.origin)} wants {_described(use)}, and {called(other.origin)} {_described(other)}",
        "use the same Secret in both, another host name for one of them, or bind the agent as Dedicated",
    )


def _described(use: SecretHeader) -> str:
    text = f"key `{use.secret.key}` of Secret `{use.secret.name}`"
    return f"{text} after `{use.prefix.strip()}`" if use.prefix else text


def _check_literals(bound: Bound, literals: Iterable[LiteralHeader]) -> Iterator[Diagnostic]:
    """Values that the gateway would replace although they are no placeholder."""
    any_of_host = {host: bound[host, header] for host, header in sorted(bound, reverse=True)}
    for literal in literals:
        host, header = literal.destination.host, literal.header
        use = any_of_host.get(host) if header is None else bound.get((host, header))
        if use is None:
            continue
        has = "passes its callers' keys on" if header is None else f"has a value of its own for `{header}`"
        hint = "remove `apiKeyPassthrough`" if header is None else "remove the value"
        yield unsupported(
            literal.origin,
            f"{called(literal.origin)} {has}, and at `{host}` the egress gateway replaces header"
            f" `{use.header}` with the Secret of {called(use.origin)}",
            f"{hint}, use another host name for one of them, or bind the agent as Dedicated",
        )


def _check_schemes(bundle: Bundle, adapter: Adapter, bound: Bound) -> Iterator[Diagnostic]:
    """Hosts that are called with and without TLS: a header is replaced in both."""
    schemes: defaultdict[str, set[str]] = defaultdict(set)
    for origin in bundle.egress:
        destination = destination_of(origin)
        schemes[destination.host].add(destination.scheme)
    uses = list(egress_uses(bundle, adapter))
    for (host, header), use in bound.items():
        if len(schemes[host]) < 2:
            continue
        called_by = [other for other in uses if other.destination.host == host]
        clear = [other.field for other in called_by if other.destination.scheme == "http" and other.field]
        for field in clear or [use.origin]:
            yield _in_clear(field, host, header, use.origin)


def _in_clear(field: Provenance, host: str, header: str, bound_by: Provenance) -> Diagnostic:
    by = called(field) if field != bound_by else "RenderConfig"
    return unsupported(
        field,
        f"{by} calls `{host}` over `http`, and others call it over `https`: the egress gateway would put the"
        f" Secret of {called(bound_by)} into header `{header}` of both, so that it is sent in clear",
        "use `https` for all, or another host name for one of them",
    )


def _check_tools(bundle: Bundle, bound: Bound, policy: Policy) -> Iterator[Diagnostic]:
    """Secrets at the host of `tools.url`, where the runtime sends a token of its own for Dedicated agents."""
    origin = origin_of(policy.tools_url) if bundle.dedicated else None
    tools = destination_of(origin).host if origin is not None else None
    for (host, header), use in bound.items():
        if host == tools:
            yield unsupported(
                use.origin,
                f"the runtime calls Dedicated agents at `{host}` with a token of its own, and the egress"
                f" gateway would put the Secret of {called(use.origin)} into header `{header}` there",
                "use another host name here, or in `spec.tools.url` of RenderConfig",
            )


def _limit(bound: Bound) -> tuple[Bound, list[Diagnostic]]:
    """As many headers of each host as a rule can replace, and a fault at the first one more."""
    count: defaultdict[str, int] = defaultdict(int)
    admitted, faults = {}, []
    for (host, header), use in bound.items():
        count[host] += 1
        if count[host] <= MAX_HEADERS:
            admitted[host, header] = use
        elif count[host] == MAX_HEADERS + 1:
            message = (
                f"with header `{header}` of {called(use.origin)} more than {MAX_HEADERS} headers of `{host}`"
                f" hold a Secret, and an egress policy replaces {MAX_HEADERS}"
            )
            faults.append(unsupported(use.origin, message, "send fewer Secrets to this host"))
    return admitted, faults


def _check_clear(uses: Iterable[SecretHeader]) -> Iterator[Diagnostic]:
    """Secrets in requests without TLS."""
    for use in uses:
        if use.destination.scheme == "http":
            yield unsupported(
                use.origin,
                f"the Secret is sent to `{use.destination.host}` in clear, and a gateway may leave its"
                " placeholder in a request without TLS",
                "serve the host with TLS and write `https://` in its address",
                Severity.WARNING,
            )
