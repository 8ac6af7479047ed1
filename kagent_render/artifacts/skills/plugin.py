"""A skills-only Agent Plugins 1.0.0 client: the selected skills of a plugin, and nothing else of it."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final

from kagent_render.artifacts.failure import printable
from kagent_render.artifacts.skills.finding import Finding
from kagent_render.artifacts.skills.plugin_manifest import MANIFEST_FILE, PluginManifest, read_manifest
from kagent_render.artifacts.skills.skill import (
    SKILL_FILE,
    SkillContent,
    document_faults,
    skill_content,
    skill_faults,
)
from kagent_render.artifacts.tree_digest import tree_digest
from kagent_render.diagnostics.diagnostic import Severity
from kagent_render.diagnostics.reasons import Reason

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from kagent_render.artifacts.package import Package

_SKILLS: Final = "skills"
_SERVERS: Final = "mcp.json"
_NEIGHBOURS: Final = 100  # unselected skills that are looked at: a report, not a check
_EXTENSION_NAMESPACE: Final = re.compile(r"[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+")


@dataclass(frozen=True, slots=True)
class PluginContent:
    """What was selected of a plugin: `plugin.json` and the skills, with the tree digest over just these."""

    manifest: PluginManifest
    skills: tuple[SkillContent, ...]
    package: Package
    tree_digest: str


@dataclass(frozen=True, slots=True)
class PluginReading:
    """What a plugin's artifact gave; `content` is None when a finding is an error."""

    content: PluginContent | None
    findings: tuple[Finding, ...]


def read_plugin(package: Package, selected: Sequence[str]) -> PluginReading:
    """Load the plugin at the root of `package` and the skills that are `selected`, in that order."""
    manifest, findings = _manifest(package)
    if manifest is None:
        return PluginReading(None, findings)
    findings += (
        *_ignored_components(package),
        *_skills_location(package),
        *_selection_findings(package, selected),
        *_neighbour_findings(package, selected),
    )
    if any(finding.is_error for finding in findings):
        return PluginReading(None, findings)
    return PluginReading(_content(package, manifest, selected), findings)


def plugin_selection(package: Package, selected: Iterable[str]) -> Package:
    """What a lock pins of a plugin: its manifest and the folders of the selected skills."""
    return package.selection(MANIFEST_FILE, *(skill_directory(name) for name in selected))


def _manifest(package: Package) -> tuple[PluginManifest | None, tuple[Finding, ...]]:
    file = package.files.get(MANIFEST_FILE)
    if file is not None:
        return read_manifest(file.data)
    outside = MANIFEST_FILE in package.outside
    message = f"`{MANIFEST_FILE}` is a link that leaves the plugin" if outside else f"no `{MANIFEST_FILE}`"
    hint = "set `source.path` to the directory that holds `plugin.json`"
    return None, (Finding(Reason.PLUGIN_MANIFEST_INVALID, f"{message} at the plugin's root", hint=hint),)


def _content(package: Package, manifest: PluginManifest, selected: Sequence[str]) -> PluginContent:
    chosen = plugin_selection(package, selected)
    skills = tuple(skill_content(package.directory(skill_directory(name)), name) for name in selected)
    return PluginContent(manifest, skills, chosen, tree_digest(chosen))


def skill_directory(name: str) -> str:
    """Where a plugin has the skill of a name."""
    return f"{_SKILLS}/{unicodedata.normalize('NFC', name)}"


def _ignored_components(package: Package) -> Iterator[Finding]:
    if _SERVERS in (*package.files, *package.outside) or package.has_directory(_SERVERS):
        yield Finding(
            Reason.PLUGIN_MANIFEST_IGNORED,
            f"`{_SERVERS}` is ignored, so the plugin's MCP servers are not available",
            hint="bind an MCP server under `spec.tools` to use its tools",
            severity=Severity.INFO,
        )
    directories = [name for name in package.children("") if name != _SERVERS]
    extensions = [name for name in directories if _EXTENSION_NAMESPACE.fullmatch(name)]
    if extensions:
        listed = ", ".join(f"`{printable(name)}`" for name in extensions[:5])
        yield Finding(
            Reason.PLUGIN_MANIFEST_IGNORED,
            f"client extension directories are ignored: {listed}",
            severity=Severity.INFO,
        )


def _skills_location(package: Package) -> Iterator[Finding]:
    if _SKILLS in package.files:
        yield Finding(
            Reason.SKILL_INVALID,
            "`skills` is not a directory, so no skill is loaded",
            severity=Severity.WARNING,
        )
    elif not package.has_directory(_SKILLS) and any(_in_skills(path) for path in package.outside):
        yield Finding(
            Reason.SKILL_INVALID,
            "`skills` is a link that leaves the plugin, so no skill is loaded",
            severity=Severity.WARNING,
        )


def _selection_findings(package: Package, selected: Sequence[str]) -> Iterator[Finding]:
    if not selected:
        yield Finding(
            Reason.PLUGIN_UNUSED,
            "no skill is selected, so the plugin is pinned and nothing of it is used",
            hint="select skills under `skills`, or remove the plugin",
            severity=Severity.INFO,
        )
    for index, name in enumerate(selected):
        if not _is_skill(package, name):
            yield _missing(package, name, index)
            continue
        for fault, hint in skill_faults(package.directory(skill_directory(name)), name):
            yield Finding(
                Reason.SKILL_INVALID, f"skill `{printable(name)}`: {fault}", hint=hint, selection=index
            )


def _missing(package: Package, name: str, index: int) -> Finding:
    if f"{skill_directory(name)}/{SKILL_FILE}" in package.outside:
        message = f"skill `{printable(name)}`: `{SKILL_FILE}` is a link that leaves the plugin"
        return Finding(Reason.SKILL_INVALID, message, hint="replace it with a regular file", selection=index)
    present = [child for child in package.children(_SKILLS) if _is_skill(package, child)]
    listed = ", ".join(f"`{printable(child)}`" for child in present[:10]) or "no skill"
    return Finding(
        Reason.SKILL_NOT_FOUND,
        f"the plugin has no skill `{printable(name)}`",
        hint=f"select one of the plugin's skills: {listed}" if present else "the plugin has no skill at all",
        selection=index,
    )


def _neighbour_findings(package: Package, selected: Sequence[str]) -> Iterator[Finding]:
    """Broken skills that nobody selected: reported and otherwise without effect."""
    chosen = {unicodedata.normalize("NFC", name) for name in selected}
    faults = islice(_faults_by_skill(package, chosen), _NEIGHBOURS)
    for name, fault in faults:
        if fault:
            yield Finding(
                Reason.SKILL_INVALID,
                f"skill `{printable(name)}` is skipped and not selected: {fault}",
                severity=Severity.INFO,
            )


def _faults_by_skill(package: Package, chosen: set[str]) -> Iterator[tuple[str, str | None]]:
    """Each skill that is not `chosen`, with its first fault."""
    for name in package.children(_SKILLS):
        if name not in chosen and _is_skill(package, name):
            data = package.files[f"{skill_directory(name)}/{SKILL_FILE}"].data
            yield name, next((fault for fault, _ in document_faults(data, name)), None)
    for path in package.outside:
        parent, _, name = path.removesuffix(f"/{SKILL_FILE}").rpartition("/")
        if path.endswith(f"/{SKILL_FILE}") and parent == _SKILLS and name not in chosen:
            yield name, f"`{SKILL_FILE}` is a link that leaves the plugin"


def _in_skills(path: str) -> bool:
    return path == _SKILLS or path.startswith(f"{_SKILLS}/")


def _is_skill(package: Package, name: str) -> bool:
    return bool(name) and "/" not in name and f"{skill_directory(name)}/{SKILL_FILE}" in package.files
