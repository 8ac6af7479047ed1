"""The records that this release ships, read once from package data."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

from kagent_render.compile.capabilities.reading import read_record
from kagent_render.revision.canonical_json import digest

if TYPE_CHECKING:
    from kagent_render.compile.capabilities.record import CapabilityRecord


def load_catalog() -> tuple[CapabilityRecord, ...]:
    """Every shipped record, sorted by name."""
    from kagent_render.source.yaml import read_yaml

    records = []
    folder = files(__package__) / "catalog"
    for entry in sorted(folder.iterdir(), key=lambda item: item.name):
        if entry.name.endswith(".yaml"):
            value = read_yaml(entry.read_bytes())[0].value
            records.append(read_record(value, digest(value)))
    return tuple(records)
