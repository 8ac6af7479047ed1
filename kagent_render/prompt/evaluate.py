"""The evaluation of pipelines, by the rules of Go's text/template."""

from __future__ import annotations

from enum import Enum, auto
from typing import TYPE_CHECKING, Final

from kagent_render.prompt.faults import Refusal, literal
from kagent_render.prompt.functions import SHORT_CIRCUITS, Builtin
from kagent_render.prompt.nodes import (
    Chain,
    Command,
    Constant,
    Dot,
    Field,
    Function,
    Nil,
    Operand,
    Pipeline,
    Variable,
)
from kagent_render.prompt.numbers import Overflow
from kagent_render.prompt.scope import Cell, Scope
from kagent_render.prompt.values import Value, described, field, is_true

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kagent_render.prompt.execution import Execution
    from kagent_render.prompt.limits import Budget
    from kagent_render.prompt.recursion import Step


class _Missing(Enum):
    """What is piped into the first command of a pipeline."""

    MISSING = auto()


_MISSING: Final = _Missing.MISSING
_Piped = Value | _Missing
_Term = Constant | Nil | Dot | Field | Variable | Chain


class Evaluator:
    """Gives the values of pipelines with the variables of one template, `scope`."""

    def __init__(self, execution: Execution, dot: Value) -> None:
        self.scope: Scope[Value] = Scope(dot)
        self._execution = execution

    def find(self, name: str) -> Cell[Value]:
        """The variable of a name; raises Refusal when the run has not declared it."""
        cell = self.scope.find(name)
        if cell is None:
            raise Refusal(f"the variable {literal(name)} is not declared")
        return cell

    def pipeline(self, dot: Value, pipeline: Pipeline) -> Step[Value]:
        """The result of the last command, which also goes to the variables."""
        value: _Piped = _MISSING
        for command in pipeline.commands:
            self._execution.at(command)
            value = yield self._command(dot, command, value)
        result: Value = None if isinstance(value, _Missing) else value
        for name in pipeline.variables:
            if pipeline.assigns:
                self.find(name).value = result
            else:
                self.scope.declare(name, result)
        return result

    def _command(self, dot: Value, command: Command, piped: _Piped) -> Step[Value]:
        word = command.operands[0]
        if isinstance(word, Function):
            return self._call(dot, word, command.operands[1:], piped)
        if isinstance(word, Nil):
            raise Refusal("`nil` is no command")
        has_arguments = len(command.operands) > 1 or piped is not _MISSING
        if isinstance(word, Field | Chain | Variable) and word.names:
            return self._term(dot, word, has_arguments=has_arguments)
        if has_arguments:
            raise Refusal("only a function takes arguments")
        return self._operand(dot, word)

    def _operand(self, dot: Value, node: Operand) -> Step[Value]:
        """The value of an operand that is given no arguments."""
        self._execution.at(node)
        if isinstance(node, Function):
            return self._call(dot, node, (), _MISSING)
        if isinstance(node, Pipeline):
            return self.pipeline(dot, node)
        return self._term(dot, node)

    def _term(self, dot: Value, node: _Term, *, has_arguments: bool = False) -> Step[Value]:
        value: Value
        if isinstance(node, Chain):
            value = yield self._operand(dot, node.operand)
        else:
            value = self._start(dot, node)
        names = node.names if isinstance(node, Field | Chain | Variable) else ()
        for place, name in enumerate(names, 1):
            # A field of nil is nil, and nobody looks at its arguments.
            if has_arguments and value is not None and place == len(names):
                raise Refusal(f"the field {literal('.' + name)} takes no arguments")
            value = field(value, name)
        return value

    def _start(self, dot: Value, node: Constant | Dot | Field | Nil | Variable) -> Value:
        """The value of a term before its fields."""
        if isinstance(node, Variable):
            return self.find(node.name).value
        if isinstance(node, Nil):
            return None
        if not isinstance(node, Constant):
            return dot
        if isinstance(node.value, Overflow):
            raise Refusal(f"{literal(node.value.text)} overflows int")
        return node.value

    def _call(self, dot: Value, word: Function, operands: tuple[Operand, ...], piped: _Piped) -> Step[Value]:
        count = len(operands) + (piped is not _MISSING)
        if word.name in SHORT_CIRCUITS:
            if not count:
                raise Refusal(f"`{word.name}` needs an argument")
            return self._short_circuit(dot, word, operands, piped)
        function = self._execution.functions[word.name]
        if not function.accepts(count):
            least = "at least " if function.variadic else ""
            wanted = f"{function.arguments} argument{'s' * (function.arguments != 1)}"
            raise Refusal(f"`{word.name}` takes {least}{wanted} and not {count}")
        return self._applied(dot, word, operands, piped)

    def _short_circuit(
        self, dot: Value, word: Function, operands: tuple[Operand, ...], piped: _Piped
    ) -> Step[Value]:
        """`and` gives the first false value and `or` the first true one, else the last."""
        value: Value = None
        for operand in operands:
            value = yield self._operand(dot, operand)
            if is_true(value) == (word.name == "or"):
                return value
        return value if isinstance(piped, _Missing) else piped

    def _applied(
        self, dot: Value, word: Function, operands: tuple[Operand, ...], piped: _Piped
    ) -> Step[Value]:
        values: list[Value] = []
        for operand in operands:
            value: Value = yield self._operand(dot, operand)
            values.append(value)
        if not isinstance(piped, _Missing):
            values.append(piped)
        self._execution.offset = word.offset
        return _result(word.name, self._execution.functions[word.name], values, self._execution.budget)


def _result(name: str, function: Builtin, values: Sequence[Value], budget: Budget) -> Value:
    if function.takes_string and not isinstance(values[0], bytes):
        raise Refusal(f"`{name}` needs a string and not {described(values[0])}")
    if function.reads_all:
        budget.charge(sum(len(value) for value in values if isinstance(value, bytes)))
    result = function.call(values, budget)
    if isinstance(result, bytes):
        budget.charge(len(result))
        budget.admit(len(result))
    return result
