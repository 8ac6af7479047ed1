"""Which edit of a manifest every change has to explain: an edit that none explains is told by itself.

Each field below is wholly taken apart into facts, so that an edit of it without any of its changes has no
effect on the agent: the order of tools, a comment in a template. An edit of any other field cannot be judged.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kagent_render.review import topics
from kagent_render.review.change import Change, Kind

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from kagent_render.agentplugin.lock import AgentLock
    from kagent_render.review.topics import Topic
    from kagent_render.revision.lock import Lock

    Told = Mapping[str, Collection[Topic]]

_VARIANTS: Final = ("python", "kagent", "claude", "codex")
_HARNESS: Final[Told] = {
    "workload": (topics.IMAGE,),
    "env": (topics.VARIABLE, topics.CREDENTIAL),
    "substrate": (topics.SUBSTRATE,),
    "allowedAgentTemplates": (),
    **dict.fromkeys(_VARIANTS, (topics.VARIANT,)),
}
_TEMPLATE: Final[Told] = {
    "description": (topics.DESCRIPTION,),
    "modelConfig": (topics.MODEL, topics.ENDPOINT, topics.SETTING),
    "systemPrompt": (topics.PROMPT,),
    "systemPromptFrom": (topics.PROMPT,),
    "promptTemplate": (topics.PROMPT,),
    "tools": (topics.TOOL, topics.SERVER, topics.AGENT, topics.ISOLATION, topics.DESCRIPTION),
    "skills": (topics.SKILL, topics.SOURCE),
    "plugins": (topics.SKILL, topics.SOURCE, topics.PACKAGE),
    "harnesses": (),
}
_SERVER: Final = (topics.SERVER, topics.HEADER, topics.TLS, topics.LIMIT, topics.SETTING, topics.DESCRIPTION)
_MODEL: Final = (topics.MODEL, topics.ENDPOINT, topics.TLS, topics.LIMIT, topics.TUNING, topics.SETTING)
_INPUTS: Final[Told] = {
    "ModelConfig": (*_MODEL, topics.CREDENTIAL),
    "RemoteMCPServer": (*_SERVER, topics.CREDENTIAL),
    "MCPServer": (*_SERVER, topics.CREDENTIAL),
    "ConfigMap": (topics.PROMPT, topics.HEADER, topics.ENDPOINT),
    **dict.fromkeys(("Secret", "SealedSecret", "ExternalSecret"), (topics.CREDENTIAL,)),
    "RenderConfig": (topics.ADDRESS, topics.SUBSTRATE, topics.IMAGE, topics.HOST, topics.SOURCE),
}
_AGENT: Final = (topics.SETTING, topics.LIMIT)
_PLUGIN: Final[Told] = {
    "agentRef": (topics.PLUGIN,),
    "image": (topics.IMAGE, topics.REFERENCE),
    "imagePullPolicy": (topics.REFERENCE,),
    "targetProfile": (topics.PROFILE,),
    "env": (topics.VARIABLE, topics.CREDENTIAL),
    "config": (topics.CONFIG_KEY,),
}


@dataclass(frozen=True, slots=True)
class Field:
    """One part of a manifest: its digest, and the topics that tell it; None where no facts do."""

    digest: str
    told_by: Collection[Topic] | None


def lock_fields(lock: Lock) -> dict[str, Field]:
    """Every field and input that a pair's lock has a digest of, by a name for people."""
    harness = lock.harness
    found = {
        f"spec.{name} of Harness {harness.name}": Field(digest, _HARNESS.get(name))
        for name, digest in harness.fields.items()
    }
    for template in lock.templates:
        for name, digest in template.fields.items():
            found[f"spec.{name} of AgentTemplate {template.name}"] = Field(digest, _TEMPLATE.get(name))
    for used in lock.inputs:
        key = f"{used.key} of " if used.key else ""
        found[f"{key}{used.kind} {used.name}"] = Field(used.digest, _INPUTS.get(used.kind))
    return found


def agent_fields(lock: AgentLock) -> dict[str, Field]:
    """Every field that a PlatformAgent's lock has a digest of, by a name for people."""
    found = {
        f"spec.{name} of PlatformAgent {lock.agent.name}": Field(digest, _AGENT)
        for name, digest in lock.agent.fields.items()
    }
    for plugin in lock.plugins:
        for name, digest in plugin.fields.items():
            found[f"spec.{name} of AgentPlugin {plugin.name}"] = Field(digest, _PLUGIN.get(name))
    return found


def unexplained(
    before: Mapping[str, Field], after: Mapping[str, Field], changes: Collection[Change]
) -> Iterator[Change]:
    """A change for each field that was edited without any change that tells it."""
    told = {change.topic for change in changes}
    for name in sorted(before.keys() & after.keys()):
        field = after[name]
        if before[name].digest == field.digest or told.intersection(field.told_by or ()):
            continue
        topic = topics.OTHER if field.told_by is None else topics.EDIT
        effect = topic.rule.changed.effect("", "")
        yield Change(topic, "", name, Kind.CHANGED, effect, None, None)
