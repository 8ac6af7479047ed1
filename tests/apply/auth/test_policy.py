"""Who may do what where."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kagent_apply.auth.file_reading import FileFaultError
from kagent_apply.auth.policy import OWN_VERBS, Policy, Rule, own_instances
from kagent_apply.auth.policy_file import PolicyFile, read_policy
from kagent_apply.auth.port import Caller, Verb
from kagent_apply.auth.watched_file import WatchedFile
from tests.apply.auth.files import Hand, Heard, put

HEAD = "apiVersion: apply.kagent.dev/v1alpha1\nkind: AccessPolicy\nspec:\n  rules:\n"
RULES = """\
  - subjects: [alice]
    namespaces: [payments, billing]
    verbs: [create, get]
  - groups: [sre]
    namespaces: ["*"]
    verbs: ["*", all-creators]
  - subjects: ["*"]
    namespaces: [sandbox]
    verbs: ["*"]
"""
ALICE, BOB = Caller("alice"), Caller("bob", ("dev", "sre"))
EVE = Caller("eve", ("srex",))


@pytest.mark.parametrize(
    ("caller", "verb", "namespace", "allowed"),
    [
        (ALICE, "create", "payments", True),
        (ALICE, "get", "billing", True),
        (ALICE, "delete", "payments", False),
        (ALICE, "create", "payment", False),
        (ALICE, "delete", "sandbox", True),
        (ALICE, "all-creators", "sandbox", False),
        (BOB, "delete", "payments", True),
        (BOB, "all-creators", "anything", True),
        (EVE, "get", "payments", False),
        (EVE, "list", "sandbox", True),
        (Caller("*"), "get", "payments", False),
        (Caller("Alice"), "get", "payments", False),
        (Caller("sre"), "get", "billing", False),
        (Caller("x", ("alice",)), "get", "payments", False),
        (Caller("x", ("*",)), "get", "payments", False),
    ],
)
def test_a_caller_may_do_what_a_rule_says(caller: Caller, verb: str, namespace: str, allowed: bool) -> None:
    assert (
        read_policy("policy", (HEAD + RULES).encode()).allows(caller, Verb(verb), namespace, "x") is allowed
    )


@pytest.mark.parametrize("verb", list(Verb))
def test_without_a_file_everybody_does_everything_but_to_what_others_created(verb: Verb) -> None:
    assert own_instances().allows(Caller("anybody"), verb, "anywhere") is (verb is not Verb.ALL_CREATORS)


@pytest.mark.parametrize(
    ("rules", "line", "message", "hint"),
    [
        (
            "  - {subjects: [a], namespaces: [b], verbs: [get], verb: [list]}\n",
            5,
            "the field is unknown",
            "write `verbs`",
        ),
        (
            "  - subjects: [a]\n    namespace: [b]\n    verbs: [get]\n",
            6,
            "the field is unknown",
            "write `namespaces`",
        ),
        ("  - {namespaces: [b], verbs: [get]}\n", 5, "the rule is for nobody", "name `subjects`"),
        ("  - {subjects: [a], verbs: [get]}\n", 5, "`namespaces` must be a list of from 1", "write"),
        ("  - {subjects: [a], namespaces: [b]}\n", 5, "`verbs` must be a list of from 1", "write"),
        ("  - {subjects: [a], namespaces: [b], verbs: [suspend]}\n", 5, "each of `verbs` must be", "correct"),
        (
            "  - {subjects: [a], namespaces: [pay-*], verbs: [get]}\n",
            5,
            "each of `namespaces` must be",
            "correct",
        ),
        ("  - {subjects: a, namespaces: [b], verbs: [get]}\n", 5, "`subjects` must be a list", "write"),
        ("  - {subjects: [7], namespaces: [b], verbs: [get]}\n", 5, "each of `subjects` must be", "correct"),
        ("  - sre\n", 5, "this must be a mapping", "write"),
        ("    a: b\n", 4, "`rules` must be a list", "begin each item"),
    ],
)
def test_a_broken_policy_is_told_by_line(rules: str, line: int, message: str, hint: str) -> None:
    with pytest.raises(FileFaultError) as caught:
        read_policy("policy.yaml", (HEAD + rules).encode())
    assert any(
        (fault.path, fault.line) == ("policy.yaml", line)
        and fault.message.startswith(message)
        and fault.hint.startswith(hint)
        for fault in caught.value.faults
    )


def test_all_that_is_wrong_is_told_at_once() -> None:
    with pytest.raises(FileFaultError) as caught:
        read_policy("policy.yaml", b"apiVersion: v1\nkind: Policy\nspec:\n  rule: []\n")
    assert [fault.line for fault in caught.value.faults] == [1, 2, 3, 4]


def test_a_policy_without_rules_allows_nothing() -> None:
    policy = read_policy("policy", f"{HEAD.rstrip()} []\n".encode())
    assert not any(policy.allows(BOB, verb, "payments") for verb in Verb)


def test_a_new_policy_counts_and_a_broken_one_does_not(tmp_path: Path) -> None:
    hand, heard = Hand(), Heard()
    path = put(tmp_path / "policy", HEAD + RULES, 0o644)
    policy = PolicyFile(WatchedFile(str(path), read_policy, heard, hand, private=False))
    assert policy.allows(ALICE, Verb.GET, "payments")
    put(path, "rules: []\n", 0o644)
    hand.now += 1
    assert policy.allows(ALICE, Verb.GET, "payments")
    assert len(heard.lines) == 1
    put(path, f"{HEAD.rstrip()} []\n", 0o644)
    hand.now += 1
    assert not policy.allows(ALICE, Verb.GET, "payments")


NAMES = st.sampled_from(["a", "b", "c"])
PATTERNS = st.frozensets(st.sampled_from(["a", "b", "*"]), max_size=2)
RULE = st.builds(Rule, PATTERNS, PATTERNS, PATTERNS, st.frozensets(st.sampled_from(list(Verb))))
CALLER = st.builds(Caller, NAMES, st.lists(NAMES, max_size=2).map(tuple))


@given(
    rules=st.lists(RULE, max_size=4),
    more=RULE,
    caller=CALLER,
    verb=st.sampled_from(list(Verb)),
    namespace=NAMES,
)
def test_another_rule_never_takes_away(
    rules: list[Rule], more: Rule, caller: Caller, verb: Verb, namespace: str
) -> None:
    before = Policy(tuple(rules)).allows(caller, verb, namespace)
    after = Policy((more, *rules)).allows(caller, verb, namespace)
    assert after == (before or Policy((more,)).allows(caller, verb, namespace))
    assert Policy(tuple(reversed(rules))).allows(caller, verb, namespace) == before


@settings(max_examples=60)
@given(rules=st.lists(RULE, max_size=4), caller=CALLER, verb=st.sampled_from(list(Verb)), namespace=NAMES)
def test_what_no_rule_names_is_denied(rules: list[Rule], caller: Caller, verb: Verb, namespace: str) -> None:
    policy = Policy(
        tuple(Rule(rule.subjects, rule.groups, rule.namespaces, rule.verbs - {verb}) for rule in rules)
    )
    assert not policy.allows(caller, verb, namespace)
    assert not Policy(()).allows(caller, verb, namespace)


def test_a_star_among_verbs_is_every_verb_but_all_creators() -> None:
    assert OWN_VERBS | {Verb.ALL_CREATORS} == set(Verb)
