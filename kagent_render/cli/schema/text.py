"""The schemas as text: one on stdout, or all by their files."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from kagent_render.api.published import published, schema_files, schema_of
from kagent_render.api.resource_definition import DEFINITIONS, resource_definition, versions
from kagent_render.diagnostics.text import printable
from kagent_render.emit.plan import kustomization_text
from kagent_render.revision.canonical_yaml import dump

if TYPE_CHECKING:
    from collections.abc import Mapping


def text_of(what: str | None, served: str | None, *, as_json: bool) -> str:
    """What is printed: the list of schemas, one of them, or the CustomResourceDefinitions."""
    if what is None:
        return _list_json() if as_json else _list()
    if what == "crds":
        found = _definitions(served)
        whole = {"apiVersion": "v1", "kind": "List", "items": found}
        return _json(whole) if as_json else "---\n".join(map(dump, found))
    return _json(schema_of(None if what == "json" else _kind(what)))


def files_of(what: str | None, served: str | None) -> Mapping[str, bytes]:
    """The files of the JSON Schemas, or of the CustomResourceDefinitions, by their paths."""
    if what == "crds":
        return _definition_files(served)
    if what not in (None, "json"):
        raise click.UsageError("files are written of all kinds together: leave out the kind")
    return {path: _json(schema).encode() for path, schema in schema_files().items()}


def _definition_files(served: str | None) -> Mapping[str, bytes]:
    found = {f"{_file_name(crd)}.yaml": dump(crd).encode() for crd in _definitions(served)}
    return {**found, "kustomization.yaml": kustomization_text(sorted(found)).encode()}


def _file_name(definition: Mapping[str, Any]) -> str:
    return f"{definition['spec']['group']}_{definition['spec']['names']['plural']}"


def _definitions(served: str | None) -> list[dict[str, Any]]:
    choices = sorted(
        {version for kind in DEFINITIONS if len(versions(kind)) > 1 for version in versions(kind)}
    )
    if served is not None and served not in choices:
        raise click.UsageError(f"`--serve` takes `{'` or `'.join(choices)}`")
    return [resource_definition(kind, served) for kind in DEFINITIONS]


def _kind(name: str) -> str:
    kinds = list(dict.fromkeys(entry.kind for entry in published()))
    for kind in kinds:
        if kind.lower() == name.lower():
            return kind
    from difflib import get_close_matches

    near = get_close_matches(name.lower(), {kind.lower(): kind for kind in kinds}, n=1)
    meant = next((kind for kind in kinds if [kind.lower()] == near), None)
    instead = f"did you mean `{meant}`?" if meant else f"use `json`, `crds` or one of `{'`, `'.join(kinds)}`"
    raise click.UsageError(f"no kind `{printable(name[:63])}` is read: {instead}")


def _list() -> str:
    rows = [(row.kind, row.api_version, row.path) for row in published()]
    narrow, wide = (max(len(row[at]) for row in rows) for at in (0, 1))
    return "".join(f"{kind:<{narrow}}  {version:<{wide}}  {path}\n" for kind, version, path in rows)


def _list_json() -> str:
    rows = [{"kind": row.kind, "apiVersion": row.api_version, "file": row.path} for row in published()]
    return _json(
        {"schemas": rows, "crds": [definition["metadata"]["name"] for definition in _definitions(None)]}
    )


def _json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
