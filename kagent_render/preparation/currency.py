"""Whether the output is current: what is missing, stale or edited, and which input made it so."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from kagent_render.diagnostics.diagnostic import PairRef
from kagent_render.diagnostics.reasons import Condition, Reason
from kagent_render.emit.comparison import drift
from kagent_render.emit.layout import ATTRIBUTES, Role, lock_path, manifest_path, place_of
from kagent_render.emit.plan import attributes_text
from kagent_render.preparation.output_files import RENDER

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kagent_render.api.hub import AgentTemplate, ArtifactSource, Inventory
    from kagent_render.api.sourced import Sourced
    from kagent_render.diagnostics.diagnostic import Diagnostic, FieldPath
    from kagent_render.emit.comparison import Comparison
    from kagent_render.preparation.output import LockedPair, PlannedOutput
    from kagent_render.preparation.output_files import OutputFiles
    from kagent_render.revision.lock import Lock, LockedArtifact
    from kagent_render.revision.staleness import Cause
    from kagent_render.source.config import RenderConfig
    from kagent_render.source.document import Document

_NAMED = 3


class Currency:
    """The findings of one comparison: by pair, and of the output folder as a whole."""

    def __init__(
        self,
        planned: PlannedOutput,
        files: OutputFiles,
        inventory: Inventory,
        config: RenderConfig,
        records: Mapping[str, Document],
    ) -> None:
        self.comparison = files.comparison
        self._files = files
        self._inventory = inventory
        self._config = config
        self._records = records
        self.newer: set[PairRef] = set()
        self._causes: dict[object, tuple[str, list[PairRef]]] = {}
        self._failed = any(isinstance(owner, PairRef) for owner in planned.plan.kept)
        # What cannot be written as it is prepared is not current, and to render would not make it so.
        refused = {
            found.pair for found in planned.diagnostics if found.reason.condition is Condition.COMPATIBLE
        }
        self.by_pair: dict[PairRef, list[Diagnostic]] = {
            pair: [] if pair in refused else list(self._check_pair(pair, locked))
            for pair, locked in planned.pairs.items()
        }
        self.general = [*self._gone(), *self._shared(), *drift(self.comparison, config.output)]

    @property
    def findings(self) -> list[Diagnostic]:
        """Every finding; an edit that makes several locks stale is one, which names their pairs."""
        own = [found for pair in self.by_pair.values() for found in pair]
        return [*map(self._with_pairs, own), *self.general]

    def _with_pairs(self, found: Diagnostic) -> Diagnostic:
        cause, pairs = self._causes.get((found.reason, found.object, found.field), ("", []))
        if len(pairs) < 2:
            return found
        named = ", ".join(f"`{pair}`" for pair in pairs[:_NAMED])
        more = f" and {len(pairs) - _NAMED} more" if len(pairs) > _NAMED else ""
        message = f"{len(pairs)} locks are stale: {cause}; they are those of {named}{more}"
        return dataclasses.replace(found, message=message, pair=None)

    def _check_pair(self, pair: PairRef, locked: LockedPair) -> Iterator[Diagnostic]:
        path = lock_path(pair)
        if path in self._files.missing:
            yield self._files.fault(path, Reason.LOCK_MISSING, f"`{pair}` has no lock", pair)
        elif path in self._files.changed:
            yield from self._stale(path, pair, locked)
        else:
            yield from self._edited(pair, locked)

    def _stale(self, path: str, pair: PairRef, locked: LockedPair) -> Iterator[Diagnostic]:
        """Why the lock on disk is not the one prepared now."""
        from kagent_render.revision.lock import LockSchema
        from kagent_render.revision.lock_document import dump_lock
        from kagent_render.revision.lock_file import LockFault, LockProblem
        from kagent_render.revision.lock_reading import read_lock
        from kagent_render.revision.staleness import find_causes

        found = read_lock(self._files.read(path), self._files.full(path))
        known = found.lock if isinstance(found, LockProblem) else found
        mismatches = list(self._mismatches(known, locked)) if known is not None else []
        yield from mismatches
        if isinstance(found, LockProblem):
            if found.fault is LockFault.NEWER:
                self.newer.add(pair)
            yield found.diagnostic.of(pair)
        elif dump_lock(dataclasses.replace(found, schema=LockSchema())).encode() == locked.output.lock:
            return  # written by a later revision of the schema, which says the same and more
        elif not mismatches:
            for cause in find_causes(found, locked.lock):
                yield self._of_cause(cause, path, pair)

    def _mismatches(self, known: Lock, locked: LockedPair) -> Iterator[Diagnostic]:
        """Immutable sources that give other content than what is locked (DESIGN 8)."""
        from kagent_render.preparation.other_content import other_content
        from kagent_render.revision.staleness import changed_artifacts

        for other in changed_artifacts(known, locked.lock):
            field, source, template, place = _use_of(other.artifact, locked)
            failure = other_content(source, other.expected, other.found, place, other.skill)
            found = template.document.fault(failure.reason, field, failure.message, hint=failure.hint)
            yield found.of(locked.outcome.pair)

    def _of_cause(self, cause: Cause, path: str, pair: PairRef) -> Diagnostic:
        document = self._document(cause, pair.namespace)
        message = f"the lock of `{pair}` is stale: {cause.message}"
        if document is None:
            return self._files.fault(path, Reason.LOCK_STALE, message, pair)
        found = document.fault(Reason.LOCK_STALE, cause.field, message, hint=RENDER).of(pair)
        key = found.reason, found.object, found.field
        self._causes.setdefault(key, (cause.message, []))[1].append(pair)
        return found

    def _document(self, cause: Cause, namespace: str) -> Document | None:
        inventory, key = self._inventory, (namespace, cause.name)
        match cause.kind:
            case "RenderConfig":
                return self._config.document
            case "CapabilityRecord":
                return self._records.get(cause.name)
            case "Harness":
                found: Sourced | None = inventory.harnesses.get(key)
            case "AgentTemplate":
                found = inventory.templates.get(key)
            case "ModelConfig":
                found = inventory.model_configs.get(key)
            case "ConfigMap":
                found = inventory.config_maps.get(key)
            case "RemoteMCPServer" | "MCPServer":
                found = inventory.mcp_servers.get((cause.kind, *key))
            case _:
                found = inventory.secrets.get(key)
        return found.document if found is not None else None

    def _edited(self, pair: PairRef, locked: LockedPair) -> Iterator[Diagnostic]:
        """Files of a pair whose lock is current although they are not."""
        otherwise = list(self._otherwise_protected(pair, locked))
        if otherwise:
            message = f"the manifests of `{pair}` have the annotations of another `spec.retention.protect`"
            field = ("spec", "retention", "protect")
            yield self._config.document.fault(Reason.LOCK_STALE, field, message, hint=RENDER).of(pair)
        for path in self._files.differing_of[pair]:
            if path not in otherwise:
                yield self._files.drifted(path, pair)

    def _otherwise_protected(self, pair: PairRef, locked: LockedPair) -> Iterator[str]:
        """Manifests that are what the other setting of `retention.protect` would give."""
        from kagent_render.target.generations import generation_of

        compiled = locked.outcome.compiled
        assert compiled is not None
        generation = generation_of(compiled.target)
        for _, manifest in compiled.boundaries if self._files.differing_of[pair] else ():
            path = manifest_path(pair, manifest.name)
            if path in self._files.changed:
                other = generation.otherwise_protected(manifest.built.value)
                content = dataclasses.replace(manifest.built, value=other).content if other else None
                if content is not None and self._files.holds(path, content):
                    yield path

    def _gone(self) -> Iterator[Diagnostic]:
        """Locks and manifests of pairs that nothing asks for, and manifests that nothing needs any more."""
        owners = {path: place.pair for path in self.comparison.orphaned if (place := place_of(path))}
        gone = {pair: path for path, pair in owners.items() if pair and _role(path) is Role.LOCK}
        for pair, path in gone.items():
            yield self._files.fault(
                path, Reason.LOCK_STALE, f"nothing asks for the pair `{pair}` any more", pair
            )
        told = {*gone, *(pair for pair, found in self.by_pair.items() if found)}
        for path, owner in owners.items():
            if owner is not None and owner not in told:
                message = f"`{self._files.full(path)}` belongs to no revision of `{owner}`"
                yield self._files.fault(path, Reason.OUTPUT_DRIFT, message, owner)
        for differing, paths in self._files.differing_of.items():
            if isinstance(differing, PairRef) and differing not in gone and differing not in self.by_pair:
                yield from (self._files.drifted(path, differing) for path in paths)

    def _shared(self) -> Iterator[Diagnostic]:
        """Files that serve several pairs: a finding of their own only where the pairs are the same."""
        if any(_role(path) is Role.LOCK for path in (*self.comparison.missing, *self.comparison.orphaned)):
            return
        for path in self._files.differing_of[None]:
            if path != ATTRIBUTES or path in self._files.missing or not self._is_of_another_target():
                yield self._files.drifted(path)
            elif not self._tells_of_target():
                message = f"`{self._files.full(path)}` is what another `spec.target` gives"
                yield self._files.fault(path, Reason.OUTPUT_DRIFT, message)

    def _is_of_another_target(self) -> bool:
        texts = (attributes_text(carried=carried) for carried in (True, False))
        return any(self._files.holds(ATTRIBUTES, text) for text in texts)

    def _tells_of_target(self) -> bool:
        """Whether locks are told to be stale, too, or cannot be: their pairs failed, and say why."""
        found = (found.reason for pair in self.by_pair.values() for found in pair)
        return self._failed or Reason.LOCK_STALE in found


def _role(path: str) -> Role | None:
    place = place_of(path)
    return place.role if place is not None else None


def changed_paths(comparison: Comparison, output: str) -> list[str]:
    """Every path that rendering would write or remove, from the root."""
    return [f"{output}/{path}" for path in comparison.stale]


def _use_of(
    artifact: LockedArtifact, locked: LockedPair
) -> tuple[FieldPath, ArtifactSource, AgentTemplate, str]:
    """The first field of the pair's templates that names an artifact's source, and where it was read."""
    from kagent_render.artifacts.source_identity import source_identity
    from kagent_render.compile.artifact_pins import artifact_fields

    compiled = locked.outcome.compiled
    assert compiled is not None
    for node in compiled.nodes:
        pins = compiled.resolved[node.template.name].artifacts
        places = {pin.tree_digest: pin.place for pin in pins if pin.identity == artifact.source}
        for field, source in artifact_fields(node.template):
            if source_identity(source) == artifact.source:
                return field, source, node.template, places.get(artifact.tree_digest, "")
    raise LookupError("a lock names only sources of its own templates")
