"""What `kagent-render migrate` does: plans every root, proves it in memory, then writes all or nothing."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from kagent_render.cli.failure import EnvironmentFailure, Status
from kagent_render.cli.migrate.planned import MigratedRoot, plan_root
from kagent_render.cli.migrate.report import print_migrated
from kagent_render.cli.output import naming_folders_of
from kagent_render.cli.progress import showing_progress
from kagent_render.cli.roots import open_roots
from kagent_render.cli.run import worst_status
from kagent_render.emit.disk import DiskOutput
from kagent_render.emit.exclusion import hold
from kagent_render.migration.files import writing_steps

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kagent_render.cli.options import Settings
    from kagent_render.cli.progress import Progress
    from kagent_render.migration.files import Step


def migrate(settings: Settings, *, dry_run: bool, exit_code: bool, allow_new_pairs: bool) -> Status:
    """Migrate every root that PATH means; the status is what the program exits with."""
    with showing_progress(wanted=settings.format == "text", colour=settings.colour) as progress:
        planned = []
        for root in open_roots(settings):
            with naming_folders_of(root):
                planned.append(plan_root(root, settings, progress, allow_new_pairs=allow_new_pairs))
        stopped = any(root.failed for root in planned)
        if not dry_run and not stopped:
            planned = [_write(root, progress) for root in planned]
    print_migrated(planned, settings, dry_run=dry_run, stopped=stopped)
    status = worst_status(found for root in planned for found in root.diagnostics)
    changes = any(root.migration.files for root in planned)
    return Status.FINDINGS if status is Status.CLEAN and exit_code and changes else status


def _write(planned: MigratedRoot, progress: Progress) -> MigratedRoot:
    """Write one root's files; the next run finishes what one that is killed leaves."""
    files = planned.migration.files
    if not files:
        return planned
    progress.say("Writing")
    with (
        naming_folders_of(planned.root),
        DiskOutput(planned.root.folder, "") as folder,
        hold(folder, lambda: progress.say("Waiting for another kagent-render")),
    ):
        _write_all(folder, writing_steps(files))
    return dataclasses.replace(planned, written=True)


def _write_all(folder: DiskOutput, steps: Iterable[Step]) -> None:
    for path, before, after in steps:
        if not folder.rewrite(path, before, after):
            raise EnvironmentFailure(
                f"`{path}` was changed while it was migrated; it is left as it is",
                "run `kagent-render migrate` again: what is migrated already stays",
            )
