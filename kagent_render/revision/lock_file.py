"""Reads a lock file of any kind and tells apart what can be wrong with one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, Generic, Protocol, TypeVar

from kagent_render.diagnostics.diagnostic import Diagnostic, ObjectRef, SourcePosition, field_text
from kagent_render.diagnostics.difference import first_difference
from kagent_render.diagnostics.reasons import Reason
from kagent_render.revision.canonical_json import CanonicalFormError
from kagent_render.revision.canonical_yaml import dump
from kagent_render.revision.lock_document import API_VERSION
from kagent_render.revision.lock_node import Node, ShapeError
from kagent_render.source.failure import YAMLInvalidError
from kagent_render.source.yaml import read_yaml

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kagent_render.diagnostics.diagnostic import FieldPath
    from kagent_render.revision.lock import LockSchema
    from kagent_render.source.yaml import YAMLDocument

_RENDER_AGAIN: Final = "run `kagent-render render` to write it again"
# Canonical text has none of these at the start of a line: all text of several lines is indented.
_CONFLICT_MARKER: Final = re.compile(rb"^(?:<{7}|\|{7}|={7}|>{7})", re.MULTILINE)


class SealedLock(Protocol):
    """What a lock of every kind has; `revision` is the digest of its content."""

    @property
    def schema(self) -> LockSchema:
        """The schema that it follows."""
        ...

    @property
    def revision(self) -> str:
        """`sha256:` and the hex digest."""
        ...


AnyLock = TypeVar("AnyLock", bound=SealedLock)


@dataclass(frozen=True, slots=True)
class LockKind(Generic[AnyLock]):
    """How one kind of lock is read: `name` is its `kind`, `schema` the newest that is known.

    `decode` makes the lock of a document and raises ShapeError, `digest` gives the revision that a document
    has, `dump` the lock's canonical text.
    """

    name: str
    schema: LockSchema
    decode: Callable[[Node], AnyLock]
    digest: Callable[[Mapping[str, Any]], str]
    dump: Callable[[AnyLock], str]


class LockFault(StrEnum):
    """What is wrong with a lock file."""

    CONFLICT = "conflict"
    LINE_ENDS = "line ends"
    NOT_YAML = "not YAML"
    SHAPE = "shape"
    NEWER = "newer"
    EDITED = "edited"
    NOT_CANONICAL = "not canonical"


@dataclass(frozen=True, slots=True)
class LockProblem(Generic[AnyLock]):
    """A lock file that cannot be relied on; `lock` is what it says where it says anything."""

    fault: LockFault
    diagnostic: Diagnostic
    lock: AnyLock | None = None


def read_lock_file(text: bytes, path: str, kind: LockKind[AnyLock]) -> AnyLock | LockProblem[AnyLock]:
    """The lock in the file `path` with the content `text`, or the first problem with it.

    A lock of a newer schema revision is read without the fields that this version does not know.
    """
    problem: LockProblem[AnyLock] | None = _check_text(text, path)
    return problem or _read_document(text, path, kind)


def _check_text(text: bytes, path: str) -> LockProblem[Any] | None:
    if marker := _CONFLICT_MARKER.search(text):
        return _problem(
            LockFault.CONFLICT,
            path,
            "the lock holds the conflict markers of a merge",
            "take either side, then " + _RENDER_AGAIN,
            line=_line(text, marker.start()),
        )
    if b"\r" in text:
        return _problem(
            LockFault.LINE_ENDS,
            path,
            "the lock has carriage returns in its line ends",
            "keep the `.gitattributes` of the output folder, then " + _RENDER_AGAIN,
            line=_line(text, text.index(b"\r")),
        )
    return None


def _read_document(text: bytes, path: str, kind: LockKind[AnyLock]) -> AnyLock | LockProblem[AnyLock]:
    try:
        documents = read_yaml(text)
    except YAMLInvalidError as error:
        message = f"the lock is not YAML: {error.message}"
        return _problem(LockFault.NOT_YAML, path, message, _RENDER_AGAIN, line=error.line)
    if len(documents) != 1:
        message = f"the lock holds {len(documents)} YAML documents instead of one"
        return _problem(LockFault.SHAPE, path, message, _RENDER_AGAIN)
    try:
        return _read_value(documents[0], text, path, kind)
    except ShapeError as error:
        line, _ = documents[0].locator.locate(error.path)
        place = f"`{field_text(error.path)}` " if error.path else "the lock "
        return _problem(
            LockFault.SHAPE, path, place + error.problem, _RENDER_AGAIN, line=line, field=error.path
        )


def _read_value(
    document: YAMLDocument, text: bytes, path: str, kind: LockKind[AnyLock]
) -> AnyLock | LockProblem[AnyLock]:
    value = document.value
    if newer := _newer_version(value, kind.schema.version):
        return _problem(
            LockFault.NEWER,
            path,
            f"the lock has schema version {newer}, which needs a newer kagent-render: this one knows"
            f" {kind.schema.version}",
            "update kagent-render",
            line=document.locator.locate(("spec", "schema", "version"))[0],
            field=("spec", "schema", "version"),
        )
    lock = kind.decode(_node_of(value, kind.name))
    problem = _check_content(lock, value, text, path, kind)
    return lock if problem is None else LockProblem(problem.fault, problem.diagnostic, lock)


def _newer_version(value: Any, known: int) -> int | None:
    """The schema version where it is beyond `known`: nothing else of such a lock has a known shape."""
    try:
        version = value["spec"]["schema"]["version"]
    except (TypeError, KeyError):
        return None
    return version if isinstance(version, int) and version > known else None


def _node_of(value: Any, kind: str) -> Node:
    document = Node(value)
    for name, expected in (("apiVersion", API_VERSION), ("kind", kind)):
        if document.text(name) != expected:
            raise ShapeError((name,), f"is not `{expected}`")
    return document


def _check_content(
    lock: AnyLock, value: Any, text: bytes, path: str, kind: LockKind[AnyLock]
) -> LockProblem[Any] | None:
    ref = ObjectRef(API_VERSION, kind.name, value["metadata"]["namespace"], value["metadata"]["name"])
    try:
        revision = kind.digest(value)
        canonical = kind.dump(lock) if lock.schema.revision <= kind.schema.revision else dump(value)
    except CanonicalFormError as error:
        raise ShapeError(("spec", *error.path), error.problem) from None
    if revision != lock.revision:
        return _problem(
            LockFault.EDITED,
            path,
            "the lock was edited: its content does not have the digest in `spec.revision`",
            "change the manifests instead and " + _RENDER_AGAIN,
            line=_line(text, text.find(b"\n  revision:") + 1),
            field=("spec", "revision"),
            ref=ref,
        )
    if text != canonical.encode():
        line = first_difference(canonical.encode(), text)
        return _problem(
            LockFault.NOT_CANONICAL,
            path,
            f"line {line} of the lock is not as kagent-render writes it",
            _RENDER_AGAIN,
            line=line,
            ref=ref,
        )
    return None


def _line(text: bytes, offset: int) -> int:
    return text.count(b"\n", 0, offset) + 1


def _problem(
    fault: LockFault,
    path: str,
    message: str,
    hint: str,
    *,
    line: int = 1,
    field: FieldPath = (),
    ref: ObjectRef | None = None,
) -> LockProblem[Any]:
    reason = Reason.LOCK_CONFLICT if fault is LockFault.CONFLICT else Reason.LOCK_INVALID
    place = SourcePosition(path, line, 1)
    return LockProblem(
        fault,
        Diagnostic(reason, message, hint=hint, object=ref, field=field_text(field) or None, source=place),
    )
