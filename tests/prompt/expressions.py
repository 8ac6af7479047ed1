"""Random single actions that press on one part of the engine each."""

from __future__ import annotations

import math
import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random
    from collections.abc import Sequence

PIECES = (
    *("a", "<", ">", "&", "'", '\\"', "=", "\\\\", "\\x00", "\\x1f", "\\x7f", "\\xff", "é", "\u2028", "😀"),
    *("\\xe2", "\\x82", "\\xac", "\\xed\\xa0\\x80", "\\xf4\\x90\\x80\\x80", "\\xc0\\x80", "\\n", "\\177"),
    *("\U000e0001", "\u00ad", "\ufeff", "\ufffd", " ", "+", "~", "%", "/", "`"),
)
# Blocks in which no version of Unicode since 15 has assigned a code point.
SETTLED = (
    *(range(0x20), range(0x7F, 0x378), range(0x400, 0x530), range(0x600, 0x700), range(0x2000, 0x2070)),
    *(range(0x3000, 0x3100), range(0xE000, 0xE010), range(0xFFF9, 0x10000), range(0x1F600, 0x1F650)),
    *(range(0xE0000, 0xE0080), range(0x10FFFE, 0x110000)),
)
STRING_FORMS = (
    "%q",
    "%+q",
    "%#q",
    "%x",
    "% X",
    "%# x",
    "%.2s|",
    "%8.3q",
    "%-9s|",
    "%09s",
    "%#v",
    "%.1x",
    "%U",
)
OPERANDS = ("1", "-7", "2", '"aé"', "1.5", "nil", ".ToolNames", "true", '(index "a" 0)')
TOKENS = (
    *(
        "{{",
        "}}",
        "{{- ",
        " -}}",
        " ",
        "-",
        "/*",
        "*/",
        "\n",
        "a",
        "1",
        ".",
        "\t",
        "if 1",
        "end",
        "else",
        '"',
    ),
    *("range 2", "break", "$x", ":=", "|", "(", ")", "with .", "continue", "é", 'template "a"', 'define "a"'),
    *('block "b" 1', ","),
)


def number_literal(source: random.Random) -> str:
    return "{{" + _some(source, "0123456789__..eExXpPoObBi+-", 9) + "}}"


def float_format(source: random.Random) -> str:
    width = source.choice(("", "", "5", "20"))
    precision = source.choice(("", ".", ".0", ".1", ".3", ".10", ".17", ".30"))
    text = f"%{_some(source, '#0+- ', 3)}{width}{precision}{source.choice('vbeEfFgGxX')}"
    number = _float(source)
    if source.random() < 0.2:
        number += f"+{_float(source).lstrip('-')}i"
    return f'{{{{printf "{text}" {number}}}}} {{{{{number}}}}}'


def integer_format(source: random.Random) -> str:
    flags, width = _some(source, "#0+- ", 3), source.choice(("", "", "3", "30"))
    precision = source.choice(("", ".0", ".1", ".12", ".25"))
    numbers = (source.randint(-300, 300), source.randint(-(2**63), 2**63 - 1), source.randint(0, 0x110100))
    number = source.choice((*map(str, numbers), '(index "\\xff" 0)'))
    return f'{{{{printf "%{flags}{width}{precision}{source.choice("vdboOxXcqUTsp")}" {number}}}}}'


def directive(source: random.Random) -> str:
    chosen = (source.choice(("%%", "%", _some(source, "%[]0123456789.*# +-vdqxsTUc", 6))) for _ in range(3))
    operands = " ".join(source.choice(OPERANDS) for _ in range(source.randint(0, 4)))
    return f'{{{{printf "{"".join(chosen)}" {operands}}}}}'


def string_format(source: random.Random) -> str:
    text = _some(source, PIECES, 6)
    rune = source.choice(source.choice(SETTLED))
    rune = source.choice(source.choice(SETTLED))
    text += source.choice(("", f"\\U{rune:08x}", f"\\u{rune:04x}" if rune < 0x10000 else ""))
    text = text.replace("`", "\\x60")
    return f'{{{{"{text}" | printf "{source.choice(STRING_FORMS)}"}}}}'


def escaped_string(source: random.Random) -> str:
    return (
        f'{{{{{source.choice(("js", "html", "urlquery", "len", "println"))} "{_some(source, PIECES, 8)}"}}}}'
    )


def token_soup(source: random.Random) -> str:
    return _some(source, TOKENS, 14)


MAKERS = (number_literal, float_format, integer_format, directive, string_format, escaped_string, token_soup)


def _some(source: random.Random, items: Sequence[str], most: int) -> str:
    return "".join(source.choice(items) for _ in range(source.randint(0, most)))


def _float(source: random.Random) -> str:
    choices = (
        struct.unpack("<d", struct.pack("<Q", source.getrandbits(64)))[0],
        source.uniform(-1000, 1000),
        round(source.uniform(-1e7, 1e7), source.randint(0, 6)),
        10.0 ** source.randint(-30, 30) * source.randint(1, 999),
        source.getrandbits(60) / 2.0 ** source.randint(0, 70),
        5e-324 * source.randint(1, 2**52),
        source.randint(0, 9) + 0.5,
    )
    text = repr(next(value for value in source.sample(choices, len(choices)) if math.isfinite(value)))
    return text if any(c in text for c in ".e") else text + ".0"
