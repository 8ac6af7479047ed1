"""What holds for every text."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from kagent_render.prompt import quoting, runes
from kagent_render.prompt.limits import Limits
from kagent_render.prompt.template import Context, parse
from tests.prompt.rendering import judge, render

SMALL = Limits(depth=20, steps=5_000, output=20_000)
TOKENS = st.sampled_from(
    [
        "{{",
        "}}",
        "{{- ",
        " -}}",
        ".",
        "$x",
        ":=",
        "|",
        "(",
        ")",
        "range 3",
        "if 1",
        "else",
        "end",
        "print",
        " ",
    ]
)
TEXT = st.text(st.characters(exclude_categories=["Cs"]))


@given(TEXT)
def test_a_text_without_actions_is_its_own_rendering(text: str) -> None:
    plain = text.replace("{{", "{")
    assert render(plain) == plain


@settings(max_examples=300)
@given(st.lists(TOKENS | st.text(max_size=3), max_size=20))
def test_every_text_renders_or_fails_at_a_named_place(pieces: list[str]) -> None:
    text = "".join(pieces)
    verdict = judge(text, limits=SMALL)
    assert verdict == judge(text, limits=SMALL)
    if verdict.stage != "ok":
        assert 1 <= verdict.line <= text.count("\n") + 1
        assert verdict.column >= 1
        assert verdict.message
        assert not verdict.message.endswith(".")
        assert "\n" not in verdict.message


@given(TEXT, TEXT, TEXT, st.lists(TEXT))
def test_values_are_written_as_they_stand(
    name: str, namespace: str, description: str, tools: list[str]
) -> None:
    names = "{{.AgentTemplateName}}|{{.AgentTemplateNamespace}}|{{.Description}}|"
    template = parse(names + "{{range .ToolNames}}{{.}};{{end}}")
    listed = "".join(f"{tool};" for tool in tools)
    context = Context(name, namespace, description, tuple(tools))
    assert template.render(context, {}) == f"{name}|{namespace}|{description}|{listed}"


@given(TEXT)
def test_an_included_text_is_never_a_template(text: str) -> None:
    key = "a/b"
    assert parse('{{include "a/b"}}').render(Context("", "", "", ()), {key: text}) == text


@given(st.binary())
def test_a_quoted_string_reads_back(text: bytes) -> None:
    assert quoting.unquote(quoting.quote(text).decode()) == text
    quoted = quoting.quote(text, ascii_only=True)
    assert quoted.isascii()
    assert quoting.unquote(quoted.decode()) == text


@given(st.integers(0, 0x10FFFF))
def test_a_quoted_rune_reads_back(rune: int) -> None:
    expected = rune if runes.is_valid(rune) else runes.REPLACEMENT
    assert quoting.unquote_character(quoting.quote_rune(rune).decode()) == expected


@given(st.binary(), st.integers(0, 20))
def test_a_truncated_string_holds_its_first_runes(text: bytes, wanted: int) -> None:
    kept = runes.truncate(text, wanted)
    assert text.startswith(kept)
    assert runes.count(kept) == min(wanted, runes.count(text))


@given(st.binary(max_size=40))
def test_len_counts_bytes_and_index_gives_them(text: bytes) -> None:
    literal = "".join(f"\\x{byte:02x}" for byte in text)
    shown = render(
        f'{{{{$s := "{literal}"}}}}{{{{len $s}}}}{{{{range len $s}}}} {{{{index $s .}}}}{{{{end}}}}'
    )
    assert shown == " ".join(map(str, (len(text), *text)))


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_printed_float_reads_back(value: float) -> None:
    assert float(render(f"{{{{{value!r}}}}}")) == value
    assert float.fromhex(render(f'{{{{printf "%x" {value!r}}}}}')) == value
