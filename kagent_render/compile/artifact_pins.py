"""A template's skills and plugins: what was selected of each artifact, pinned by content."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kagent_render.api.hub import ArtifactSource
from kagent_render.compile.bundle import ResolvedSkill
from kagent_render.compile.environment import Provenance
from kagent_render.compile.resolved import PinnedArtifact, PinnedSkill
from kagent_render.diagnostics.reasons import Reason

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from kagent_render.api.hub import AgentTemplate
    from kagent_render.artifacts.failure import ArtifactFailure
    from kagent_render.artifacts.finding import Finding
    from kagent_render.artifacts.package import Package
    from kagent_render.diagnostics.diagnostic import Diagnostic, FieldPath, Severity


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


def pin_artifacts(
    template: AgentTemplate, packages: Mapping[ArtifactSource, Package | ArtifactFailure]
) -> tuple[PinnedContent, list[Diagnostic]]:
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
        if name in known:
            yield template.document.fault(
                Reason.DUPLICATE_SKILL_NAME,
                field,
                f"the template selects two skills named `{name}`",
                hint="select it from one source only",
            )
        known.add(name)


class _Pinning:
    """One template's artifacts as they are read; `faults` collects what is wrong with all of them."""

    def __init__(
        self, template: AgentTemplate, packages: Mapping[ArtifactSource, Package | ArtifactFailure]
    ) -> None:
        self.skills: list[ResolvedSkill] = []
        self.artifacts: list[PinnedArtifact] = []
        self.faults: list[Diagnostic] = []
        self._document = template.document
        self._packages = packages

    def add_skill(self, index: int, name: str, source: ArtifactSource) -> None:
        """Read a standalone skill."""
        from kagent_render.artifacts.skills import read_skill
        from kagent_render.artifacts.source_identity import source_identity

        field: FieldPath = ("spec", "skills", index)
        package = self._package(source, (*field, "source"))
        if package is None:
            return
        reading = read_skill(package, name)
        self._report(reading.findings, field, ())
        if reading.content is not None:
            digest = reading.content.digest
            self._select(name, source, digest, (*field, "name"))
            pin = PinnedSkill(name, digest)
            self.artifacts.append(PinnedArtifact(source_identity(source), digest, None, (pin,)))

    def add_plugin(self, index: int, source: ArtifactSource, selected: tuple[str, ...]) -> None:
        """Read a plugin's selected skills; each becomes a skill by itself (DESIGN 9)."""
        from kagent_render.artifacts.plugins import read_plugin
        from kagent_render.artifacts.source_identity import source_identity

        field: FieldPath = ("spec", "plugins", index)
        package = self._package(source, (*field, "source"))
        if package is None:
            return
        reading = read_plugin(package, selected)
        self._report(reading.findings, (*field, "source"), (*field, "skills"))
        content = reading.content
        if content is None:
            return
        for position, skill in enumerate(content.skills):
            path = "/".join(filter(None, (source.path, "skills", skill.name)))
            own = ArtifactSource(source.origin, path)
            self._select(skill.name, own, skill.digest, (*field, "skills", position))
        pins = tuple(PinnedSkill(skill.name, skill.digest) for skill in content.skills)
        manifest = (content.manifest.name, content.manifest.version)
        self.artifacts.append(PinnedArtifact(source_identity(source), content.tree_digest, manifest, pins))

    def _package(self, source: ArtifactSource, field: FieldPath) -> Package | None:
        from kagent_render.artifacts.failure import ArtifactFailure

        outcome = self._packages[source]
        if not isinstance(outcome, ArtifactFailure):
            return outcome
        self.faults.append(self._document.fault(outcome.reason, field, outcome.message, hint=outcome.hint))
        return None

    def _report(self, findings: Iterable[Finding], field: FieldPath, selection: FieldPath) -> None:
        """Tell findings at their fields; those of one reason and field are one fault."""
        groups: dict[tuple[Reason, Severity, FieldPath], list[Finding]] = {}
        for finding in findings:
            at = field if finding.selection is None else (*selection, finding.selection)
            groups.setdefault((finding.reason, finding.severity, at), []).append(finding)
        for (reason, severity, at), same in groups.items():
            message = "; ".join(finding.message for finding in same)
            hint = next((finding.hint for finding in same if finding.hint), None)
            self.faults.append(self._document.fault(reason, at, message, hint=hint, severity=severity))

    def _select(self, name: str, source: ArtifactSource, digest: str, field: FieldPath) -> None:
        self.skills.append(ResolvedSkill(name, source, digest, Provenance(self._document, field)))
