"""Go's fmt for the values of a template: print, println and the printing of one value under a verb."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kagent_render.prompt import layout, runes
from kagent_render.prompt.faults import Refusal
from kagent_render.prompt.layout import Flags
from kagent_render.prompt.values import Byte, Strings, Struct, Value, type_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kagent_render.prompt.limits import Budget

_NIL: Final = b"<nil>"
_INTEGER_BASES: Final = {"v": 10, "d": 10, "b": 2, "o": 8, "O": 8, "x": 16, "X": 16}
_FLOAT_VERBS: Final[dict[str, tuple[str, int | None]]] = {
    "v": ("g", None),
    "b": ("b", None),
    "g": ("g", None),
    "G": ("G", None),
    "x": ("x", None),
    "X": ("X", None),
    "f": ("f", 6),
    "F": ("f", 6),
    "e": ("e", 6),
    "E": ("E", 6),
}
"""The verb of `strconv.FormatFloat` and the precision behind each verb of fmt."""


def print_values(values: Sequence[Value], budget: Budget) -> bytes:
    """Go's `fmt.Sprint`: spaces only between operands of which neither is a string."""
    printer = Printer(budget)
    after_string = True
    for value in values:
        is_string = isinstance(value, bytes)
        if not is_string and not after_string:
            printer.write(b" ")
        printer.show(value, "v")
        after_string = is_string
    return printer.text()


def print_line(values: Sequence[Value], budget: Budget) -> bytes:
    """Go's `fmt.Sprintln`: spaces between all operands and a newline."""
    printer = Printer(budget)
    for place, value in enumerate(values):
        if place:
            printer.write(b" ")
        printer.show(value, "v")
    printer.write(b"\n")
    return printer.text()


class Printer:
    """A buffer that values are printed into under the flags of the moment."""

    def __init__(self, budget: Budget) -> None:
        self.flags = Flags()
        self._budget = budget
        self._parts: list[bytes] = []
        self._size = 0

    def text(self) -> bytes:
        """What has been printed."""
        return b"".join(self._parts)

    def write(self, text: bytes) -> None:
        """Append `text`; raises Refusal beyond the limit of a value."""
        self._size += len(text)
        self._budget.admit(self._size)
        self._parts.append(text)

    def show(self, value: Value, verb: str) -> None:
        """Print an operand under `verb`, or Go's complaint that the verb does not fit."""
        if value is None and verb in "Tv":
            self.write(layout.pad(_NIL, self.flags))
        elif value is None:
            self._complain(value, verb)
        elif verb == "T":
            self.write(layout.lay_out_string(type_name(value), self.flags))
        elif verb == "p" and isinstance(value, Strings):
            raise Refusal("`%p` of a slice prints an address in memory, which is not supported")
        elif verb == "p" or (verb == "w" and isinstance(value, Strings | Struct)):
            self._complain(value, verb)
        else:
            self._show(value, verb)

    def _show(self, value: Value, verb: str) -> None:
        if isinstance(value, Strings):
            self._show_strings(value, verb)
        elif isinstance(value, Struct):
            self._show_struct(value, verb)
        else:
            text = self._simple(value, verb)
            if text is None:
                self._complain(value, verb)
            else:
                self.write(text)

    def _complain(self, value: Value, verb: str) -> None:
        self.write(b"%!" + runes.encode(ord(verb)) + b"(")
        if value is None:
            self.write(_NIL)
        else:
            self.write(type_name(value) + b"=")
            self.show(value, "v")
        self.write(b")")

    def _show_strings(self, value: Strings, verb: str) -> None:
        opening, comma, closing = (b"[]string{", b", ", b"}") if self.flags.sharp_v else (b"[", b" ", b"]")
        self._budget.spend(len(value))
        self.write(opening)
        for place, item in enumerate(value.shown()):
            if place:
                self.write(comma)
            self._show(item, verb)
        self.write(closing)

    def _show_struct(self, value: Struct, verb: str) -> None:
        if self.flags.sharp_v:
            self.write(type_name(value))
        self.write(b"{")
        for place, (name, item) in enumerate(value.fields.items()):
            if place:
                self.write(b" ")
            if self.flags.plus_v:
                self.write(name.encode() + b":")
            self._show(item, verb)
        self.write(b"}")

    def _simple(self, value: Value, verb: str) -> bytes | None:
        """A value that has no parts under `verb`; None where the verb does not fit."""
        if isinstance(value, bool):
            return layout.lay_out_bool(value, self.flags) if verb in "tv" else None
        if isinstance(value, bytes):
            return self._string(value, verb)
        if isinstance(value, int | Byte):
            return self._integer(value, verb)
        if isinstance(value, float | complex) and verb in _FLOAT_VERBS:
            form, precision = _FLOAT_VERBS[verb]
            if isinstance(value, float):
                return layout.lay_out_float(value, form, precision, self.flags)
            return layout.lay_out_complex(value, form, precision, self.flags)
        return None

    def _string(self, value: bytes, verb: str) -> bytes | None:
        if verb in "xX":
            return layout.lay_out_hex(value, verb, self.flags)
        if verb == "q" or (verb == "v" and self.flags.sharp_v):
            return layout.lay_out_quoted(value, self.flags)
        return layout.lay_out_string(value, self.flags) if verb in "sv" else None

    def _integer(self, value: int | Byte, verb: str) -> bytes | None:
        if isinstance(value, Byte):
            if verb == "v" and self.flags.sharp_v:
                return self._byte_in_go_syntax(value.value)
            value = value.value
        if verb in _INTEGER_BASES:
            return layout.lay_out_integer(value, _INTEGER_BASES[verb], verb, self.flags)
        if verb == "c":
            return layout.lay_out_character(value, self.flags)
        if verb == "q":
            return layout.lay_out_quoted_character(value, self.flags)
        return layout.lay_out_unicode(value, self.flags) if verb == "U" else None

    def _byte_in_go_syntax(self, value: int) -> bytes:
        sharp, self.flags.sharp = self.flags.sharp, True
        text = layout.lay_out_integer(value, 16, "v", self.flags)
        self.flags.sharp = sharp
        return text
