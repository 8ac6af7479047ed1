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
from kagent_render.source.objects import input_objects
from kagent_render.source.reader import STANDARD_INPUT, Listing, Reader, ReadError
from kagent_render.source.roots import roots_among
from kagent_render.source.yaml import read_yaml

if TYPE_CHECKING:
    from kagent_render.source.document import Document

IN_USE_FOLDER: Final = ".kagent/in-use"
"""Where `kagent-apply` notes which ActorTemplates instances still need."""

_OWN_GROUPS: Final = (b"kagent.dev", b"kubeagents.x-k8s.io")  # the first is within `render.kagent.dev`
_SUPPORTING_WORDS: Final = (b"ConfigMap", b"Secret", b"List")


@dataclass(frozen=True, slots=True)
class Sources:
    """The input of one root in source order, and what could not be read as input."""

    documents: tuple[Document, ...]
    diagnostics: tuple[Diagnostic, ...]


def discover(reader: Reader, config: RenderConfig) -> Sources:
    """Every input document of the root that `reader` starts at."""
    listing = source_files(reader, config)
    documents: list[Document] = []
    diagnostics = [_unreadable(error, Severity.WARNING) for error in listing.unreadable]
    for path in listing.paths:
        found, faults = _read_file(reader, path)
        documents += found
        diagnostics += faults
    return Sources(tuple(documents), tuple(diagnostics))


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


def _read_file(reader: Reader, path: str) -> tuple[list[Document], list[Diagnostic]]:
    try:
        data = reader.read(path)
    except ReadError as error:
        return [], [_unreadable(error, Severity.ERROR)]
    own = any(group in data for group in _OWN_GROUPS)
    if not own and not any(word in data for word in _SUPPORTING_WORDS):
        return [], []
    try:
        return [found for document in read_yaml(data) for found in input_objects(path, document)], []
    except YAMLInvalidError as error:
        return [], [_invalid(path, error, own=own, sensitive=b"Secret" in data)]


def _unreadable(error: ReadError, severity: Severity) -> Diagnostic:
    return Diagnostic(
        Reason.SOURCE_UNREADABLE,
        str(error),
        severity=severity,
        hint="correct that, or exclude it in `spec.sources`",
        source=SourcePosition(error.path, 1, 1),
    )


def _invalid(path: str, error: YAMLInvalidError, *, own: bool, sensitive: bool) -> Diagnostic:
    """An error where the file is ours; a warning where only another program may understand it."""
    place = SourcePosition(path, error.line, error.column)
    if own:
        return Diagnostic(
            Reason.YAML_INVALID,
            error.message,
            hint=error.hint or "correct the file, or exclude it in `spec.sources`",
            source=place,
            sensitive=sensitive,
        )
    return Diagnostic(
        Reason.SOURCE_SKIPPED,
        f"the file is not read, because it is not YAML: {error.message}",
        severity=Severity.WARNING,
        hint="exclude it in `spec.sources`, or correct it if it holds a ConfigMap or Secret that agents need",
        source=place,
        sensitive=sensitive,
    )
