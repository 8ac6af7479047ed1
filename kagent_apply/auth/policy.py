"""Who may do what where: rules that only ever allow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kagent_apply.auth.port import Verb

if TYPE_CHECKING:
    from kagent_apply.auth.port import Caller

ANY: Final = "*"
"""Every subject, every group or every namespace, as a rule writes it."""

OWN_VERBS: Final = frozenset(Verb) - {Verb.ALL_CREATORS}
"""What a caller does to own instances: all that `*` stands for among verbs."""


@dataclass(frozen=True, slots=True)
class Rule:
    """Lets callers of one of `subjects`, or in one of `groups`, do `verbs` in `namespaces`."""

    subjects: frozenset[str]
    groups: frozenset[str]
    namespaces: frozenset[str]
    verbs: frozenset[Verb]

    def allows(self, caller: Caller, verb: Verb, namespace: str) -> bool:
        """Whether this rule lets a caller do it."""
        return verb in self.verbs and _names(self.namespaces, namespace) and self._is_for(caller)

    def _is_for(self, caller: Caller) -> bool:
        return _names(self.subjects, caller.subject) or any(
            _names(self.groups, group) for group in caller.groups
        )


@dataclass(frozen=True, slots=True)
class Policy:
    """Lets a caller do what one of its rules does, and nothing else."""

    rules: tuple[Rule, ...]

    def allows(self, caller: Caller, verb: Verb, namespace: str, name: str = "") -> bool:  # noqa: ARG002
        """Whether a rule lets a caller do it; rules tell no names apart."""
        return any(rule.allows(caller, verb, namespace) for rule in self.rules)


def own_instances() -> Policy:
    """What holds without a policy file: everybody does everything, to own instances alone."""
    everywhere = frozenset({ANY})
    return Policy((Rule(everywhere, frozenset(), everywhere, OWN_VERBS),))


def _names(patterns: frozenset[str], name: str) -> bool:
    return ANY in patterns or name in patterns
