"""The files that `spec.capabilities` of a RenderConfig names, and what is wrong with its patterns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kagent_render.diagnostics.diagnostic import Diagnostic, SourcePosition
from kagent_render.diagnostics.reasons import Reason
from kagent_render.source.globs import compile_filter, literal_folder
from kagent_render.source.roots import is_nested

if TYPE_CHECKING:
    from kagent_render.diagnostics.diagnostic import FieldPath
    from kagent_render.source.config import RenderConfig
    from kagent_render.source.reader import Listing, Reader, ReadError


def record_files(reader: Reader, config: RenderConfig) -> tuple[list[str], list[Diagnostic]]:
    """Every file that the patterns name, each once, and each pattern that names none."""
    paths: dict[str, None] = {}
    faults: list[Diagnostic] = []
    excluded = [pattern for pattern in config.capabilities if pattern.startswith("!")]
    for index, pattern in enumerate(config.capabilities):
        if pattern in excluded:
            continue
        listing = _listed(reader, pattern)
        admitted = compile_filter([pattern, *excluded])
        found = [path for path in listing.paths if admitted.admits(path) and _is_own(reader, path, config)]
        paths.update(dict.fromkeys(found))
        faults += [_unreadable(error) for error in listing.unreadable]
        if not found:
            faults.append(_names_nothing(config, (index,), f"no file matches `{pattern}`"))
    if excluded and len(excluded) == len(config.capabilities):
        faults.append(_names_nothing(config, (), "every pattern leaves files out, and none names any"))
    return list(paths), faults


def _listed(reader: Reader, pattern: str) -> Listing:
    """The files where a pattern may find some: hidden folders are looked into where it begins with one."""
    folder = literal_folder(pattern)
    return reader.files(folder, hidden=folder.startswith("."))


def _is_own(reader: Reader, path: str, config: RenderConfig) -> bool:
    """Whether a file is the root's own input: not its output, and in no root below it (DESIGN 4)."""
    return not path.startswith(f"{config.output}/") and not is_nested(reader, path)


def _names_nothing(config: RenderConfig, entry: FieldPath, message: str) -> Diagnostic:
    return config.document.fault(
        Reason.CONFIG_INVALID,
        ("spec", "capabilities", *entry),
        message,
        hint="correct the pattern, or remove it",
    )


def _unreadable(error: ReadError) -> Diagnostic:
    """A folder that may hold a record: without it an image could get a record that claims more."""
    return Diagnostic(
        Reason.CONFIG_INVALID,
        str(error),
        hint="correct the folder's permissions, or the patterns in `spec.capabilities`",
        source=SourcePosition(error.path, 1, 1),
    )
