"""Which pairs of Harness and root AgentTemplate the manifests ask for."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kagent_render.diagnostics.diagnostic import PairRef
from kagent_render.graph.namespaces import Namespace, split_namespaces

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from kagent_render.api.hub import AgentTemplate, Harness, Inventory, LabelSelector


@dataclass(frozen=True, slots=True)
class Candidate:
    """A pair that is asked for, whether or not it can be accepted.

    `template` is None when its document could not be decoded, `harness` also when there is none. `include`
    is the pair's entry in `spec.harnesses.include`; None in a dialect without that list. `blocked` tells
    that one of the two documents is invalid.
    """

    pair: PairRef
    template: AgentTemplate | None
    harness: Harness | None
    include: int | None = None
    blocked: bool = False


@dataclass(frozen=True, slots=True)
class BrokenTemplate:
    """What could still be read of an AgentTemplate that could not be decoded.

    `includes` None means that the dialect has no include list, so that selectors decide over `labels`.
    """

    namespace: str
    name: str
    includes: tuple[str, ...] | None
    labels: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class BrokenHarness:
    """What could still be read of a Harness that could not be decoded; `admission` None admits nothing."""

    namespace: str
    name: str
    admission: LabelSelector | None


def candidate_pairs(
    inventory: Inventory,
    broken: Iterable[BrokenTemplate] = (),
    broken_harnesses: Iterable[BrokenHarness] = (),
) -> list[Candidate]:
    """Every pair that is asked for, by (namespace, harness, template), with those of broken objects blocked.

    A template with an include list asks once per entry, any other is asked for by each Harness of its
    namespace whose selector admits it (DESIGN 6).
    """
    unreadable: defaultdict[str, list[BrokenTemplate]] = defaultdict(list)
    for template in broken:
        unreadable[template.namespace].append(template)
    selecting: defaultdict[str, list[BrokenHarness]] = defaultdict(list)
    for harness in broken_harnesses:
        selecting[harness.namespace].append(harness)
    namespaces = split_namespaces(inventory)
    found: dict[PairRef, Candidate] = {}
    for name in {*namespaces, *unreadable}:
        namespace = namespaces.get(name, Namespace())
        for candidate in _in_namespace(name, namespace, unreadable[name], selecting[name]):
            found.setdefault(candidate.pair, candidate)
    return [found[pair] for pair in sorted(found)]


def _in_namespace(
    name: str, namespace: Namespace, broken: list[BrokenTemplate], broken_harnesses: list[BrokenHarness]
) -> Iterator[Candidate]:
    admission = _Admission((*namespace.harnesses.values(), *broken_harnesses))
    for template in namespace.templates.values():
        invalid = template.name in namespace.broken_templates
        for include, harness in _wanted(template.harnesses, template.labels, admission):
            yield Candidate(
                PairRef(name, harness, template.name),
                template,
                namespace.harnesses.get(harness),
                include,
                blocked=invalid or harness in namespace.broken_harnesses,
            )
    for unreadable in broken:
        for include, harness in _wanted(unreadable.includes, unreadable.labels, admission):
            pair = PairRef(name, harness, unreadable.name)
            yield Candidate(pair, None, namespace.harnesses.get(harness), include, blocked=True)


def _wanted(
    includes: tuple[str, ...] | None, labels: Mapping[str, str], admission: _Admission
) -> Iterable[tuple[int | None, str]]:
    if includes is not None:
        return enumerate(includes)
    return ((None, harness.name) for harness in admission.admitting(labels))


class _Admission:
    """The Harnesses of one namespace, filed by one label that each of them demands.

    A selector nearly always demands a label, so a template meets only the few Harnesses that may admit it.
    """

    def __init__(self, harnesses: Iterable[Harness | BrokenHarness]) -> None:
        self._filed: defaultdict[tuple[str, str] | None, list[Harness | BrokenHarness]] = defaultdict(list)
        for harness in harnesses:
            for label in _demanded(harness):
                self._filed[label].append(harness)

    def admitting(self, labels: Mapping[str, str]) -> Iterator[Harness | BrokenHarness]:
        """Each Harness whose selector admits `labels`, once."""
        for label in (None, *labels.items()):
            for harness in self._filed.get(label, ()):
                if harness.admission is not None and harness.admission.admits(labels):
                    yield harness


def _demanded(harness: Harness | BrokenHarness) -> set[tuple[str, str] | None]:
    if harness.admission is None:
        return set()
    for requirement in harness.admission.requirements:
        if requirement.operator == "In":
            return {(requirement.key, value) for value in requirement.values}
    return {None}
