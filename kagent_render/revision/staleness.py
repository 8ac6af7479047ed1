"""Why a lock is stale: each input that differs between the committed lock and the one prepared now."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final

from kagent_render.revision.canonical_json import compact

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from kagent_render.diagnostics.diagnostic import FieldPath
    from kagent_render.revision.lock import Lock, LockedArtifact, LockedHarness, LockedTemplate

_SECRETS: Final = ("Secret", "SealedSecret", "ExternalSecret")


@dataclass(frozen=True, slots=True)
class Cause:
    """One difference: the object it is about, its field where that is known, and a sentence.

    `kind` is empty for what belongs to no object of the repository.
    """

    message: str
    kind: str = ""
    name: str = ""
    field: FieldPath = ()


UNEXPLAINED: Final = Cause("this release writes the same inputs otherwise")
"""What is left where no input differs: the program does."""


def find_causes(old: Lock, new: Lock) -> list[Cause]:
    """Every cause, sources first; what merely follows from one of them is not a cause of its own."""
    causes = list(dict.fromkeys((*_source_causes(old, new), *_release_causes(old, new))))
    return causes or list(_record_causes(old, new)) or [UNEXPLAINED]


def is_of_another_release(old: Lock, new: Lock, own_records: Collection[str] = ()) -> bool:
    """Whether no input differs, so that another release of the program wrote the same otherwise.

    `own_records` are the capability records of the repository, which are inputs as well.
    """
    recorded = old.capabilities == new.capabilities or new.capabilities.record not in own_records
    return recorded and old.retained == new.retained and not list(_source_causes(old, new))


def _source_causes(old: Lock, new: Lock) -> Iterator[Cause]:
    if old.target != new.target:
        yield Cause(
            f"the target changed from `{old.target}` to `{new.target}`",
            "RenderConfig",
            "kagent-render",
            ("spec", "target"),
        )
    yield from _harness(old.harness, new.harness)
    yield from _templates(old.templates, new.templates)
    yield from _inputs(old, new)


def _harness(old: LockedHarness, new: LockedHarness) -> Iterator[Cause]:
    moved = old.name == new.name and old.api_version != new.api_version
    if moved:
        yield _of_another_version("Harness", new.name)
    if old.spec_digest != new.spec_digest:
        yield from _spec_causes("Harness", new.name, old.fields, new.fields, moved=moved)


def _templates(old: Iterable[LockedTemplate], new: Iterable[LockedTemplate]) -> Iterator[Cause]:
    """Templates by name: one that stands at several places of the tree is edited once."""
    before = {template.name: template for template in old}
    after = {template.name: template for template in new}
    for name in sorted(before.keys() & after.keys()):
        was, now = before[name], after[name]
        moved = was.api_version != now.api_version
        if moved:
            yield _of_another_version("AgentTemplate", name)
        if was.spec_digest != now.spec_digest:
            yield from _spec_causes("AgentTemplate", name, was.fields, now.fields, moved=moved)
        if dict(was.labels) != dict(now.labels):
            message = f"the labels of AgentTemplate `{name}` were edited"
            yield Cause(message, "AgentTemplate", name, ("metadata", "labels"))


def _of_another_version(kind: str, name: str) -> Cause:
    return Cause(f"{kind} `{name}` is of another version", kind, name, ("apiVersion",))


def _spec_causes(
    kind: str, name: str, old: Mapping[str, str], new: Mapping[str, str], *, moved: bool
) -> Iterator[Cause]:
    """The edits of a spec; fields that another version added or removed follow from the version."""
    if not moved:
        yield from field_causes(kind, name, old, new)
    elif in_both := {field for field in old.keys() & new.keys() if old[field] != new[field]}:
        yield from field_causes(
            kind, name, {field: old[field] for field in in_both}, {field: new[field] for field in in_both}
        )


def field_causes(kind: str, name: str, old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[Cause]:
    """Each top-level field of a spec whose digest differs; the spec as a whole where none is known to."""
    edited = [field for field in sorted({*old, *new}) if old.get(field) != new.get(field)]
    for field in edited:
        verb = (
            "edited in" if field in old and field in new else "added to" if field in new else "removed from"
        )
        yield Cause(f"`spec.{field}` was {verb} {kind} `{name}`", kind, name, ("spec", field))
    if not edited:
        yield Cause(f"{kind} `{name}` was edited", kind, name, ("spec",))


def _inputs(old: Lock, new: Lock) -> Iterator[Cause]:
    """Inputs whose content differs; one that came or went follows from the edit of what refers to it.

    Only the keys of a Secret come and go by themselves: a reference needs no manifest.
    """
    yield from _secrets(old, new, "are listed by no {kind} any more")
    yield from _secrets(new, old, "are listed by {kind} `{name}` now")
    before = {(entry.kind, entry.name, entry.key): entry for entry in old.inputs}
    for entry in new.inputs:
        known = before.get((entry.kind, entry.name, entry.key))
        if known is None or (known.digest, known.api_version) == (entry.digest, entry.api_version):
            continue
        if entry.kind == "RenderConfig":
            yield Cause(
                f"`{entry.key}` was edited in RenderConfig",
                entry.kind,
                entry.name,
                tuple((entry.key or "").split(".")),
            )
        elif entry.kind == "ConfigMap":
            message = f"the key `{entry.key}` of ConfigMap `{entry.name}` was edited"
            yield Cause(message, entry.kind, entry.name, ("data", entry.key or ""))
        elif entry.kind in _SECRETS:
            yield Cause(f"{entry.kind} `{entry.name}` has other keys", entry.kind, entry.name)
        else:
            if known.api_version != entry.api_version:
                yield _of_another_version(entry.kind, entry.name)
            if known.digest != entry.digest:
                yield Cause(f"{entry.kind} `{entry.name}` was edited", entry.kind, entry.name, ("spec",))


def _secrets(having: Lock, lacking: Lock, told: str) -> Iterator[Cause]:
    """Manifests of Secrets that one lock has and the other lacks, although both take values of the Secret."""
    known = {(entry.kind, entry.name) for entry in lacking.inputs}
    taken = {found.name for found in having.credentials} & {found.name for found in lacking.credentials}
    for entry in having.inputs:
        if entry.kind in _SECRETS and entry.name in taken and (entry.kind, entry.name) not in known:
            listed = told.format(kind=entry.kind, name=entry.name)
            yield Cause(f"the keys of Secret `{entry.name}` {listed}", entry.kind, entry.name)


@dataclass(frozen=True, slots=True)
class OtherContent:
    """An artifact whose source is pinned already, with other content.

    The digests are those of `skill`, or of all that is selected where that is None.
    """

    artifact: LockedArtifact
    expected: str
    found: str
    skill: str | None = None


def changed_artifacts(old: Lock, new: Lock) -> Iterator[OtherContent]:
    """Artifacts of which the old lock knows other content: of the whole selection, or of one skill of it."""
    before = {key: digest for artifact in old.artifacts for key, _, digest in _digests(artifact)}
    for artifact in new.artifacts:
        differing = (
            OtherContent(artifact, before[key], digest, skill)
            for key, skill, digest in _digests(artifact)
            if before.get(key, digest) != digest
        )
        yield from islice(differing, 1)


def _digests(artifact: LockedArtifact) -> Iterator[tuple[tuple[str, frozenset[str] | str], str | None, str]]:
    """What each digest is of, wherever in the tree it was selected, then its skill and the digest itself."""
    source = compact(dict(artifact.source))
    yield (source, frozenset(skill.name for skill in artifact.skills)), None, artifact.tree_digest
    for skill in artifact.skills:
        yield (source, skill.name), skill.name, skill.digest


def _release_causes(old: Lock, new: Lock) -> Iterator[Cause]:
    """What another release of the program prepares otherwise."""
    adapters = {boundary.path: boundary.adapter for boundary in old.boundaries}
    for boundary in new.boundaries:
        was = adapters.get(boundary.path, boundary.adapter)
        if was != boundary.adapter:
            yield Cause(
                f"the adapter `{boundary.adapter.name}` writes format {boundary.adapter.format},"
                f" the lock has `{was.name}` format {was.format}"
            )
    was_record, record = old.capabilities, new.capabilities
    if was_record.record != record.record:
        message = f"the capability record is `{record.record}`, the lock has `{was_record.record}`"
        yield Cause(message, "CapabilityRecord", record.record)
    elif was_record != record:
        message = f"the capability record `{record.record}` changed"
        yield Cause(message, "CapabilityRecord", record.record, ("spec",))


def _record_causes(old: Lock, new: Lock) -> Iterator[Cause]:
    """What changes a lock while everything that it pins stays as it was."""
    if old.retained != new.retained:
        yield Cause("the retained revisions are not those that the committed lock calls for")
    if old.schema != new.schema:
        yield Cause("the lock has another schema revision")
