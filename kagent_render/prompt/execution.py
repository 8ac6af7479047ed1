"""One render in progress: its budget, its place in the template, and what it has written and included."""

from __future__ import annotations

import codecs
import io
from typing import TYPE_CHECKING

from kagent_render.prompt.faults import Refusal, literal
from kagent_render.prompt.functions import BUILTINS, Builtin
from kagent_render.prompt.runes import decode

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kagent_render.prompt.limits import Budget
    from kagent_render.prompt.nodes import Command, Node, Operand
    from kagent_render.prompt.values import Value


class Execution:
    """What all templates of one render share; `offset` is the place of the node that it has come to."""

    def __init__(self, sources: Mapping[str, str], budget: Budget) -> None:
        self.budget = budget
        self.offset = 0
        self.functions = {**BUILTINS, "include": Builtin(self._include, 1, takes_string=True)}
        self.included: dict[str, None] = {}
        self._sources = sources
        self._output = io.StringIO()
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._size = 0

    def at(self, node: Node | Operand | Command, steps: int = 1) -> None:
        """Come to a node: the place of a fault from now on, and the steps that it takes."""
        self.offset = node.offset
        self.budget.spend(steps)

    def write(self, text: bytes) -> None:
        """Append to the output; raises Refusal at its limit and where it is no text."""
        self._size += len(text)
        self.budget.admit(self._size)
        self._decode(text)

    def output(self) -> str:
        """All that was written; raises Refusal when it ends inside of a character."""
        self._decode(b"", final=True)
        return self._output.getvalue()

    def _decode(self, text: bytes, *, final: bool = False) -> None:
        try:
            self._output.write(self._decoder.decode(text, final))
        except UnicodeDecodeError:
            raise Refusal("the output is not valid UTF-8, so it is no text") from None

    def _include(self, values: Sequence[Value], _: Budget) -> Value:
        key = decode(values[0]) if isinstance(values[0], bytes) else ""
        if key not in self._sources:
            raise Refusal(f"`include` finds no {literal(key)}; {_nearest(key, self._sources)}")
        self.included[key] = None
        return self._sources[key].encode()


def _nearest(key: str, sources: Mapping[str, str]) -> str:
    """The keys of `sources` that look most like `key`, for a message."""
    from difflib import get_close_matches

    known = sorted(sources)
    if not known:
        return "there are no data sources"
    nearest = sorted(get_close_matches(key[:300], known, n=3, cutoff=0.5)) or known[:3]
    return "available are " + ", ".join(literal(key) for key in nearest)
