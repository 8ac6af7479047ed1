"""What templates of every construct write, and at which stage they fail, as Go 1.27.3 answered."""

# One case is one line, however long.
# ruff: noqa: E501

from __future__ import annotations

import pytest

from tests.prompt.rendering import judge, render

CONTROL = (
    ("{{range 3}}{{range 0}}{{else}}{{break}}{{end}}{{.}}{{end}}", "012"),
    ("{{range 3}}{{range 0}}{{else}}{{continue}}{{end}}{{.}}{{end}}", ""),
    ("{{range 5}}{{if eq . 3}}{{break}}{{end}}{{.}}{{end}}", "012"),
    ("{{range 5}}{{with .}}{{if eq . 3}}{{continue}}{{end}}{{.}}{{end}}{{end}}", "124"),
    ("{{range $i, $t := .ToolNames}}{{$i}}={{$t}} {{end}}", "0=k8s_get 1=prom 2=slack "),
    ("{{range $x, $x := .ToolNames}}{{$x}} {{end}}", "k8s_get prom slack "),
    ('{{$i := 0}}{{$t := ""}}{{range $i, $t = .ToolNames}}{{end}}{{$i}} {{$t}}', "2 slack"),
    ("{{$t := 1}}{{range $t = slice .ToolNames 3}}{{end}}{{$t}}", "[]"),
    ("{{range -3}}x{{else}}none{{end}}", "none"),
    (r'{{range (index "\x03" 0)}}{{printf "%T" .}} {{end}}', "uint8 uint8 uint8 "),
    (r'{{range $x := (index "\x02" 0)}}{{$x}}{{end}}', "01"),
)
CONTROL_FAILURES = (
    ("{{range .ToolNames}}{{range $.Nope}}{{end}}{{end}}", "execute"),
    ("{{range $i, $x := 3}}{{end}}", "execute"),
    ("{{range 1.5}}{{end}}", "execute"),
    ("{{range true}}{{end}}", "execute"),
    ("{{range .}}{{end}}", "execute"),
)

VARIABLES = (
    ("{{$ := 1}}{{$}} {{.Description}}", '1 Coordinates <b> & "x" — naïve'),
    ("{{$x := 1}}{{if true}}{{$x := 2}}{{$x}}{{end}}{{$x}}", "21"),
    ("{{$x := 1}}{{if true}}{{$x = 2}}{{end}}{{$x}}", "2"),
    ("{{if $x := 0}}{{else}}{{$x}}{{end}}", "0"),
    ("{{with $x := 5}}{{.}}{{$x}}{{else}}n{{end}}", "55"),
)
VARIABLES_FAILURES = (
    ("{{$x := $x}}", "execute"),
    ("{{and 0 ($x := 1)}}{{$x}}", "execute"),
    ("{{if $x := 1}}{{end}}{{$x}}", "parse"),
)

BRANCHES = (
    ("{{with 0}}a{{else with 7}}{{.}}{{else}}b{{end}}", "7"),
    ('{{if 0}}a{{else if ""}}b{{else if .ToolNames}}c{{else}}d{{end}}', "c"),
)
BRANCHES_FAILURES = (
    ("{{with 0}}a{{else if 1}}b{{end}}", "parse"),
    ("{{range 0}}a{{else range 1}}b{{end}}", "parse"),
)

TEMPLATES = (
    ('{{define "x"}}{{.Foo 1 2}}{{.A.B}}{{end}}{{template "x"}}', "<no value><no value>"),
    (
        '{{define "x"}}{{if .}}y{{else}}n{{end}}{{range .}}{{else}}e{{end}}{{with .}}{{else}}w{{end}}{{end}}{{template "x"}}',
        "new",
    ),
    ('{{define "systemPrompt"}}hello{{end}}', "hello"),
    ('{{define "x"}} {{end}}{{define "x"}}b{{end}}{{define "x"}}{{/* c */}} {{end}}{{template "x"}}', "b"),
    ('{{block "b" 1}}{{block "c" 2}}{{.}}{{end}}{{.}}{{end}}{{template "c" 3}}', "213"),
    (r'{{define "\x41"}}a{{end}}{{template `A`}}', "a"),
)
TEMPLATES_FAILURES = (
    ('{{define "x"}}{{print .}}{{html .}}{{len .}}{{end}}{{template "x"}}', "execute"),
    ('{{define "systemPrompt"}}hello{{end}}x', "parse"),
    ('{{define "x"}}a{{end}}{{define "x"}}b{{end}}', "parse"),
    ('{{block "b" .}}1{{end}}{{block "b" .}}2{{end}}', "parse"),
    ('{{range 2}}{{block "b" .}}{{break}}{{end}}{{end}}', "parse"),
    ('{{template "x" . .}}', "execute"),
    ("{{template .Description}}", "parse"),
)

PIPELINES = (
    ("{{1|}}", "1"),
    ("{{1 | }}", "1"),
    ("{{print | print 1 | print 2}}", "21"),
    ("{{(1)}} {{((print 1) | print)}} {{(.Description)}}", '1 1 Coordinates <b> & "x" — naïve'),
    ("{{(.).Description | len}}", "32"),
)
PIPELINES_FAILURES = (
    ("{{|1}}", "parse"),
    ("{{(print).Foo}}", "execute"),
    ("{{print.Foo}}", "execute"),
    ("{{(slice .ToolNames 1).Foo}}", "execute"),
    ("{{.Description 1}}", "execute"),
    ("{{1 2}}", "execute"),
    ("{{(1) 2}}", "execute"),
    ("{{$x := 1}}{{$x 2}}", "execute"),
)

NIL = (
    (
        "{{print nil}}{{eq nil nil}}{{eq 1 nil}}{{eq .ToolNames nil}}{{ne nil nil}}{{not nil}}{{and nil 1}}{{or nil 1}}",
        "<nil>truefalsefalsefalsetrue<no value>1",
    ),
)
NIL_FAILURES = (
    ("{{nil}}", "execute"),
    ("{{nil | print}}", "execute"),
    ("{{len nil}}", "execute"),
    ("{{index nil}}", "execute"),
    ("{{index nil 1}}", "execute"),
    ("{{slice nil}}", "execute"),
    ("{{lt nil 1}}", "execute"),
    ("{{include nil}}", "execute"),
    ("{{printf nil}}", "execute"),
)

FUNCTIONS = (
    ('{{"%d" | printf}}', "%!d(MISSING)"),
    ("{{index .}}", '{incident team Coordinates <b> & "x" — naïve [k8s_get prom slack]}'),
    ("{{index 1}}", "1"),
    ("{{index .ToolNames 1 0}}", "112"),
    (r'{{index .ToolNames (index "\x01" 0)}}', "prom"),
    (
        '{{slice "héllo" 1 3}}{{slice .ToolNames 1}}{{slice .ToolNames 1 2}}{{slice "abc"}}',
        "é[prom slack][prom]abc",
    ),
    (
        "{{slice (slice .ToolNames 0 1) 0 3}}{{len (slice (slice .ToolNames 1 2) 0 2)}}",
        "[k8s_get prom slack]2",
    ),
    (
        r"""{{eq 1 2 3 1}} {{eq "a" "b"}} {{eq 'a' (index "a" 0)}} {{eq 1i 1i}} {{eq true true}} {{ne 1.5 1.5}} {{eq 1 1 "a"}}""",
        "true false true true true false true",
    ),
    (
        r"""{{lt "a" "b"}} {{lt 1 2}} {{le 1.5 1.5}} {{gt 'b' (index "a" 0)}} {{ge "a" "b"}} {{lt "\xff" "é"}}""",
        "true true true true false false",
    ),
    ('{{js "a"}} {{html true}} {{urlquery 1 2 "a"}} {{"<" | html | html}}', "a true 1+2a &amp;lt;"),
    ("{{print print}}|{{len print}}|{{print (html) (js)}}", "|0|"),
)
FUNCTIONS_FAILURES = (
    ("{{printf 1}}", "execute"),
    ("{{1 | printf}}", "execute"),
    ("{{printf .ToolNames}}", "execute"),
    ("{{call}}", "execute"),
    ("{{call nil}}", "execute"),
    ("{{call .Description 1}}", "execute"),
    ("{{call print}}", "execute"),
    ("{{index .ToolNames 3}}", "execute"),
    ('{{index "abc" 3}}', "execute"),
    ('{{index "abc" 1.0}}', "execute"),
    ('{{index "abc" true}}', "execute"),
    ("{{index . 0}}", "execute"),
    ("{{slice (slice .ToolNames 0 1 1) 0 3}}", "execute"),
    ("{{slice .ToolNames 0 1 2}}{{slice .ToolNames 2 1}}", "execute"),
    ('{{slice "abc" 0 1 2}}', "execute"),
    ("{{slice .ToolNames 0 1 2 3}}", "execute"),
    ("{{slice .ToolNames 4}}", "execute"),
    ("{{slice 1}}", "execute"),
    ('{{eq 1 "a"}}', "execute"),
    ("{{eq . .}}", "execute"),
    ("{{eq . .ToolNames}}", "execute"),
    ("{{eq true 1}}", "execute"),
    ("{{lt 1 1.5}}", "execute"),
    ("{{lt true false}}", "execute"),
    ("{{le true true}}", "execute"),
    ("{{lt 1i 2i}}", "execute"),
    ("{{lt .ToolNames .ToolNames}}", "execute"),
    (
        '{{and 1 2 3}} {{and 1 "" 3}} {{or 0 "" 3}} {{or 0 ""}} {{1 | and 2}} {{0 | or 0}} {{and .}} {{or (index .ToolNames 9)}}',
        "execute",
    ),
    ("{{or 1 (index .ToolNames 9)}} {{and 0 .Nope}} {{or .Nope}}", "execute"),
    ("{{len .}}", "execute"),
    ("{{len 1 2}}", "execute"),
    ("{{not}}", "execute"),
    ("{{print len}}", "execute"),
)

LITERALS = (
    (
        "{{9223372036854775807}} {{-9223372036854775808}} {{0x7fffffffffffffff}}",
        "9223372036854775807 -9223372036854775808 9223372036854775807",
    ),
    ("{{if false}}{{9223372036854775808}}{{end}}ok", "ok"),
    (
        "{{+0xE}} {{0xE}} {{-0xE}} {{0x1p-2}} {{0b1_0}} {{0o1_7}} {{1_0.5_0e1_0}} {{017}} {{0x_f}}",
        "14 14 -14 0.25 2 15 1.05e+11 15 15",
    ),
    (r"""{{'\''}} {{'\x41'}} {{'\u00e9'}} {{'\101'}} {{'"'}}""", "39 65 233 65 34"),
    (r'{{"\xff" | len}} {{`a\n` | len}} {{"\a\b\f\n\r\t\v\\\"" | printf "%q"}}', r'1 3 "\a\b\f\n\r\t\v\\\""'),
)
LITERALS_FAILURES = (
    ("{{9223372036854775808}}", "execute"),
    ("{{18446744073709551616}}", "parse"),
    ("{{08}}", "parse"),
    ("{{1__0}}", "parse"),
    ("{{1_}}", "parse"),
    ("{{1e400}}", "parse"),
    ("{{''}}", "parse"),
    ("{{'ab'}}", "parse"),
    (r"""{{'\"'}}""", "parse"),
    (r"""{{"\'"}}""", "parse"),
    (r'{{"\400"}}', "parse"),
    (r'{{"\ud800"}}', "parse"),
    ('{{"a" "b"}}', "execute"),
    ('{{"a"`b`}}', "parse"),
)

TRIMMING = (
    ('{{ "a"}}{{"b" }}{{- "c" -}} x {{- /* c */ -}} y', "abcxy"),
    ("a{{-1}}b{{- 1}}c{{1 -}} d", "a-1b1c1d"),
    ("{{/**/}}{{- /* }} */ -}} z", "z"),
)
TRIMMING_FAILURES = (
    ("{{- -}}", "parse"),
    ("{{-  -}}", "parse"),
    ("{{-}}", "parse"),
    ("{{/* a */ }}", "parse"),
    ("{{ /* a */}}", "parse"),
    ("{{/* a", "parse"),
)

SYNTAX = (
    ("{{$x:=1}}{{$x}}", "1"),
    ("{{$x := 1}}{{$x =2}}{{$x}}", "2"),
    ("{{$j := .ToolNames}}{{range $i, $j}}{{$i}} {{end}}", "k8s_get prom slack "),
    ("{{$.Description}} {{$.AgentTemplateName | len}}", 'Coordinates <b> & "x" — naïve 8'),
    ("}}", "}}"),
    ('{{printf\n"%d"\n1\n}}', "1"),
)
SYNTAX_FAILURES = (
    ("{{$x=1}}", "parse"),
    ("{{$x, $y := 1}}", "parse"),
    ("{{range $x, $y, $z := .ToolNames}}{{end}}", "parse"),
    ("{{range $x, 1 := .ToolNames}}{{end}}", "parse"),
    ("{{range $x, }}{{end}}", "parse"),
    ("{{.a-b}}", "parse"),
    ("{{.é}}", "execute"),
    ("{{é}}", "parse"),
    ("{{.1a}}", "parse"),
    ("{{@}}", "parse"),
    ("{{1 @}}", "parse"),
    ("{{a}}", "parse"),
    ("{{.Description.}}", "parse"),
    ("{{..Description}}", "parse"),
    ("{{. .}}", "execute"),
    ("{{true.X}}", "parse"),
    ("{{end}}", "parse"),
    ("{{else}}", "parse"),
    ("{{if 1}}", "parse"),
    ("{{if 1}}{{else}}{{else}}{{end}}", "parse"),
    ("{{range 1}}{{else}}{{break}}{{end}}", "parse"),
    ("{{break 1}}", "parse"),
    ("{{continue}}", "parse"),
    ("{{define x}}{{end}}", "parse"),
    ('{{define "x" .}}{{end}}', "parse"),
    ('{{if 1}}{{define "x"}}{{end}}{{end}}', "parse"),
    ("{{template}}", "parse"),
    ('{{block "x"}}{{end}}', "parse"),
    ("{{(1}}", "parse"),
    ("{{1)}}", "parse"),
    ("{{()}}", "parse"),
    ("{{(1 | 2)}}", "parse"),
    ("{{1 | print | .Description}}", "execute"),
    ("{{print ,}}", "parse"),
    ("{{:}}", "parse"),
    ("{{:=}}", "parse"),
    ("{{if}}{{end}}", "parse"),
    ("{{}}", "parse"),
    ("{{{1}}}", "parse"),
    ("{{", "parse"),
)

WRITTEN = {
    "range, break and continue": CONTROL,
    "variables and their scopes": VARIABLES,
    "if and with": BRANCHES,
    "define, block and template": TEMPLATES,
    "pipelines and arguments": PIPELINES,
    "nil": NIL,
    "built-in functions": FUNCTIONS,
    "literals": LITERALS,
    "trim markers and comments": TRIMMING,
    "names, braces and declarations": SYNTAX,
}
FAILING = {
    "range, break and continue": CONTROL_FAILURES,
    "variables and their scopes": VARIABLES_FAILURES,
    "if and with": BRANCHES_FAILURES,
    "define, block and template": TEMPLATES_FAILURES,
    "pipelines and arguments": PIPELINES_FAILURES,
    "nil": NIL_FAILURES,
    "built-in functions": FUNCTIONS_FAILURES,
    "literals": LITERALS_FAILURES,
    "trim markers and comments": TRIMMING_FAILURES,
    "names, braces and declarations": SYNTAX_FAILURES,
}


def rows(tables: dict[str, tuple[tuple[str, str], ...]]) -> list[object]:
    return [
        pytest.param(text, expected, id=f"{topic}: {text}")
        for topic, table in tables.items()
        for text, expected in table
    ]


@pytest.mark.parametrize(("text", "output"), rows(WRITTEN))
def test_a_template_writes_what_go_writes(text: str, output: str) -> None:
    assert render(text) == output


@pytest.mark.parametrize(("text", "stage"), rows(FAILING))
def test_a_template_fails_at_the_stage_at_which_go_fails(text: str, stage: str) -> None:
    assert judge(text).stage == stage
