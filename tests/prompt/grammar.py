"""Random templates by grammar: every construct of the language, and much that is wrong with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random
    from collections.abc import Sequence

# One item a line keeps these tables readable; blanks are part of no item but those of TEXTS.
TEXTS = ("a", " ", "\n", " \n\t", "é", "😀", "{", "}", "{ {", "\u00a0", "\r\n", "x y", "\u2028", "-", "")
FIELDS = (".AgentTemplateName", ".AgentTemplateNamespace", ".Description", ".ToolNames")
WRONG_FIELDS = (".Nope", ".agentTemplateName", ".ToolNames.Len", ".Description.X", ".é", "._", ".1", "..")
NUMBERS = """
    0 1 2 3 -1 +2 007 0o17 0x1F 0b11 1_000 0x_f 1e3 1.5 .5 5. -0.0 1e-7 1e21 123456789.0 100000.0 0x1p-2 0.1
    0x1.8p3 0x.8p1 1E2 0xE +0xE -0xE 0x1_F.8p0 9223372036854775807 -9223372036854775808 1i 0i 1.5i 1+2i 1-2i
    0x1p1+1i 1e2+1e3i 07i 1_0i 1_0.5 1e1_0 0_1 5e-324 1.7976931348623157e308 3.14159265358979 1e5 1e6 0x0p0
    -5 -255 0x10FFFF 0xD800 0x110000 12345678 1e100 2.5 -1234.5678
""".split()  # noqa: SIM905 - a table
WRONG_NUMBERS = """
    1__0 08 1e400 9223372036854775808 18446744073709551616 1i+1i 1+i 0o7i 0b2 0xg 1.2.3 --1 +-1 1a 0x 1e 1_ _1
    0xFFFFFFFFFFFFFFFFF 0_ +9223372036854775808 -9223372036854775809 1+2 1i2 0x1i 1p3
""".split()  # noqa: SIM905 - a table
CHARACTERS = ("'a'", "'é'", r"'\n'", r"'\x41'", r"'\''", "'\"'", r"'\u00e9'", r"'\377'", r"'\U0001F600'")
WRONG_CHARACTERS = (r"'\"'", "''", "'ab'", r"'\ud800'", "'a", r"'\400'", r"'\x4'", r"'\9'")
STRINGS = (
    *('""', '"a"', '"abc"', '"héllo"', r'"\t\n\"\\"', r'"\xff"', r'"\u00e9\U0001F600"', r'"\101"', "`raw`"),
    *("`a\\nb`", "`x\r\ny`", '"p/a"', '"q/b"', r'"\xe2\x82"', '"{{"', '"}}"', "`}}`", r'"\x00\x7f"', '"`"'),
    *(r'"\u200b\u00ad\ufeff\u2028"', "`<&>'=`", '"a b/c?d=é"'),
)
WRONG_STRINGS = (
    *('"p/none"', r'"\'"', r'"\400"', r'"\q"', r'"\ud800"', r'"\U00110000"', r'"\x4"', '"a', "`a", '"a\nb"'),
)
INCLUDES = ('"p/a"', '"q/b"', "`p/a`", '(print "p" "/a")')
COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
FUNCTIONS = (
    *("and", "or", "not", "len", "index", "slice", "print", "printf", "println", "html", "js", "urlquery"),
    *("call", "include", *COMPARISONS),
)
STAGES = (
    *("print", "println", "html", "js", "urlquery", 'printf "%v"', 'printf "%q"', 'printf "%5.1x|"', "len"),
    *("not", "and 1", 'or ""', "print 1", "eq 1", "index .ToolNames", 'slice "héllo"', "ne .Description"),
    *('printf "%[1]T %[1]d"', "$x"),
)
VARIABLES = ("$", "$x", "$y", "$é", "$.Description")
WRONG_VARIABLES = ("$x.Foo", "$nope", "$1", "$-", "$$")
WRONG_OPERANDS = (*WRONG_FIELDS, "true.X", '"a".X', "nil.X", "1.X", "$x.Y", "(.).Description", *"@#,/")
WRONG = (WRONG_NUMBERS, WRONG_CHARACTERS, WRONG_STRINGS, WRONG_VARIABLES, WRONG_OPERANDS)
WORDS = ("true", "false", "nil", ".", ".", "(.)", '(index "é" 0)', '(slice "é" 1)')
ALIKE: Sequence[Sequence[str]] = (
    *(NUMBERS[:8], STRINGS, FIELDS[:3], ("true", "false"), ("1.5", ".5", "1e3")),
    ("'a'", '(index "a" 0)', "97"),
)
RANGES = (
    *(
        ".ToolNames",
        ".ToolNames",
        "3",
        "0",
        "-1",
        r"'\x03'",
        r'(index "\x03" 0)',
        "slice .ToolNames 1",
        "nil",
    ),
    *('"ab"', ".", "1.5", "true"),
)
SPLINTERS = (
    *("", "", "{{", "}}", " ", "-", "|", "(", ")", ".", "$", '"', "'", "`", ",", ":=", "=", "%", "1", "a"),
    *("\n", "\\", "/*", "*/", "é", "end", "[", "]"),
)
VERBS = (*"vTtdboOxXcqUeEfFgGspwz%!é", "\xff", "")
WIDTHS = ("", "", "", "5", "12", "*", "[2]*", "[1]", "100", "[9]", "[x]", "[", "[]", "0", "[2]5")
PRECISIONS = ("", "", "", ".", ".0", ".2", ".10", ".*", ".[1]*", ".25", ".-1", ".[2]3")
INDEXES = ("", "", "", "", "[1]", "[2]", "[3]", "[0]", "[99]")
DECLARATIONS = ("", "", "", "$x := ", "$y := ", "$x = ", "$é:=", "$ := ")
RANGE_DECLARATIONS = ("", "", "$x := ", "$x, $y := ", "$x = ", "$x, $y = ", "$x, $x := ")


@dataclass
class Grammar:
    """A source of templates: `random` decides everything, so a seed repeats them.

    About a third are `wild`: they hold what does not parse or does not evaluate.
    """

    random: random.Random
    wild: bool = True
    callable: tuple[str, ...] = ("t", "u", "none")
    blocks: int = 0

    def template(self) -> str:
        """One whole template."""
        self.wild = self.chance(0.3)
        parts = [self.variables(), self.nodes(3)]
        if self.chance(0.3):
            parts.insert(self.random.choice((0, 2)), self.definition("t", ("u",)))
        if self.chance(0.2):
            parts.append(self.definition(self.one(("u", "u", "t", "systemPrompt")), ()))
        text = "".join(parts)
        return self.mutated(text) if self.wild and self.chance(0.3) else text

    def mutated(self, text: str) -> str:
        """`text` with a few characters dropped, doubled, swapped or replaced."""
        for _ in range(self.random.randint(1, 3)):
            at = self.random.randrange(len(text) + 1)
            text = text[:at] + self.one(SPLINTERS) + text[at + self.random.randint(0, 2) :]
        return text

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def one(self, choices: Sequence[str], *wild: str) -> str:
        """One of `choices`, or of `wild` too in a wild template."""
        return self.random.choice((*choices, *wild) if self.wild else choices)

    def times(self, least: int, most: int) -> range:
        return range(self.random.randint(least, most))

    def variables(self) -> str:
        """Declarations of what expressions use; a wild template does without."""
        value = self.one(("2", '"s"', "1.5", "true"))
        return "" if self.wild else f"{{{{$x := .}}}}{{{{$y := {value}}}}}{{{{$é := 1}}}}"

    def definition(self, name: str, callable_names: tuple[str, ...]) -> str:
        """A definition that calls only later ones: endless recursion costs Go too much memory to compare."""
        before, self.callable = self.callable, callable_names
        text = self.action(f'define "{name}"') + self.variables() + self.nodes(2) + self.action("end")
        self.callable = before
        return text

    def nodes(self, depth: int) -> str:
        return "".join(self.node(depth) for _ in self.times(0, 4))

    def node(self, depth: int) -> str:
        kind = self.random.random()
        if kind < 0.3 or depth == 0:
            return self.one(TEXTS[:6], *TEXTS[6:])
        if kind < 0.7:
            return self.action(self.statement())
        if kind < 0.73:
            return "{{" + self.one(("", "- ")) + "/* c */" + self.one(("", " -", ""), " ") + "}}"
        if kind < 0.78 and self.callable:
            argument = self.one(("", " .", " " + self.pipeline(1)))
            return self.action(f'template "{self.one(self.callable)}"{argument}')
        if kind < 0.81:
            self.blocks += 1
            head = self.action(f'block "b{self.blocks}" {self.pipeline(1)}')
            return head + self.variables() + self.nodes(depth - 1) + self.action("end")
        return self.branch(depth)

    def branch(self, depth: int) -> str:
        keyword = self.one(("if", "with", "range", "range"))
        head = self.range_head() if keyword == "range" else self.statement()
        text = self.action(f"{keyword} {head}") + self.nodes(depth - 1)
        if keyword == "range" and self.chance(0.3):
            text += self.action(self.one(("break", "continue"))) + self.nodes(1)
        chained = self.one((keyword,), "if", "with")
        if self.chance(0.2) and (self.wild or chained != "range"):
            text += self.action(f"else {chained} {self.statement()}") + self.nodes(depth - 1)
        if self.chance(0.4):
            text += self.action("else") + self.nodes(depth - 1)
        return text + ("" if self.wild and self.chance(0.05) else self.action("end"))

    def range_head(self) -> str:
        declared = self.one(RANGE_DECLARATIONS, "$x, ", "$x, $y, $z := ")
        return declared + self.one((*RANGES, self.pipeline(1)))

    def statement(self) -> str:
        return self.one(DECLARATIONS, "$x, $y := ") + self.pipeline(2)

    def action(self, inside: str) -> str:
        left = self.one(("{{", "{{- "), "{{ ", "{{-", "{{\n")
        return left + inside + self.one(("}}", " -}}"), " }}", "-}}", "  -}}", "\n}}")

    def pipeline(self, depth: int) -> str:
        later = self.random.choice((0, 0, 0, 0, 1, 2))
        stages = [self.command(depth) if self.wild else self.one(STAGES) for _ in range(later)]
        return self.one((" | ", "|", " |")).join([self.command(depth), *stages])

    def command(self, depth: int) -> str:
        kind = self.random.random()
        if kind < 0.2:
            return self.operand(depth)
        if kind < 0.35:
            return self.formatted(depth)
        name = self.one(FUNCTIONS, "default")
        if name in COMPARISONS and self.chance(0.7):
            alike = self.random.choice(ALIKE)
            return f"{name} {self.one(alike)} {self.one(alike)}"
        if name == "include" and self.chance(0.8):
            return f"include {self.one(INCLUDES)}"
        if name in ("index", "slice") and self.chance(0.9):
            return self.indexed(name)
        most = {"not": 1, "len": 1, "include": 1, "and": 3, "or": 3}.get(name, 2)
        count = most if self.chance(0.7) else self.random.randint(0, 4)
        return " ".join([name, *(self.operand(depth) for _ in range(count))])

    def indexed(self, name: str) -> str:
        item = self.one((".ToolNames", '"héllo"', "$x", "(slice .ToolNames 1 2)"))
        places = [self.one(("0", "1", "2", "3", "(len .ToolNames)")) for _ in self.times(0, len(name) - 2)]
        return " ".join([name, item, *places])

    def formatted(self, depth: int) -> str:
        pieces = (
            self.directive() if self.chance(0.8) else self.one(("a", " ", "é", "[", "]"))
            for _ in self.times(1, 4)
        )
        text = "".join(pieces).replace('"', '\\"').replace("\xff", "\\xff")
        operands = [self.operand(depth) if self.chance(0.3) else self.value() for _ in self.times(0, 4)]
        return " ".join([f'printf "{text}"', *operands])

    def directive(self) -> str:
        flags = "".join(self.one("#0+- ") for _ in range(self.random.choice((0, 0, 1, 1, 2, 3))))
        return f"%{flags}{self.one(WIDTHS)}{self.one(PRECISIONS)}{self.one(INDEXES)}{self.one(VERBS)}"

    def value(self) -> str:
        return self.one(self.random.choice((NUMBERS, NUMBERS, STRINGS, FIELDS, CHARACTERS, WORDS)))

    def operand(self, depth: int) -> str:
        kind = self.random.random()
        if kind < 0.25 and depth > 0:
            chain = self.one((*FIELDS, ".Nope")) if self.chance(0.15) else ""
            declared = "$x := " if self.chance(0.05) else ""
            return f"({declared}{self.pipeline(depth - 1)}){chain}"
        if kind < 0.27:
            return self.one(("print", "html", "println"), *FUNCTIONS)
        if self.wild and self.chance(0.08):
            return self.one(self.random.choice(WRONG))
        return self.one(
            self.random.choice((NUMBERS, CHARACTERS, STRINGS, FIELDS, FIELDS, FIELDS, VARIABLES, WORDS))
        )
