"""The capability records of a root: those of this release, and those that RenderConfig names beside them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from kagent_render.compile.capabilities.reading import (
    RecordInvalidError,
    own_capabilities,
    read_namesake,
    read_record,
    transcript_of,
)
from kagent_render.compile.capabilities.record import UNPROVEN
from kagent_render.diagnostics.diagnostic import Diagnostic, SourcePosition
from kagent_render.diagnostics.reasons import Reason
from kagent_render.preparation.record_files import record_files
from kagent_render.revision.canonical_json import CanonicalFormError, digest
from kagent_render.source.document import Document
from kagent_render.source.failure import YAMLInvalidError
from kagent_render.source.reader import ReadError
from kagent_render.source.yaml import read_yaml

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kagent_render.compile.capabilities.record import CapabilityRecord
    from kagent_render.source.config import RenderConfig
    from kagent_render.source.reader import Reader


@dataclass(frozen=True, slots=True)
class Records:
    """What the pairs of a root are held against, and what is wrong with the records that the root adds.

    `own` holds the documents of the latter by the names of the records.
    """

    known: tuple[CapabilityRecord, ...]
    faults: tuple[Diagnostic, ...] = ()
    own: Mapping[str, Document] = field(default_factory=dict)


def read_records(reader: Reader, config: RenderConfig, shipped: Sequence[CapabilityRecord]) -> Records:
    """The shipped records and those of the files that `spec.capabilities` names (DESIGN 11)."""
    reading = _Reading(shipped)
    paths, faults = record_files(reader, config)
    for path in paths:
        reading.add_file(reader, path)
    return Records(tuple(reading.known.values()), (*faults, *reading.faults), reading.own)


class _Reading:
    """Records by name as they are read."""

    def __init__(self, shipped: Sequence[CapabilityRecord]) -> None:
        self.known = {record.name: record for record in shipped}
        self.own: dict[str, Document] = {}
        self.faults: list[Diagnostic] = []
        self._shipped = dict(self.known)
        self._images = {(record.adapter, image): record for record in shipped for image in record.images}

    def add_file(self, reader: Reader, path: str) -> None:
        """Read the one record of a file."""
        try:
            documents = [document for document in read_yaml(reader.read(path)) if document.value is not None]
        except ReadError as error:
            self._tell(path, 1, 1, str(error), "correct the path or the file's permissions")
            return
        except YAMLInvalidError as error:
            self._tell(path, error.line, error.column, error.message, error.hint or "correct the file")
            return
        if len(documents) != 1 or not isinstance(documents[0].value, dict):
            self._tell(path, 1, 1, "the file must hold one CapabilityRecord", "keep one document in it")
            return
        document = Document(path, documents[0].value, documents[0].locator)
        try:
            self._add(document)
        except RecordInvalidError as error:
            fault = document.fault(Reason.CONFIG_INVALID, error.field, error.message, hint=error.hint)
            self.faults.append(fault)

    def _add(self, document: Document) -> None:
        record = self._decode(document.value)
        if record.name in self.known:
            hint = "choose a name of your own"
            raise RecordInvalidError(("metadata", "name"), f"there is a record `{record.name}` already", hint)
        message = "a record of a repository holds for the images that it names, and for no others"
        if record.default:
            raise RecordInvalidError(("spec", "default"), message, "remove `default`")
        if not record.images:
            raise RecordInvalidError(("spec", "images"), message, "list the digests of your images")
        for image in sorted(record.images):
            other = self._images.setdefault((record.adapter, image), record)
            if other is not record:
                message = f"the record `{other.name}` names the image `{image}`, too"
                raise RecordInvalidError(("spec", "images"), message, "name each image in one record")
        self.known[record.name] = record
        self.own[record.name] = document

    def _decode(self, value: Any) -> CapabilityRecord:
        identity = _digest(value)
        record = read_namesake(value, identity, self._shipped) or read_record(value, identity)
        proven = any(found.value not in (False, UNPROVEN) for found in own_capabilities(value).values())
        if transcript_of(value) is None and proven:
            message = "a record that proves anything carries the digest of its conformance transcript"
            hint = "set `spec.transcript`, or write `unproven` for what no run has shown"
            raise RecordInvalidError(("spec", "transcript"), message, hint)
        return record

    def _tell(self, path: str, line: int, column: int, message: str, hint: str) -> None:
        source = SourcePosition(path, line, column)
        self.faults.append(Diagnostic(Reason.CONFIG_INVALID, message, hint=hint, source=source))


def _digest(value: Any) -> str:
    try:
        return digest(value)
    except CanonicalFormError as error:
        raise RecordInvalidError(error.path, f"the value {error.problem}", "write another value") from None
