"""Manifests as text, read and decoded the way the program does it."""

from __future__ import annotations

from kagent_render.api.decoding import decode
from kagent_render.api.hub import Inventory
from kagent_render.diagnostics.diagnostic import Diagnostic
from kagent_render.source.document import Document
from kagent_render.source.yaml import read_yaml

ZEROS = "0" * 64
IMAGE = f"registry.example.com/agent-runtime@sha256:{ZEROS}"

HARNESS = f"""\
apiVersion: kagent.dev/v1alpha2
kind: Harness
metadata: {{namespace: team, name: runtime}}
spec:
  python: {{}}
  workload:
    image: {IMAGE}
  allowedAgentTemplates:
    selector: {{}}
"""


def documents(*texts: str) -> list[Document]:
    """One document per YAML document of `texts`, each text in a file of its own."""
    return [
        Document(f"{number}.yaml", document.value, document.locator)
        for number, text in enumerate(texts)
        for document in read_yaml(text.encode())
    ]


def inventory(*texts: str) -> Inventory:
    """The inventory of manifests that are expected to be valid."""
    decoded, faults = decode(documents(*texts))
    assert not [fault for fault in faults if fault.is_error], faults
    return decoded


def model(spec: str, name: str = "model") -> str:
    """A ModelConfig with the flow mapping `spec`."""
    return (
        "apiVersion: kagent.dev/v1alpha2\nkind: ModelConfig\n"
        f"metadata: {{namespace: team, name: {name}}}\nspec: {spec}\n"
    )


def server(spec: str, name: str = "server") -> str:
    """A RemoteMCPServer with the flow mapping `spec`."""
    return (
        "apiVersion: kagent.dev/v1alpha2\nkind: RemoteMCPServer\n"
        f"metadata: {{namespace: team, name: {name}}}\nspec: {spec}\n"
    )


def told(faults: list[Diagnostic]) -> list[tuple[str, str | None]]:
    """Each fault as its reason and field."""
    return [(fault.reason.value, fault.field) for fault in faults]
