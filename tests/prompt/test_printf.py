"""fmt's verbs, flags and complaints, as Go 1.27.3 wrote them."""

# One case is one line, however long.
# ruff: noqa: E501

from __future__ import annotations

import pytest

from tests.prompt.rendering import judge, render

PRINTED = (
    (
        '{{printf "%v|%d|%+d|% d|%5d|%-5d|%05d|%x|%X|%#x|%o|%#o|%O|%b|%#b" 42 42 42 42 42 42 42 42 42 42 42 42 42 42 42}}',
        "42|42|+42| 42|   42|42   |00042|2a|2A|0x2a|52|052|0o52|101010|0b101010",
    ),
    (
        '{{printf "%d|%5d|%05d|%x|%+.4d|%U" -42 -42 -42 -42 -42 -42}}',
        "-42|  -42|-0042|-2a|-0042|U+FFFFFFFFFFFFFFD6",
    ),
    ('{{printf "%.3d|%8.3d|%08.3d|%.0d|%5.0d|" 7 7 7 0 0}}', "007|     007|     007||     |"),
    (
        '{{printf "%c|%q|%U|%#U|%+q|%5c|%.6U" 9731 9731 9731 9731 9731 65 65}}',
        r"☃|'☃'|U+2603|U+2603 '☃'|'\u2603'|    A|U+000041",
    ),
    ('{{printf "%c|%q|%U|%#U" -1 -1 -1 -1}}', "�|'�'|U+FFFFFFFFFFFFFFFF|U+FFFFFFFFFFFFFFFF"),
    ('{{printf "%c|%q|%#U" 0xD800 0x110000 0x1F600}}', "�|'�'|U+1F600 '😀'"),
    (
        '{{printf "%e|%E|%f|%F|%g|%G|%v|%.2f|%8.2f|%-8.2f|%08.2f|%+.1f|% .1f" 1.5 1.5 1.5 1.5 1.5 1e21 1.5 1.5 1.5 1.5 -1.5 1.5 1.5}}',
        "1.500000e+00|1.500000E+00|1.500000|1.500000|1.5|1E+21|1.5|1.50|    1.50|1.50    |-0001.50|+1.5| 1.5",
    ),
    (
        '{{printf "%b|%x|%X|%.2x|%#g|%#.3g|%#x|%.3g|%.10g|%.0f|%#.0f" 1.5 1.5 -1.5 1.999 1.5 100.0 1.0 1234.5 0.1 2.5 2.5}}',
        "6755399441055744p-52|0x1.8p+00|-0X1.8P+00|0x1.00p+01|1.50000|100.|0x1.0000p+00|1.23e+03|0.1|2|2.",
    ),
    (
        "{{1e5}} {{1e6}} {{1e-4}} {{1e-5}} {{123456.0}} {{1234567.0}} {{1e100}} {{-0.0}} {{5e-324}} {{0.1}}",
        "100000 1e+06 0.0001 1e-05 123456 1.234567e+06 1e+100 -0 5e-324 0.1",
    ),
    (
        '{{1i}} {{1+2i}} {{printf "%.1f|%+v|%6.2g|%q" 1-2i 1i 1i 1i}}',
        "(0+1i) (1+2i) (1.0-2.0i)|(0+1i)|(     0    +1i)|%!q(complex128=(0+1i))",
    ),
    (
        '{{printf "%s|%q|%x|%X|% x|%#x|%# X|%.2s|%5s|%-5s|%05s|%.1q|%v" "hé" "hé" "hé" "hé" "hé" "hé" "hé" "hé" "hé" "hé" "hé" "hé" "hé"}}',
        'hé|"hé"|68c3a9|68C3A9|68 c3 a9|0x68c3a9|0X68 0XC3 0XA9|hé|   hé|hé   |000hé|"h"|hé',
    ),
    (
        r'{{printf "%q|%+q|%#q|%#q|%#+q" "a\x00\x7f\u00ad\u2028😀\xff" "é😀" "raw" "a`b" "é"}}',
        r'"a\x00\x7f\u00ad\u2028😀\xff"|"\u00e9\U0001f600"|`raw`|"a`b"|`é`',
    ),
    (
        '{{printf "%t|%v|%5t|%q|%d" true false true true false}}',
        "true|false| true|%!q(bool=true)|%!d(bool=false)",
    ),
    (
        '{{printf "%v|%+v|%#v|%s|%q|%d|%x|%5s" .ToolNames .ToolNames .ToolNames .ToolNames .ToolNames .ToolNames .ToolNames .ToolNames}}',
        '[k8s_get prom slack]|[k8s_get prom slack]|[]string{"k8s_get", "prom", "slack"}|[k8s_get prom slack]|["k8s_get" "prom" "slack"]|[%!d(string=k8s_get) %!d(string=prom) %!d(string=slack)]|[6b38735f676574 70726f6d 736c61636b]|[k8s_get  prom slack]',
    ),
    (
        '{{printf "%v|%+v|%s" . . .}}',
        '{incident team Coordinates <b> & "x" — naïve [k8s_get prom slack]}|{AgentTemplateName:incident AgentTemplateNamespace:team Description:Coordinates <b> & "x" — naïve ToolNames:[k8s_get prom slack]}|{incident team Coordinates <b> & "x" — naïve [k8s_get prom slack]}',
    ),
    (
        '{{printf "%d" .}}',
        '{%!d(string=incident) %!d(string=team) %!d(string=Coordinates <b> & "x" — naïve) [%!d(string=k8s_get) %!d(string=prom) %!d(string=slack)]}',
    ),
    (
        '{{printf "%T %T %T %T %T %T %T|%10T|%.2T" 1 "a" 1.5 true 1i .ToolNames (index "a" 0) 1 1}}',
        "int string float64 bool complex128 []string uint8|       int|in",
    ),
    (
        '{{printf "%v %d %#v %c %q %s %x %T" (index "a" 0) (index "a" 0) (index "a" 0) (index "a" 0) (index "a" 0) (index "a" 0) (index "a" 0) (index "a" 0)}}',
        "97 97 0x61 a 'a' %!s(uint8=97) 61 uint8",
    ),
    ('{{printf "%#v %#v %#v %#v %#v" 1 "a" 1.0 true nil}}', '1 "a" 1 true <nil>'),
    ('{{printf "%v %s %d %T %p" nil nil nil nil nil}}', "<nil> %!s(<nil>) %!d(<nil>) <nil> %!p(<nil>)"),
    ('{{printf "%z %! %w" 1 2 3}}', "%!z(int=1) %!!(int=2) %!w(int=3)"),
    ('{{printf "%p %p" 1 "a"}}', "%!p(int=1) %!p(string=a)"),
    ('{{printf "%s %s" "a"}}', "a %!s(MISSING)"),
    ('{{printf "%s" "a" 1 nil 2.5 "b"}}', "a%!(EXTRA int=1, <nil>, float64=2.5, string=b)"),
    (
        '{{printf "%[2]d %[1]d" 1 2}}|{{printf "%[3]d" 1 2}}|{{printf "%[x]d" 1}}|{{printf "%[]d" 1}}|{{printf "%[1" 1}}',
        "2 1|%!d(BADINDEX)|%!d(BADINDEX)|%!d(BADINDEX)|%!(NOVERB)",
    ),
    (
        '{{printf "%*d|%-*d|%.*f|%[2]*[1]d" 5 42 5 42 2 3.14159 }}|{{printf "%[2]*[1]d" 7 4}}',
        "   42|42   |3.14|                                         5|   7",
    ),
    (
        '{{printf "%*d" "a" 1}}|{{printf "%.*d" "a" 1}}|{{printf "%*d" 10000000 1}}|{{printf "%*d" -5 1}}|{{printf "%.*d" -1 5}}',
        "%!(BADWIDTH)1|%!(BADPREC)1|%!(BADWIDTH)1|1    |%!(BADPREC)5",
    ),
    ('{{printf "%1000000000d" 1}}', "%!(NOVERB)%!(EXTRA int=1)"),
    (
        '{{printf "%"}}|{{printf "%5"}}|{{printf "%."}}|{{printf "a%%b%5%"}}|{{printf "%.%" 1}}',
        "%!(NOVERB)|%!(NOVERB)|%!.(MISSING)|a%b%|%%!(EXTRA int=1)",
    ),
    ('{{printf "%é" 1}}', "%!é(int=1)"),
    ('{{printf "%+5z|%05s" 1 "é"}}', "%!z(int=   +1)|0000é"),
    (
        '{{printf ""}}|{{printf "" 1}}|{{print}}|{{println}}|{{println 1 "a" nil}}|{{print 1 2 "a" 3 4 nil nil true}}',
        "|%!(EXTRA int=1)||\n|1 a <nil>\n|1 2a3 4 <nil> <nil> true",
    ),
    (
        r"""{{html 1 nil 2}}|{{html "<'\">&\x00é"}}|{{js "<'\">&=\\\n\x7f\u00ad\U000E0001é"}}|{{urlquery "a b&/~é\xff" 1}}""",
        "1&lt;no value&gt;2|&lt;&#39;&#34;&gt;&amp;\ufffd\xe9|\\u003C\\'\\\"\\u003E\\u0026\\u003D\\\\\\u000A\x7f\\u00AD\\uE0001\xe9|a+b%26%2F~%C3%A9%FF1",
    ),
)
UNSUPPORTED = (
    ('{{printf "%T" .}}', "type name"),
    ('{{printf "%#v" .}}', "type name"),
    ('{{printf "%w" .}}', "type name"),
    ('{{printf "%p" .}}', "type name"),
    ('{{printf "" .}}', "type name"),
    ('{{printf "%p" .ToolNames}}', "`%p` of a slice"),
)


@pytest.mark.parametrize(("text", "output"), PRINTED, ids=[text for text, _ in PRINTED])
def test_values_are_printed_as_go_prints_them(text: str, output: str) -> None:
    assert render(text) == output


@pytest.mark.parametrize(("text", "named"), UNSUPPORTED, ids=[text for text, _ in UNSUPPORTED])
def test_what_cannot_be_repeated_is_named_and_never_printed(text: str, named: str) -> None:
    verdict = judge(text)
    assert verdict.stage == "execute"
    assert named in verdict.message
    assert verdict.message.endswith("not supported")
