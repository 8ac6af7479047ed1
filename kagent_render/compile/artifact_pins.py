"""A template's skills and plugins: what was selected of each artifact, pinned by content."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kagent_render.api.hub import ArtifactSource
from kagent_render.artifacts.package import Package
from kagent_render.artifacts.selection import LockedContent, Selection
from kagent_render.compile.bundle import ResolvedSkill
from kagent_render.compile.environment import Provenance
from kagent_render.compile.resolved import PinnedArtifact, PinnedSkill
from kagent_render.diagnostics.diagnostic import Severity
from kagent_render.diagnostics.reasons import Reason

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from kagent_render.api.hub import AgentTemplate
    from kagent_render.artifacts.failure import ArtifactFailure
    from kagent_render.artifacts.skills.finding import Finding
    from kagent_render.diagnostics.diagnostic import Diagnostic, FieldPath

    Packages = Mapping[ArtifactSource, Package | LockedContent | ArtifactFailure]


_GRAVITY: Final = (Severity.ERROR, Severity.WARNING, Severity.INFO)


@dataclass(frozen=True, slots=True)
class PinnedContent:
    """The skills of one template, in its order, and the artifacts that hold them."""

    skills: tuple[ResolvedSkill, ...]
    artifacts: tuple[PinnedArtifact, ...]


def artifact_fields(template: AgentTemplate) -> Iterator[tuple[FieldPath, ArtifactSource]]:
    """Every field of a template that names a source, in its order."""
    for index, skill in enumerate(template.skills):
        yield ("spec", "skills", index, "source"), skill.source
    for index, plugin in enumerate(template.plugins):
        yield ("spec", "plugins", index, "source"), plugin.source


def pin_artifacts(template: AgentTemplate, packages: Packages) -> tuple[PinnedContent, list[Diagnostic]]:
    """Select and digest what a template names, with every fault at the field that names it."""
    pinning = _Pinning(template, packages)
    pinning.faults += check_skill_names(template)
    for index, skill in enumerate(template.skills):
        pinning.add_skill(index, skill.name, skill.source)
    for index, plugin in enumerate(template.plugins):
        pinning.add_plugin(index, plugin.source, plugin.skills)
    return PinnedContent(tuple(pinning.skills), tuple(pinning.artifacts)), pinning.faults


def check_skill_names(template: AgentTemplate) -> Iterator[Diagnostic]:
    """Names that a template selects twice, told before any artifact is read."""
    selected: list[tuple[str, FieldPath]] = [
        *((skill.name, ("spec", "skills", index, "name")) for index, skill in enumerate(template.skills)),
        *(
            (name, ("spec", "plugins", index, "skills", position))
            for index, plugin in enumerate(template.plugins)
            for position, name in enumerate(plugin.skills)
        ),
    ]
    known: set[str] = set()
    for name, field in selected:
        directory = unicodedata.normalize("NFKC", name)
        if directory in known:
            yield template.document.fault(
                Reason.DUPLICATE_SKILL_NAME,
                field,
                f"the template selects two skills named `{name}`",
                hint="select it from one source only",
            )
        known.add(directory)


class _Pinning:
    """One template's artifacts as they are read; `faults` collects what is wrong with all of them."""

    def __init__(self, template: AgentTemplate, packages: Packages) -> None:
        self.skills: list[ResolvedSkill] = []
        self.artifacts: list[PinnedArtifact] = []
        self.faults: list[Diagnostic] = []
        self._document = template.document
        self._packages = packages

    def add_skill(self, index: int, name: str, source: ArtifactSource) -> None:
        """Pin a standalone skill."""
        field: FieldPath = ("spec", "skills", index)
        outcome = self._outcome(source, (*field, "source"), (name,), plugin=False)
        if isinstance(outcome, Package):
            outcome = self._read_skill(outcome, source, name, field)
        if outcome is not None:
            self._select(name, source, outcome.skills[name], (*field, "name"))
            self._pin(source, outcome)

    def add_plugin(self, index: int, source: ArtifactSource, selected: tuple[str, ...]) -> None:
        """Pin a plugin's selected skills; each becomes a skill by itself (DESIGN 9)."""
        field: FieldPath = ("spec", "plugins", index)
        outcome = self._outcome(source, (*field, "source"), selected, plugin=True)
        if isinstance(outcome, Package):
            outcome = self._read_plugin(outcome, source, selected, field)
        if outcome is None:
            return
        for position, name in enumerate(selected):
            path = "/".join(filter(None, (source.path, "skills", name)))
            own = ArtifactSource(source.origin, path)
            self._select(name, own, outcome.skills[name], (*field, "skills", position))
        self._pin(source, outcome)

    def _read_skill(
        self, package: Package, source: ArtifactSource, name: str, field: FieldPath
    ) -> Selection | None:
        from kagent_render.artifacts.skills.skill import read_skill

        reading = read_skill(package, name)
        self._report(source, reading.findings, field, ())
        if reading.content is None:
            return None
        digest = reading.content.digest
        return Selection(digest, {name: digest}, place=package.place)

    def _read_plugin(
        self, package: Package, source: ArtifactSource, selected: tuple[str, ...], field: FieldPath
    ) -> Selection | None:
        from kagent_render.artifacts.skills.plugin import read_plugin

        reading = read_plugin(package, selected)
        self._report(source, reading.findings, (*field, "source"), (*field, "skills"))
        content = reading.content
        if content is None:
            return None
        skills = {skill.name: skill.digest for skill in content.skills}
        manifest = (content.manifest.name, content.manifest.version)
        return Selection(content.tree_digest, skills, manifest, package.place)

    def _outcome(
        self, source: ArtifactSource, field: FieldPath, names: tuple[str, ...], *, plugin: bool
    ) -> Package | Selection | None:
        """The artifact, or what a lock pins of it; None, with a fault at `field`, where there is neither."""
        outcome = self._packages[source]
        if isinstance(outcome, Package):
            return outcome
        locked = outcome.selection(names, plugin=plugin) if isinstance(outcome, LockedContent) else None
        if locked is None:
            failure = _failure(source, outcome, names, plugin=plugin)
            self._tell(failure.reason, field, failure.message, failure.hint)
            return None
        self._tell(
            Reason.ARTIFACT_NOT_READ,
            field,
            "the content is not at hand offline, so that its digests are those of the lock",
            "run `kagent-render verify` where there is a network to read it again",
            Severity.INFO,
        )
        return locked

    def _pin(self, source: ArtifactSource, selection: Selection) -> None:
        from kagent_render.artifacts.source_identity import source_identity

        skills = tuple(PinnedSkill(name, digest) for name, digest in selection.skills.items())
        identity = source_identity(source)
        self.artifacts.append(
            PinnedArtifact(identity, selection.tree_digest, selection.manifest, skills, selection.place)
        )

    def _tell(
        self,
        reason: Reason,
        field: FieldPath,
        message: str,
        hint: str | None,
        severity: Severity = Severity.ERROR,
    ) -> None:
        self.faults.append(self._document.fault(reason, field, message, hint=hint, severity=severity))

    def _report(
        self, source: ArtifactSource, findings: Iterable[Finding], field: FieldPath, selection: FieldPath
    ) -> None:
        """Tell findings at their fields; those of one reason and field are one, as grave as the gravest."""
        groups: dict[tuple[Reason, FieldPath], list[Finding]] = {}
        for finding in findings:
            at = field if finding.selection is None else (*selection, finding.selection)
            groups.setdefault((finding.reason, at), []).append(finding)
        for (reason, at), same in groups.items():
            gravest = min(same, key=lambda finding: _GRAVITY.index(finding.severity))
            message = "; ".join(finding.message for finding in same)
            hint = gravest.hint or next((finding.hint for finding in same if finding.hint), None)
            if not gravest.is_error:
                message = f"{_text(source)}: {message}"
            self._tell(reason, at, message, hint, gravest.severity)

    def _select(self, name: str, source: ArtifactSource, digest: str, field: FieldPath) -> None:
        self.skills.append(ResolvedSkill(name, source, digest, Provenance(self._document, field)))


def _failure(
    source: ArtifactSource, outcome: LockedContent | ArtifactFailure, names: tuple[str, ...], *, plugin: bool
) -> ArtifactFailure:
    """Why there is no content; locks that disagree on it are the graver fault than that it is not at hand."""
    from kagent_render.artifacts.failure import ArtifactFailure

    if not isinstance(outcome, LockedContent):
        return outcome
    contradiction = outcome.contradiction(names, plugin=plugin)
    if contradiction is None:
        return outcome.failure
    expected, found = contradiction
    return ArtifactFailure(
        Reason.ARTIFACT_DIGEST_MISMATCH,
        f"locks of this root pin two contents of {_text(source)}, which is not at hand offline:"
        f" expected `{expected}` by one, got `{found}` from another",
        hint="either a lock was edited, or prepared from a source that was tampered with: restore the locks"
        " from Git, or run `kagent-render verify` where there is a network to see which is right",
    )


def _text(source: ArtifactSource) -> str:
    from kagent_render.artifacts.source_identity import source_text

    return source_text(source)
