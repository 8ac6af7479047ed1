"""Go's `fmt.Sprintf`: the directives of a format, with Go's complaints where they do not fit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kagent_render.prompt import runes
from kagent_render.prompt.layout import Flags
from kagent_render.prompt.printing import Printer
from kagent_render.prompt.values import Byte, Value, type_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kagent_render.prompt.limits import Budget

_TOO_LARGE: Final = 1_000_000
_FLAGS: Final = frozenset(b"#0+- ")


def print_format(format_text: bytes, values: Sequence[Value], budget: Budget) -> bytes:
    """`values` under the directives of `format_text`; raises Refusal at the limits of `budget`."""
    return _Format(format_text, values, budget).run()


class _Format:
    """A format that is being carried out; `at` is its next byte, `next` its next operand."""

    def __init__(self, text: bytes, values: Sequence[Value], budget: Budget) -> None:
        self.text = text
        self.values = values
        self.budget = budget
        self.printer = Printer(budget)
        self.at = 0
        self.next = 0
        self.reordered = False
        self.good_index = True
        self.last_bracket = text.rfind(b"]")

    def run(self) -> bytes:
        while self.at < len(self.text):
            percent = self.text.find(b"%", self.at)
            end = percent if percent >= 0 else len(self.text)
            self.printer.write(self.text[self.at : end])
            self.at = end
            if percent >= 0:
                self.budget.spend(1)
                self.at += 1
                self._directive()
        if not self.reordered and self.next < len(self.values):
            self._complain_of_extra()
        return self.printer.text()

    def _directive(self) -> None:
        self.good_index = True
        flags = self.printer.flags = self._flags()
        after_index = self._width(flags, self._index())
        after_index = self._precision(flags, after_index)
        if not after_index:
            self._index()
        self.budget.charge(flags.width + (flags.precision or 0))
        if self.at >= len(self.text):
            self.printer.write(b"%!(NOVERB)")
            return
        self._carry_out(self._verb(), flags)

    def _carry_out(self, verb: str, flags: Flags) -> None:
        if verb == "%":
            self.printer.write(b"%")
        elif not self.good_index:
            self.printer.write(b"%!" + runes.encode(ord(verb)) + b"(BADINDEX)")
        elif self.next >= len(self.values):
            self.printer.write(b"%!" + runes.encode(ord(verb)) + b"(MISSING)")
        else:
            if verb in "vw":
                flags.sharp_v, flags.sharp = flags.sharp, False
                flags.plus_v, flags.plus = flags.plus, False
            self.printer.show(self.values[self.next], verb)
            self.next += 1

    def _flags(self) -> Flags:
        start = self.at
        while self._peek() in _FLAGS:
            self.at += 1
        given = self.text[start : self.at]
        return Flags(
            sharp=b"#" in given,
            zero=b"0" in given,
            plus=b"+" in given,
            minus=b"-" in given,
            space=b" " in given,
        )

    def _width(self, flags: Flags, after_index: bool) -> bool:
        """Read the width; gives whether an index is still waiting for its operand."""
        if self._peek() != ord("*"):
            width = self._number(len(self.text))
            flags.width = width or 0
            if after_index and width is not None:
                self.good_index = False
            return after_index
        self.at += 1
        operand = self._int_operand()
        if operand is None:
            self.printer.write(b"%!(BADWIDTH)")
        elif operand < 0:
            flags.minus, flags.zero = True, False
        flags.width = abs(operand or 0)
        return False

    def _precision(self, flags: Flags, after_index: bool) -> bool:
        # A point that ends the format is no precision but an unknown verb.
        if self._peek() != ord(".") or self.at + 1 >= len(self.text):
            return after_index
        self.at += 1
        if after_index:
            self.good_index = False
        after_index = self._index()
        if self._peek() != ord("*"):
            flags.precision = self._number(len(self.text)) or 0
            return after_index
        self.at += 1
        operand = self._int_operand()
        flags.precision = operand if operand is not None and operand >= 0 else None
        if flags.precision is None:
            self.printer.write(b"%!(BADPREC)")
        return False

    def _index(self) -> bool:
        """Read an explicit operand index such as `[2]`, if there is one."""
        if self._peek() != ord("["):
            return False
        self.reordered = True
        start = self.at
        if start > self.last_bracket or len(self.text) - start < 3:
            self.at += 1
            self.good_index = False
            return False
        closing = self.text.index(b"]", start)
        self.at += 1
        number = self._number(closing)
        is_number = number is not None and self.at == closing
        self.at = closing + 1
        if number is not None and is_number and 0 < number <= len(self.values):
            self.next = number - 1
            return True
        self.good_index = False
        return is_number

    def _number(self, end: int) -> int | None:
        """Read a decimal number before `end`; one that is much too large swallows all up to there."""
        number: int | None = None
        while self.at < end and ord("0") <= self.text[self.at] <= ord("9"):
            if (number or 0) > _TOO_LARGE:
                self.at = end
                return None
            number = (number or 0) * 10 + self.text[self.at] - ord("0")
            self.at += 1
        return number

    def _int_operand(self) -> int | None:
        """Take the operand of a `*`: None when it is missing, no integer or too large."""
        if self.next >= len(self.values):
            return None
        value = self.values[self.next]
        self.next += 1
        if isinstance(value, Byte):
            return value.value
        if isinstance(value, bool) or not isinstance(value, int) or abs(value) > _TOO_LARGE:
            return None
        return value

    def _verb(self) -> str:
        character = runes.decode(self.text[self.at : self.at + 4])[0]
        if runes.broken_byte(character) is not None:
            self.at += 1
            return chr(runes.REPLACEMENT)
        self.at += len(character.encode())
        return character

    def _peek(self) -> int:
        """The next byte, or -1 at the end."""
        return self.text[self.at] if self.at < len(self.text) else -1

    def _complain_of_extra(self) -> None:
        self.printer.flags = Flags()
        self.printer.write(b"%!(EXTRA ")
        for place, value in enumerate(self.values[self.next :]):
            if place:
                self.printer.write(b", ")
            if value is not None:
                self.printer.write(type_name(value) + b"=")
            self.printer.show(value, "v")
        self.printer.write(b")")
