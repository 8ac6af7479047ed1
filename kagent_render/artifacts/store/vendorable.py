"""What can be kept in a Git repository: content that every clone gives back byte for byte."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kagent_render.artifacts.archive.names import entry_path
from kagent_render.artifacts.archive.refusal import ArchiveRefused
from kagent_render.artifacts.failure import ArtifactFailure, printable
from kagent_render.artifacts.source_identity import source_text
from kagent_render.diagnostics.reasons import Reason

if TYPE_CHECKING:
    from kagent_render.api.hub import ArtifactSource
    from kagent_render.artifacts.package import Package

_ATTRIBUTES: Final = ".gitattributes"
# The store's own `-text` makes `eol` and `crlf` harmless; `!text` takes it back (gitattributes(5)).
_CONVERTING: Final = ("text", "!text", "ident")
_CONVERTING_WITH_VALUE: Final = ("text=", "filter=", "working-tree-encoding=")


def check_vendorable(source: ArtifactSource, package: Package) -> None:
    """Raise ArtifactFailure where a repository cannot hold the package as it is."""
    if package.outside:
        raise _refused(
            source,
            f"`{printable(package.outside[0])}` is a link that leaves the source's path",
            "replace the link with a regular file, or set `source.path` to a directory that holds both",
        )
    for path, file in package.files.items():
        _check_name(source, path)
        line = converting_line(file.data) if _is_attributes(path) else None
        if line is not None:
            raise _refused(
                source,
                f"line {line} of `{printable(path)}` in it lets Git convert files, and clones would differ",
                "publish the artifact without that file, or set `source.path` to a directory beside it",
            )


def converting_line(attributes: bytes) -> int | None:
    """The first line, from 1, of a `.gitattributes` that may make Git change bytes, whatever it matches."""
    for number, line in enumerate(attributes.decode(errors="replace").split("\n"), 1):
        pattern, *words = line.split() or [""]
        if not pattern.startswith(("#", "[attr]")) and any(map(_converts, words)):
            return number
    return None


def _converts(word: str) -> bool:
    return word in _CONVERTING or word.startswith(_CONVERTING_WITH_VALUE)


def _is_attributes(path: str) -> bool:
    """Whether Git reads the file for attributes, on a file system that ignores case too."""
    return path.rpartition("/")[2].casefold() == _ATTRIBUTES


def _check_name(source: ArtifactSource, path: str) -> None:
    try:
        entry_path(path.encode())
    except ArchiveRefused as refused:
        raise refused.of(source_text(source)) from None


def _refused(source: ArtifactSource, problem: str, hint: str) -> ArtifactFailure:
    message = f"{source_text(source)} cannot be vendored: {problem}"
    return ArtifactFailure(Reason.ARTIFACT_UNSAFE, message, hint=hint)
