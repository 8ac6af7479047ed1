"""AgentPlugin as kube-agents' custom resource definition has it: `kubeagents.x-k8s.io/v1alpha1`."""

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

from pydantic import Field

from kagent_render.api import kubeagents
from kagent_render.api.addresses import LONGEST_ADDRESS, NoUserInReference
from kagent_render.api.envvar import Environment, EnvVar
from kagent_render.api.schema import Block, Check, EmptyAsAbsent, Refers, Refusal, Sensitive, Text
from kagent_render.source.document import Document

_DEFAULT_PROFILE: Final = "remove `targetProfile` to install into the default profile"
_PROFILE: Final = Refusal(
    "the profile must be named with lower-case letters, digits and `-`, beginning with a letter or digit",
    hint="write the name of the Hermes profile, such as `platform`",
)

TargetProfile = Annotated[
    str,
    Field(max_length=63, pattern=r"^[a-z0-9][a-z0-9-]*$"),
    _PROFILE,
    EmptyAsAbsent("`targetProfile` must not be empty", hint=_DEFAULT_PROFILE),
    Check(
        "`targetProfile` must not be `default`, whose home is no profile's directory",
        holds=lambda name: name != "default",
        hint=_DEFAULT_PROFILE,
        cel="self != 'default'",
        schema={"not": {"const": "default"}},
    ),
]


class AgentPluginSpec(Block):
    """An extension of one PlatformAgent."""

    agent_ref: Annotated[str, Refers()]
    """The name of the PlatformAgent that is extended."""
    image: Annotated[str, Field(max_length=LONGEST_ADDRESS), NoUserInReference]
    """The image that holds the plugin."""
    image_pull_policy: Literal["Always", "Never", "IfNotPresent"] | None = None
    """When the image is pulled; `IfNotPresent` unless told."""
    target_profile: TargetProfile | None = None
    """The Hermes profile that the plugin is installed into; the default profile where it is left out."""
    env: Environment | None = None
    """Variables for the agent's container."""
    config: Annotated[str, Sensitive(), Text()] | None = None
    """YAML text that is merged into the agent's configuration."""


def hub_plugin(document: Document, spec: Mapping[str, Any], model: AgentPluginSpec) -> kubeagents.AgentPlugin:
    """The AgentPlugin of a valid manifest."""
    sources = [entry.get("valueFrom") for entry in spec.get("env", ())]
    return kubeagents.AgentPlugin(
        ref=document.ref,
        spec=spec,
        document=document,
        agent=model.agent_ref,
        image=model.image,
        pull_policy=model.image_pull_policy,
        profile=model.target_profile or "",
        config=model.config or "",
        env=tuple(map(_variable, model.env or (), sources)),
        generation=_generation(document.value["metadata"].get("generation")),
        target_agents=_target_agents(document.value.get("status")),
    )


def _variable(entry: EnvVar, source: Mapping[str, Any] | None) -> kubeagents.EnvVar:
    return kubeagents.EnvVar(entry.name, entry.value, source)


def _generation(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _target_agents(status: object) -> tuple[str, ...]:
    """The agents that a status names; a status is no input, so that one of another shape names none."""
    agents = status.get("targetAgents") if isinstance(status, dict) else None
    return tuple(name for name in agents if isinstance(name, str)) if isinstance(agents, list) else ()
