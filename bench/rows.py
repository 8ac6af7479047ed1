"""The budgets of DESIGN 16 that exist so far: each row gives one or more ratios and what they may be."""

from __future__ import annotations

import itertools
import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from bench import committed_revisions, git_plugins, instance_store, service_rows, yaml_positions
from bench.alternation import alternate
from bench.measured import Measured, against
from bench.processes import PROGRAM, PYTHON, SERVICE_PROGRAM, run
from bench.workspace import kustomize_gateways, make_platform_repository, make_repository

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bench.measured import Size
    from bench.workspace import Repository


def version(_: Path, size: Size) -> Iterator[Measured]:
    """Starting either program."""
    for name, command in {"kagent-render": [PROGRAM], "kagent-apply": SERVICE_PROGRAM}.items():
        ratio = alternate(
            partial(_seconds, *command, "--version"),
            partial(_seconds, PYTHON, "-c", "import click"),
            3 * size.rounds,
        )
        yield against(f"{name} --version", ratio, 1.5, 'python -c "import click"')


def _seconds(*command: str) -> float:
    return run(*command).seconds


def check(folder: Path, size: Size) -> Iterator[Measured]:
    """Checking what an earlier run knows, all of it or all but one file."""
    repository = make_repository(folder, size.templates)
    repository.kagent("render")
    repository.commit()
    edits = _edit_one_after_another(repository)

    def check_edited() -> float:
        next(edits)
        return repository.kagent("check", status=1).seconds

    for what, ours in {
        "nothing changed": lambda: repository.kagent("check").seconds,
        "one file changed": check_edited,
    }.items():
        ratio = alternate(ours, lambda: repository.kustomize().seconds, size.rounds)
        yield against(f"check {size.templates:,}, warm, {what}", ratio, 0.3, "kubectl kustomize")


def _edit_one_after_another(repository: Repository) -> Iterator[None]:
    """Make a new edit in another file each time, and take the one before back."""
    for path in itertools.cycle(repository.sources):
        before = path.read_text()
        path.write_text(before.replace("Answer with", "Answer at once with"))
        yield
        path.write_text(before)


def diff(folder: Path, size: Size) -> Iterator[Measured]:
    """Comparing HEAD with a work tree in which one file was edited, beside checking that work tree."""
    repository = make_repository(folder, size.templates)
    repository.kagent("render")
    repository.commit()
    edits = _edit_one_after_another(repository)

    def compare() -> float:
        next(edits)
        return repository.diff().seconds

    def check_edited() -> float:
        next(edits)
        return repository.kagent("check", status=1).seconds

    ratio = alternate(compare, check_edited, size.rounds)
    yield against(f"diff {size.templates:,}, warm, one file changed", ratio, 2.5, "check of the same")


def render(folder: Path, size: Size) -> Iterator[Measured]:
    """Writing everything without any knowledge of earlier runs."""
    repository = make_repository(folder, size.templates)
    rendered = make_repository(folder, size.templates, "rendered")
    rendered.kagent("render")

    def render_anew() -> float:
        repository.clear()
        return repository.kagent("render").seconds

    ratio = alternate(render_anew, lambda: rendered.kustomize().seconds, size.rounds)
    yield against(f"render {size.templates:,}, cold", ratio, 1.0, "kubectl kustomize")


def plugins(folder: Path, size: Size) -> Iterator[Measured]:
    """PlatformAgents with ten plugins each, a fifth as many as there are templates elsewhere."""
    agents = max(size.templates // 5, 1)
    repository = make_platform_repository(folder, agents, "cold")
    rendered = make_platform_repository(folder, agents, "rendered")
    rendered.kagent("render")
    kustomize = kustomize_gateways(rendered)

    def render_anew() -> float:
        repository.clear()
        return repository.kagent("render").seconds

    for what, ours, budget in (
        (f"render {agents:,} platform agents, cold", render_anew, 1.0),
        (f"check {agents:,} platform agents, warm", lambda: rendered.kagent("check").seconds, 1.2),
    ):
        yield against(what, alternate(ours, kustomize, size.rounds), budget, "kubectl kustomize")


def growth(folder: Path, size: Size) -> Iterator[Measured]:
    """What many times as many templates take beside the usual number: render cold, then check."""
    few = make_repository(folder, size.templates)
    many = make_repository(folder, size.templates * size.factor)
    for command in ("render", "check"):
        small, large = few.kagent(command), many.kagent(command)
        what = f"{command} {many.templates:,}"
        time = large.seconds / small.seconds / size.factor
        unit = f"{small.seconds:.2f} s for {few.templates:,}, a template"
        yield Measured(f"{what}, time", time, 1.2, unit)
        memory = large.bytes / small.bytes / size.factor
        yield Measured(f"{what}, memory", memory, 1.0, f"{small.bytes / 2**20:.0f} MiB for {few.templates:,}")
        yield Measured(f"{what}, memory", large.bytes / 2**30, 1.0, "1 GiB")


def yaml(_: Path, size: Size) -> Iterator[Measured]:
    """Reading YAML with the means to tell positions, and asking one of each document."""
    documents = yaml_positions.documents(size.templates)
    seconds = yaml_positions.seconds
    other = partial(seconds, yaml_positions.load, documents)
    for what, read in {"": yaml_positions.read, ", one asked of each": yaml_positions.locate}.items():
        ratio = alternate(partial(seconds, read, documents), other, size.rounds)
        name = f"YAML with positions, {size.templates:,} documents{what}"
        yield against(name, ratio, yaml_positions.BUDGET, "CSafeLoader")


def git(folder: Path, size: Size) -> Iterator[Measured]:
    """Plugins by commit, each from a repository of its own: the fetching, then a whole render."""
    other = "git fetch --depth 1"
    with git_plugins.served_plugins(folder, size.plugins) as plugins:
        for what, ours, budget in (
            (
                f"{size.plugins} Git plugins by commit, {git_plugins.JOBS} at a time",
                plugins.fetch,
                git_plugins.BUDGET,
            ),
            (f"render with {size.plugins} Git plugins, cold", plugins.render, git_plugins.WHOLE_BUDGET),
        ):
            ratio = alternate(ours, plugins.fetch_with_git, size.rounds)
            yield against(what, ratio, budget, other)


def revisions(folder: Path, size: Size) -> Iterator[Measured]:
    """The index of committed revisions: all of them for the first time, then one that changed."""
    repository = make_repository(folder, size.templates)
    repository.kagent("render")
    repository.commit()
    for what, ours, budget in (
        ("first", committed_revisions.first_load(repository, folder), committed_revisions.FIRST_BUDGET),
        (
            "one changed",
            committed_revisions.poll_after_one_change(repository, folder),
            committed_revisions.POLL_BUDGET,
        ),
    ):
        ratio = alternate(ours, lambda: repository.kustomize().seconds, size.rounds)
        yield against(f"index of {size.templates:,} revisions, {what}", ratio, budget, "kubectl kustomize")


def store(_: Path, size: Size) -> Iterator[Measured]:
    """The store of instances, where files are on a disk: what is measured is waiting for it."""
    with tempfile.TemporaryDirectory() as folder:
        yield from _store(Path(folder), size)


def _store(folder: Path, size: Size) -> Iterator[Measured]:
    callers = instance_store.CALLERS
    ratio = alternate(
        instance_store.grouped(folder, size.templates),
        instance_store.one_by_one(folder, size.templates),
        size.rounds,
    )
    what = f"{size.templates:,} instances created by {callers} callers"
    yield against(what, ratio, instance_store.GROUP_BUDGET, "a commit for each change")
    many = 10 * size.factor * size.templates
    ratio = alternate(
        instance_store.page_among(folder, many),
        instance_store.page_among(folder, size.templates),
        3 * size.rounds,
    )
    what = f"a page by two labels among {many:,} instances"
    yield against(what, ratio, instance_store.PAGE_BUDGET, f"among {size.templates:,}")
    memory, files = instance_store.growth_of_lives(folder, 20 * size.templates)
    what = f"memory after {20 * size.templates:,} more lives of instances"
    yield Measured(what, memory, instance_store.FLAT_BUDGET, f"before, and {files} files more")


ROWS: dict[str, Callable[[Path, Size], Iterator[Measured]]] = {
    "version": version,
    "check": check,
    "diff": diff,
    "render": render,
    "plugins": plugins,
    "growth": growth,
    "yaml": yaml,
    "git": git,
    "revisions": revisions,
    "store": store,
    "create": service_rows.create,
    "lives": service_rows.lives,
    "pages": service_rows.pages,
}
"""The rows by the names that `python -m bench` takes."""
