"""The lock of a PlatformAgent as values: everything that decides what its plugins become.

Digests are `sha256:<64 hex>`, those of fields 12 hex digits.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from kagent_render.revision.lock import LockSchema

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kagent_render.agentplugin.images import PluginImage, PullFailure

SCHEMA: Final = LockSchema(version=1, revision=1)
"""The newest schema: a reader refuses any other version, and passes over fields of later revisions."""


@dataclass(frozen=True, slots=True)
class LockedAgent:
    """The PlatformAgent; `annotations` are those of them that decide something."""

    api_version: str
    name: str
    spec_digest: str
    fields: Mapping[str, str]
    annotations: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LockedImageVolumes:
    """Whether image volumes are mounted; `kube_version` is RenderConfig's where that decided."""

    supported: bool
    decided_by: str
    kube_version: str | None = None


@dataclass(frozen=True, slots=True)
class LockedPlugin:
    """One plugin that names the agent, rendered or not.

    `config_digest` is over the text of `spec.config`; `image` is None where it was not resolved, with the
    `pull_failure` where its registry does not have it or refuses it.
    """

    name: str
    api_version: str
    spec_digest: str
    fields: Mapping[str, str]
    config_digest: str
    phase: str
    reason: str
    profile: str = ""
    image: PluginImage | None = None
    pull_failure: PullFailure | None = None


@dataclass(frozen=True, slots=True)
class AgentLock:
    """One agent's prepared plugins, their id in `revision` (`lock_document.seal` sets it).

    `config` has the digest of each key of the ConfigMap, `config_hash` is the pod's annotation, `files` has
    the digest of each file that is written before the lock. The order of `plugins` does not count.
    """

    namespace: str
    upstream: str
    agent: LockedAgent
    image_volumes: LockedImageVolumes
    plugins: tuple[LockedPlugin, ...]
    config: Mapping[str, str]
    config_hash: str
    files: Mapping[str, str] = field(default_factory=dict)
    schema: LockSchema = SCHEMA
    revision: str = ""


def pins_of(lock: AgentLock) -> dict[str, PluginImage]:
    """The images that a lock pins, by reference."""
    return {plugin.image.reference: plugin.image for plugin in lock.plugins if plugin.image is not None}


def pull_failures_of(lock: AgentLock) -> dict[str, PullFailure]:
    """The images that could not be had when a lock was written, by reference."""
    failures = (plugin.pull_failure for plugin in lock.plugins)
    return {failure.reference: failure for failure in failures if failure is not None}
