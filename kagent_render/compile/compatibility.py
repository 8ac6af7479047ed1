"""What a boundary needs, held against what its adapter can write and what a capability record says."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from kagent_render.compile.remedies import remedy
from kagent_render.diagnostics.diagnostic import Severity
from kagent_render.diagnostics.reasons import Reason

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kagent_render.compile.adapters.adapter import Adapter
    from kagent_render.compile.capabilities.record import CapabilityRecord
    from kagent_render.compile.requirement import Requirement
    from kagent_render.diagnostics.diagnostic import Diagnostic, FieldPath


def check_requirements(
    requirements: tuple[Requirement, ...], record: CapabilityRecord, adapter: Adapter
) -> list[Diagnostic]:
    """What a runtime lacks is an error at every needing field, what nobody proved a warning at the first.

    It lacks what its adapter cannot write, whatever a record says, and what its record denies.
    """
    denied = [need for need in requirements if record.denies(need)]
    unwritten = [need for need in requirements if not (adapter.writes(need) or record.denies(need))]
    first: dict[str, Requirement] = {}
    for requirement in requirements:
        if record.leaves_open(requirement) and adapter.writes(requirement):
            first.setdefault(str(requirement), requirement)
    return [
        *(_unsupported(needs, _denial(needs, record)) for needs in _by_field(denied)),
        *(_unsupported(needs, _impossibility(record, adapter)) for needs in _by_field(unwritten)),
        *(_unproven(needs, record) for needs in _by_field(first.values())),
    ]


def _by_field(requirements: Iterable[Requirement]) -> list[list[Requirement]]:
    """Requirements that one field has, together: they are one fault."""
    groups: defaultdict[tuple[int, FieldPath], list[Requirement]] = defaultdict(list)
    for requirement in requirements:
        origin = requirement.provenance
        groups[id(origin.document), origin.field].append(requirement)
    return list(groups.values())


def _denial(needs: list[Requirement], record: CapabilityRecord) -> str:
    if any(need.capability in record.capabilities for need in needs):
        return f"which the capability record `{record.name}` denies to {record.runtime}"
    return f"which the capability record `{record.name}` of {record.runtime} does not name"


def _impossibility(record: CapabilityRecord, adapter: Adapter) -> str:
    return (
        f"which no configuration of the `{adapter.NAME}` runtime can say, whatever the capability record"
        f" `{record.name}` says"
    )


def _unsupported(needs: list[Requirement], why: str) -> Diagnostic:
    origin = needs[0].provenance
    details = "; ".join(dict.fromkeys(need.about for need in needs if need.about))
    return origin.document.fault(
        Reason.CAPABILITY_UNSUPPORTED,
        origin.field,
        f"this needs {_listed(needs)}, {why}{f': {details}' if details else ''}",
        hint=remedy(needs[0].capability),
        sensitive="defaultHeaders" in origin.field,
    )


def _unproven(needs: list[Requirement], record: CapabilityRecord) -> Diagnostic:
    origin = needs[0].provenance
    return origin.document.fault(
        Reason.CAPABILITY_UNPROVEN,
        origin.field,
        f"this needs {_listed(needs)}, which no conformance run has proven for {record.runtime}"
        f" (capability record `{record.name}`)",
        hint="try it before you rely on it, and record what a run has shown of your image",
        severity=Severity.WARNING,
        sensitive="defaultHeaders" in origin.field,
    )


def _listed(needs: list[Requirement]) -> str:
    names = [f"`{requirement}`" for requirement in needs]
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
