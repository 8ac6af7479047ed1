"""The table of rules: what is compared, in the order of its weight, and what each change of it does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from kagent_render.review.effect import (
    ENFORCED,
    INJECTED,
    KEPT,
    NARROWS,
    NEUTRAL,
    RAISED,
    SHARED,
    STARTED,
    WIDENS,
    WORKING,
    Judgement,
)


@dataclass(frozen=True, slots=True)
class Rule:
    """What it does when something is added, removed or changed."""

    added: Judgement
    removed: Judgement
    changed: Judgement


GRANT: Final = Rule(WIDENS, NARROWS, WIDENS)
"""The rule of what an agent has or has not."""

UNJUDGED: Final = Rule(WIDENS, WIDENS, WIDENS)
"""The rule of what may as well restrain an agent as let it loose."""

HARMLESS: Final = Rule(NEUTRAL, NEUTRAL, NEUTRAL)
"""The rule of what changes neither what an agent may do nor what it may reach."""


@dataclass(frozen=True, slots=True)
class Topic:
    """One row of the table; `name` is for programs, `title` for people, and `about` explains it.

    Where `is_text`, the difference of two values is told line by line, and always of the prompt. One that
    `follows` tells nothing where what it goes away with came or went.
    """

    name: str
    title: str
    about: str
    rule: Rule
    is_text: bool = False
    follows: bool = False


AGENT: Final = Topic("agent", "sub-agent", "an agent that is bound", GRANT)
ISOLATION: Final = Topic(
    "isolation",
    "isolation",
    "whose runtime a bound agent shares",
    Rule(NEUTRAL, NEUTRAL, SHARED),
    follows=True,
)
PLUGIN: Final = Topic("plugin", "plugin", "a plugin of a platform agent", GRANT)
IMAGE: Final = Topic("image", "image", "the image of a runtime, the digest of a plugin's image", GRANT)
VARIANT: Final = Topic("variant", "variant", "the runtime variant of the Harness", GRANT)
CREDENTIAL: Final = Topic(
    "credential",
    "credential",
    "a variable that comes out of a Secret",
    Rule(WIDENS, NARROWS, INJECTED),
)
BINDING: Final = Topic(
    "binding", "credential binding", "a header of a host where the egress gateway puts a credential", GRANT
)
HOST: Final = Topic("host", "host", "an origin that a runtime may reach", GRANT)
EGRESS: Final = Topic(
    "egress",
    "egress",
    "whether a runtime is held to its hosts",
    Rule(NEUTRAL, NEUTRAL, ENFORCED),
    follows=True,
)
ENDPOINT: Final = Topic("endpoint", "endpoint", "the address of a model", GRANT)
SERVER: Final = Topic("server", "MCP server", "an MCP server: its address and transport", GRANT)
TOOL: Final = Topic("tool", "tool", "a selected tool of an MCP server", GRANT)
HEADER: Final = Topic("header", "header", "a request header to an MCP server", UNJUDGED)
TLS: Final = Topic("tls", "TLS unchecked", "certificates that nobody checks", GRANT)
SKILL: Final = Topic("skill", "skill", "a skill by its content", GRANT)
LIMIT: Final = Topic(
    "limit", "limit", "a number of tokens, turns, seconds or revisions", Rule(WIDENS, WIDENS, RAISED)
)
VARIABLE: Final = Topic("variable", "variable", "a literal of the environment", UNJUDGED)
SETTING: Final = Topic("setting", "setting", "a setting without a row of its own", UNJUDGED)
PROFILE: Final = Topic("profile", "profile", "the profile that a plugin is for", UNJUDGED)
CONFIG_KEY: Final = Topic("configKey", "config key", "a key of a plugin's config", UNJUDGED)
VOLUME: Final = Topic("volume", "mount path", "where a plugin's image is mounted", GRANT)
IMAGE_VOLUMES: Final = Topic(
    "imageVolumes",
    "image volumes",
    "whether the cluster mounts images of plugins",
    Rule(NEUTRAL, NEUTRAL, STARTED),
)
STATUS: Final = Topic(
    "status", "status", "phase and reason of a plugin's status", Rule(NEUTRAL, NEUTRAL, WORKING)
)
SUBSTRATE: Final = Topic("substrate", "substrate", "worker pool, snapshot location, pause image", GRANT)
ADDRESS: Final = Topic("address", "address", "the controller, and the tools of Dedicated agents", GRANT)
TARGET: Final = Topic("target", "target", "the target of RenderConfig", GRANT)
RECORD: Final = Topic("record", "record", "the capability record of the runtime", GRANT)
OUTPUT: Final = Topic("output", "output", "the output folder of RenderConfig", UNJUDGED)
EARLIER: Final = Topic(
    "earlier", "earlier ActorTemplate", "a retained ActorTemplate that the base does not have", GRANT
)
OTHER: Final = Topic("other", "other", "an edit or a file that differs, and no row tells why", UNJUDGED)
PROTECTION: Final = Topic(
    "protection", "protection", "whether pruning spares earlier revisions", Rule(WIDENS, NARROWS, KEPT)
)
PROMPT: Final = Topic("prompt", "prompt", "the system prompt as the model gets it", HARMLESS, is_text=True)
MODEL: Final = Topic("model", "model", "provider and name of the model", HARMLESS)
TUNING: Final = Topic("tuning", "tuning", "sampling and effort of a model", HARMLESS)
DESCRIPTION: Final = Topic("description", "description", "of a template or a binding", HARMLESS, is_text=True)
SOURCE: Final = Topic("source", "source", "where a skill comes from, its content apart", HARMLESS)
PACKAGE: Final = Topic("package", "package", "the plugin around skills, or in an image", HARMLESS)
REFERENCE: Final = Topic(
    "reference", "reference", "name and pull policy of an image, its digest apart", HARMLESS
)
REQUIREMENT: Final = Topic(
    "requirement", "requirement", "a capability that agents need", HARMLESS, follows=True
)
LABEL: Final = Topic("label", "label", "a label of a template", HARMLESS)
VERSION: Final = Topic(
    "version", "version", "of a manifest, an adapter's format, the operator", HARMLESS, follows=True
)
CONFIGURATION: Final = Topic(
    "configuration", "configuration", "RenderConfig else: agents tell what it does to them", HARMLESS
)
SHAPE: Final = Topic(
    "shape",
    "shape",
    "of every ActorTemplate: where a target has what, and what is fixed",
    HARMLESS,
    follows=True,
)
EDIT: Final = Topic("edit", "edit", "of a field that other rows tell, with no effect on any", HARMLESS)
RETAINED: Final = Topic("retained", "retained", "an earlier revision that stays", HARMLESS)

TOPICS: Final = tuple(topic for topic in tuple(globals().values()) if isinstance(topic, Topic))
"""Every row, the weightiest first."""

RANK: Final = {topic.name: rank for rank, topic in enumerate(TOPICS)}
"""The place of each topic in the table."""
