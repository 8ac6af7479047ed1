"""Findings whose texts try to be more than text, and many ordinary ones."""

from __future__ import annotations

from typing import Any

from kagent_render.diagnostics.diagnostic import Diagnostic, ObjectRef, PairRef, Severity
from kagent_render.diagnostics.finding import Finding
from kagent_render.diagnostics.reasons import Reason

REF = ObjectRef("kagent.dev/v1alpha2", "AgentTemplate", "team", "lead")
PAIR = PairRef("team", "runtime", "lead")

HOSTILE = (
    "a\n::error::injected",
    "a\r\n::set-output name=x::y",
    "::add-mask::a",
    "##[add-path]/tmp",
    "a%0A::error::b",
    "x,file=other,line=1",
    "| a | b |\n|---|---|",
    "a \\| b",
    "`` ` ` ``",
    "a ` b | c ` d | e",
    "`a``b`",
    "@team and @octocat",
    "a@example.com",
    "#12 !34 %56 ~bug &7 $8 GH-9 team/repo#1",
    "![x](https://evil.example/x.png)",
    "[x](https://evil.example) [y][z] <https://evil.example>",
    "https://evil.example www.evil.example http://evil.example",
    "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "<!-- --> </td></table> &lt;b&gt; &#64;octocat",
    "*a* _b_ ~~c~~ __d__ \\*e\\*",
    ":smile: :+1:",
    "\x1b[31mred\x07\u202eback\ud800",
    "- [ ] task\n# heading\n> quote",
    "$x^2$ $$y$$ ```math",
    "{0} {{1}} ${{ secrets.TOKEN }}",
    "deadbeefdeadbeefdeadbeefdeadbeefdeadbeef",
)
"""Texts that a manifest, a path or a server may bring into a message."""


def finding(
    message: str = "the field `x` is unknown",
    severity: Severity = Severity.ERROR,
    path: str = "team/lead.yaml",
    line: int = 7,
    column: int = 3,
    reason: Reason = Reason.UNKNOWN_FIELD,
    **fields: Any,
) -> Finding:
    """One finding; `fields` are those of its diagnostic."""
    known = {"object": REF, "field": "spec.x", **fields}
    return Finding(Diagnostic(reason, message, severity, **known), path, line, column)


def many(count: int, severity: Severity = Severity.ERROR) -> list[Finding]:
    """Ordinary findings, each in a file of its own."""
    return [finding(severity=severity, path=f"team/{number:05}.yaml") for number in range(count)]


def hostile() -> list[Finding]:
    """Every hostile text as message, hint, field, name and path."""
    return [
        finding(
            text,
            path=text,
            hint=text,
            field=text,
            object=ObjectRef("v1", "ConfigMap", text, text),
            pair=PairRef(text, text, text),
        )
        for text in HOSTILE
    ]
