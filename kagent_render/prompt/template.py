"""Prompt templates: Go's text/template, byte for byte as Go 1.27 writes it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kagent_render.prompt.execute import execute
from kagent_render.prompt.execution import Execution
from kagent_render.prompt.faults import Refusal, TemplateExecutionError, TemplateSyntaxError, place
from kagent_render.prompt.functions import BUILTINS, SHORT_CIRCUITS
from kagent_render.prompt.limits import DEFAULT, Budget, Limits
from kagent_render.prompt.parser import parse_definitions
from kagent_render.prompt.recursion import run
from kagent_render.prompt.values import Strings, Struct

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kagent_render.prompt.nodes import Node

_NAME: Final = b"systemPrompt"
_FUNCTIONS: Final = SHORT_CIRCUITS | frozenset(BUILTINS) | {"include"}


@dataclass(frozen=True, slots=True)
class Context:
    """What a prompt template sees as its dot."""

    agent_template_name: str
    agent_template_namespace: str
    description: str
    tool_names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rendering:
    """The text of a prompt and the keys that were included, in the order of their first use."""

    text: str
    included: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Template:
    """A parsed template: its text and the nodes of each template that it defines."""

    text: str
    definitions: Mapping[bytes, tuple[Node, ...]]

    def render(self, context: Context, include: Mapping[str, str], limits: Limits = DEFAULT) -> str:
        """The text for `context`; raises TemplateExecutionError."""
        return self.render_with_uses(context, include, limits).text

    def render_with_uses(
        self, context: Context, include: Mapping[str, str], limits: Limits = DEFAULT
    ) -> Rendering:
        """The text for `context` and the keys of `include` it came from; raises TemplateExecutionError."""
        execution = Execution(include, Budget(limits))
        try:
            run(execute(self.definitions, _NAME, _dot(context), execution), _too_deep)
            return Rendering(execution.output(), tuple(execution.included))
        except Refusal as refusal:
            message = str(refusal)
        except UnicodeEncodeError:
            message = "a value holds half of a surrogate pair, which is no text"
        raise TemplateExecutionError(message, *place(self.text, execution.offset))


def parse(text: str) -> Template:
    """Parse a prompt template; raises TemplateSyntaxError where Go would refuse it."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        message = "the template holds half of a surrogate pair, which is no text"
        raise TemplateSyntaxError(message, *place(text, error.start)) from None
    return Template(text, parse_definitions(text, _NAME, _FUNCTIONS))


def _too_deep() -> Refusal:
    return Refusal("the template nests too deep")


def _dot(context: Context) -> Struct:
    return Struct(
        {
            "AgentTemplateName": context.agent_template_name.encode(),
            "AgentTemplateNamespace": context.agent_template_namespace.encode(),
            "Description": context.description.encode(),
            "ToolNames": Strings.of(tuple(name.encode() for name in context.tool_names)),
        }
    )
