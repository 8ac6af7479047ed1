"""Opens the roots that a command works on: their files, their configuration, their history."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from kagent_render.cli.failure import EnvironmentFailure
from kagent_render.diagnostics.diagnostic import Diagnostic
from kagent_render.diagnostics.reasons import Reason
from kagent_render.source.config_reading import read_config
from kagent_render.source.reader import MemoryFiles, ReadError, StandardInput, Subfolder
from kagent_render.source.repository import RepositoryError, top_level
from kagent_render.source.roots import config_path, find_roots, roots_among
from kagent_render.source.worktree import WorkTree

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kagent_render.cli.options import Settings
    from kagent_render.source.config import RenderConfig
    from kagent_render.source.reader import Reader

_WHOLE_INDEX: Final = (
    "if it is split or sparse, write it whole: run `git update-index --no-split-index` or"
    " `git sparse-checkout reapply --no-sparse-index`"
)


@dataclass(frozen=True, slots=True)
class Root:
    """One root: `folder` on disk, the files that a command reads, and the Git work tree around it.

    `reader` gives manifests and the vendored store, `committed` the files as they are on disk, in the index
    or at the revision, and `written` those among which the output is: the same, unless that is kept on a
    branch of its own. `surroundings` are all files of the repository, read from where `committed` is. `sides`
    are the sides of a merge that is under way, whose locks say as much as those in the output. `prefix` leads
    from PATH to the root, for messages. `config` is None with `faults`.
    """

    folder: Path
    prefix: str
    reader: Reader
    committed: Reader
    written: Reader
    surroundings: Reader
    repository: Path | None
    place: str
    config: RenderConfig | None
    faults: tuple[Diagnostic, ...]
    sides: tuple[Reader, ...] = ()


def open_roots(settings: Settings) -> list[Root]:
    """Every root that PATH means (DESIGN 4); where there is none, one without configuration that says so."""
    roots = existing_roots(settings)
    if roots:
        return roots
    fault = Diagnostic(
        Reason.CONFIG_INVALID,
        f"no `kagent-render.yaml` at, above or below `{settings.path}`",
        hint="run `kagent-render init` to write one",
    )
    path = settings.path.resolve()
    repository, base = _repository(settings)
    inside = path.relative_to(base).as_posix()
    nothing = MemoryFiles({})
    return [Root(path, "", nothing, nothing, nothing, nothing, repository, inside, None, (fault,))]


def existing_roots(settings: Settings) -> list[Root]:
    """Every root that PATH means and that is there, in the order of their places."""
    path = settings.path.resolve()
    repository, base = _repository(settings)
    reader = _reader(settings, base)
    inside = path.relative_to(base).as_posix()
    places = find_roots(reader, "" if inside == "." else inside)
    return [_open(settings, base, place, reader, repository) for place in sorted(places)]


def nested_roots(settings: Settings) -> list[str]:
    """The places of all roots below PATH, those within other roots too."""
    path = settings.path.resolve()
    _, base = _repository(settings)
    inside = path.relative_to(base).as_posix()
    return roots_among(_reader(settings, base).files("" if inside == "." else inside).paths)


def roots_at(settings: Settings, places: Iterable[str]) -> list[Root]:
    """The roots among some places, in their order."""
    repository, base = _repository(settings)
    reader = _reader(settings, base)
    there = sorted(place for place in places if reader.exists(config_path(place)))
    return [_open(settings, base, place, reader, repository) for place in there]


def same_files(one: Settings, other: Settings, place: str) -> bool:
    """Whether a place has the same files on two sides; of one too long to read nobody can say so."""
    ours, theirs = files_at(one, place), files_at(other, place)
    paths = ours.files(hidden=True).paths
    if tuple(paths) != tuple(theirs.files(hidden=True).paths):
        return False
    try:
        return all(ours.read(path) == theirs.read(path) for path in paths)
    except ReadError:
        return False


def files_at(settings: Settings, place: str) -> Reader:
    """The files of a place, a folder from the top of the repository, whether it is a root or not."""
    _, base = _repository(settings)
    return Subfolder(_reader(settings, base), place)


def root_places(path: Path) -> list[str]:
    """The roots on disk that a path means, as paths from it; none is opened."""
    path = path.resolve()
    base = top_level(path) or Path(path.anchor)
    inside = path.relative_to(base).as_posix()
    places = find_roots(WorkTree(base), "" if inside == "." else inside)
    return sorted(Path(os.path.relpath(base / place, path)).as_posix() for place in places)


def require_work_tree(root: Root) -> None:
    """Raise EnvironmentFailure where there is nothing to write to."""
    if root.repository is not None and not (root.repository / ".git").exists():
        raise EnvironmentFailure(
            "a bare Git repository has no work tree to write to",
            "use `check`, or render in a work tree",
        )


def _repository(settings: Settings) -> tuple[Path | None, Path]:
    """The repository around PATH, None where there is none, and the folder that paths are read from."""
    path = settings.path.resolve()
    repository = top_level(path)
    if repository is None and (settings.staged or settings.revision):
        repository = path
    return repository, repository or Path(path.anchor)


def _reader(settings: Settings, base: Path) -> Reader:
    """All files of the repository as the flags want them read."""
    try:
        if settings.revision is not None:
            from kagent_render.source.revision import GitRevision

            return GitRevision(base, settings.revision)
        if settings.staged:
            named = os.environ.get("GIT_INDEX_FILE")
            return _open_index(base, Path(named).absolute() if named else None)
    except (RepositoryError, ReadError) as error:
        raise EnvironmentFailure(str(error)) from None
    return WorkTree(base)


def _open_index(base: Path, index: Path | None) -> Reader:
    from kagent_render.source.index import UNREADABLE, GitIndex

    try:
        return GitIndex(base, index)
    except RepositoryError as error:
        raise EnvironmentFailure(str(error), _WHOLE_INDEX if str(error) == UNREADABLE else None) from None


def _open(settings: Settings, base: Path, place: str, reader: Reader, repository: Path | None) -> Root:
    folder = base / place
    on_disk = isinstance(reader, WorkTree)
    committed: Reader = WorkTree(folder) if on_disk else Subfolder(reader, place)
    own = committed if settings.stdin is None else StandardInput(committed, settings.stdin)
    config, faults = read_config(own, config_path(""))
    prefix = os.path.relpath(folder, settings.path.resolve())
    return Root(
        folder,
        "" if prefix == "." else prefix,
        own,
        committed,
        committed,
        reader,
        repository,
        place,
        config,
        tuple(faults),
        _sides(repository, place) if settings.revision is None else (),
    )


def _sides(repository: Path | None, place: str) -> tuple[Reader, ...]:
    from kagent_render.cli.sides import commits_under_way, open_commit

    if repository is None:
        return ()
    opened = (open_commit(repository, commit) for commit in commits_under_way(repository))
    return tuple(Subfolder(files, place) for files in opened if files is not None)
