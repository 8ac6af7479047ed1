"""An in-toto Statement v1 with SLSA provenance v1 over an output that was verified, unsigned.

It holds no time, no name of a machine and no absolute path, so that whoever verifies the same commit with the
same release writes the same bytes.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

STATEMENT_TYPE: Final = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE: Final = "https://slsa.dev/provenance/v1"
BUILD_TYPE: Final = "https://render.kagent.dev/buildtypes/render/v1"
"""What the parameters mean: docs/provenance.md."""

BUILDER: Final = "https://render.kagent.dev/kagent-render"
"""Who built it, unless whoever runs the program says."""

TREE_DIGEST: Final = "kagentTreeSha256"
"""The digest algorithm of an artifact's selected content (DESIGN 8)."""


@dataclass(frozen=True, slots=True)
class Resource:
    """One thing that went in or came out; digests are by algorithm, in hexadecimal digits."""

    name: str = ""
    uri: str = ""
    digests: tuple[tuple[str, str], ...] = ()
    notes: tuple[tuple[str, str], ...] = ()

    def document(self) -> dict[str, Any]:
        """The ResourceDescriptor, without what is empty."""
        found = {
            "name": self.name,
            "uri": self.uri,
            "digest": dict(self.digests),
            "annotations": dict(self.notes),
        }
        return {key: value for key, value in found.items() if value}


@dataclass(frozen=True, slots=True)
class BuiltRoot:
    """One root: `path` from the top of its repository, and the parameters of its RenderConfig."""

    path: str
    config: Resource
    output: str
    target: str | None
    outputs: tuple[Resource, ...]
    dependencies: tuple[Resource, ...]


def make_statement(
    roots: Sequence[BuiltRoot], version: str, commit: str | None = None, builder: str = BUILDER
) -> str:
    """The statement as JSON text; `commit` is that which holds all that was read."""
    subjects = [resource for root in roots for resource in root.outputs]
    dependencies = [resource for root in roots for resource in root.dependencies]
    source = [Resource("source", digests=(("gitCommit", commit),))] if commit else []
    document = {
        "_type": STATEMENT_TYPE,
        "subject": _documents(subjects),
        "predicateType": PREDICATE_TYPE,
        "predicate": {
            "buildDefinition": {
                "buildType": BUILD_TYPE,
                "externalParameters": {"roots": [_parameters(root) for root in roots]},
                "resolvedDependencies": [*_documents(source), *_documents(dependencies)],
            },
            "runDetails": {"builder": {"id": builder, "version": {"kagent-render": version}}},
        },
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _parameters(root: BuiltRoot) -> dict[str, Any]:
    found = {
        "path": root.path or ".",
        "config": root.config.document(),
        "output": root.output,
        "target": root.target,
    }
    return {key: value for key, value in found.items() if value is not None}


def _documents(resources: Iterable[Resource]) -> list[dict[str, Any]]:
    """Each resource once, sorted by name and URI."""
    ordered = sorted(set(resources), key=lambda found: (found.name, found.uri, found.digests, found.notes))
    return [resource.document() for resource in ordered]
