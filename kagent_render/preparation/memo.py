"""What an earlier run wrote for the same inputs, so that it need not be prepared again.

A pair's key covers everything that its files depend on, the program itself included; a hit gives the very
bytes. Checks of the pair are never skipped: only writing what they passed is.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from kagent_render.compile.policy import Policy
    from kagent_render.diagnostics.diagnostic import ObjectRef
    from kagent_render.graph.tree import Node
    from kagent_render.revision.compiled_pair import CompiledPair
    from kagent_render.revision.lock_history import LockHistory
    from kagent_render.source.config import RenderConfig


@dataclass(frozen=True, slots=True)
class RememberedPair:
    """The files of one pair as they were written: its lock, and its manifests by ActorTemplate name."""

    revision: str
    lock: bytes
    manifests: Mapping[str, bytes]
    retained: tuple[str, ...]


class Memo(Protocol):
    """Remembers content by key; may forget at any time, and never gives anything but what it was told."""

    def recall(self, keys: Iterable[str]) -> dict[str, bytes]:
        """What was remembered under those of the keys that are known."""
        ...

    def remember(self, key: str, content: bytes) -> None:
        """Keep content for later runs."""
        ...


class MemoryMemo:
    """A memo for one process; the twin of the one on disk."""

    def __init__(self) -> None:
        self.contents: dict[str, bytes] = {}

    def recall(self, keys: Iterable[str]) -> dict[str, bytes]:
        """What was remembered under those of the keys that are known."""
        return {key: self.contents[key] for key in keys if key in self.contents}

    def remember(self, key: str, content: bytes) -> None:
        """Keep content."""
        self.contents[key] = content


def encode_pair(pair: RememberedPair) -> bytes:
    """A pair as a memo keeps it: one line of JSON that says what is how long, then the files as they are."""
    sizes = {name: len(text) for name, text in pair.manifests.items()}
    head = json.dumps([pair.revision, len(pair.lock), sizes, pair.retained])
    return b"\n".join([head.encode(), pair.lock + b"".join(pair.manifests.values())])


def decode_pair(content: bytes) -> RememberedPair:
    """The pair that `encode_pair` was given."""
    head, _, texts = content.partition(b"\n")
    revision, lock_size, sizes, retained = json.loads(head)
    manifests, start = {}, lock_size
    for name, size in sizes.items():
        manifests[name] = texts[start : start + size]
        start += size
    return RememberedPair(revision, texts[:lock_size], manifests, tuple(retained))


def common_key(program: str, policy: Policy, config: RenderConfig) -> str:
    """What the keys of all pairs of a root share; `program` identifies the program that runs."""
    shared = [program, dataclasses.asdict(policy), config.retention.revisions, config.retention.protect]
    return digest_key(shared)


def pair_key(
    common: str,
    compiled: CompiledPair,
    digests: Mapping[ObjectRef, str],
    history: LockHistory | None,
    needed: Collection[str],
) -> str:
    """The key of one pair: its tree, every input by digest, the record, and what came before."""
    harness, record = compiled.harness, compiled.record
    return digest_key(
        [
            common,
            str(compiled.pair),
            [harness.ref.api_version, digests[harness.ref]],
            [record.name, record.version, record.digest],
            [[boundary.adapter.name, boundary.adapter.format] for boundary, _ in compiled.boundaries],
            [_node(node, compiled, digests) for node in compiled.nodes],
            _history(history) if history is not None else None,
            sorted(needed),
        ]
    )


def _node(node: Node, compiled: CompiledPair, digests: Mapping[ObjectRef, str]) -> list[object]:
    template = node.template
    resolved = compiled.resolved[template.name]
    return [
        node.path,
        node.isolation,
        node.boundary,
        node.description,
        [template.ref.api_version, template.name, digests[template.ref], sorted(template.labels.items())],
        [resolved.prompt.templated, resolved.prompt.text],
        [
            [used.ref.api_version, used.ref.kind, used.ref.name, used.key, used.digest]
            for used in resolved.inputs
        ],
        [[dict(pin.identity), pin.tree_digest, pin.manifest] for pin in resolved.artifacts],
        [[skill.name, skill.digest] for skill in resolved.skills],
    ]


def _history(history: LockHistory) -> list[object]:
    return [[known.revision, *known.actor_templates] for known in (history.current, *history.retained)]


def _object(ref: ObjectRef) -> tuple[str, str, str | None]:
    return ref.api_version, ref.kind, ref.name


def digest_key(value: object) -> str:
    """A memo's key for plain data."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
