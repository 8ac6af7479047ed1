"""The policy in a YAML file of the kind `AccessPolicy`, as it is now."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kagent_apply.auth.names import is_name
from kagent_apply.auth.policy import ANY, OWN_VERBS, Policy, Rule
from kagent_apply.auth.port import Verb
from kagent_apply.auth.sections import read_sections
from kagent_render.api.names import is_dns_label

if TYPE_CHECKING:
    from kagent_apply.auth.port import Caller
    from kagent_apply.auth.sections import Section
    from kagent_apply.auth.watched_file import WatchedFile

POLICY_KIND: Final = "AccessPolicy"

_VERBS: Final = ", ".join(f"`{verb}`" for verb in Verb)


@dataclass(frozen=True, slots=True)
class PolicyFile:
    """Lets callers do what the file says now, or said when it was last understood."""

    file: WatchedFile[Policy]

    def allows(self, caller: Caller, verb: Verb, namespace: str, name: str = "") -> bool:
        """Whether a rule of the file lets a caller do it."""
        return self.file.current().allows(caller, verb, namespace, name)


def read_policy(path: str, data: bytes) -> Policy:
    """The policy that a file holds; raises FileFaultError."""
    return read_sections(path, data, POLICY_KIND, _policy)


def _policy(spec: Section) -> Policy:
    return Policy(tuple(_rule(section) for section in spec.sections("rules")))


def _rule(section: Section) -> Rule:
    subjects = section.texts("subjects", is_name, "a subject or `*`")
    groups = section.texts("groups", is_name, "a group or `*`")
    namespaces = section.texts("namespaces", _is_namespace, "the name of a namespace or `*`", least=1)
    verbs = section.texts("verbs", _is_verb, f"{_VERBS} or `*`", least=1)
    section.close()
    if not (section.has("subjects") or section.has("groups")):
        section.fault("", "the rule is for nobody", "name `subjects` or `groups`, or write `subjects: ['*']`")
    return Rule(frozenset(subjects), frozenset(groups), frozenset(namespaces), _verbs(verbs))


def _verbs(written: tuple[str, ...]) -> frozenset[Verb]:
    named = frozenset(Verb(verb) for verb in written if verb != ANY)
    return named | OWN_VERBS if ANY in written else named


def _is_namespace(text: str) -> bool:
    return text == ANY or is_dns_label(text)


def _is_verb(text: str) -> bool:
    return text == ANY or text in set(Verb)
