"""The ConfigMap that carries a pair whose manifests no GitOps tool can apply by themselves.

kustomize makes it of the committed files (`generator`); `document` is the same object for who prints it. Its
name, labels and annotations follow from the pair alone, but for what keeps Flux from substituting: a new
revision changes data, and a merge of two kustomizations has little to disagree about.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from kagent_render.emit.layout import LOCK
from kagent_render.revision.canonical_json import canonical
from kagent_render.revision.canonical_yaml import dump
from kagent_render.target.actor_template import manifest_path
from kagent_render.target.flux import NO_SUBSTITUTION, without_substitution

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from kagent_render.diagnostics.diagnostic import PairRef

MAX_DATA: Final = 1_048_576
"""Bytes that the values of a ConfigMap may have together (MaxSecretSize of Kubernetes; keys do not count)."""

CARRIES: Final = "render.kagent.dev/carries"
"""The label by which every ConfigMap of ours is selected; its value is always `actortemplates`."""

PAIR: Final = "render.kagent.dev/pair"
"""The annotation that holds `namespace/harness/template`, which is too long for a label."""

# Applied by the client, the object would be written a second time into an annotation, and all annotations
# of an object may have 262,144 bytes.
_ARGOCD: Final = {"argocd.argoproj.io/sync-options": "ServerSideApply=true"}
_READABLE: Final = 50
_LONGEST_LABEL: Final = 63
_LONGEST_KEY: Final = 253


@dataclass(frozen=True, slots=True)
class ConfigMap:
    """The files that one ConfigMap carries, by their path below the pair's folder, sorted."""

    pair: PairRef
    files: Mapping[str, bytes]

    @property
    def name(self) -> str:
        """The name, which is the pair's as long as there is the pair."""
        return config_map_name(self.pair)

    @property
    def generator(self) -> dict[str, Any]:
        """What a kustomization says to make the ConfigMap."""
        return generator(self.pair, self.files, substitution=self._substitution)

    @property
    def document(self) -> dict[str, Any]:
        """The object that kustomize makes of `generator` and the files."""
        metadata = {
            "name": self.name,
            "namespace": self.pair.namespace,
            "labels": _labels(self.pair),
            "annotations": _annotations(self.pair, self._substitution),
        }
        data = {_key(path): content.decode() for path, content in sorted(self.files.items())}
        return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}

    @property
    def text(self) -> bytes:
        """The object in canonical YAML."""
        return dump(self.document).encode()

    @property
    def _substitution(self) -> bool:
        """Whether Flux may look for variables: no file has what reads like one."""
        return not without_substitution(content.decode() for content in self.files.values())


def generator(pair: PairRef, paths: Iterable[str], *, substitution: bool) -> dict[str, Any]:
    """The entry of `configMapGenerator` for a pair; `substitution` says whether Flux may do that in it.

    The files come last, one a line, so that a union of two such texts is one again.
    """
    options = {
        "disableNameSuffixHash": True,
        "labels": _labels(pair),
        "annotations": _annotations(pair, substitution),
    }
    return {
        "name": config_map_name(pair),
        "namespace": pair.namespace,
        "options": options,
        "files": sorted(paths),
    }


def config_map_name(pair: PairRef) -> str:
    """`<template>-<harness>` cut to 50 characters, and 12 hex digits of sha256 over the pair's names.

    The digits tell apart what reads the same, `a-b` with `c` and `a` with `b-c`; the revision is not in them.
    """
    readable = f"{pair.template}-{pair.harness}"[:_READABLE].rstrip("-.")
    return f"{readable}-{_identity(pair)}"


def _identity(pair: PairRef) -> str:
    names = {"namespace": pair.namespace, "harness": pair.harness, "template": pair.template}
    return hashlib.sha256(canonical(names)).hexdigest()[:12]


def _labels(pair: PairRef) -> dict[str, str]:
    """Whose it is and what it carries, and the names of the pair that a label can hold."""
    names = {"kagent.dev/agent-template": pair.template, "kagent.dev/harness": pair.harness}
    return {
        "app.kubernetes.io/managed-by": "kagent",
        **{label: name for label, name in names.items() if len(name) <= _LONGEST_LABEL},
        CARRIES: "actortemplates",
    }


def _annotations(pair: PairRef, substitution: bool) -> dict[str, str]:
    flux = {} if substitution else {NO_SUBSTITUTION: "disabled"}
    return {**_ARGOCD, PAIR: str(pair), **flux}


def _key(path: str) -> str:
    """The key that kustomize gives a file: its name."""
    return path.rpartition("/")[2]


def carry(
    pair: PairRef,
    lock: bytes | None,
    manifests: Mapping[str, bytes],
    retained: Mapping[str, bytes],
    foreign: Collection[str] = frozenset(),
) -> ConfigMap:
    """The ConfigMap of a pair: lock and manifests, and of those `retained` the first ones that fit, too.

    Each retained manifest that still fits is carried, in the order in which they are given. What a ConfigMap
    cannot hold at all is left out as well, and `foreign` ones are.
    """
    files = {LOCK: lock} if lock is not None else {}
    files |= {manifest_path(name): content for name, content in manifests.items()}
    earlier = {name: content for name, content in retained.items() if name not in {*foreign, *manifests}}
    files |= _fitting(earlier, MAX_DATA - carried_size(lock, manifests))
    return ConfigMap(pair, dict(sorted(files.items())))


def carried_size(lock: bytes | None, manifests: Mapping[str, bytes]) -> int:
    """The bytes that a ConfigMap has to hold for the current revision; at most `MAX_DATA` fit."""
    return len(lock or b"") + sum(map(len, manifests.values()))


def _fitting(retained: Mapping[str, bytes], room: int) -> Iterator[tuple[str, bytes]]:
    for name, content in retained.items():
        path = manifest_path(name)
        if len(content) <= room and len(_key(path)) <= _LONGEST_KEY and _is_text(content):
            room -= len(content)
            yield path, content


def _is_text(content: bytes) -> bool:
    """Whether a file is UTF-8; one that is not was edited, and is told of elsewhere."""
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True
