"""Prompts rendered for tests: one context, two sources, and the verdict of a render."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from kagent_render.prompt.faults import TemplateExecutionError, TemplateSyntaxError
from kagent_render.prompt.limits import DEFAULT, Limits
from kagent_render.prompt.template import Context, parse
from tests.parts import TESTS

CONTEXT = Context("incident", "team", 'Coordinates <b> & "x" — naïve', ("k8s_get", "prom", "slack"))
EMPTY = Context("a", "b", "", ())
SOURCES = {"p/a": "text {{.X}}\n", "q/b": "é"}


@dataclass(frozen=True)
class Verdict:
    """What a render came to: an output, or the stage that failed with its message, line and column."""

    stage: str
    output: str = ""
    message: str = ""
    line: int = 0
    column: int = 0


def judge(text: str, context: Context = CONTEXT, limits: Limits = DEFAULT) -> Verdict:
    """Parse and render `text` with the sources of all tests."""
    try:
        return Verdict("ok", parse(text).render(context, SOURCES, limits))
    except TemplateSyntaxError as error:
        return Verdict("parse", "", error.message, error.line, error.column)
    except TemplateExecutionError as error:
        return Verdict("execute", "", error.message, error.line, error.column)


def render(text: str, context: Context = CONTEXT, limits: Limits = DEFAULT) -> str:
    """The output of `text`, which has to render."""
    verdict = judge(text, context, limits)
    assert verdict.stage == "ok", verdict
    return verdict.output


def vectors() -> list[dict[str, Any]]:
    """The prompt templates with what Go 1.27.3 made of them."""
    found: list[dict[str, Any]] = json.loads((TESTS / "vectors" / "gotemplate.json").read_text("utf-8"))
    return found


def context_of(case: dict[str, Any]) -> Context:
    """The context of a vector or of a case for the Go program."""
    return Context(
        case["AgentTemplateName"],
        case["AgentTemplateNamespace"],
        case["Description"],
        tuple(case["ToolNames"]),
    )


def fields_of(context: Context) -> dict[str, Any]:
    """A context as the Go program reads it."""
    return {
        "AgentTemplateName": context.agent_template_name,
        "AgentTemplateNamespace": context.agent_template_namespace,
        "Description": context.description,
        "ToolNames": list(context.tool_names),
    }
