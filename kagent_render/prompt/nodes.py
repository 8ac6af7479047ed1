"""The parsed form of a template; every node holds the offset of its first character in the text."""

from __future__ import annotations

from dataclasses import dataclass

from kagent_render.prompt.numbers import Overflow
from kagent_render.prompt.runes import SPACES
from kagent_render.prompt.values import Value


@dataclass(frozen=True, slots=True)
class Constant:
    """A literal: a boolean, a number or a string."""

    value: Value | Overflow
    offset: int


@dataclass(frozen=True, slots=True)
class Nil:
    """The untyped `nil`, which only an argument can be."""

    offset: int


@dataclass(frozen=True, slots=True)
class Dot:
    """The cursor, `.`."""

    offset: int


@dataclass(frozen=True, slots=True)
class Field:
    """Fields of the cursor: `.A.B`."""

    names: tuple[str, ...]
    offset: int


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable and, it may be, fields of it: `$x.A.B`."""

    name: str
    names: tuple[str, ...]
    offset: int


@dataclass(frozen=True, slots=True)
class Function:
    """A function by its name."""

    name: str
    offset: int


@dataclass(frozen=True, slots=True)
class Chain:
    """Fields of the result of a parenthesised pipeline or a function: `(pipeline).A.B`."""

    operand: Pipeline | Function
    names: tuple[str, ...]
    offset: int


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Commands of which each is given the result of the one before; declares or assigns variables."""

    variables: tuple[str, ...]
    assigns: bool
    commands: tuple[Command, ...]
    offset: int


Operand = Constant | Nil | Dot | Field | Variable | Function | Chain | Pipeline


@dataclass(frozen=True, slots=True)
class Command:
    """A word with its arguments; never without a word."""

    operands: tuple[Operand, ...]
    offset: int


@dataclass(frozen=True, slots=True)
class Text:
    """What is written as it stands."""

    text: bytes
    offset: int


@dataclass(frozen=True, slots=True)
class Action:
    """A pipeline whose result is written, unless it goes to a variable."""

    pipeline: Pipeline
    offset: int


@dataclass(frozen=True, slots=True)
class Branch:
    """`if`, `with` (which moves the cursor) or `range`, as `keyword` says."""

    keyword: str
    pipeline: Pipeline
    body: tuple[Node, ...]
    otherwise: tuple[Node, ...]
    offset: int


@dataclass(frozen=True, slots=True)
class Leave:
    """`break` or `continue`, as `keyword` says."""

    keyword: str
    offset: int


@dataclass(frozen=True, slots=True)
class Invoke:
    """The call of a named template; without a pipeline its cursor is nil."""

    name: bytes
    pipeline: Pipeline | None
    offset: int


Node = Text | Action | Branch | Leave | Invoke


def is_blank(nodes: tuple[Node, ...]) -> bool:
    """Whether nodes hold nothing but space, so that Go lets another definition take their name."""
    return all(isinstance(node, Text) and not node.text.decode().strip(SPACES) for node in nodes)
