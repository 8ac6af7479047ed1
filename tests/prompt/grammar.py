"""Random templates by grammar: every construct of the language, and much that is wrong with it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random
    from collections.abc import Sequence

TEXTS = ("a", " ", "\n", " \n\t", "é", "😀", "{", "}", "{ {", "\u00a0", "\r\n", "x y", "\u2028", "-", "")
FIELDS = (".AgentTemplateName", ".AgentTemplateNamespace", ".Description", ".ToolNames")
WRONG_FIELDS = (".Nope", ".agentTemplateName", ".ToolNames.Len", ".Description.X", ".é", "._", ".1", "..")
NUMBERS = tuple(
    """0 1 2 3 -1 +2 007 0o17 0x1F 0b11 1_000 0x_f 1__0 08 1e3 1.5 .5 5. -0.0 1e-7 1e21 123456789.0 100000.0
    1e400 0x1p-2 0x1.8p3 0x.8p1 1E2 0xE +0xE -0xE 0x1_F.8p0 9223372036854775807 9223372036854775808
    -9223372036854775808 18446744073709551616 1i 0i 1.5i 1+2i 1-2i 0x1p1+1i 1e2+1e3i 1i+1i 1+i 0o7i 07i 1_0i
    1_0.5 1e1_0 0_1 0b2 0xg 1.2.3 --1 +-1 5e-324 1.7976931348623157e308 3.14159265358979 0.1 1e5 1e6 0x0p0""".split()
)
CHARACTERS = ("'a'", "'é'", r"'\n'", r"'\x41'", r"'\''", "'\"'", r"'\"'", "''", "'ab'", r"'\u00e9'", r"'\377'", r"'\U0001F600'", r"'\ud800'")  # fmt: skip
STRINGS = (
    '""', '"a"', '"abc"', '"héllo"', r'"\t\n\"\\"', r'"\xff"', r'"\u00e9\U0001F600"', r'"\101"', "`raw`", "`a\\nb`",
    "`x\r\ny`", '"p/a"', '"q/b"', '"p/none"', r'"\xe2\x82"', r'"\'"', r'"\400"', r'"\q"', '"{{"', '"}}"', "`}}`",
    r'"\u200b\u00ad\ufeff\u2028"', r'"\x00\x7f"', "`<&>'=`", '"a b/c?d=é"', r'"\ud800"', r'"\U00110000"', '"`"',
)  # fmt: skip
FUNCTIONS = tuple(
    "and or not len index slice print printf println html js urlquery call eq ne lt le gt ge include".split()
)
VERBS = tuple("vTtdboOxXcqUeEfFgGspwz%!") + ("é", "\xff", "")
VARIABLES = ("$", "$x", "$y", "$é", "$x.Foo", "$.Description", "$nope")


@dataclass
class Grammar:
    """A source of templates: `random` decides everything, so a seed repeats them."""

    random: random.Random
    names: list[str] = field(default_factory=lambda: ["t", "u", "systemPrompt"])

    def template(self) -> str:
        """One whole template."""
        parts = [self.nodes(3)]
        if self.chance(0.2):
            parts.insert(self.random.randint(0, 1), self.definition())
        text = "".join(parts)
        return self.mutated(text) if self.chance(0.15) else text

    def mutated(self, text: str) -> str:
        """`text` with a few characters dropped, doubled, swapped or replaced."""
        for _ in range(self.random.randint(1, 3)):
            at = self.random.randrange(len(text) + 1)
            piece = self.random.choice(("", "", "{{", "}}", " ", "-", "|", "(", ")", ".", "$", '"', "'", "`", ",", ":=", "=", "%", "1", "a", "\n", "\\", "/*", "*/", "é", "end", "[", "]"))  # fmt: skip
            text = text[:at] + piece + text[at + self.random.randint(0, 2) :]
        return text

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def one(self, *choices: str) -> str:
        return self.random.choice(choices)

    def definition(self) -> str:
        name = self.random.choice(self.names)
        return self.action(f'define "{name}"') + self.nodes(2) + self.action("end")

    def nodes(self, depth: int) -> str:
        return "".join(self.node(depth) for _ in range(self.random.randint(0, 4)))

    def node(self, depth: int) -> str:
        kind = self.random.random()
        if kind < 0.3 or depth == 0:
            return self.random.choice(TEXTS)
        if kind < 0.7:
            return self.action(self.statement())
        if kind < 0.73:
            return "{{" + self.one("", "- ") + "/* c */" + self.one("", " -", "", " ") + "}}"
        if kind < 0.78:
            name = self.random.choice(self.names)
            return self.action(f'template "{name}"' + self.one("", " .", " " + self.pipeline(1)))
        if kind < 0.81:
            name = self.one("b1", "b2", "b3")
            return self.action(f'block "{name}" {self.pipeline(1)}') + self.nodes(depth - 1) + self.action("end")
        return self.branch(depth)

    def branch(self, depth: int) -> str:
        keyword = self.one("if", "with", "range", "range")
        head = self.statement() if keyword != "range" else self.range_head()
        text = self.action(f"{keyword} {head}") + self.nodes(depth - 1)
        if keyword == "range" and self.chance(0.3):
            text += self.action(self.one("break", "continue")) + self.nodes(1)
        if self.chance(0.2):
            text += self.action(f"else {self.one('if', 'with', keyword)} {self.statement()}") + self.nodes(depth - 1)
        if self.chance(0.4):
            text += self.action("else") + self.nodes(depth - 1)
        return text + (self.action("end") if self.chance(0.97) else "")

    def range_head(self) -> str:
        over = self.one(".ToolNames", ".ToolNames", "3", "0", self.random.choice(("-1", "'\\x03'", '(index "\\x03" 0)')), "slice .ToolNames 1", "nil", '"ab"', ".", "1.5", "true", self.pipeline(1))  # fmt: skip
        return self.one("", "", "$x := ", "$x, $y := ", "$x = ", "$x, $y = ", "$x, ", "$x, $x := ", "$x, $y, $z := ") + over

    def statement(self) -> str:
        return self.one("", "", "", "$x := ", "$y := ", "$x = ", "$é:=", "$x, $y := ", "$ := ") + self.pipeline(2)

    def action(self, inside: str) -> str:
        left = self.one("{{", "{{", "{{ ", "{{- ", "{{-", "{{\n")
        right = self.one("}}", "}}", " }}", " -}}", "-}}", "  -}}", "\n}}")
        if self.chance(0.7):
            left, right = self.one("{{", "{{- "), self.one("}}", " -}}")
        return left + inside + right

    def pipeline(self, depth: int) -> str:
        commands = [self.command(depth) for _ in range(self.random.choice((1, 1, 1, 1, 2, 3)))]
        return self.one(" | ", "|", " |").join(commands)

    def command(self, depth: int) -> str:
        kind = self.random.random()
        if kind < 0.2:
            return self.operand(depth)
        if kind < 0.35:
            return self.formatted(depth)
        name = self.random.choice(FUNCTIONS) if self.chance(0.98) else self.one("default", "upper", "x")
        most = {"not": 1, "len": 1, "include": 1, "index": 2, "slice": 3, "and": 3, "or": 3}.get(name, 2)
        if name in ("index", "slice") and self.chance(0.7):
            head = self.one(".ToolNames", '"héllo"', "$x", "(slice .ToolNames 1 2)")
            return " ".join([name, head, *(self.one("0", "1", "2", "3", "(len .ToolNames)") for _ in range(self.random.randint(0, most)))])  # fmt: skip
        count = most if self.chance(0.7) else self.random.randint(0, 4)
        return " ".join([name, *(self.operand(depth) for _ in range(count))])

    def formatted(self, depth: int) -> str:
        text = "".join(self.directive() if self.chance(0.8) else self.one("a", " ", "é", "[", "]") for _ in range(self.random.randint(1, 4)))  # fmt: skip
        literal = '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\xff", "\\xff") + '"'
        operands = [self.operand(depth) if self.chance(0.3) else self.value() for _ in range(self.random.randint(0, 4))]
        return " ".join(["printf", literal, *operands])

    def directive(self) -> str:
        flags = "".join(self.random.choice("#0+- ") for _ in range(self.random.choice((0, 0, 1, 1, 2, 3))))
        width = self.one("", "", "", "5", "12", "*", "[2]*", "[1]", "1000001", "[9]", "[x]", "[", "[]", "0", "[2]5")
        precision = self.one("", "", "", ".", ".0", ".2", ".10", ".*", ".[1]*", ".25", ".-1", ".[2]3")
        index = self.one("", "", "", "", "[1]", "[2]", "[3]", "[0]", "[99]")
        return "%" + flags + width + precision + index + self.random.choice(VERBS)

    def value(self) -> str:
        return self.random.choice((*NUMBERS[:34], *STRINGS[:14], *FIELDS, *CHARACTERS[:5], "true", "false", "nil", ".", '(index "é" 0)', '(slice "é" 1)', "-5", "-255", "0x10FFFF", "0xD800", "0x110000", "12345678", "1e100"))  # fmt: skip

    def operand(self, depth: int) -> str:
        kind = self.random.random()
        if kind < 0.25 and depth > 0:
            chain = self.one(".AgentTemplateName", ".Description", ".Nope", ".ToolNames") if self.chance(0.15) else ""
            declared = "$x := " if self.chance(0.05) else ""
            return f"({declared}{self.pipeline(depth - 1)}){chain}"
        if kind < 0.28:
            return self.random.choice(FUNCTIONS)
        pools: Sequence[Sequence[str]] = (
            NUMBERS, CHARACTERS, STRINGS, FIELDS, FIELDS, FIELDS, VARIABLES, ("true", "false", "nil", ".", ".", "(.)"),
        )  # fmt: skip
        if self.chance(0.03):
            return self.one(*WRONG_FIELDS, "true.X", '"a".X', "nil.X", "1.X", "$x.Y", "(.).Description", "@", "#", ",", "/")
        return self.random.choice(self.random.choice(pools))
