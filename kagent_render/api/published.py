"""The JSON Schemas of every kind that is read, one for each version of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kagent_render.api.json_schema import (
    FREE_METADATA,
    METADATA,
    choosing_schema,
    editor_schema,
    object_schema,
    titled,
)
from kagent_render.api.kinds import DIALECTS
from kagent_render.api.renderconfig import InUseSpec, RenderConfigSpec
from kagent_render.api.resource_definition import LONGEST_PLUGIN_NAME, PLUGIN_NAME
from kagent_render.source.config import CONFIG_API_VERSION, CONFIG_KIND

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kagent_render.api.model_schema import Schema

WHOLE: Final = "all.json"
"""The file of the schema that chooses by apiVersion and kind."""

_IN_USE_METADATA: Final[Schema] = {**METADATA, "required": ["namespace"]}
_PLUGIN_METADATA: Final[Schema] = {
    **METADATA,
    "properties": {
        **METADATA["properties"],
        "name": {
            **METADATA["properties"]["name"],
            "maxLength": LONGEST_PLUGIN_NAME,
            "pattern": PLUGIN_NAME,
        },
    },
}


@dataclass(frozen=True, slots=True)
class Published:
    """The schema of one version of a kind, and the file that it is written to."""

    api_version: str
    kind: str
    schema: Schema

    @property
    def path(self) -> str:
        """The file below the folder of schemas, as kubeconform and editors' catalogues name it."""
        group, _, version = self.api_version.partition("/")
        return f"{group}/{self.kind.lower()}_{version}.json"


def published(kind: str | None = None) -> list[Published]:
    """The schemas of all kinds, or of one, in order."""
    found = [*_of_dialects(), *_of_our_own()]
    chosen = [entry for entry in found if kind in (None, entry.kind)]
    return sorted(chosen, key=lambda entry: (entry.kind, entry.api_version))


def schema_of(kind: str | None = None) -> Schema:
    """One schema of a kind, or of all: where there are several versions, one that chooses."""
    found = published(kind)
    if len(found) == 1:
        return titled(found[0].schema, found[0].kind)
    return choosing_schema({(entry.api_version, entry.kind): entry.schema for entry in found}, _title(kind))


def schema_files() -> Mapping[str, Schema]:
    """Every schema file by its path."""
    single = {entry.path: titled(entry.schema, entry.kind) for entry in published()}
    return {**single, WHOLE: schema_of()}


def _title(kind: str | None) -> str:
    return kind or "Manifests that kagent-render reads"


def _of_dialects() -> Iterator[Published]:
    for (version, kind), dialect in DIALECTS.items():
        spec = editor_schema(dialect.model)
        metadata = METADATA if dialect.judges_name else _PLUGIN_METADATA
        yield Published(version, kind, object_schema(version, kind, spec, metadata))


def _of_our_own() -> Iterator[Published]:
    for kind, model, metadata in (
        (CONFIG_KIND, RenderConfigSpec, FREE_METADATA),
        ("InUse", InUseSpec, _IN_USE_METADATA),
    ):
        spec = editor_schema(model)
        schema = object_schema(CONFIG_API_VERSION, kind, spec, metadata)
        yield Published(CONFIG_API_VERSION, kind, schema)
