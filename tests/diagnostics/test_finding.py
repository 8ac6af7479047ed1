"""What all reports share: order, bounds, and what a finding is known by from run to run."""

from __future__ import annotations

import dataclasses

from hypothesis import given
from hypothesis import strategies as st

from kagent_render.diagnostics.diagnostic import Severity
from kagent_render.diagnostics.finding import LONGEST_TEXT, Finding, fingerprints, most_severe_first
from kagent_render.diagnostics.reasons import Reason
from tests.diagnostics.hostile import PAIR, finding, hostile

ORDINARY = finding()
OTHERS = {
    "reason": finding(reason=Reason.INVALID_SPEC),
    "path": finding(path="team/other.yaml"),
    "field": finding(field="spec.y"),
    "object": finding(object=None),
    "pair": finding(pair=PAIR),
}


def test_a_fingerprint_does_not_depend_on_lines_nor_on_words() -> None:
    moved = finding("the field `x` is still unknown", line=70, column=1, hint="remove it")
    assert fingerprints([moved]) == fingerprints([ORDINARY])


def test_a_fingerprint_depends_on_everything_that_makes_a_finding_another_one() -> None:
    known = {fingerprints([other])[0] for other in (ORDINARY, *OTHERS.values())}
    assert len(known) == 1 + len(OTHERS)


@given(st.lists(st.sampled_from([ORDINARY, *OTHERS.values()]), max_size=12))
def test_no_two_findings_of_a_report_have_the_same_fingerprint(chosen: list[Finding]) -> None:
    found = [dataclasses.replace(item, line=line) for line, item in enumerate(chosen, 1)]
    assert len(set(fingerprints(found))) == len(found)


@given(st.permutations([finding(severity=s, path=p) for s in Severity for p in ("a", "b")]))
def test_the_order_is_one_whatever_it_was_before(findings: list[Finding]) -> None:
    ordered = most_severe_first(findings)
    assert [(str(item.diagnostic.severity), item.path) for item in ordered] == [
        (severity, path) for severity in ("error", "warning", "info") for path in ("a", "b")
    ]


def test_a_text_is_one_line_of_bounded_length() -> None:
    for item in hostile():
        assert item.text.isprintable()
    long = finding("x" * 5_000_000, hint="y" * 5_000_000)
    assert len(long.message) == LONGEST_TEXT
    assert len(long.text) < 2 * LONGEST_TEXT + 20
