"""`docs/credentials.md` says which headers the adapters bind, what is refused and how a rule is written."""

from __future__ import annotations

import re

import pytest
import yaml

from kagent_render.api.hub import SecretKeyRef, Variant
from kagent_render.api.providers import PROVIDER_BLOCKS
from kagent_render.compile.adapters.variants import adapter_of
from kagent_render.compile.credential_bindings import MAX_HEADERS, CredentialBinding
from kagent_render.compile.credential_faults import FRAMING_HEADERS
from kagent_render.compile.destination import destination_of, is_address
from kagent_render.compile.egress_policy import MAX_RULES, egress_rules
from kagent_render.compile.origin import origin_of
from tests.docs.markdown import blocks, page, sections

_PAGE = page("docs/credentials.md")
_SECTIONS = sections(_PAGE, 2)
_ADAPTERS = {adapter_of(variant).NAME: adapter_of(variant) for variant in Variant}


def _rows(section: str) -> list[list[str]]:
    """The cells of every row of a section's tables."""
    return [
        line.strip("|\n ").split(" | ") for line in _SECTIONS[section].splitlines() if line.startswith("|")
    ]


def test_the_table_of_models_is_what_the_adapters_bind() -> None:
    told = {
        (runtime, variable.strip("`")): set(re.findall("`(.+?)`", headers))
        for _, runtimes, variable, headers, _ in (row for row in _rows("Models") if len(row) == 5)
        if variable.startswith("`")
        for runtime in runtimes.split(", ")
    }
    assert told == {
        (name, variable): {": ".join(filter(None, (header, prefix.strip()))) for header, prefix in headers}
        for name, adapter in _ADAPTERS.items()
        for variable, headers in adapter.KEY_HEADERS.items()
    }


@pytest.mark.parametrize("provider", PROVIDER_BLOCKS)
def test_every_provider_has_a_row(provider: str) -> None:
    assert any(f"`{provider}`" in row[0] for row in _rows("Models"))


def test_the_variables_of_servers_are_those_of_the_adapters() -> None:
    rows = [row for row in _rows("MCP servers") if "KAGENT" in row[-1]]
    told = {runtime: variable.strip("`…").rstrip("_") for runtime, variable in rows}
    assert told == {name: adapter.CREDENTIAL_PREFIX for name, adapter in _ADAPTERS.items()}


def test_the_headers_of_the_connection_are_named() -> None:
    (row,) = (row for row in _rows("What is refused") if "belongs to the connection" in row[0])
    assert set(re.findall("`(.+?)`", row[0])) == FRAMING_HEADERS


def test_every_spelling_of_an_address_is_refused() -> None:
    (row,) = (row for row in _rows("The egress policy") if row[0].startswith("an IP address"))
    origins = [origin_of(f"http://{host}") for host in re.findall("`(.+?)`", row[0])]
    assert len(origins) > 7
    assert all(origin and is_address(destination_of(origin).host) for origin in origins)


def test_the_limits_are_those_of_the_program() -> None:
    assert f"more than {MAX_HEADERS} bound headers" in _PAGE
    assert f"more than {MAX_RULES} hosts and ports" in _PAGE


def test_the_rules_are_written_as_the_page_shows() -> None:
    (example,) = blocks(_PAGE, "yaml")
    binding = CredentialBinding(
        "api.openai.com",
        "authorization",
        "Bearer ",
        ("OPENAI_API_KEY",),
        SecretKeyRef("model-credentials", "token"),
    )
    origins = ("http://kagent-controller.kagent:8083", "https://api.openai.com:443")
    assert yaml.safe_load(example.text) == egress_rules("agent-team", origins, (binding,))
