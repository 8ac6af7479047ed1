"""The committed objects of the roots that PATH means, once everything about them was verified."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kagent_render.cli.check import check_root
from kagent_render.cli.failure import EnvironmentFailure, Status
from kagent_render.cli.output import naming_folders_of
from kagent_render.cli.progress import showing_progress
from kagent_render.cli.report import counted, print_diagnostics, print_summary
from kagent_render.cli.roots import open_roots
from kagent_render.cli.run import worst_status
from kagent_render.diagnostics.diagnostic import Diagnostic, SourcePosition
from kagent_render.diagnostics.reasons import Reason

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from kagent_render.cli.options import Settings
    from kagent_render.cli.progress import Progress
    from kagent_render.cli.report import RootReport
    from kagent_render.cli.roots import Root
    from kagent_render.cli.run import RootRun
    from kagent_render.emit.applied import AppliedObject

_SEPARATOR: Final = b"---\n"


@dataclass(frozen=True, slots=True)
class CommittedObject:
    """One object of committed files; `path` leads from its root to the one that stands for it."""

    root: Root
    path: str
    applied: AppliedObject

    @property
    def identity(self) -> tuple[str, str, str]:
        """Namespace, name and kind."""
        return self.applied.pair.namespace, self.applied.name, self.applied.kind


@dataclass(frozen=True, slots=True)
class Generated:
    """What every root gave; `objects` by namespace, name and kind, none where `status` is not 0."""

    reports: Sequence[RootReport]
    objects: Sequence[CommittedObject]
    status: Status

    def text(self, form: str, *, allow_empty: bool) -> bytes:
        """The objects as one text; raises EnvironmentFailure where there is none, unless that is allowed."""
        if not self.objects and not allow_empty:
            raise EnvironmentFailure(
                "there is no object to apply, and Argo CD would remove what it applied before",
                _EMPTY_HINT if not any(report.agents for report in self.reports) else _AGENTS_HINT,
            )
        if form == "json":
            return _as_json(self.objects)
        return _SEPARATOR.join(found.applied.text for found in self.objects)


_EMPTY_HINT: Final = "add a Harness and a template that accept each other, or pass `--allow-empty`"
_AGENTS_HINT: Final = (
    "name the Components of platform agents in the kustomization of the operator's objects, or pass"
    " `--allow-empty`"
)


def generate(settings: Settings) -> Generated:
    """Verify every root, then take what its kustomizations list; nothing is printed."""
    reports, objects = [], []
    with showing_progress(wanted=False, colour=False) as progress:
        for opened in open_roots(settings):
            root = _as_committed(opened, settings)
            with naming_folders_of(root):
                report, found = _generate_root(root, settings, progress)
            reports.append(report)
            objects += found
    objects.sort(key=lambda found: found.identity)
    clashes = list(_clashes(objects))
    if clashes:
        reports[-1] = dataclasses.replace(reports[-1], diagnostics=[*reports[-1].diagnostics, *clashes])
    status = worst_status(found for report in reports for found in report.diagnostics)
    return Generated(reports, objects if status is Status.CLEAN else (), status)


def _as_committed(root: Root, settings: Settings) -> Root:
    """The root as a copy of a commit: what is on disk was committed, and a `.git` beside it says nothing."""
    on_disk = settings.revision is None and not settings.staged
    return dataclasses.replace(root, repository=None) if on_disk else root


def _generate_root(
    root: Root, settings: Settings, progress: Progress
) -> tuple[RootReport, list[CommittedObject]]:
    checked = check_root(root, settings, progress)
    objects = list(_objects(checked.run)) if checked.run is not None else []
    return checked.report, objects


def _objects(run: RootRun) -> Iterator[CommittedObject]:
    for found in run.planned.plan.applied:
        yield CommittedObject(run.root, f"{run.config.output}/{found.path}", found)


def _clashes(objects: Iterable[CommittedObject]) -> Iterator[Diagnostic]:
    """Objects of several roots with one identity, of which only one could be applied."""
    seen: dict[tuple[str, str, str], CommittedObject] = {}
    for found in objects:
        first = seen.setdefault(found.identity, found)
        if first is not found:
            namespace, name, kind = found.identity
            yield Diagnostic(
                Reason.DUPLICATE_OBJECT,
                f"two roots give the {kind} `{name}` in `{namespace}`:"
                f" `{first.root.prefix or '.'}` and `{found.root.prefix or '.'}`",
                hint="generate each root by itself, or remove the pair from one of them",
                source=SourcePosition(found.path, 1, 1),
                sensitive=True,
            )


def _as_json(objects: Iterable[CommittedObject]) -> bytes:
    """A List, which is one JSON value however many objects there are."""
    from kagent_render.source.yaml import read_yaml

    items = [read_yaml(found.applied.text)[0].value for found in objects]
    document = {"apiVersion": "v1", "kind": "List", "items": items}
    return json.dumps(document, ensure_ascii=False, indent=2).encode() + b"\n"


def print_reports(generated: Generated, settings: Settings) -> None:
    """What was found, on stderr and without source lines."""
    for report in generated.reports:
        print_diagnostics(report, settings, quoting=False)
        print_summary(_summary(report, generated), report, settings, named=len(generated.reports) > 1)


def _summary(report: RootReport, generated: Generated) -> str:
    if generated.status is not Status.CLEAN:
        return "nothing was printed"
    own = sum(found.root is report.root for found in generated.objects)
    subjects = counted(len(report.pairs), len(report.agents))
    return f"{own} object{'s' if own != 1 else ''} of {subjects}"
