"""`explain` says of a credential that it is a placeholder, and which field makes the gateway put it where."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cli.team import PAIR
from tests.cli.test_ateapi_target import BEARER, write_root
from tests.cli.test_explain import place
from tests.running import run

HOST = "bedrock-runtime.eu-central-1.amazonaws.com"
KEY = "key AWS_BEARER_TOKEN_BEDROCK of Secret aws"
SERVER = "  url: https://search.example.com/mcp\n"
HEADER = """\
  headersFrom:
  - {name: X-Key, valueFrom: {type: Secret, name: search, key: header}}
"""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    inputs = BEARER.replace(SERVER, f"{SERVER}{HEADER}")
    assert inputs != BEARER
    folder = write_root(tmp_path_factory.mktemp("explained") / "root", inputs=inputs)
    assert run("render", "--offline", cwd=folder).status == 0
    return folder


@pytest.fixture(scope="module")
def entries(root: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = run("explain", PAIR, "-o", "json", cwd=root).json
    return found


VALUES: dict[str, tuple[str, str, str | None, list[tuple[str, str]]]] = {
    # field, value, note, (file, text of the line) of each source
    "a placeholder": (
        "containers[0].env[AWS_BEARER_TOKEN_BEDROCK]",
        "kagent-credential-injected",
        f"a placeholder: the egress gateway puts {KEY} into header authorization of {HOST}",
        [("inputs.yaml", "apiKeySecret:")],
    ),
    "a model's binding": (
        f"bindings[authorization of {HOST}]",
        f"Bearer {KEY}",
        "in place of what stands in containers[0].env[AWS_BEARER_TOKEN_BEDROCK]",
        [("inputs.yaml", "apiKeySecret:")],
    ),
    "a server's binding": (
        "bindings[x-key of search.example.com]",
        "key header of Secret search",
        "in place of what stands in containers[0].env[KAGENT_CREDENTIAL_",
        [("inputs.yaml", "- {name: X-Key")],
    ),
    "a host with a credential": (
        f"egress[https://{HOST}:443]",
        "allowed, with authorization put in",
        None,
        [("inputs.yaml", "provider:")],
    ),
    "a host without": (
        "egress[http://kagent-controller.kagent:8083]",
        "allowed",
        None,
        [("kagent-render.yaml", "controller:")],
    ),
    "what every runtime of the target has": (
        "containers[0].env[SSL_CERT_FILE]",
        "/run/kagent/egress/trust-bundle.pem",
        "the same for every boundary of this target",
        [],
    ),
    "an address of the controller": (
        "containers[0].env[KAGENT_API_URL]",
        "http://kagent-controller.kagent:8083",
        None,
        [("kagent-render.yaml", "controller:")],
    ),
}


@pytest.mark.parametrize(("field", "value", "note", "sources"), VALUES.values(), ids=VALUES.keys())
def test_a_value_has_its_source_and_what_becomes_of_it(
    root: Path,
    entries: list[dict[str, Any]],
    field: str,
    value: str,
    note: str | None,
    sources: list[tuple[str, str]],
) -> None:
    (found,) = (entry for entry in entries if (entry["boundary"], entry["field"]) == ("", field))
    assert found["value"] == value
    assert (found["note"] or "").startswith(note or "")
    assert (found["note"] is None) == (note is None)
    places = [(source["source"]["path"], source["source"]["line"]) for source in found["sources"]]
    assert places == [(path, place(root, path, text)) for path, text in sources]


def test_every_value_has_a_source_or_a_rule(entries: list[dict[str, Any]]) -> None:
    assert [entry["field"] for entry in entries if not entry["sources"] and not entry["note"]] == []


def test_a_field_may_be_called_as_that_of_a_custom_resource(root: Path) -> None:
    found = [
        run("explain", PAIR, field, "-o", "json", cwd=root).json
        for field in ("containers[0].image", "spec.containers[0].image")
    ]
    assert found[0] == found[1] != []


@pytest.mark.parametrize("field", ["bindings", f"authorization of {HOST}", "search.example.com"])
def test_a_binding_is_found_by_what_one_knows_of_it(root: Path, field: str) -> None:
    found = run("explain", PAIR, field, "-o", "json", cwd=root).json
    assert {entry["field"].partition("[")[0] for entry in found} >= {"bindings"}


def test_credentials_are_the_placeholders_and_the_headers_of_both_runtimes(root: Path) -> None:
    found = run("explain", PAIR, "credentials", "-o", "json", cwd=root).json
    notes = {entry["field"].partition("[")[0]: entry["note"].partition(" ")[0] for entry in found}
    assert notes == {"containers": "a", "bindings": "in"}
    assert {entry["value"] for entry in found} == {
        "kagent-credential-injected",
        f"Bearer {KEY}",
        "key header of Secret search",
    }
