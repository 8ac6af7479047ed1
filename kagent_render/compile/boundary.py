"""One boundary compiled: its bundle, its runtime's configuration and its environment, or its faults."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kagent_render.compile.adapters.variants import adapter_of
from kagent_render.compile.compatibility import check_requirements
from kagent_render.compile.environment import EnvVar
from kagent_render.compile.runtime_environment import (
    check_collisions,
    check_environment,
    fixed_variables,
    harness_variables,
    order_environment,
)
from kagent_render.diagnostics.reasons import Reason
from kagent_render.target.actor_template import base_name
from kagent_render.target.generations import generation_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kagent_render.compile.adapters.adapter import Adapter, AdapterOutput
    from kagent_render.compile.bundle import Bundle, ResolvedSkill
    from kagent_render.compile.capabilities.record import CapabilityRecord
    from kagent_render.compile.credential_bindings import CredentialBinding
    from kagent_render.compile.policy import Policy
    from kagent_render.diagnostics.diagnostic import Diagnostic


@dataclass(frozen=True, slots=True)
class CompiledBoundary:
    """What a target needs of one boundary; `env` is in its final order, documents last.

    `bindings` say where the egress gateway puts its credentials in, for a target that has one.
    """

    bundle: Bundle
    adapter: AdapterOutput
    env: tuple[EnvVar, ...]
    bindings: tuple[CredentialBinding, ...] = ()

    @property
    def credentials(self) -> tuple[EnvVar, ...]:
        """The variables that are Secret references."""
        return tuple(variable for variable in self.env if not isinstance(variable.value, str))


def compile_boundary(
    bundle: Bundle, record: CapabilityRecord, policy: Policy
) -> tuple[CompiledBoundary, list[Diagnostic]]:
    """Configure the runtime of one boundary and check it against its record and its own environment."""
    adapter = adapter_of(bundle.harness.variant)
    output = adapter.adapt(bundle, policy, record)
    own = harness_variables(bundle.harness)
    name = base_name(bundle.root_template, bundle.harness.name, bundle.path)
    generation = generation_of(policy.target)
    fixed = (
        *fixed_variables(name, bundle.namespace, policy, tools=bool(bundle.dedicated)),
        *generation.variables(policy),
    )
    env = (*order_environment(output.env, own, fixed), *output.documents)
    bindings, unbound = _bind(bundle, adapter, env, policy) if generation.INJECTS_CREDENTIALS else ((), [])
    faults = [
        *output.faults,
        *_beside(output.faults, check_requirements(bundle.requirements, record, adapter)),
        *check_environment(output.env, own, adapter, generation.RESERVED),
        *check_collisions(output.models, frozenset(variable.name for variable in own)),
        *_check_skills(bundle),
        *unbound,
    ]
    return CompiledBoundary(bundle, output, env, bindings), faults


def _bind(
    bundle: Bundle, adapter: Adapter, env: tuple[EnvVar, ...], policy: Policy
) -> tuple[tuple[CredentialBinding, ...], list[Diagnostic]]:
    """Where the egress gateway puts credentials in, and what it cannot do or let through."""
    from kagent_render.compile.credential_bindings import bind_credentials
    from kagent_render.compile.egress_policy import check_egress

    bindings, faults = bind_credentials(bundle, adapter, env, policy)
    return bindings, [*check_egress(bundle, adapter, policy), *faults]


def _beside(faults: Iterable[Diagnostic], judged: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """What a record says where the adapter has said nothing: what is not even written needs no capability."""
    ignored = {(fault.object, fault.field) for fault in faults}
    refused = {(fault.object, fault.field) for fault in faults if fault.is_error}
    for found in judged:
        if (found.object, found.field) not in (refused if found.is_error else ignored):
            yield found


def _check_skills(bundle: Bundle) -> Iterator[Diagnostic]:
    """Skills of one name that are not one skill: a runtime has one place for a name."""
    known: dict[str, tuple[ResolvedSkill, str]] = {}
    for member in bundle.agent.members():
        for skill in member.skills:
            other, holder = known.setdefault(skill.name, (skill, member.template.name))
            if holder == member.template.name or (skill.source, skill.digest) == (other.source, other.digest):
                continue
            which = "another skill" if skill.digest != other.digest else "the skill"
            source = " from another source" if skill.source != other.source else ""
            yield skill.provenance.document.fault(
                Reason.DUPLICATE_SKILL_NAME,
                skill.provenance.field,
                f"AgentTemplate `{holder}` has {which} `{skill.name}`{source} in the same runtime boundary",
                hint="select it from the same source in both, or bind the agent as Dedicated",
            )
