"""Reads a lock file and tells apart what can be wrong with one."""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from kagent_render.diagnostics.diagnostic import Diagnostic, ObjectRef, SourcePosition, field_text
from kagent_render.diagnostics.difference import first_difference
from kagent_render.diagnostics.reasons import Reason
from kagent_render.revision.canonical_json import CanonicalFormError
from kagent_render.revision.canonical_yaml import dump
from kagent_render.revision.lock import SCHEMA_REVISION, SCHEMA_VERSION
from kagent_render.revision.lock_document import API_VERSION, KIND, document_revision, dump_lock
from kagent_render.revision.lock_shape import ShapeError, decode_lock
from kagent_render.source.failure import YAMLInvalidError
from kagent_render.source.yaml import read_yaml

if TYPE_CHECKING:
    from kagent_render.diagnostics.diagnostic import FieldPath
    from kagent_render.revision.lock import Lock
    from kagent_render.source.yaml import YAMLDocument

_RENDER_AGAIN: Final = "run `kagent-render render` to write it again"
# Canonical text has none of these at the start of a line: all text of several lines is indented.
_CONFLICT_MARKER: Final = re.compile(rb"^(?:<{7}|\|{7}|={7}|>{7})", re.MULTILINE)


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
class LockProblem:
    """A lock file that cannot be relied on; `lock` is what it says where it says anything."""

    fault: LockFault
    diagnostic: Diagnostic
    lock: Lock | None = None


def read_lock(text: bytes, path: str) -> Lock | LockProblem:
    """The lock in the file `path` with the content `text`, or the first problem with it.

    A lock of a newer schema revision is read without the fields that this version does not know.
    """
    return _check_text(text, path) or _read_document(text, path)


def _check_text(text: bytes, path: str) -> LockProblem | None:
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


def _read_document(text: bytes, path: str) -> Lock | LockProblem:
    try:
        documents = read_yaml(text)
    except YAMLInvalidError as error:
        message = f"the lock is not YAML: {error.message}"
        return _problem(LockFault.NOT_YAML, path, message, _RENDER_AGAIN, line=error.line)
    if len(documents) != 1:
        message = f"the lock holds {len(documents)} YAML documents instead of one"
        return _problem(LockFault.SHAPE, path, message, _RENDER_AGAIN)
    try:
        return _read_value(documents[0], text, path)
    except ShapeError as error:
        line, _ = documents[0].locator.locate(error.path)
        place = f"`{field_text(error.path)}` " if error.path else "the lock "
        return _problem(
            LockFault.SHAPE, path, place + error.problem, _RENDER_AGAIN, line=line, field=error.path
        )


def _read_value(document: YAMLDocument, text: bytes, path: str) -> Lock | LockProblem:
    value = document.value
    if newer := _newer_version(value):
        return _problem(
            LockFault.NEWER,
            path,
            f"the lock has schema version {newer}, which needs a newer kagent-render: this one knows"
            f" {SCHEMA_VERSION}",
            "update kagent-render",
            line=document.locator.locate(("spec", "schema", "version"))[0],
            field=("spec", "schema", "version"),
        )
    lock = decode_lock(value)
    problem = _check_content(lock, value, text, path)
    return lock if problem is None else dataclasses.replace(problem, lock=lock)


def _newer_version(value: Any) -> int | None:
    """The schema version where it is beyond ours: nothing else of such a lock has a known shape."""
    try:
        version = value["spec"]["schema"]["version"]
    except (TypeError, KeyError):
        return None
    return version if isinstance(version, int) and version > SCHEMA_VERSION else None


def _check_content(lock: Lock, value: Any, text: bytes, path: str) -> LockProblem | None:
    ref = ObjectRef(API_VERSION, KIND, lock.pair.namespace, value["metadata"]["name"])
    try:
        revision = document_revision(value["spec"])
        canonical = dump_lock(lock) if lock.schema.revision <= SCHEMA_REVISION else dump(value)
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
) -> LockProblem:
    reason = Reason.LOCK_CONFLICT if fault is LockFault.CONFLICT else Reason.LOCK_INVALID
    place = SourcePosition(path, line, 1)
    return LockProblem(
        fault,
        Diagnostic(reason, message, hint=hint, object=ref, field=field_text(field) or None, source=place),
    )
