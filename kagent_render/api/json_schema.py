"""JSON Schemas of whole manifests (draft 7), for editors and for tools that check files before a commit.

What a schema cannot say is left to `check`: two entries of one name, a field that another one needs, what a
reference leads to. It asks for no more than `check` does, but that a field without a value has to go.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from kagent_render.api.identity import METADATA_FIELDS
from kagent_render.api.model_schema import PRESERVE, Schema, below, model_schema
from kagent_render.api.names import DNS_LABEL, DNS_SUBDOMAIN, LABEL_KEY, LABEL_VALUE, LONGEST_LABEL_KEY

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kagent_render.api.schema import Block, Check, Rule

DRAFT: Final = "http://json-schema.org/draft-07/schema#"
"""The dialect: the newest that every editor's YAML support reads."""

_SPACE: Final = re.compile(r"\[:space:\]")


def editor_schema(model: type[Block]) -> Schema:
    """The schema of a block as an editor reads it."""
    return _for_editors(model_schema(model))


def object_schema(api_version: str, kind: str, spec: Schema, metadata: Schema) -> Schema:
    """The schema of a whole manifest; `metadata` is required where it asks for fields."""
    required = ["apiVersion", "kind", *(["metadata"] if "required" in metadata else []), "spec"]
    return {
        "description": spec["description"],
        "type": "object",
        "properties": {
            "apiVersion": {"const": api_version},
            "kind": {"const": kind},
            "metadata": metadata,
            "spec": spec,
            **({} if metadata is FREE_METADATA else {"status": {"description": "Not read."}}),
        },
        "required": required,
        "additionalProperties": False,
    }


def choosing_schema(schemas: Mapping[tuple[str, str], Schema], title: str) -> Schema:
    """One schema for files that hold objects of any of these versions and kinds, and any others.

    A version of one of the kinds that is not there is wrong; any other kind is right.
    """
    places = {(version, kind): _definition_name(version, kind) for version, kind in schemas}
    chosen = [
        _when({"apiVersion": {"const": version}, "kind": {"const": kind}}, {"$ref": f"#/definitions/{place}"})
        for (version, kind), place in places.items()
    ]
    listed = _when({"kind": {"const": "List"}}, {"properties": {"items": {"items": {"$ref": "#"}}}})
    return {
        "$schema": DRAFT,
        "title": title,
        "allOf": [*chosen, *_known_versions(schemas), listed],
        "definitions": {place: schemas[key] for key, place in places.items()},
    }


def titled(schema: Schema, title: str) -> Schema:
    """A schema that stands in a file of its own."""
    return {"$schema": DRAFT, "title": title, **schema}


def _known_versions(keys: Iterable[tuple[str, str]]) -> list[Schema]:
    known: dict[tuple[str, str], list[str]] = {}
    for version, kind in keys:
        known.setdefault((version.partition("/")[0], kind), []).append(version)
    return [
        _when(
            {"apiVersion": {"pattern": f"^{_literal(group)}/"}, "kind": {"const": kind}},
            {"properties": {"apiVersion": {"enum": versions}}},
        )
        for (group, kind), versions in known.items()
    ]


def _literal(group: str) -> str:
    """The pattern of an API group; `re.escape` would escape hyphens, which ECMA-262 calls an error."""
    return group.replace(".", r"\.")


def _when(properties: Schema, then: Schema) -> Schema:
    return {"if": {"type": "object", "properties": properties, "required": [*properties]}, "then": then}


def _definition_name(api_version: str, kind: str) -> str:
    return f"{kind}.{api_version.replace('/', '.')}"


def _for_editors(schema: Schema) -> Schema:
    found = below(schema, _for_editors)
    rules: list[Rule | Check] = found.pop("rules", [])
    kept = {key: value for key, value in found.items() if not key.startswith("x-kubernetes-")}
    if "`" in kept.get("description", ""):
        kept["markdownDescription"] = kept["description"]  # editors escape Markdown in the other one
    if kept.get("type") == "object" and PRESERVE not in found:
        kept.setdefault("additionalProperties", False)
    if found.get("x-kubernetes-list-type") == "set":
        kept["uniqueItems"] = True
    if "x-kubernetes-int-or-string" in found:
        kept["type"] = [alternative["type"] for alternative in kept.pop("anyOf")]
    if "pattern" in kept:
        kept["pattern"] = _SPACE.sub(r"\\s", kept["pattern"].replace("[^[:space:]", r"[^\s"))
    return _with_keywords(kept, [dict(rule.schema) for rule in rules if rule.schema])


def _with_keywords(schema: Schema, said: list[dict[str, Any]]) -> Schema:
    """The schema with what its rules say, side by side where two use one keyword."""
    both = [keywords for keywords in said if not schema.keys().isdisjoint(keywords)]
    for keywords in said:
        if keywords in both:
            continue
        if schema.keys().isdisjoint(keywords):
            schema = {**schema, **keywords}
        else:
            both.append(keywords)
    return {**schema, "allOf": both} if both else schema


_LABELS: Final[Schema] = {
    "description": "What selectors go by.",
    "type": "object",
    "propertyNames": {"maxLength": LONGEST_LABEL_KEY, "pattern": LABEL_KEY},
    "additionalProperties": {"type": "string", "maxLength": 63, "pattern": LABEL_VALUE},
}
_KNOWN_METADATA: Final[Schema] = {
    "name": {
        "description": "The object's name.",
        "type": "string",
        "minLength": 1,
        "maxLength": 253,
        "pattern": DNS_SUBDOMAIN,
    },
    "namespace": {
        "description": "The object's namespace, which is where all that it refers to is, too.",
        "type": "string",
        "pattern": DNS_LABEL,
    },
    "labels": _LABELS,
    "annotations": {
        "description": "Notes for programs.",
        "type": "object",
        "additionalProperties": {"type": "string"},
    },
}

METADATA: Final[Schema] = {
    "description": "What the object is called, and where it is.",
    "type": "object",
    "properties": {**{field: {} for field in METADATA_FIELDS}, **_KNOWN_METADATA},
    "required": ["name", "namespace"],
    "additionalProperties": False,
}
"""The metadata of an object in a namespace (meta.k8s.io/v1 ObjectMeta)."""

FREE_METADATA: Final[Schema] = {"description": "Not read.", "type": "object"}
"""The metadata of a document that is no object of a cluster."""
