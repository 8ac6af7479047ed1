"""Whether the Component of each PlatformAgent is current, and which input made it stale."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kagent_render.diagnostics.diagnostic import PlatformAgentRef
from kagent_render.diagnostics.reasons import Reason
from kagent_render.emit.layout import Role, lock_path, place_of
from kagent_render.preparation.output_files import RENDER

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kagent_render.api.hub import Inventory
    from kagent_render.diagnostics.diagnostic import Diagnostic
    from kagent_render.preparation.agent_output import LockedPlatformAgent
    from kagent_render.preparation.output_files import OutputFiles
    from kagent_render.revision.staleness import Cause
    from kagent_render.source.config import RenderConfig
    from kagent_render.source.document import Document


UPDATE: Final = "run `kagent-render render --update-images` and commit the result"
"""The hint against what a registry says otherwise than the lock: the lock's word counts without it."""

_IMAGE: Final = ("spec", "image")


class AgentCurrency:
    """The findings of one comparison: by agent, and about agents that are gone.

    `newer` are agents whose lock a newer release wrote. `asked_anew`: the run took no lock's word of images.
    """

    def __init__(
        self,
        agents: Mapping[PlatformAgentRef, LockedPlatformAgent],
        files: OutputFiles,
        inventory: Inventory,
        config: RenderConfig,
        *,
        asked_anew: bool = False,
    ) -> None:
        self._image_hint = UPDATE if asked_anew else RENDER
        self._files = files
        self._inventory = inventory
        self._config = config
        self.newer: set[PlatformAgentRef] = set()
        self.by_agent = {ref: list(self._check(ref, locked)) for ref, locked in agents.items()}
        self.gone = list(self._gone())

    @property
    def findings(self) -> list[Diagnostic]:
        """Every finding."""
        return [*(found for own in self.by_agent.values() for found in own), *self.gone]

    def hindering(self, ref: PlatformAgentRef) -> Iterator[Diagnostic]:
        """Why an agent must not be overwritten."""
        if ref in self.newer:
            yield from self.by_agent[ref]

    def _check(self, ref: PlatformAgentRef, locked: LockedPlatformAgent) -> Iterator[Diagnostic]:
        path, files = lock_path(ref), self._files
        if path in files.missing:
            yield files.fault(path, Reason.LOCK_MISSING, f"the platform agent `{ref}` has no lock")
        elif path in files.changed:
            yield from self._stale(path, ref, locked)
        else:
            yield from (files.drifted(other, ref) for other in files.differing_of[ref])

    def _stale(self, path: str, ref: PlatformAgentRef, locked: LockedPlatformAgent) -> Iterator[Diagnostic]:
        """Why the lock on disk is not the one prepared now."""
        from kagent_render.agentplugin.lock_reading import read_agent_lock
        from kagent_render.agentplugin.staleness import find_causes
        from kagent_render.revision.lock_file import LockFault, LockProblem

        text = self._files.read(path)
        found = read_agent_lock(text, self._files.full(path))
        if isinstance(found, LockProblem):
            if found.fault is LockFault.NEWER:
                self.newer.add(ref)
            yield found.diagnostic
            return
        for cause in find_causes(found, locked.lock):
            yield self._of_cause(cause, path, ref, text)

    def _of_cause(self, cause: Cause, path: str, ref: PlatformAgentRef, text: bytes) -> Diagnostic:
        message = f"the lock of the platform agent `{ref}` is stale: {cause.message}"
        document = self._document(cause, ref.namespace)
        if document is None:
            return self._files.fault(path, Reason.LOCK_STALE, message, line=_entry_line(text, cause))
        hint = self._image_hint if cause.field == _IMAGE else RENDER
        # What was edited may be a variable or a config, and its line may hold a credential.
        return document.fault(Reason.LOCK_STALE, cause.field, message, hint=hint, sensitive=True)

    def _document(self, cause: Cause, namespace: str) -> Document | None:
        key = (namespace, cause.name)
        match cause.kind:
            case "RenderConfig":
                return self._config.document
            case "AgentPlugin":
                plugin = self._inventory.agent_plugins.get(key)
                return plugin.document if plugin is not None else None
            case "PlatformAgent":
                agent = self._inventory.platform_agents.get(key)
                return agent.document if agent is not None else None
        return None

    def _gone(self) -> Iterator[Diagnostic]:
        """Components of agents that have no manifest any more."""
        for path in self._files.comparison.orphaned:
            place = place_of(path)
            if place is None or not isinstance(place.owner, PlatformAgentRef):
                continue
            if place.role is Role.LOCK:
                message = f"no manifest of the platform agent `{place.owner}` is left"
                yield self._files.fault(path, Reason.LOCK_STALE, message)
            elif lock_path(place.owner) not in self._files.comparison.orphaned:
                message = f"`{self._files.full(path)}` belongs to no platform agent"
                yield self._files.fault(path, Reason.OUTPUT_DRIFT, message)


def _entry_line(text: bytes, cause: Cause) -> int:
    """Where a lock names a plugin that has no manifest any more; its first line for anything else."""
    return text.count(b"\n", 0, text.find(f"\n  - name: {cause.name}\n".encode()) + 1) + 1
