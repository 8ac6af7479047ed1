"""The prompt templates whose output Go 1.27.3 recorded."""

from __future__ import annotations

from typing import Any

import pytest

from kagent_render.prompt.faults import TemplateExecutionError, TemplateSyntaxError
from kagent_render.prompt.template import parse
from tests.prompt.rendering import context_of, vectors

RENDERED = [vector for vector in vectors() if "want" in vector]
UNPARSED = [vector for vector in vectors() if vector.get("error_stage") == "parse"]
UNRENDERED = [vector for vector in vectors() if vector.get("error_stage") == "execute"]


def name(vector: dict[str, Any]) -> str:
    return str(vector["name"])


def test_every_vector_is_tested() -> None:
    assert len(RENDERED) + len(UNPARSED) + len(UNRENDERED) == len(vectors()) == 101


@pytest.mark.parametrize("vector", RENDERED, ids=name)
def test_output_is_byte_for_byte_that_of_go(vector: dict[str, Any]) -> None:
    template = parse(vector["template"])
    assert template.render(context_of(vector["context"]), vector["sources"]) == vector["want"]


@pytest.mark.parametrize("vector", UNPARSED, ids=name)
def test_what_go_does_not_parse_is_a_syntax_error(vector: dict[str, Any]) -> None:
    with pytest.raises(TemplateSyntaxError):
        parse(vector["template"])


@pytest.mark.parametrize("vector", UNRENDERED, ids=name)
def test_what_go_does_not_execute_parses_and_is_an_execution_error(vector: dict[str, Any]) -> None:
    template = parse(vector["template"])
    with pytest.raises(TemplateExecutionError):
        template.render(context_of(vector["context"]), vector["sources"])
