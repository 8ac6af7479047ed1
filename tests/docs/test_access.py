"""The page about access says what the code says."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime

from kagent_apply.auth.audit_record import AuditRecord, audit_line
from kagent_apply.auth.names import LONGEST_NAME
from kagent_apply.auth.oidc.issuer import ALGORITHMS, Issuer
from kagent_apply.auth.oidc.key_cache import CacheBounds
from kagent_apply.auth.oidc.key_set import LARGEST_RSA, SMALLEST_RSA
from kagent_apply.auth.policy_file import read_policy
from kagent_apply.auth.port import Caller, Verb
from kagent_apply.auth.rate import MOST_CALLERS
from kagent_apply.auth.tokens import SHORTEST_TOKEN, read_tokens
from tests.docs.markdown import blocks, page, sections

PAGE = page("docs/access.md")


def test_the_token_list_of_the_page_can_be_read() -> None:
    (example,) = blocks(sections(PAGE, 3)["Tokens"], "yaml")
    read = read_tokens("tokens.yaml", example.text.encode())
    assert [(token.caller.subject, token.caller.groups) for token in read] == [
        ("ci", ("deployers",)),
        ("alice", ()),
    ]
    assert f"at-least-{SHORTEST_TOKEN}-characters" in example.text


def test_the_policy_of_the_page_can_be_read() -> None:
    (example,) = blocks(sections(PAGE, 2)["What a caller may do"], "yaml")
    policy = read_policy("policy.yaml", example.text.encode())
    assert policy.allows(Caller("ci"), Verb.DELETE, "payments")
    assert not policy.allows(Caller("ci"), Verb.SHARE, "payments")
    assert policy.allows(Caller("alice", ("sre",)), Verb.ALL_CREATORS, "anywhere")


def test_every_verb_has_a_row() -> None:
    rows = re.findall(r"^\| `([a-z-]+)` \|", sections(PAGE, 2)["What a caller may do"], re.MULTILINE)
    assert rows == list(Verb)


def test_the_audit_line_of_the_page_has_the_keys_of_a_real_one() -> None:
    (example,) = blocks(sections(PAGE, 2)["Audit log"], "json")
    caller = Caller("alice", (), "oidc")
    record = AuditRecord(datetime.now(UTC), caller, "c", Verb.GET, "n", "t", "OK", 1.0, "p")
    assert list(json.loads(example.text)) == list(json.loads(audit_line(record)))


def test_the_figures_of_the_page_are_those_of_the_code() -> None:
    bounds, text = CacheBounds(), re.sub(r"\s+", " ", PAGE)
    issuer = Issuer("https://issuer.example", ("a",))
    for told in (
        f"at most {LONGEST_NAME} printable characters",
        ", ".join(f"`{name}`" for name in ALGORITHMS),
        f"Clocks may differ by {issuer.clock_skew:.0f} seconds",
        f"RSA keys have {SMALLEST_RSA:,} to {LARGEST_RSA:,} bits",
        f"{bounds.fresh / 60:.0f} minutes after they were last",
        f"at most every {bounds.pause:.0f} seconds",
        f"at most {bounds.patience:.0f} seconds",
        f"working for {bounds.stale / 3600:.0f} hours",
        f"{MOST_CALLERS:,} callers are counted apart",
    ):
        assert told in text
