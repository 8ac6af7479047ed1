"""Hostile templates: they reach no Python object, and end at a limit in bounded time and memory."""

from __future__ import annotations

import dataclasses
import tracemalloc

import pytest

from kagent_render.prompt.limits import DEFAULT, Limits
from tests.prompt.rendering import judge, render

SMALL = Limits(depth=50, steps=20_000, output=10_000)

ATTRIBUTES = (
    "{{.__class__}}",
    "{{.AgentTemplateName.upper}}",
    "{{.AgentTemplateName.__class__.__mro__}}",
    "{{.ToolNames.append}}",
    "{{.ToolNames.items}}",
    "{{(index .ToolNames 0).decode}}",
    "{{(len .ToolNames).real}}",
    '{{(index "a" 0).value}}',
    "{{(1.5).hex}}",
    "{{(1i).imag}}",
    "{{$.fields}}",
    "{{.fields}}",
    "{{.agent_template_name}}",
    "{{.keys}}",
    "{{(include `p/a`).join}}",
)
PYTHON_FORMATS = (
    (
        '{{printf "{0.__class__}" .Description}}',
        '{0.__class__}%!(EXTRA string=Coordinates <b> & "x" — naïve)',
    ),
    ('{{printf "%(name)s" 1}}', "%!((int=1)name)s"),
    ('{{print "{}" "$x" "${x}"}}', "{}$x${x}"),
)
OUTPUT = "the template makes more than 10000 bytes"
STEPS = "the template takes more than 20000 steps"
DEPTH = "templates call each other more than 50 deep"
BOMBS = (
    ("{{range 1000000000000}}{{end}}", STEPS),
    ("{{range 1000000000000}}{{``}}{{end}}", STEPS),
    ("{{range 9223372036854775807}}x{{end}}", STEPS),
    ("{{range 1000000000000}}{{$.Description}}{{end}}", OUTPUT),
    ('{{define "x"}}{{template "x"}}{{end}}{{template "x"}}', DEPTH),
    ('{{define "x"}}{{template "y"}}{{end}}{{define "y"}}{{template "x"}}{{end}}{{template "x"}}', DEPTH),
    ('{{template "systemPrompt" .}}', DEPTH),
    ('{{block "x" .}}{{template "x" .}}{{template "x" .}}{{end}}', DEPTH),
    ('{{$s := "aaaaaaaa"}}{{range 100}}{{$s = print $s $s}}{{end}}', OUTPUT),
    ('{{$s := "aaaaaaaa"}}{{range 100}}{{$s = printf "%s%[1]s" $s}}{{end}}', OUTPUT),
    ('{{$s := "<<<<<<<<"}}{{range 100}}{{$s = html $s}}{{$s = js $s}}{{$s = urlquery $s}}{{end}}', STEPS),
    ('{{$x := printf "%9999999d" 1}}', STEPS),
    ('{{$x := printf "%.9999999f" 1.5}}', STEPS),
    ('{{$x := printf "%20000d" 1}}', OUTPUT),
    ('{{range 10000}}{{$x := printf "%5000d" 1}}{{end}}', STEPS),
    ('{{range 10000}}{{$x := printf "%.5000g" 1.5}}{{end}}', STEPS),
    ('{{$s := printf "%9000d" 1}}{{range 1000}}{{$x := eq $s $s}}{{end}}', STEPS),
    ('{{$s := printf "%9000d" 1}}{{range 1000}}{{$x := printf "%.1s" $s}}{{end}}', STEPS),
    ('{{range 10000}}{{$x := printf "%.0s%.0s" $.ToolNames $.ToolNames}}{{end}}', STEPS),
)


def doubled(levels: int, leaf: str) -> str:
    """A template that calls another twice, which calls another twice, and so on."""
    pairs = (
        f'{{{{define "x{n}"}}}}{{{{template "x{n - 1}"}}}}{{{{template "x{n - 1}"}}}}{{{{end}}}}'
        for n in range(1, levels)
    )
    return f'{{{{define "x0"}}}}{leaf}{{{{end}}}}{"".join(pairs)}{{{{template "x{levels - 1}"}}}}'


@pytest.mark.parametrize("text", ATTRIBUTES)
def test_no_attribute_of_a_python_object_is_reachable(text: str) -> None:
    verdict = judge(text)
    assert verdict.stage == "execute"
    assert "no field" in verdict.message


@pytest.mark.parametrize(("text", "output"), PYTHON_FORMATS, ids=[text for text, _ in PYTHON_FORMATS])
def test_no_format_of_python_is_understood(text: str, output: str) -> None:
    assert render(text) == output


@pytest.mark.parametrize(("text", "message"), BOMBS, ids=[text for text, _ in BOMBS])
def test_a_bomb_ends_at_a_limit(text: str, message: str) -> None:
    verdict = judge(text, limits=SMALL)
    assert (verdict.stage, verdict.message) == ("execute", message)


@pytest.mark.parametrize(("leaf", "message"), [("laughing", OUTPUT), ("", STEPS)])
def test_doubling_calls_end_at_a_limit(leaf: str, message: str) -> None:
    assert judge(doubled(40, leaf), limits=SMALL).message == message


def test_the_default_limits_are_those_of_the_design() -> None:
    assert dataclasses.asdict(DEFAULT) == {"depth": 1_000, "steps": 10_000_000, "output": 1 << 20}


def test_the_limits_are_reached_only_beyond_them() -> None:
    assert len(render("{{range 10}}" + "x" * 1000 + "{{end}}", limits=SMALL)) == SMALL.output
    counting = '{{define "x"}}{{if lt (len .) 49}}{{template "x" (print . "a")}}{{else}}{{.}}{{end}}{{end}}'
    assert render(counting + '{{template "x" ""}}', limits=SMALL) == "a" * 49
    assert judge(counting.replace("49", "50") + '{{template "x" ""}}', limits=SMALL).message == DEPTH


def test_a_bomb_of_intermediate_values_stays_small_in_memory() -> None:
    tracemalloc.start()
    judge('{{range 100000}}{{$x := printf "%1000000d" 1}}{{end}}', limits=Limits(steps=1_000_000))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20 << 20


@pytest.mark.parametrize(
    ("text", "stage", "message"),
    [
        ("{{" + "(" * 10_000 + "1" + ")" * 10_000 + "}}", "ok", ""),
        ("{{" + "(" * 10_001 + "1" + ")" * 10_001 + "}}", "parse", "parentheses nest more than 10000 deep"),
        ("{{" + "(print " * 9_999 + "1" + ")" * 9_999 + "}}", "ok", ""),
        ("{{" + "(" * 100_000, "parse", "parentheses nest more than 10000 deep"),
        ("{{if 1}}" * 10_000 + "1" + "{{end}}" * 10_000, "ok", ""),
        ("{{if 1}}" * 10_001, "parse", "actions nested more than 10000 deep are not supported"),
        ("{{range 1}}" * 10_001, "parse", "actions nested more than 10000 deep are not supported"),
        ('{{block "x" 1}}' * 10_001, "parse", "actions nested more than 10000 deep are not supported"),
        ("{{if 0}}" + "{{else if 0}}" * 9_990 + "{{else}}1{{end}}", "ok", ""),
        (
            "{{if 0}}" + "{{else if 0}}" * 10_001,
            "parse",
            "actions nested more than 10000 deep are not supported",
        ),
        (
            '{{define "x"}}'
            + "{{if 1}}" * 9_000
            + '{{template "x"}}'
            + "{{end}}" * 9_001
            + '{{template "x"}}',
            "execute",
            "the template nests too deep",
        ),
    ],
    ids=lambda value: value if len(value) < 60 else value[:24],
)
def test_nesting_never_meets_the_stack_of_python(text: str, stage: str, message: str) -> None:
    verdict = judge(text)
    assert (verdict.stage, verdict.output, verdict.message) == (stage, "1" if stage == "ok" else "", message)


@pytest.mark.parametrize(
    "text",
    [
        "{{" * 100_000,
        "{{/*" * 100_000,
        '{{"' * 100_000,
        "{{`" * 100_001,
        "{{'" * 100_000,
        "{{" + "1" * 100_000 + "e1}}",
        "{{" + "1_" * 100_000 + "}}",
        "{{0x" + "f" * 100_000 + "}}",
        "{{" + "a" * 100_000 + "}}",
        "{{$" + "é" * 100_000 + "}}",
        '{{"' + r"\x" * 100_000 + '"}}',
        "{{" + "-" * 100_000 + "}}",
        "{{" + "." * 100_000 + "}}",
        "{{- " + " " * 100_000 + "-",
        " " * 100_000 + "{{- " * 1_000,
    ],
    ids=lambda text: text[:5],
)
def test_a_long_broken_text_is_a_syntax_error(text: str) -> None:
    assert judge(text).stage == "parse"


@pytest.mark.parametrize(
    ("text", "output"),
    [("%[" * 50_000, "%[" * 25_000), ("%[" * 50_000 + "]", "%!(NOVERB)")],
    ids=["never closed", "closed at the end"],
)
def test_a_long_broken_format_is_read_once(text: str, output: str) -> None:
    assert render(f'{{{{printf "{text}"}}}}') == output


def test_ten_thousand_variables_are_found_at_once() -> None:
    declared = "".join(f"{{{{$v{n} := {n}}}}}" for n in range(10_000))
    assert render(declared + "{{$v0}}{{$v9999}}") == "09999"
