"""Edits of a repository that change nothing which any pair depends on."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any, Final

from tests.properties import manifests as make
from tests.properties.repositories import CONFIG, one_file_each, text_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tests.properties.manifests import Manifest

    Edit = Callable[[list[Manifest]], Mapping[str, bytes]]


def in_every_text(change: Callable[[bytes], bytes]) -> Edit:
    """An edit of every file's text."""
    return lambda manifests: {path: change(text) for path, text in one_file_each(manifests).items()}


def in_every_manifest(change: Callable[[Manifest], Any]) -> Edit:
    """An edit of every object, which `change` makes in place."""

    def edit(manifests: list[Manifest]) -> Mapping[str, bytes]:
        edited = copy.deepcopy(manifests)
        for one in edited:
            change(one)
        return one_file_each(edited)

    return edit


def beside(*added: Manifest, path: str | None = None) -> Edit:
    """More objects: each in a file of its own, or all at the start of the first file."""

    def edit(manifests: list[Manifest]) -> Mapping[str, bytes]:
        files = one_file_each(manifests)
        if path is None:
            first = next(iter(files))
            return {**files, first: text_of(added) + b"---\n" + files[first]}
        return {**files, path: text_of(added)}

    return edit


def reverse_keys(value: Any) -> Any:
    """The same value with the keys of every mapping in reverse order."""
    if isinstance(value, dict):
        return {key: reverse_keys(value[key]) for key in reversed(value)}
    return [reverse_keys(item) for item in value] if isinstance(value, list) else value


def write_defaults(one: Manifest) -> None:
    """Write out what an API server would set."""
    spec = one.get("spec") or {}
    match one["kind"]:
        case "ModelConfig":
            spec.setdefault("provider", "OpenAI")
            for block, fields in make.DEFAULTS.items():
                for name, value in fields if block in spec else ():
                    spec[block].setdefault(name, value)
        case "RemoteMCPServer":
            for name, value in (
                ("protocol", "STREAMABLE_HTTP"),
                ("timeout", "30s"),
                ("terminateOnClose", True),
            ):
                spec.setdefault(name, value)
        case "AgentTemplate":
            for tool in spec["tools"]:
                if "agent" in tool:
                    tool["agent"].setdefault("isolation", "Shared")


def write_nulls(one: Manifest) -> None:
    """Write null for optional fields that are not there."""
    optional = {
        "AgentTemplate": ["description", "skills", "plugins"],
        "Harness": ["env"],
        "ModelConfig": ["defaultHeaders", "tls"],
        "RemoteMCPServer": ["headersFrom", "tls"],
    }
    for name in optional.get(one["kind"], ()):
        one["spec"].setdefault(name, None)


def annotate(one: Manifest) -> None:
    """Add what other tools write into metadata."""
    one["metadata"]["annotations"] = {"example.com/owner": "someone"}


def _as_json(manifests: list[Manifest]) -> dict[str, bytes]:
    return {
        path: json.dumps(one, indent=1).encode()
        for path, one in zip(one_file_each(manifests), manifests, strict=True)
    }


def _as_lists(manifests: list[Manifest]) -> dict[str, bytes]:
    return {"all.yaml": text_of([{"apiVersion": "v1", "kind": "List", "items": manifests}])}


_UNUSED: Final = [
    make.model("v1alpha2", "OpenAI", "unused"),
    make.server("v1alpha3", "unused"),
    make.manifest("v1", "ConfigMap", "unused", data={"prompt": "unused"}),
    make.manifest("apps/v1", "Deployment", "unused", spec={"replicas": 1}),
    make.model("v1alpha2", "OpenAI", "model", "elsewhere"),
]

EDITS: Final[dict[str, Edit]] = {
    "a comment at the top": in_every_text(lambda text: b"# changed\n" + text),
    "comments and blank lines everywhere": in_every_text(
        lambda text: text.replace(b"\nspec:", b" \n\n# why\n\nspec: # more\n").replace(b"\nkind", b"\n\nkind")
    ),
    "document marks": in_every_text(lambda text: b"---\n" + text + b"...\n---\n# nothing\n"),
    "a byte order mark": in_every_text(lambda text: b"\xef\xbb\xbf" + text),
    "line ends of Windows": in_every_text(lambda text: text.replace(b"\n", b"\r\n")),
    "JSON in place of YAML": _as_json,
    "one List of all": _as_lists,
    "keys in another order": lambda manifests: one_file_each([reverse_keys(one) for one in manifests]),
    "defaults written out": in_every_manifest(write_defaults),
    "nulls written out": in_every_manifest(write_nulls),
    "annotations": in_every_manifest(annotate),
    "neighbours in the same file": beside(*_UNUSED),
    "neighbours in another file": beside(*_UNUSED, path="another/file.yml"),
    "a file that another program understands": lambda manifests: {
        **one_file_each(manifests),
        "chart/templates/one.yaml": b"{{- if .Values.on }}\nkind: Secret\n{{- end }}\n",
    },
}
"""Every edit by what a reviewer would call it."""

EXPLICIT_CONFIG: Final[dict[str, Any]] = copy.deepcopy(CONFIG)
"""The configuration with every default written out."""

EXPLICIT_CONFIG["spec"] |= {
    "sources": ["**/*.yaml", "**/*.yml"],
    "output": "rendered",
    "controller": {"name": "kagent-controller", "namespace": "kagent"},
    "tools": {"url": "https://kagent-apply.kagent:8085"},
    "retention": {"revisions": 1, "protect": True},
}
