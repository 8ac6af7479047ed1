"""The execution of a parsed template, by the rules of Go's text/template."""

from __future__ import annotations

from enum import Enum, auto
from functools import partial
from typing import TYPE_CHECKING, Final

from kagent_render.prompt.faults import Refusal, literal
from kagent_render.prompt.functions import BUILTINS, SHORT_CIRCUITS, Builtin
from kagent_render.prompt.nodes import (
    Action,
    Branch,
    Chain,
    Command,
    Constant,
    Dot,
    Field,
    Function,
    Invoke,
    Leave,
    Nil,
    Node,
    Operand,
    Pipeline,
    Text,
    Variable,
)
from kagent_render.prompt.numbers import Overflow
from kagent_render.prompt.printing import print_values
from kagent_render.prompt.recursion import Step
from kagent_render.prompt.runes import decode
from kagent_render.prompt.scope import Cell, Scope
from kagent_render.prompt.values import Byte, Strings, Value, described, field, is_true

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from kagent_render.prompt.limits import Budget


class _Flow(Enum):
    """How a list of nodes was left."""

    ON = auto()
    BREAK = auto()
    CONTINUE = auto()


class _Missing(Enum):
    """What is piped into the first command of a pipeline."""

    MISSING = auto()


_MISSING: Final = _Missing.MISSING
_FLOWS: Final = {"break": _Flow.BREAK, "continue": _Flow.CONTINUE}
_Piped = Value | _Missing


class Execution:
    """One render: what it works with, where it is, and what it has written and included so far."""

    def __init__(
        self, definitions: Mapping[bytes, tuple[Node, ...]], include: Mapping[str, str], budget: Budget
    ) -> None:
        self.definitions = definitions
        self.functions: Mapping[str, Builtin] = {
            **BUILTINS,
            "include": Builtin(self._include, 1, takes_string=True),
        }
        self.budget = budget
        self.offset = 0
        self.written: list[tuple[bytes, int]] = []
        self.included: dict[str, None] = {}
        self._sources = include
        self._size = 0

    def at(self, node: Node | Operand | Command) -> None:
        """Come to a node: one step, and the place of a fault from now on."""
        self.offset = node.offset
        self.budget.spend(1)

    def write(self, text: bytes) -> None:
        """Append to the output; raises Refusal at its limit."""
        self._size += len(text)
        self.budget.admit(self._size)
        self.written.append((text, self.offset))

    def _include(self, values: Sequence[Value], _: Budget) -> Value:
        name = decode(values[0]) if isinstance(values[0], bytes) else ""
        if name not in self._sources:
            raise Refusal(f"`include` finds no {literal(name)}; {_nearest(name, self._sources)}")
        self.included[name] = None
        return self._sources[name].encode()


class Frame:
    """One template that is being executed, with its variables; `depth` counts the calls around it."""

    def __init__(self, execution: Execution, dot: Value, depth: int = 0) -> None:
        self._execution = execution
        self._scope: Scope[Value] = Scope(dot)
        self._depth = depth

    def walk(self, dot: Value, nodes: tuple[Node, ...]) -> Step[_Flow]:
        """Execute nodes until the last one, or until a `break` or `continue`."""
        execution = self._execution
        for node in nodes:
            execution.at(node)
            if isinstance(node, Text):
                execution.write(node.text)
            elif isinstance(node, Action):
                value: Value = yield self._pipeline(dot, node.pipeline)
                if not node.pipeline.variables:
                    execution.write(_printed(value, execution.budget))
            elif isinstance(node, Leave):
                return _FLOWS[node.keyword]
            elif isinstance(node, Invoke):
                yield self._invoke(dot, node)
            else:
                flow: _Flow = yield self._branch(dot, node)
                if flow is not _Flow.ON:
                    return flow
        return _Flow.ON

    def _invoke(self, dot: Value, node: Invoke) -> Step[None]:
        execution = self._execution
        if node.name not in execution.definitions:
            raise Refusal(f"the template {literal(node.name)} is not defined")
        deepest = execution.budget.limits.depth
        if self._depth >= deepest:
            raise Refusal(f"templates call each other more than {deepest} deep")
        inner: Value = None
        if node.pipeline is not None:
            inner = yield self._pipeline(dot, node.pipeline)
        yield Frame(execution, inner, self._depth + 1).walk(inner, execution.definitions[node.name])

    def _branch(self, dot: Value, node: Branch) -> Step[_Flow]:
        mark = self._scope.mark()
        value: Value = yield self._pipeline(dot, node.pipeline)
        flow: _Flow
        if node.keyword == "range":
            flow = yield self._range(dot, value, node)
        elif is_true(value):
            flow = yield self.walk(value if node.keyword == "with" else dot, node.body)
        else:
            flow = yield self.walk(dot, node.otherwise)
        self._scope.release(mark)
        return flow

    def _range(self, dot: Value, value: Value, node: Branch) -> Step[_Flow]:
        variables = node.pipeline.variables
        items = _items(value, len(variables))
        # The pipeline has just declared its variables, so they are the last of their names.
        cells = self._scope.last(len(variables))
        mark = self._scope.mark()
        flow = _Flow.ON
        is_empty = True
        for index, item in items:
            is_empty = False
            self._execution.at(node)
            if node.pipeline.assigns:
                cells = [self._find(name) for name in variables]
            for cell, part in zip(reversed(cells), (item, index), strict=False):
                cell.value = part
            flow = yield self.walk(item, node.body)
            self._scope.release(mark)
            if flow is _Flow.BREAK:
                break
        if is_empty:
            flow = yield self.walk(dot, node.otherwise)
            # A `break` in `else` ends no more than this `range`, a `continue` the turn around it.
            return _Flow.ON if flow is _Flow.BREAK else flow
        return _Flow.ON

    def _find(self, name: str) -> Cell[Value]:
        cell = self._scope.find(name)
        if cell is None:
            raise Refusal(f"the variable {literal(name)} is not declared")
        return cell

    def _pipeline(self, dot: Value, pipeline: Pipeline) -> Step[Value]:
        value: _Piped = _MISSING
        for command in pipeline.commands:
            self._execution.at(command)
            value = yield self._command(dot, command, value)
        result: Value = None if isinstance(value, _Missing) else value
        for name in pipeline.variables:
            if pipeline.assigns:
                self._find(name).value = result
            else:
                self._scope.declare(name, result)
        return result

    def _command(self, dot: Value, command: Command, piped: _Piped) -> Step[Value]:
        word = command.operands[0]
        has_arguments = len(command.operands) > 1 or piped is not _MISSING
        if isinstance(word, Function):
            return (yield self._call(dot, word, command.operands[1:], piped))
        if isinstance(word, Nil):
            raise Refusal("`nil` is no command")
        if isinstance(word, Field | Chain) or (isinstance(word, Variable) and word.names):
            start: Value = yield self._start(dot, word)
            return self._fields(start, word.names, has_arguments=has_arguments)
        if has_arguments:
            raise Refusal("only a function takes arguments")
        return (yield self._argument(dot, word))

    def _argument(self, dot: Value, node: Operand) -> Step[Value]:
        """The value of an operand that stands alone."""
        self._execution.at(node)
        if isinstance(node, Constant):
            if isinstance(node.value, Overflow):
                raise Refusal(f"{literal(node.value.text)} overflows int")
            return node.value
        if isinstance(node, Function):
            return (yield self._call(dot, node, (), _MISSING))
        if isinstance(node, Pipeline):
            return (yield self._pipeline(dot, node))
        if isinstance(node, Field | Chain | Variable):
            start: Value = yield self._start(dot, node)
            return self._fields(start, node.names)
        return dot if isinstance(node, Dot) else None

    def _start(self, dot: Value, node: Field | Chain | Variable) -> Step[Value]:
        """The value whose fields `node` asks for."""
        if isinstance(node, Variable):
            return self._find(node.name).value
        if isinstance(node, Chain):
            return (yield self._argument(dot, node.operand))
        return dot

    def _fields(self, value: Value, names: tuple[str, ...], *, has_arguments: bool = False) -> Value:
        for place, name in enumerate(names, 1):
            found = field(value, name)
            if has_arguments and value is not None and place == len(names):
                raise Refusal(f"the field {literal('.' + name)} takes no arguments")
            value = found
        return value

    def _call(
        self, dot: Value, word: Function, operands: tuple[Operand, ...], piped: _Piped
    ) -> Step[Value]:
        execution = self._execution
        count = len(operands) + (piped is not _MISSING)
        if word.name in SHORT_CIRCUITS:
            if not count:
                raise Refusal(f"`{word.name}` needs an argument")
            return (yield self._short_circuit(dot, word.name, operands, piped))
        function = execution.functions[word.name]
        if not function.accepts(count):
            least = "at least " if function.variadic else ""
            raise Refusal(f"`{word.name}` takes {least}{function.arguments} arguments and not {count}")
        values: list[Value] = []
        for operand in operands:
            value: Value = yield self._argument(dot, operand)
            values.append(value)
        if not isinstance(piped, _Missing):
            values.append(piped)
        execution.offset = word.offset
        return _applied(word.name, function, values, execution.budget)

    def _short_circuit(
        self, dot: Value, name: str, operands: tuple[Operand, ...], piped: _Piped
    ) -> Step[Value]:
        """`and` gives the first false value and `or` the first true one, else the last."""
        value: Value = None
        for operand in operands:
            value = yield self._argument(dot, operand)
            if is_true(value) == (name == "or"):
                return value
        return value if isinstance(piped, _Missing) else piped


def _applied(name: str, function: Builtin, values: Sequence[Value], budget: Budget) -> Value:
    if function.takes_string and not isinstance(values[0], bytes):
        raise Refusal(f"`{name}` needs a string and not {described(values[0])}")
    if function.reads_all:
        budget.charge(sum(len(value) for value in values if isinstance(value, bytes)))
    result = function.call(values, budget)
    if isinstance(result, bytes):
        budget.charge(len(result))
        budget.admit(len(result))
    return result


def _printed(value: Value, budget: Budget) -> bytes:
    if isinstance(value, bytes):
        return value
    return b"<no value>" if value is None else print_values([value], budget)


def _items(value: Value, variables: int) -> Iterator[tuple[Value, Value]]:
    """What `range` goes through: the index and the item of each turn."""
    if value is None:
        return iter(())
    if isinstance(value, Strings):
        return enumerate(value.shown())
    number = value.value if isinstance(value, Byte) else value
    if isinstance(number, bool) or not isinstance(number, int):
        raise Refusal(f"`range` cannot go through {described(value)}")
    if variables > 1:
        raise Refusal("`range` over a number has one variable at most")
    make = partial(_same_type, value)
    return ((None, make(turn)) for turn in range(number))


def _same_type(like: Value, number: int) -> Value:
    return Byte(number) if isinstance(like, Byte) else number


def _nearest(name: str, sources: Mapping[str, str]) -> str:
    """The keys of `sources` that look most like `name`, for a message."""
    from difflib import get_close_matches

    known = sorted(sources)
    if not known:
        return "there are no data sources"
    nearest = get_close_matches(name[:300], known, n=3, cutoff=0.5) or known[:3]
    return "available are " + ", ".join(literal(key) for key in nearest)
