"""Makes plain values of odd shapes from a seeded source of chance."""

from __future__ import annotations

import random
from typing import Any

WORDS = ["a", "off", "y", "1", "", "2024-01-01", "2024-01-01 10:00:00", "1:30", "1:30:00.5", "<<", "=", "~"]
WORDS += ["null", "0x1F", "1e3", ".5", "+1", "-", "- a", "? x", "?", "?a", ":", "a: b", "a:", "a #b", "#c"]
WORDS += [
    "é",
    "…",
    "😀",
    "x😀y",
    "x\ty",
    " lead",
    "trail ",
    "a\nb",
    "a\nb\n",
    "a\n\n",
    "\n",
    " a\nb",
    "a \nb",
]
WORDS += ["a\n b\n", "a\n\n\nb\n\n", "\n\na", "ab\n\tc", "- \n-", "'q'", '"d"', "it's", "{x}", "[x]", "a,b"]
WORDS += [
    "@x",
    "`x`",
    "%x",
    "!t",
    "&a",
    "*a",
    "|",
    ">",
    "---",
    "--- a",
    "...",
    "... x",
    "..",
    "a\rb",
    "a\r\nb",
]
WORDS += [
    "\u00a0",
    "\u3000",
    "a\ufeff",
    "1_000",
    "0b11",
    "0b-1",
    "0o10",
    "08",
    "1.0",
    "12e03",
    "1e400",
    ".inf",
]
WORDS += ["TRUE", "No", "N", "0", "-0", "+", ".", "::", "http://x/y", "\x00", "\x01", "\x1b[0m", "\t", "a\\b"]
WORDS += [
    "long " * 20,
    "word word " * 12,
    "x" * 100,
    "w " + "y" * 90 + " z",
    "é " * 60,
    "😀 " * 20,
    "two  " * 30,
]
WORDS += ["line\n" * 5 + "trail ", "off " * 30, "1 " * 60, '"quoted" ' * 12, "it's " * 30, "tab\t" * 30]

KEYS = [
    "a",
    "b",
    "a1",
    "a2",
    "a10",
    "a02",
    "a0",
    "a00",
    "a12",
    "a100",
    "_x",
    "Z",
    "é",
    "9",
    "10",
    "007",
    "a-b",
    "a b",
]
KEYS += ["x" * 128, "x" * 129, "k" * 300, "1234567890123456789", "98765432109876543210", "a٣", "a٠4"]

NUMBERS = [0, 1, -1, 1.5, 1e20, 1e21, -1e20, 2**53, 2**53 + 1, 2**63, 2**64 - 1, 2**64, -(2**63), -(2**64)]
NUMBERS += [1e-4, 1e-5, 1e-7, 1234567.5, 123456.5, 999999.5, 0.1, 1e300, 5e-324, 1.7976931348623157e308, -0.0]
NUMBERS += [3.141592653589793, 123456789012345678901234, 2.0**-24, 2.0**-44, -(2.0**-30)]

CHARACTERS = "ab1 0:#-?,.\n'\"\\é…😀\t{}[]&*!|>%@`_~ "


class ValueMaker:
    """Makes config values."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def config(self) -> dict[str, Any]:
        """A mapping with up to three keys."""
        return {self._key(): self._value(4) for _ in range(self._random.randrange(4))}

    def _value(self, depth: int) -> Any:
        kind = self._random.random()
        if depth and kind < 0.25:
            return {self._key(): self._value(depth - 1) for _ in range(self._random.randrange(5))}
        if depth and kind < 0.4:
            return [self._value(depth - 1) for _ in range(self._random.randrange(4))]
        if kind < 0.75:
            return self._text()
        return self._random.choice([None, True, False, self._number(), self._number()])

    def _key(self) -> str:
        return self._random.choice(KEYS) if self._random.random() < 0.6 else self._text()

    def _text(self) -> str:
        kind = self._random.random()
        if kind < 0.6:
            return self._random.choice(WORDS)
        characters, length = (
            (CHARACTERS, range(12)) if kind < 0.9 else (CHARACTERS + "words     ", range(60, 220))
        )
        return "".join(self._random.choice(characters) for _ in range(self._random.choice(length)))

    def _number(self) -> float:
        chance = self._random
        others = [chance.uniform(-1e7, 1e7), 10 ** chance.uniform(-10, 30), float(chance.getrandbits(70))]
        return chance.choice([*NUMBERS, *others])
