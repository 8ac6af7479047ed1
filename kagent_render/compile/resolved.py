"""A template with everything that it refers to looked up, once for all trees that hold it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kagent_render.api.hub import AgentTemplate
    from kagent_render.compile.bundle import ResolvedSkill
    from kagent_render.compile.mcp import ResolvedServer
    from kagent_render.compile.provider import Provider
    from kagent_render.diagnostics.diagnostic import ObjectRef
    from kagent_render.prompt.composition import Prompt


@dataclass(frozen=True, slots=True)
class UsedInput:
    """One object, or one key of it, whose content went into a template's resolution."""

    ref: ObjectRef
    key: str | None
    digest: str


@dataclass(frozen=True, slots=True)
class PinnedSkill:
    """A skill's name and the tree digest of its directory."""

    name: str
    digest: str


@dataclass(frozen=True, slots=True)
class PinnedArtifact:
    """One artifact as the lock records it; `identity` is its source in the lock's own shape.

    `place` says where its content was read; the lock does not record that.
    """

    identity: Mapping[str, object]
    tree_digest: str
    manifest: tuple[str, str | None] | None
    skills: tuple[PinnedSkill, ...]
    place: str = ""


@dataclass(frozen=True, slots=True)
class ResolvedTemplate:
    """What one template brings to every place where it stands; `servers` is by index in `spec.tools`."""

    template: AgentTemplate
    prompt: Prompt
    provider: Provider
    servers: Mapping[int, ResolvedServer]
    skills: tuple[ResolvedSkill, ...]
    artifacts: tuple[PinnedArtifact, ...]
    inputs: tuple[UsedInput, ...]
