"""Documents for the tests of this room, written as YAML or given as values."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

from kagent_render.api.decoding import decode
from kagent_render.source.document import Document
from kagent_render.source.yaml import read_yaml

if TYPE_CHECKING:
    from kagent_render.api.hub import Inventory
    from kagent_render.diagnostics.diagnostic import Diagnostic, FieldPath

DIGEST = "sha256:" + "0" * 64
COMMIT = "a" * 40


class Nowhere:
    """A locator for values that were never text."""

    def locate(self, field: FieldPath) -> tuple[int, int]:
        return 1, 1

    def locate_literal(self, field: FieldPath) -> tuple[int, int] | None:
        return None


def documents(text: str, path: str = "agents.yaml") -> list[Document]:
    """The documents of YAML text, read as the program reads files."""
    read = read_yaml(textwrap.dedent(text).encode())
    return [Document(path, item.value, item.locator) for item in read]


def decode_text(text: str) -> tuple[Inventory, list[Diagnostic]]:
    """What the documents of YAML text decode to."""
    return decode(documents(text))


def decode_value(value: dict[str, Any]) -> tuple[Inventory, list[Diagnostic]]:
    """What one object decodes to."""
    return decode([Document("value.yaml", value, Nowhere())])


def manifest(version: str, kind: str, spec: Any) -> dict[str, Any]:
    """An object of the group of its `kind` around `spec`."""
    metadata = {"namespace": "team", "name": "subject"}
    return {"apiVersion": f"{group_of(kind)}/{version}", "kind": kind, "metadata": metadata, "spec": spec}


def group_of(kind: str) -> str:
    """The API group of one of our kinds."""
    return "kubeagents.x-k8s.io" if kind in ("AgentPlugin", "PlatformAgent") else "kagent.dev"


def yaml_manifest(version: str, kind: str, spec: str) -> str:
    """The YAML of an object of the group of its `kind`; the first line of `spec` is line 7."""
    head = f"apiVersion: {group_of(kind)}/{version}\nkind: {kind}\n"
    head += "metadata:\n  namespace: team\n  name: subject\nspec:\n"
    return head + textwrap.indent(textwrap.dedent(spec).strip("\n"), "  ") + "\n"
