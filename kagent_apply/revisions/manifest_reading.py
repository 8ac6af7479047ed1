"""Checks one committed ActorTemplate against the lock that names it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kagent_render.revision.canonical_json import CanonicalFormError, canonical, digest
from kagent_render.source.failure import YAMLInvalidError
from kagent_render.source.yaml import read_yaml
from kagent_render.target.actor_template import identity_hash
from kagent_render.target.custom_resource import resource_faults
from kagent_render.target.generations import generation_of
from kagent_render.target.releases import ALPHA, RELEASED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kagent_apply.instances.requests import AgentName
    from kagent_render.revision.lock import LockedBoundary
    from kagent_render.target.template_fault import TemplateFault

_RELEASES: Final = {"ateapi/v0.4": RELEASED, "ateapi/v0.4.0-alpha1": ALPHA}


def manifest_problem(content: bytes, target: str, agent: AgentName, boundary: LockedBoundary) -> str | None:
    """Why a file is not the manifest of a boundary, as a sentence about it; None where it is.

    Its spec has the digest that the lock says, its name is made of that and of whose it is, its bytes are as
    kagent-render writes them, and it is an ActorTemplate of its target.
    """
    try:
        documents = read_yaml(content)
    except YAMLInvalidError as error:
        return f"is not YAML: {error.message}"
    if len(documents) != 1 or not isinstance(documents[0].value, dict):
        return "does not hold one object"
    value = documents[0].value
    try:
        return _identity_problem(content, value, target, agent, boundary) or _shape_problem(value, target)
    except CanonicalFormError:
        return "has a value without a canonical form"


def _identity_problem(
    content: bytes, value: dict[str, Any], target: str, agent: AgentName, boundary: LockedBoundary
) -> str | None:
    generation = generation_of(target)
    spec = value.get("spec") if generation.IS_RESOURCE else _without_metadata(value)
    if digest(spec) != boundary.spec_digest:
        return "is of another spec than the lock says"
    identity = (agent.namespace, agent.harness, agent.agent_template, boundary.path)
    if not boundary.actor_template.endswith(f"-{identity_hash(*identity, canonical(spec))}"):
        return "has a name that is not made of its content"
    if not generation.is_intact(content, value, boundary.actor_template, *identity[:3]):
        return "is not as kagent-render writes it"
    return None


def _without_metadata(value: Mapping[str, Any]) -> dict[str, Any]:
    return {name: part for name, part in value.items() if name != "metadata"}


def _shape_problem(value: dict[str, Any], target: str) -> str | None:
    faults = _faults(value, target)
    if not faults:
        return None
    place = f"`{faults[0].path}`: " if faults[0].path else ""
    return f"is no ActorTemplate of `{target}`: {place}{faults[0].message}"


def _faults(value: dict[str, Any], target: str) -> list[TemplateFault]:
    release = _RELEASES.get(target)
    if release is None:
        return resource_faults(value)
    from kagent_render.target.template_reading import read_template

    read = read_template(value, release)
    return read if isinstance(read, list) else []
