"""What is in the vendored store now, read for a plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kagent_render.artifacts.failure import ArtifactFailure
from kagent_render.artifacts.store.index import INDEX, STORE, dump_index, read_entries
from kagent_render.artifacts.store.plan import ATTRIBUTES_NAME, PresentStore
from kagent_render.diagnostics.reasons import Reason
from kagent_render.source.reader import ReadError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kagent_render.source.reader import Reader


def read_store(reader: Reader, names: Iterable[str], *, forgiving: bool = False) -> PresentStore:
    """The store below a root whose folder holds `names`; nothing is known of its contents yet.

    Raises ArtifactFailure at an index that cannot be read, which is one without entries for the `forgiving`.
    """
    attributes = _read(reader, f"{STORE}/{ATTRIBUTES_NAME}")
    index = _read(reader, INDEX)
    try:
        entries = read_entries(index) if index is not None else {}
        dump_index(entries.values())
    except ArtifactFailure:
        if not forgiving:
            raise
        entries = {}
    return PresentStore(frozenset(names), index, attributes, entries)


def listed_names(reader: Reader) -> set[str]:
    """The names in the store's folder as far as regular files tell, which are all that Git keeps."""
    paths = reader.files(STORE, hidden=True).paths
    return {path[len(STORE) + 1 :].partition("/")[0] for path in paths}


def _read(reader: Reader, path: str) -> bytes | None:
    """A file's bytes; None where no such file is."""
    if not reader.exists(path):
        return None
    try:
        return reader.read(path)
    except ReadError as error:
        raise ArtifactFailure(Reason.CONFIG_INVALID, str(error), "restore the file from Git") from None
