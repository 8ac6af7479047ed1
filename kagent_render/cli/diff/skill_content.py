"""The files of skills that differ between two sides, where they are at hand without a network."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from kagent_render.artifacts.package import Package
from kagent_render.artifacts.skills.plugin import skill_directory
from kagent_render.artifacts.tree_digest import tree_digest
from kagent_render.cli.artifacts import get_artifacts
from kagent_render.review import topics
from kagent_render.review.change import Kind
from kagent_render.review.skill_files import NOT_AT_HAND, compare_files

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kagent_render.api.hub import AgentTemplate, ArtifactSource
    from kagent_render.cli.diff.reviewed_root import ReviewedRoot
    from kagent_render.cli.options import Settings
    from kagent_render.cli.progress import Progress
    from kagent_render.diagnostics.diagnostic import PairRef
    from kagent_render.review.change import Change
    from kagent_render.review.subject import Subject


class SkillContent:
    """Skills of one root on one side; artifacts are read when they are first asked for, and once."""

    def __init__(self, side: ReviewedRoot | None, settings: Settings, progress: Progress) -> None:
        self._side = side
        self._settings = dataclasses.replace(settings, offline=True)
        self._progress = progress
        self._known: dict[ArtifactSource, Package | None] = {}

    def of(self, pair: PairRef, path: str, name: str, digest: str | None) -> Package | None:
        """The skill that an agent selects under a name; None where nothing at hand has its digest."""
        for template in self._templates(pair, path):
            for source, folder in _places(template, name):
                package = self._package(source)
                found = package.directory(folder) if package is not None and folder else package
                if found is not None and tree_digest(found) == digest:
                    return found
        return None

    def _templates(self, pair: PairRef, path: str) -> Iterator[AgentTemplate]:
        preparation = self._side.preparation if self._side is not None else None
        for outcome in preparation.pairs if preparation is not None else ():
            if outcome.pair == pair and outcome.graph.tree is not None:
                yield from (node.template for node in outcome.graph.tree.nodes if node.path == path)

    def _package(self, source: ArtifactSource) -> Package | None:
        assert self._side is not None
        assert self._side.root.config is not None
        if source not in self._known:
            root, config = self._side.root, self._side.root.config
            found = get_artifacts(root, config, self._settings, [source], self._progress)[source]
            self._known[source] = found if isinstance(found, Package) else None
        return self._known[source]


def _places(template: AgentTemplate, name: str) -> Iterator[tuple[ArtifactSource, str]]:
    """Every source that a template takes a skill of that name from, and the skill's folder in it."""
    for skill in template.skills:
        if skill.name == name:
            yield skill.source, ""
    for plugin in template.plugins:
        if name in plugin.skills:
            yield plugin.source, skill_directory(name)


def with_files(subject: Subject, pair: PairRef, before: SkillContent, after: SkillContent) -> Subject:
    """The same subject, its skills compared file by file."""
    changes = tuple(_with_files(subject.changes, pair, before, after))
    return dataclasses.replace(subject, changes=changes)


def _with_files(
    changes: Iterable[Change], pair: PairRef, before: SkillContent, after: SkillContent
) -> Iterator[Change]:
    for change in changes:
        if change.topic != topics.SKILL:
            yield change
            continue
        place, name = change.place, change.name
        old = before.of(pair, place, name, change.before) if change.kind is not Kind.ADDED else None
        new = after.of(pair, place, name, change.after) if change.kind is not Kind.REMOVED else None
        known = (old is None) == (change.before is None) and (new is None) == (change.after is None)
        if known:
            yield dataclasses.replace(change, patches=compare_files(old, new))
        else:
            yield dataclasses.replace(change, note=NOT_AT_HAND)
