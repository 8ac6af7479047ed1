"""What is in the vendored store otherwise than `vendor` would write it, as findings with their lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kagent_render.artifacts.source_identity import nameable_source, source_text
from kagent_render.artifacts.store.index import INDEX, STORE
from kagent_render.artifacts.store.plan import (
    ATTRIBUTES_NAME,
    INDEX_NAME,
    ArtifactState,
    content_name,
    is_leftover,
)
from kagent_render.diagnostics.diagnostic import Diagnostic, Severity, SourcePosition
from kagent_render.diagnostics.difference import first_difference
from kagent_render.diagnostics.reasons import Reason

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kagent_render.artifacts.source_identity import Identity
    from kagent_render.artifacts.store.plan import PresentStore, StorePlan

_ADDED: Final = ArtifactState.ADDED
_REMOVED: Final = ArtifactState.REMOVED
_VENDOR: Final = "run `kagent-render vendor` and commit the result"


def store_drift(plan: StorePlan, present: PresentStore) -> list[Diagnostic]:
    """One StoreDrift for each thing that writing the plan would change, artifacts that it adds apart."""
    return [*_unused(plan, present), *_files(plan, present)]


def foreign_files(plan: StorePlan) -> list[Diagnostic]:
    """A warning for each thing in the store's folder that is not ours."""
    message = f"this is not part of the vendored store, and stays in `{STORE}`"
    hint, severity = "move it out of there", Severity.WARNING
    return [_drift(f"{STORE}/{name}", message, hint=hint, severity=severity) for name in plan.foreign]


def identity_text(identity: Identity) -> str:
    """An entry's source in a sentence."""
    source = nameable_source(identity)
    return source_text(source) if source is not None else "a source that no manifest can name"


def _unused(plan: StorePlan, present: PresentStore) -> Iterator[Diagnostic]:
    gone = [artifact for artifact in plan.artifacts if artifact.state is _REMOVED]
    for artifact in gone:
        yield _drift(INDEX, f"no template uses {identity_text(artifact.identity)}", artifact.line)
    named = {content_name(entry.digest) for entry in present.entries.values()}
    for name in plan.removed:
        path = f"{STORE}/{name}"
        if is_leftover(name):
            yield _drift(path, f"`{path}` was left there by a run that was killed")
        elif name not in named:
            yield _drift(path, f"no entry of `{INDEX}` names `{path}`")


def _files(plan: StorePlan, present: PresentStore) -> Iterator[Diagnostic]:
    """The two files, unless entries that come or go say enough of them."""
    states = {artifact.state for artifact in plan.artifacts}
    found = {ATTRIBUTES_NAME: present.attributes, INDEX_NAME: present.index}
    for name in plan.stale:
        told = states & ({_REMOVED} if plan.files[name] is None else {_ADDED, _REMOVED})
        if not told or (name == ATTRIBUTES_NAME and plan.files[name] is not None):
            yield _file(f"{STORE}/{name}", found[name], plan.files[name])


def _file(path: str, found: bytes | None, wanted: bytes | None) -> Diagnostic:
    if found is None:
        return _drift(path, f"`{path}` is missing")
    if wanted is None:
        return _drift(path, f"`{path}` stands where nothing is vendored")
    line = first_difference(wanted, found)
    return _drift(path, f"`{path}` was edited by hand, first in line {line}", line)


def _drift(
    path: str, message: str, line: int = 1, *, hint: str = _VENDOR, severity: Severity = Severity.ERROR
) -> Diagnostic:
    place = SourcePosition(path, line, 1)
    return Diagnostic(Reason.STORE_DRIFT, message, severity=severity, hint=hint, source=place, sensitive=True)
