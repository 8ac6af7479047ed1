"""The prepared-revision lock as values: everything that one pair pinned.

Binding paths are texts such as `planner/critic`; the root's is empty. Digests are `sha256:<64 hex>`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from kagent_render.revision.retained import RetainedRevision
from kagent_render.target.actor_template import manifest_path

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kagent_render.diagnostics.diagnostic import PairRef

SCHEMA_VERSION: Final = 1
"""A reader refuses any other version."""

SCHEMA_REVISION: Final = 1
"""Grows with fields that older readers may ignore."""


@dataclass(frozen=True, slots=True)
class LockSchema:
    """The schema that a lock follows."""

    version: int = SCHEMA_VERSION
    revision: int = SCHEMA_REVISION


@dataclass(frozen=True, slots=True)
class LockedHarness:
    """The Harness; `fields` names what changed when `spec_digest` no longer fits (see `field_digests`)."""

    api_version: str
    name: str
    variant: str
    image: str
    spec_digest: str
    fields: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class LockedTemplate:
    """One node of the tree; labels and description are for people and not part of the revision."""

    path: str
    name: str
    api_version: str
    spec_digest: str
    fields: Mapping[str, str]
    labels: Mapping[str, str]
    description: str = ""


@dataclass(frozen=True, slots=True)
class LockedBinding:
    """One agent binding; `boundary` is the path of the boundary that its node runs in."""

    path: str
    isolation: str
    boundary: str
    description: str


@dataclass(frozen=True, slots=True)
class LockedPrompt:
    """The system prompt of one node as the model gets it; `template` tells whether it was rendered."""

    path: str
    template: bool
    digest: str
    text: str


@dataclass(frozen=True, slots=True)
class LockedInput:
    """One object, or one key of it, that the revision depends on; `used_by` holds binding paths."""

    api_version: str
    kind: str
    name: str
    digest: str
    used_by: tuple[str, ...]
    key: str | None = None


@dataclass(frozen=True, slots=True)
class LockedSkill:
    """One skill of an artifact and the node that selected it."""

    name: str
    path: str
    digest: str


@dataclass(frozen=True, slots=True)
class PluginManifest:
    """What a package's `plugin.json` calls itself."""

    name: str
    version: str | None = None


@dataclass(frozen=True, slots=True)
class LockedArtifact:
    """One immutable artifact; `source` is plain data in the shape of a manifest's source block."""

    source: Mapping[str, Any]
    tree_digest: str
    skills: tuple[LockedSkill, ...]
    manifest: PluginManifest | None = None


@dataclass(frozen=True, slots=True)
class LockedHeader:
    """A header of one host where the egress gateway puts `prefix` and a credential."""

    hostname: str
    header: str
    prefix: str = ""


@dataclass(frozen=True, slots=True)
class LockedCredential:
    """One variable of one boundary that comes out of a Secret: name and key, never a value.

    `bindings` are the headers that carry it, where the egress gateway puts it in.
    """

    boundary: str
    env: str
    name: str
    key: str
    optional: bool = False
    bindings: tuple[LockedHeader, ...] = ()


@dataclass(frozen=True, slots=True)
class LockedEgress:
    """The origins that one boundary may reach, as `scheme://host:port`.

    `rules` are those of its actors' egress policy in protojson form; None where its target has no policy.
    """

    boundary: str
    origins: tuple[str, ...]
    rules: tuple[Mapping[str, Any], ...] | None = None


@dataclass(frozen=True, slots=True)
class LockedCapabilities:
    """The capability record that the Harness's runtime was held against."""

    record: str
    version: str
    digest: str


@dataclass(frozen=True, slots=True)
class Adapter:
    """What wrote a boundary's runtime configuration, and the configuration's format."""

    name: str
    format: str


@dataclass(frozen=True, slots=True)
class LockedBoundary:
    """One runtime boundary and its ActorTemplate; `spec_digest` is over the ActorTemplate's spec."""

    path: str
    adapter: Adapter
    requirements: tuple[str, ...]
    actor_template: str
    spec_digest: str

    @property
    def manifest(self) -> str:
        """The manifest's path from the lock's folder."""
        return manifest_path(self.actor_template)


@dataclass(frozen=True, slots=True)
class Lock:
    """One pair's prepared revision, its id in `revision` (`lock_document.seal` sets it).

    The order within a field does not count, except in `retained`.
    """

    pair: PairRef
    target: str
    harness: LockedHarness
    templates: tuple[LockedTemplate, ...]
    capabilities: LockedCapabilities
    bindings: tuple[LockedBinding, ...] = ()
    prompts: tuple[LockedPrompt, ...] = ()
    inputs: tuple[LockedInput, ...] = ()
    artifacts: tuple[LockedArtifact, ...] = ()
    credentials: tuple[LockedCredential, ...] = ()
    egress: tuple[LockedEgress, ...] = ()
    boundaries: tuple[LockedBoundary, ...] = ()
    retained: tuple[RetainedRevision, ...] = ()
    schema: LockSchema = LockSchema()
    revision: str = ""

    @property
    def actor_templates(self) -> tuple[str, ...]:
        """The names of the current revision's ActorTemplates, in the order of the boundaries."""
        return tuple(boundary.actor_template for boundary in self.boundaries)
