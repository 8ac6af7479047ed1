"""The execution of a template's nodes, by the rules of Go's text/template."""

from __future__ import annotations

from enum import Enum, auto
from typing import TYPE_CHECKING, Final

from kagent_render.prompt.evaluate import Evaluator
from kagent_render.prompt.faults import Refusal, literal
from kagent_render.prompt.nodes import Action, Branch, Invoke, Leave, Node, Text
from kagent_render.prompt.printing import print_values
from kagent_render.prompt.values import Byte, Strings, Value, described, is_true

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kagent_render.prompt.execution import Execution
    from kagent_render.prompt.limits import Budget
    from kagent_render.prompt.recursion import Step


class _Flow(Enum):
    """How a list of nodes was left."""

    ON = auto()
    BREAK = auto()
    CONTINUE = auto()


_ENTRY: Final = 4
"""The steps of one turn of a `range` or one call of a template: their time, in simple nodes."""

_FLOWS: Final = {"break": _Flow.BREAK, "continue": _Flow.CONTINUE}


def execute(
    definitions: Mapping[bytes, tuple[Node, ...]], name: bytes, dot: Value, execution: Execution
) -> Step[object]:
    """Run the template `name` of `definitions` with `dot`; the steps raise Refusal where Go fails."""
    return _Frame(definitions, execution, dot).walk(dot, definitions[name])


class _Frame:
    """One template that is being executed; `depth` counts the templates around it."""

    def __init__(
        self,
        definitions: Mapping[bytes, tuple[Node, ...]],
        execution: Execution,
        dot: Value,
        depth: int = 0,
    ) -> None:
        self._definitions = definitions
        self._execution = execution
        self._evaluator = Evaluator(execution, dot)
        self._depth = depth

    def walk(self, dot: Value, nodes: tuple[Node, ...]) -> Step[_Flow]:
        """Execute nodes until the last one, or until a `break` or `continue`."""
        execution = self._execution
        for node in nodes:
            execution.at(node)
            if isinstance(node, Text):
                execution.write(node.text)
            elif isinstance(node, Action):
                value: Value = yield self._evaluator.pipeline(dot, node.pipeline)
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
        if node.name not in self._definitions:
            raise Refusal(f"the template {literal(node.name)} is not defined")
        deepest = self._execution.budget.limits.depth
        if self._depth >= deepest:
            raise Refusal(f"templates call each other more than {deepest} deep")
        inner: Value = None
        if node.pipeline is not None:
            inner = yield self._evaluator.pipeline(dot, node.pipeline)
        self._execution.at(node, _ENTRY)
        frame = _Frame(self._definitions, self._execution, inner, self._depth + 1)
        yield frame.walk(inner, self._definitions[node.name])

    def _branch(self, dot: Value, node: Branch) -> Step[_Flow]:
        scope = self._evaluator.scope
        mark = scope.mark()
        value: Value = yield self._evaluator.pipeline(dot, node.pipeline)
        flow: _Flow
        if node.keyword == "range":
            flow = yield self._range(dot, value, node)
        elif is_true(value):
            flow = yield self.walk(value if node.keyword == "with" else dot, node.body)
        else:
            flow = yield self.walk(dot, node.otherwise)
        scope.release(mark)
        return flow

    def _range(self, dot: Value, value: Value, node: Branch) -> Step[_Flow]:
        mark = self._evaluator.scope.mark()
        is_empty = True
        for index, item in _items(value, len(node.pipeline.variables)):
            is_empty = False
            self._execution.at(node, _ENTRY)
            if node.pipeline.variables:
                self._set(node, index, item)
            flow: _Flow = yield self.walk(item, node.body)
            self._evaluator.scope.release(mark)
            if flow is _Flow.BREAK:
                break
        if not is_empty:
            return _Flow.ON
        flow = yield self.walk(dot, node.otherwise)
        # A `break` in `else` ends no more than this `range`, a `continue` the turn around it.
        return _Flow.ON if flow is _Flow.BREAK else flow

    def _set(self, node: Branch, index: Value, item: Value) -> None:
        """Give the variables of a `range` their values; a lone one gets the item."""
        names = node.pipeline.variables
        if node.pipeline.assigns:
            cells = [self._evaluator.find(name) for name in names]
        else:
            # The pipeline has declared them, and what the last turn declared is given up again.
            cells = self._evaluator.scope.last(len(names))
        for cell, value in zip(cells, (index, item)[2 - len(cells) :], strict=True):
            cell.value = value


def _printed(value: Value, budget: Budget) -> bytes:
    if isinstance(value, bytes):
        return value
    return b"<no value>" if value is None else print_values([value], budget)


def _items(value: Value, variables: int) -> Iterable[tuple[Value, Value]]:
    """What `range` goes through: the index and the item of each turn."""
    if value is None:
        return ()
    if isinstance(value, Strings):
        return enumerate(value.shown())
    if isinstance(value, bool) or not isinstance(value, int | Byte):
        raise Refusal(f"`range` cannot go through {described(value)}")
    if variables > 1:
        raise Refusal("`range` over a number has one variable at most")
    if isinstance(value, Byte):
        return ((None, Byte(turn)) for turn in range(value.value))
    return ((None, turn) for turn in range(value))
