"""The statement of a verification: what was read and compared, as files and digests."""

from __future__ import annotations

import dataclasses
import hashlib
from typing import TYPE_CHECKING

from kagent_render.cli.roots import existing_roots
from kagent_render.preparation.record_files import record_files
from kagent_render.provenance.dependencies import agent_dependencies, image, pair_dependencies
from kagent_render.provenance.statement import BUILDER, BuiltRoot, Resource, make_statement
from kagent_render.source.config import CONFIG_FILE
from kagent_render.source.discovery import source_files
from kagent_render.source.head import head_commit
from kagent_render.source.reader import ReadError
from kagent_render.source.repository import RepositoryError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kagent_render.cli.options import Settings
    from kagent_render.cli.roots import Root
    from kagent_render.cli.run import RootRun
    from kagent_render.source.reader import Reader

_WITHHELD = (("withheld", "the file holds a Secret, whose values a digest would let be guessed"),)


def verified_statement(runs: Sequence[RootRun], settings: Settings, builder: str | None) -> str:
    """The statement over all outputs; every run has found its output current."""
    from kagent_render import __version__

    roots = [_built(run) for run in runs]
    commit = _commit(runs, settings)
    return make_statement(roots, __version__, commit, builder or BUILDER)


def _built(run: RootRun) -> BuiltRoot:
    root, config = run.root, run.config
    files = run.planned.plan.files
    return BuiltRoot(
        _place(root),
        _file(root, CONFIG_FILE),
        config.output,
        config.target,
        tuple(_named(root, f"{config.output}/{path}", content) for path, content in files.items()),
        tuple(_dependencies(run)),
    )


def _dependencies(run: RootRun) -> Iterator[Resource]:
    for path in _inputs(run):
        yield (
            Resource(_name(run.root, path), notes=_WITHHELD)
            if _is_secret(run, path)
            else _file(run.root, path)
        )
    for outcome in run.preparation.pairs:
        if outcome.compiled is not None:
            yield from pair_dependencies(outcome.compiled)
    if run.preparation.pairs and run.config.substrate.pause_image:
        yield image(run.config.substrate.pause_image)
    for agent in run.preparation.agents.outcomes:
        if agent.compiled is not None:
            yield from agent_dependencies(agent.compiled)


def _inputs(run: RootRun) -> list[str]:
    """Every file that an object was read from, and the capability records of the root."""
    documents = {document.path for document in run.preparation.documents}
    records, _ = record_files(run.root.committed, run.config)
    return sorted({*documents, *records})


def _is_secret(run: RootRun, path: str) -> bool:
    return any(
        document.path == path and document.ref.kind == "Secret" for document in run.preparation.documents
    )


def _file(root: Root, path: str) -> Resource:
    return _named(root, path, root.reader.read(path))


def _named(root: Root, path: str, content: bytes) -> Resource:
    return Resource(_name(root, path), digests=(("sha256", hashlib.sha256(content).hexdigest()),))


def _name(root: Root, path: str) -> str:
    """A path from the top of the repository; from the root where there is none."""
    place = _place(root)
    return f"{place}/{path}" if place else path


def _place(root: Root) -> str:
    """A root from the top of its repository; without one, from PATH where it is below that."""
    if root.repository is not None:
        return root.place
    return "" if root.prefix.startswith("..") else root.prefix


def _commit(runs: Sequence[RootRun], settings: Settings) -> str | None:
    """The commit at which a verification says the same; None where none does."""
    repository = runs[0].root.repository
    if repository is None or settings.stdin is not None:
        return None
    from kagent_render.source.revision import GitRevision

    try:
        if settings.revision is not None:
            return GitRevision(repository, settings.revision).commit
        commit = head_commit(repository)
        if commit is None:
            return None
        at_commit = existing_roots(dataclasses.replace(settings, revision=commit, staged=False))
        if [root.place for root in at_commit] != [run.root.place for run in runs]:
            return None
        same = all(_is_committed(run, root.committed) for run, root in zip(runs, at_commit, strict=True))
    except (RepositoryError, ReadError):
        return None
    return commit if same else None


def _is_committed(run: RootRun, commit: Reader) -> bool:
    """Whether a commit has the input and the output of a run as they are, and no more of either."""
    files, output = run.root.committed, run.config.output
    planned = {f"{output}/{path}": content for path, content in run.planned.plan.files.items()}
    if any(commit.read(path) != content for path, content in planned.items()):
        return False
    if not all(files.exists(path) for path in commit.files(output, hidden=True).paths):
        return False
    sources, ours = source_files(commit, run.config).paths, source_files(files, run.config).paths
    records, _ = record_files(commit, run.config)
    inputs = _inputs(run)
    if not {*sources, *records}.issubset({*ours, *inputs}) or not {*sources, *records}.issuperset(inputs):
        return False
    return all(commit.read(path) == files.read(path) for path in {CONFIG_FILE, *sources, *records})
