"""Every file that the output folder should hold, by what it is for."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from kagent_render.diagnostics.diagnostic import PairRef
from kagent_render.emit import layout
from kagent_render.emit.applied import AppliedObject
from kagent_render.emit.config_map import carry
from kagent_render.emit.layout import (
    ATTRIBUTES,
    COMPONENT_FILES,
    KUSTOMIZATION,
    LOCK,
    agent_folder,
    pair_folder,
)
from kagent_render.revision.canonical_yaml import dump
from kagent_render.target.actor_template import manifest_path

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from kagent_render.diagnostics.diagnostic import PlatformAgentRef
    from kagent_render.emit.config_map import ConfigMap
    from kagent_render.emit.layout import Owner

HEADER: Final = "# Written by kagent-render: edits are replaced.\n"
"""The first line of each file that serves several pairs, by which it is known as ours."""

LOCK_MERGE_DRIVER: Final = "kagent-render"
"""The name of Git's merge driver for locks; Git merges them as text where none is configured."""

# Locks are what a reviewer reads. A union of kustomizations keeps what both branches added.
ATTRIBUTES_TEXT: Final = f"""{HEADER}.gitattributes text eol=lf
*.yaml text eol=lf
**/actortemplates/*.yaml linguist-generated
{KUSTOMIZATION} merge=union
{layout.LOCK} -linguist-generated merge={LOCK_MERGE_DRIVER}
"""
"""What Git is told of the output folder."""

CARRIED_ATTRIBUTES: Final = f"*/*/*/{KUSTOMIZATION} merge\n"
"""... and where ConfigMaps carry pairs: a file that stands twice in a union is one that kustomize refuses."""


@dataclass(frozen=True, slots=True)
class PairOutput:
    """The files of a pair that prepared; manifests by ActorTemplate name.

    `retained` are manifests of earlier revisions as they are, newest first; a pair that is gone may have them
    without a lock. `carried` is set for a target whose manifests no GitOps tool can apply: a ConfigMap holds
    lock and manifests instead. `foreign` are names among `retained` that another generation wrote: they stay,
    and are in no kustomization.
    """

    pair: PairRef
    lock: bytes | None
    manifests: Mapping[str, bytes]
    retained: Mapping[str, bytes] = field(default_factory=dict)
    carried: bool = False
    foreign: frozenset[str] = frozenset()

    @property
    def listed(self) -> list[str]:
        """The names of the ActorTemplates that are objects of a kustomization, sorted."""
        return [] if self.carried else sorted({*self.manifests, *self.retained} - self.foreign)

    @property
    def config_map(self) -> ConfigMap | None:
        """The ConfigMap that carries the pair; None where none does, or there is nothing to carry."""
        if not self.carried:
            return None
        made = carry(self.pair, self.lock, self.manifests, self.retained, self.foreign)
        return made if made.files else None


@dataclass(frozen=True, slots=True)
class AgentOutput:
    """The files of a PlatformAgent's Component by name: lock, kustomization and `COMPONENT_FILES`."""

    agent: PlatformAgentRef
    files: Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class OutputPlan:
    """Path to content of everything that should exist; `kept` pairs and agents keep what they have.

    `applied` are the objects that `kubectl kustomize` would give, sorted by pair and name.
    """

    manifests: Mapping[str, bytes]
    locks: Mapping[str, bytes]
    kustomizations: Mapping[str, bytes]
    attributes: Mapping[str, bytes]
    kept: frozenset[Owner] = frozenset()
    applied: tuple[AppliedObject, ...] = ()

    @property
    def files(self) -> dict[str, bytes]:
        """All planned files, sorted by path."""
        files = {**self.manifests, **self.locks, **self.kustomizations, **self.attributes}
        return dict(sorted(files.items()))


def plan_output(
    prepared: Iterable[PairOutput],
    kept: Iterable[Owner] = (),
    agents: Iterable[AgentOutput] = (),
    *,
    carried: bool = False,
) -> OutputPlan:
    """The plan for the pairs and `agents` that prepared and those that stay as they are.

    `kept` are those that failed and were written before; pairs among them stay listed. Without any nothing
    should exist. No kustomization lists an agent's Component: it is for who patches the operator's objects.
    `carried` says of the target what a pair that was prepared says of itself.
    Raises ValueError at a pair, agent or ActorTemplate whose name cannot be a path.
    """
    outputs = sorted(prepared, key=lambda output: output.pair)
    components = sorted(agents, key=lambda output: output.agent)
    staying = frozenset(kept)
    kept_pairs = (owner for owner in staying if isinstance(owner, PairRef))
    pairs = sorted({*kept_pairs, *(output.pair for output in outputs)})
    return OutputPlan(
        manifests=MappingProxyType(
            {
                layout.manifest_path(output.pair, name): content
                for output in outputs
                for name, content in {**output.retained, **output.manifests}.items()
            }
            | _component_files(components, COMPONENT_FILES)
        ),
        locks=MappingProxyType(
            {layout.lock_path(output.pair): output.lock for output in outputs if output.lock is not None}
            | _component_files(components, (LOCK,))
        ),
        kustomizations=MappingProxyType(
            _kustomizations(outputs, pairs) | _component_files(components, (KUSTOMIZATION,))
        ),
        attributes=MappingProxyType(
            {ATTRIBUTES: attributes_text(carried=carried or any(output.carried for output in outputs))}
            if pairs or components or staying
            else {}
        ),
        kept=staying,
        applied=tuple(found for output in outputs for found in _applied(output)),
    )


def attributes_text(*, carried: bool) -> bytes:
    """The attributes of an output folder; `carried` where ConfigMaps carry its pairs."""
    return (ATTRIBUTES_TEXT + (CARRIED_ATTRIBUTES if carried else "")).encode()


def _applied(output: PairOutput) -> Iterator[AppliedObject]:
    """What the kustomization of a pair yields."""
    pair, made = output.pair, output.config_map
    if made is not None:
        yield AppliedObject(pair, made.name, f"{pair_folder(pair)}/{KUSTOMIZATION}", made)
    contents = {**output.retained, **output.manifests}
    for name in output.listed:
        yield AppliedObject(pair, name, layout.manifest_path(pair, name), contents[name])


def _component_files(agents: Iterable[AgentOutput], names: Iterable[str]) -> dict[str, bytes]:
    """Those of the agents' files that have one of the `names`."""
    wanted = tuple(names)
    return {
        f"{agent_folder(output.agent)}/{name}": content
        for output in agents
        for name, content in output.files.items()
        if name in wanted
    }


def kustomization_text(resources: Iterable[str]) -> str:
    """A kustomization that lists `resources`, one a line and sorted."""
    return _kustomization({"resources": sorted(resources)})


def carrier_text(generator: Mapping[str, Any]) -> str:
    """A kustomization that makes the one ConfigMap which the `generator` describes."""
    return _kustomization({"configMapGenerator": [generator]})


def _kustomization(parts: Mapping[str, Any]) -> str:
    kind = {"apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization"}
    return HEADER + dump({**kind, **parts})


def pair_kustomization(output: PairOutput) -> str:
    """The kustomization of one pair: its manifests, or the ConfigMap that carries them."""
    made = output.config_map
    return carrier_text(made.generator) if made else kustomization_text(map(manifest_path, output.listed))


def _kustomizations(outputs: list[PairOutput], pairs: list[PairRef]) -> dict[str, bytes]:
    """Of each prepared pair, of each namespace, and of the root."""
    texts = {}
    for output in outputs:
        texts[f"{pair_folder(output.pair)}/{KUSTOMIZATION}"] = pair_kustomization(output)
    folders: defaultdict[str, list[str]] = defaultdict(list)
    for pair in pairs:
        folders[pair.namespace].append(pair_folder(pair).removeprefix(f"{pair.namespace}/"))
    for namespace, listed in folders.items():
        texts[f"{namespace}/{KUSTOMIZATION}"] = kustomization_text(listed)
    if folders:
        texts[KUSTOMIZATION] = kustomization_text(folders)
    return {path: text.encode() for path, text in texts.items()}
