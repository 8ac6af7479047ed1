"""Records of the source revision on an output branch: one file for each pair and PlatformAgent.

They are written by `commit` alone, so that no two renders ever change one file for different pairs, and an
unrelated source commit changes none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from kagent_render.diagnostics.diagnostic import PairRef, PlatformAgentRef
from kagent_render.emit.layout import owner_folder, place_of
from kagent_render.emit.plan import HEADER
from kagent_render.revision.canonical_yaml import dump

if TYPE_CHECKING:
    from kagent_render.emit.layout import Owner

RECORDS: Final = ".kagent/rendered-from"
"""The folder of a root's records, from the root."""

LONGEST: Final = 64 * 1024
"""Bytes that are read of a record: ours are far shorter."""

_API_VERSION: Final = "render.kagent.dev/v1alpha1"
_KIND: Final = "RenderedFrom"
_PATH: Final = re.compile(rf"(?:(?P<root>.+)/)?{re.escape(RECORDS)}/(?P<owner>[^/]+/[^/]+/[^/]+)\.yaml")
_COMMIT: Final = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Record:
    """Which commit an owner's output was rendered from when it last changed.

    `output` is the root's output folder then, `revision` the prepared revision; None where only manifests
    that instances need are left.
    """

    commit: str
    output: str
    revision: str | None


@dataclass(frozen=True, slots=True)
class RecordPlace:
    """Whose record stands at a path: the `root` is a folder of the repository."""

    root: str
    owner: Owner


def record_path(owner: Owner) -> str:
    """The path of an owner's record, from its root."""
    return f"{RECORDS}/{owner_folder(owner)}.yaml"


def record_place(path: str) -> RecordPlace | None:
    """Whose record a path of the repository is by its shape; None where it is none."""
    found = _PATH.fullmatch(path)
    place = place_of(f"{found['owner']}/kustomization.yaml") if found else None
    if found is None or place is None or place.owner is None:
        return None
    return RecordPlace(found["root"] or "", place.owner)


def record_text(owner: Owner, record: Record) -> bytes:
    """The file of a record."""
    spec = {"commit": record.commit, "output": record.output}
    if record.revision is not None:
        spec["revision"] = record.revision
    document = {
        "apiVersion": _API_VERSION,
        "kind": _KIND,
        "metadata": {"namespace": owner.namespace, "name": _name(owner)},
        "spec": spec,
    }
    return (HEADER + dump(document)).encode()


def read_record(text: bytes) -> Record | None:
    """The record in a file; None where this program did not write it."""
    from kagent_render.source.failure import YAMLInvalidError
    from kagent_render.source.yaml import read_yaml

    if not text.startswith(HEADER.encode()):
        return None
    try:
        values = [document.value for document in read_yaml(text)]
    except YAMLInvalidError:
        return None
    return _decode(values[0]) if len(values) == 1 else None


def _decode(value: Any) -> Record | None:
    if not isinstance(value, dict) or value.get("kind") != _KIND or value.get("apiVersion") != _API_VERSION:
        return None
    spec = value.get("spec")
    spec = spec if isinstance(spec, dict) else {}
    commit, output, revision = spec.get("commit"), spec.get("output"), spec.get("revision")
    if not isinstance(commit, str) or not _COMMIT.fullmatch(commit):
        return None
    if not isinstance(output, str) or not _is_folder(output):
        return None
    if revision is not None and not isinstance(revision, str):
        return None
    return Record(commit, output, revision)


def _is_folder(path: str) -> bool:
    """Whether a path cannot lead out of its root."""
    return path.isprintable() and all(part not in ("", ".", "..") for part in path.split("/"))


def _name(owner: Owner) -> str:
    if isinstance(owner, PlatformAgentRef):
        return owner.name
    assert isinstance(owner, PairRef)
    return f"{owner.template}-{owner.harness}"
