"""Finds the input documents of a root: which files are sources, and which objects in them are ours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kagent_render.diagnostics.diagnostic import Diagnostic, Severity, SourcePosition
from kagent_render.diagnostics.reasons import Reason
from kagent_render.source.config import CONFIG_FILE, RenderConfig
from kagent_render.source.failure import YAMLInvalidError
from kagent_render.source.globs import compile_filter
from kagent_render.source.kustomization import is_kustomization, patch_files
from kagent_render.source.objects import SUPPORTING_KINDS, read_objects
from kagent_render.source.reader import STANDARD_INPUT, Listing, Reader, ReadError
from kagent_render.source.roots import roots_among

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from kagent_render.source.document import Document

    Recall = Callable[[Mapping[str, bytes]], Mapping[str, Sequence[Document]]]
    """Gives the objects of those files that are known, by path."""

IN_USE_FOLDER: Final = ".kagent/in-use"
"""Where `kagent-apply` notes which ActorTemplates instances still need."""

_LARGEST_LOOKED_AT: Final = 256 * 1024 * 1024
"""Bytes up to which a file is searched for our groups; the YAML reader's own bound is lower."""

_OWN_GROUPS: Final = (b"kagent.dev", b"kubeagents.x-k8s.io")  # the first is within `render.kagent.dev`
_SUPPORTING_WORDS: Final = (b"ConfigMap", b"Secret", b"List")
_BATCH_FILES: Final = 500
_BATCH_BYTES: Final = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Sources:
    """The input of one root in source order, and what could not be read as input."""

    documents: tuple[Document, ...]
    diagnostics: tuple[Diagnostic, ...]


def discover(reader: Reader, config: RenderConfig, recall: Recall = lambda _: {}) -> Sources:
    """Every input document of the root that `reader` starts at; files that `recall` knows are not parsed."""
    listing = source_files(reader, config)
    documents: list[Document] = []
    diagnostics = [_unreadable(error, Severity.WARNING) for error in listing.unreadable]
    for batch in _batches(reader, listing.paths):
        wanted = {path: data for path, data in batch if isinstance(data, bytes) and _may_hold_input(data)}
        known = recall(wanted)
        for path, data in batch:
            if isinstance(data, ReadError):
                diagnostics.append(_unreadable(data, Severity.ERROR))
            elif path in known:
                documents += known[path]
            elif path in wanted:
                found, faults = _parse(path, data)
                documents += found
                diagnostics += faults
    return Sources(tuple(documents), tuple(diagnostics))


def holds_own_object(path: str, data: bytes) -> bool:
    """Whether a file has an object of our groups, or names one of them and does not parse."""
    if not _is_own(data):
        return False
    try:
        return any(
            (found.ref.group, found.ref.kind) not in SUPPORTING_KINDS for found in read_objects(path, data)
        )
    except YAMLInvalidError:
        return True


def source_files(reader: Reader, config: RenderConfig) -> Listing:
    """The files that are sources, in byte order of their paths, and what the search could not read."""
    listing = reader.files(without=(config.output,))
    nested = tuple(f"{root}/" for root in roots_among(listing.paths) if root)
    own = [path for path in listing.paths if not path.startswith(nested)]
    patches = patch_files(reader, own)
    admitted = compile_filter(config.sources)
    paths = [
        path
        for path in own
        if path == STANDARD_INPUT
        or (
            admitted.admits(path)
            and path != CONFIG_FILE
            and path not in patches
            and not is_kustomization(path)
        )
    ]
    in_use = reader.files(IN_USE_FOLDER)
    paths += [path for path in in_use.paths if path.endswith((".yaml", ".yml"))]
    return Listing(tuple(sorted(paths)), listing.unreadable + in_use.unreadable)


def _batches(reader: Reader, paths: Iterable[str]) -> Iterator[list[tuple[str, bytes | ReadError]]]:
    """The files' bytes, several at once but never many, each with its path."""
    batch: list[tuple[str, bytes | ReadError]] = []
    size = 0
    for path in paths:
        content = _read(reader, path)
        batch.append((path, content))
        size += len(content) if isinstance(content, bytes) else 0
        if len(batch) == _BATCH_FILES or size > _BATCH_BYTES:
            yield batch
            batch, size = [], 0
    yield batch


def _read(reader: Reader, path: str) -> bytes | ReadError:
    try:
        return reader.read(path, _LARGEST_LOOKED_AT)
    except ReadError as error:
        return error


def _is_own(data: bytes) -> bool:
    return any(group in data for group in _OWN_GROUPS)


def _may_hold_input(data: bytes) -> bool:
    return _is_own(data) or any(word in data for word in _SUPPORTING_WORDS)


def _parse(path: str, data: bytes) -> tuple[list[Document], list[Diagnostic]]:
    try:
        return read_objects(path, data), []
    except YAMLInvalidError as error:
        return [], [_invalid(path, error, own=_is_own(data), data=data)]


def _unreadable(error: ReadError, severity: Severity) -> Diagnostic:
    return Diagnostic(
        Reason.SOURCE_UNREADABLE,
        str(error),
        severity=severity,
        hint="correct that, or exclude it in `spec.sources`",
        source=SourcePosition(error.path, 1, 1),
    )


def _invalid(path: str, error: YAMLInvalidError, *, own: bool, data: bytes) -> Diagnostic:
    """An error where the file is ours; a warning where only another program may understand it."""
    place = SourcePosition(path, error.line, error.column)
    sensitive = b"Secret" in data
    if b"{{" in data:
        chart = path.partition("/templates/")[0]
        pattern = f"!{chart}/**" if chart != path else f"!{path}"
        hint: str | None = f'it looks like a Helm template: add `- "{pattern}"` to `spec.sources`'
    else:
        hint = error.hint
    if own:
        return Diagnostic(
            Reason.YAML_INVALID,
            error.message,
            hint=hint or "correct the file, or exclude it in `spec.sources`",
            source=place,
            sensitive=sensitive,
        )
    return Diagnostic(
        Reason.SOURCE_SKIPPED,
        f"the file is not read, because it is not YAML: {error.message}",
        severity=Severity.WARNING,
        hint=hint or "exclude it in `spec.sources`, or correct it where agents need what it holds",
        source=place,
        sensitive=sensitive,
    )
