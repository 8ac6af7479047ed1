"""What migrating one root would do to its files, proved by preparing it before and after in memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kagent_render.artifacts.failure import ArtifactFailure
from kagent_render.artifacts.store.index import INDEX
from kagent_render.cli.migrate.preparing import Contents, prepare_files
from kagent_render.cli.roots import require_work_tree
from kagent_render.diagnostics.diagnostic import Diagnostic, SourcePosition, distinct
from kagent_render.migration.comparison import differences, new_pairs
from kagent_render.migration.objects import read_source
from kagent_render.migration.plan import NO_CHANGE, Migration, plan_migration
from kagent_render.preparation.completeness import policy_of
from kagent_render.source.discovery import source_files
from kagent_render.source.failure import YAMLInvalidError
from kagent_render.source.reader import ReadError

if TYPE_CHECKING:
    from kagent_render.cli.options import Settings
    from kagent_render.cli.progress import Progress
    from kagent_render.cli.roots import Root
    from kagent_render.migration.objects import SourceText
    from kagent_render.source.config import RenderConfig

_GROUP = b"kagent.dev"


@dataclass(frozen=True, slots=True)
class MigratedRoot:
    """One root with what is, or would be, done to it; `written` where it was.

    `new_pairs` counts the pairs that come of it and were accepted.
    """

    root: Root
    diagnostics: tuple[Diagnostic, ...]
    migration: Migration = NO_CHANGE
    written: bool = False
    new_pairs: int = 0

    @property
    def failed(self) -> bool:
        """Whether nothing may be written."""
        return any(found.is_error for found in self.diagnostics)


def plan_root(root: Root, settings: Settings, progress: Progress, *, allow_new_pairs: bool) -> MigratedRoot:
    """What has to be written to one root, with nothing written yet."""
    if root.config is None:
        return MigratedRoot(root, root.faults)
    require_work_tree(root)
    progress.say("Reading manifests")
    sources = _read(root, root.config)
    if sources is not None and not any(located.moves for source in sources for located in source.objects):
        return MigratedRoot(root, root.faults)
    contents = Contents(root, root.config, settings, progress)
    progress.say("Preparing what is there")
    now = {source.path: source.encoded(source.text) for source in sources or ()}
    before, doubts = prepare_files(root, root.config, settings, now, contents)
    told = [*root.faults, *doubts, *(found for found in before.told if found.is_error)]
    if sources is None or any(found.is_error for found in told):
        return MigratedRoot(root, tuple(distinct(told)))
    try:
        index = root.reader.read(INDEX) if root.reader.exists(INDEX) else None
        migration = plan_migration(sources, before.inventory, policy_of(root.config), index)
    except ArtifactFailure as failure:
        return MigratedRoot(root, (*root.faults, _invalid(failure)))
    told, added = [*told, *migration.diagnostics], 0
    if not migration.failed and migration.files:
        progress.say("Preparing what would be there")
        after, _ = prepare_files(root, root.config, settings, {**now, **migration.contents}, contents)
        told += differences(before, after, allow_new_pairs=allow_new_pairs)
        added = new_pairs(before, after)
    return MigratedRoot(root, tuple(distinct(told)), migration, new_pairs=added)


def _invalid(failure: ArtifactFailure) -> Diagnostic:
    """The fault of a vendored store whose index cannot be read."""
    place = SourcePosition(INDEX, 1, 1)
    return Diagnostic(failure.reason, failure.message, hint=failure.hint, source=place, sensitive=True)


def _read(root: Root, config: RenderConfig) -> list[SourceText] | None:
    """Every source that holds objects of ours; None where one cannot be read or parsed, as is told later."""
    sources = []
    for path in source_files(root.reader, config).paths:
        try:
            data = root.reader.read(path)
            if _GROUP in data:
                sources.append(read_source(path, data))
        except (ReadError, YAMLInvalidError):
            return None
    return sources
