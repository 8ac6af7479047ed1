"""What is too long is told where it was written."""

from __future__ import annotations

import pytest

from kagent_render.compile.longest_text import longest_text
from kagent_render.target.ate_v1alpha1 import MAX_ENV_BYTES, check_environment
from tests.compile.boundaries import agent, bundle, template
from tests.compile.claude import claude
from tests.compile.codex import OPENAI
from tests.manifests import model, server

LONG = "long" * 20
SHORT = template("lead", "tools: [{mcp: {server: {kind: RemoteMCPServer, name: server}, tools: [find]}}]")
SERVED = "{description: d, url: 'https://h'}"


def test_the_longest_prompt_of_a_boundary_is_where_to_cut() -> None:
    lead = template("lead", f"tools: [{agent('near', of='x')}]", prompt="systemPrompt: Short.")
    found = longest_text(bundle(lead, template("x", prompt=f"systemPrompt: {LONG}")))
    assert (found.document.ref.name, found.field) == ("x", ("spec", "systemPrompt"))


def test_a_text_counts_by_the_bytes_that_it_takes() -> None:
    wide = template("lead", f"description: {'日' * 20}", prompt=f"systemPrompt: {'a' * 50}")
    assert longest_text(bundle(wide)).field == ("spec", "description")


@pytest.mark.parametrize(
    ("texts", "name", "field"),
    [
        pytest.param(
            (SHORT.replace("find", LONG), server(SERVED)),
            "lead",
            ("spec", "tools", 0, "mcp", "tools", 0),
            id="a tool",
        ),
        pytest.param(
            (SHORT, server(SERVED.replace("//h", f"//h/{LONG}"))), "server", ("spec", "url"), id="an address"
        ),
        pytest.param(
            (SHORT, server(SERVED.replace("}", f", headersFrom: [{{name: X, value: {LONG}}}]}}"))),
            "server",
            ("spec", "headersFrom", 0),
            id="a header of a server",
        ),
        pytest.param(
            (template("lead").replace("name: model", "name: gpt"), model(f"{{model: {LONG}}}", "gpt")),
            "gpt",
            ("spec", "model"),
            id="a model",
        ),
        pytest.param(
            (
                template("lead").replace("name: model", "name: gpt"),
                model(OPENAI.replace("model: m", f"model: m, defaultHeaders: {{X: {LONG}}}"), "gpt"),
            ),
            "gpt",
            ("spec", "defaultHeaders", "X"),
            id="a header of a model",
        ),
    ],
)
def test_every_text_may_be_the_longest(
    texts: tuple[str, ...], name: str, field: tuple[str | int, ...]
) -> None:
    found = longest_text(bundle(*texts, variant="codex"))
    assert (found.document.ref.name, found.field) == (name, field)


def test_a_card_is_as_long_as_its_description() -> None:
    boundary, _ = claude(template("lead", "description: Leads.", prompt=f"systemPrompt: {LONG}"))
    origins = {variable.name: variable.origin for variable in boundary.adapter.documents}
    assert {name: origin and origin.field for name, origin in origins.items()} == {
        "KAGENT_CONFIG_JSON": ("spec", "systemPrompt"),
        "KAGENT_AGENT_CARD_JSON": ("spec", "description"),
        "KAGENT_FILES_JSON": ("spec", "systemPrompt"),
    }


def test_a_header_that_is_too_long_is_not_shown() -> None:
    spec = SERVED.replace("}", f", headersFrom: [{{name: X, value: {'h' * MAX_ENV_BYTES}}}]}}")
    boundary, _ = claude(SHORT, server(spec))
    faults = list(check_environment(boundary.env, boundary.adapter.documents))
    assert {(fault.field, fault.sensitive) for fault in faults} == {("spec.headersFrom[0]", True)}
