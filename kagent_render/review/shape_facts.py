"""The facts of a root's target: what all its ActorTemplates have in common, told once and part by part."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

from kagent_render.review import topics
from kagent_render.review.fact import Fact
from kagent_render.revision.canonical_json import compact
from kagent_render.target.generations import generation_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from kagent_render.compile.policy import Policy
    from kagent_render.target.generation import Generation

PARTS: Final[Mapping[str, str]] = {
    "name": "container",
    "onCommit": "snapshots",
    "onPause": "snapshots",
    "onResume": "snapshots",
    "readyz": "readiness",
    "sandboxClass": "sandbox",
    "sandboxConfig": "sandbox",
    "volumeMounts": "mounts",
    "volumes": "volumes",
    "wakeupProbe": "readiness",
}
"""What a fixed field of an ActorTemplate is about, by its last name: each generation has its own."""


def shape_facts(policy: Policy) -> Iterator[Fact]:
    """What the target writes into every ActorTemplate, and who acts on it."""
    generation = generation_of(policy.target)
    for name, value in _ways(generation):
        yield _fact(name, value)
    fixed: defaultdict[str, list[str]] = defaultdict(list)
    for field, value in generation.FIXED.items():
        text = value if isinstance(value, str) else compact(value)
        fixed[PARTS[field.rpartition(".")[2]]].append(f"{field} = {text}")
    for part, texts in fixed.items():
        yield _fact(part, ", ".join(texts))
    fields = (f"{setting} = {field}" for setting, field in generation.SETTINGS.items())
    yield _fact("settings", ", ".join(fields))
    if given := _variables(generation, policy):
        yield _fact("variables", given)


def _fact(name: str, value: str) -> Fact:
    """One part; a target that comes or goes with its root is no change of one."""
    return Fact(topics.SHAPE, "", name, value, inside="target")


def _ways(generation: Generation) -> Iterable[tuple[str, str]]:
    gateway = generation.INJECTS_CREDENTIALS
    return (
        (
            "manifests",
            "objects, which GitOps tools apply"
            if generation.IS_RESOURCE
            else "of Substrate's own API, carried by ConfigMaps",
        ),
        ("credentials", "put in by the egress gateway" if gateway else "in the environment"),
        ("hosts", "no others can be reached" if gateway else "recorded, and not enforced"),
    )


def _variables(generation: Generation, policy: Policy) -> str:
    """What every runtime is given besides; the controller's address has a row of its own."""
    names: defaultdict[str, list[str]] = defaultdict(list)
    for variable in generation.variables(policy):
        value = "the controller" if variable.value == policy.controller_url else str(variable.value)
        names[value].append(variable.name)
    return "; ".join(f"{', '.join(several)} = {value}" for value, several in names.items())
