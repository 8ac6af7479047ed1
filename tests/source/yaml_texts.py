"""YAML texts of odd shapes, the same for the same seed."""

from __future__ import annotations

import random


def _words(text: str, separator: str | None = None) -> list[str]:
    return (text if separator is None else text.replace("\n", "")).split(separator)


PLAIN = _words("""
    yes no on off y n Y N ~ null Null true True tRUE 0 00 08 010 0o7 0O17 0x1f 0X1F 0b11 -0b11 0b+1 -0b-1 0b-1
    1e3 1E+3 1.5e-3 .5 ._5 .1_0 -.5 +.5 . .. ... - -- + +1 -1 -0 1_000 1__0 _1 1_ 0_1 0x_1 1e400 -1e400 1e-400
    12345678901234567890 99999999999999999999 18446744073709551615 18446744073709551616 -9223372036854775808
    -9223372036854775809 123456789012345678901234 0777777777777777777777777 0xffffffffffffffff
    0x1ffffffffffffffff .inf -.inf +.INF .nan .NaN 1:30 1:30:45 2024-01-01 2024-1-1 2024-13-01
    2024-01-01T00:00:00Z 2024-01-01t1:2:3.5+01:00 1.10 1. 1.e5 0.1 -0.0 0.0 1.0 5e0 1e22 1e21 123e18 3.0e5
    = << < > | & * ! % @ ` foo foo:bar a:b :x x# http://x:80/y?z=1 1Gi 1,000 é 日本 \U0001f600
    -a ?a :a a: ]a a] }a ,a a,b a% %a @a
""")

FLOW = _words(
    """
[]|{}|[a]|[a,b]|{a}|{a: b}|[a: b]|[a:b]|{a,b: c}|{? a : b}|[? a]|{: b}|{a: }|[,]|[a,]|{,}|{a: b,}|{"a":b}
|{"a": b}|['a':b]|["a" : b]|[-]|[-a]|[- a]|[?a]|[:a]|[: a]|{:a}|{-a: b}|{?a: b}|[!!int,1]|[! ,a]|[!,a]
|{!!str a: b}|[a::b]|[a:?b]|[a :b]|[a: ]|[[a], {b: c}]|[1, yes, ~]|{1: 2, on: off}|[|{|[a|{a: b
|[a:]|{a:}|{a :}|[a:,b]|{a:[b]}|{a: b:}|{http://a?b: c}|[a ?]
""",
    "|",
)

TAGGED = _words(
    """
!!str|!!str 1|!!int 7|!!int x|!!int "7"|!!float 1|!!float 12345678901234567890|!!float 1.5|!!float x
|!!bool yes|!!bool 1|!!null|!!null ~|!!null x|!!binary aGk=|!!binary aGk|!!binary /w==|!!binary 4oJB
|!!timestamp 2024-01-01|!!timestamp x|!!timestamp 2024-02-30|!foo bar|!foo 1|!<tag:yaml.org,2002:int> 5
|!<!> 5|!!set {a, b}|!!map {a: 1}|!!seq [1]|!!merge <<|! 1|! yes|! '<<'|&x ! 1|! &x 1|!!int &x 1|&x !!int 1
|!!|!|&|&a|&a b|*a
""",
    "|",
)

QUOTED = [
    "'#x'",
    '"x y"',
    "'it''s'",
    "''",
    '""',
    '"\\n"',
    '"\\x41\\u263a"',
    '"\\ud800"',
    '"<<"',
    "'yes'",
    '"1"',
]
QUOTED += ['"a\n  b"', "'a\n\n  b'", '"a\\\n  b"', '"\\L\\P\\N\\_\\e\\0"', '"\\/"', '"\\\\/"', "'a\u2028b'"]

BLOCK = [
    "|\n  x\n",
    "|-\n  x\n  y\n",
    ">\n  x\n  y\n\n  z\n",
    "|2\n   x\n",
    ">+\n  x\n\n",
    "|\n\n",
    "| # c\n  x\n",
]
BLOCK += [
    "!!str |\n  1\n",
    "! |\n  x\n",
    "|\n\tx\n",
    "|\n  a\u2028  b\n",
    "a\n  b",
    "x y",
    "x  y",
    "a # c",
    "# c\n  x",
]

STRANGE = [
    "\n",
    " # c",
    "\ta",
    "a\tb",
    "a \t# c",
    "a\u00a0b",
    "a\u0085b",
    "a\u2028b",
    "\ufeffx",
    "\x7f",
    "\x85x",
]

SCALARS = PLAIN + FLOW + TAGGED + QUOTED + BLOCK + STRANGE

PIECES = [
    "a",
    "b",
    ": ",
    "- ",
    "\n",
    "\n  ",
    "  ",
    "? ",
    "[",
    "]",
    "{",
    "}",
    ",",
    "'",
    '"',
    "#",
    " #",
    "&x ",
    "*x",
]
PIECES += [
    "!",
    "!!str ",
    "|",
    "|\n",
    ">\n",
    "\t",
    "\r\n",
    "1",
    "<<: ",
    "\\",
    ":",
    "-",
    "?",
    "%",
    "é",
    "\u2028",
]


class TextMaker:
    """Makes texts from a seeded source of chance."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def text(self) -> str:
        """One YAML text, well-formed or not."""
        makers = (self._field, self._entry, self._items, self._tree, self._tree, self._merges, self._pieces)
        return self._random.choice(makers)()

    def _scalar(self) -> str:
        return self._random.choice(SCALARS)

    def _key(self) -> str:
        if self._random.random() < 0.7:
            return self._random.choice(["a", "b", "c", "name", "spec", "<<", "x y"])
        return self._scalar()

    def _field(self) -> str:
        return f"v: {self._scalar()}"

    def _entry(self) -> str:
        return f"{self._key()}: {self._scalar()}\n"

    def _items(self) -> str:
        return f"- {self._scalar()}\n- {self._scalar()}"

    def _tree(self) -> str:
        return self._node(3, 0).lstrip("\n")

    def _node(self, depth: int, indent: int) -> str:
        kind = self._random.random()
        if depth == 0 or kind < 0.45:
            return self._scalar()
        if kind < 0.52:
            return self._random.choice(["&x ", "&y "]) + self._scalar()
        if kind < 0.6:
            return self._random.choice(["*x", "*y"])
        lines = range(self._random.randrange(1, 4))
        pad = " " * indent
        if kind < 0.8:
            opening = self._random.choice(["", "&x", "&y", "!!map", "!foo"])
            colon = self._random.choice([": ", ": ", " : ", ":\t", ":"])
            return (
                opening
                + "\n"
                + "".join(f"{pad}{self._key()}{colon}{self._node(depth - 1, indent + 2)}\n" for _ in lines)
            )
        return "\n" + "".join(f"{pad}- {self._node(depth - 1, indent + 2)}\n" for _ in lines)

    def _merges(self) -> str:
        source = self._random.choice(["*x", "{z: 1}", "[*x, {z: 1}]", "[*x, {p: 1}]", "1", "[1]"])
        text = f"b: &x {{p: 1, q: 2}}\nc: &y\n  r: 1\n  <<: {source}\nd:\n"
        entries = ["<<: *x", "<<: *y", "<<: [*x, *y]", "<<: {s: 1}", "p: 5", "r: 6", "! '<<': *x", "'<<': *x"]
        entries += ["!!merge <<: {t: 2}", "<<: {s: 3}", "s: *x", "k: v"]
        return text + "".join(
            f"  {self._random.choice(entries)}\n" for _ in range(self._random.randrange(1, 4))
        )

    def _pieces(self) -> str:
        return "".join(self._random.choice(PIECES) for _ in range(self._random.randrange(1, 14)))
