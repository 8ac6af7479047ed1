"""An API server takes our definitions and upstream's, and says so in every version that it serves."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kagent_render.api.resource_definition import DEFINITIONS, resource_definition
from tests.api_server import ApiServer
from tests.cluster.definitions import UPSTREAM, ours, upstream
from tests.manifests import HARNESS, documents

pytestmark = pytest.mark.server


@pytest.fixture
def server() -> Iterator[ApiServer]:
    with ApiServer() as running:
        yield running


@pytest.mark.parametrize("served", ["upstream", "v1alpha3", "v1alpha2"])
def test_every_definition_is_established_and_structural(server: ApiServer, served: str) -> None:
    wanted = [upstream(name) for name in UPSTREAM] if served == "upstream" else ours(served)
    for definition in wanted:
        state = server.define(definition)["status"]
        conditions = {found["type"]: found["status"] for found in state["conditions"]}
        assert conditions["Established"] == "True"
        assert conditions["NamesAccepted"] == "True"
        assert conditions.get("NonStructuralSchema", "False") == "False"


def test_the_version_that_is_not_served_is_not_there(server: ApiServer) -> None:
    server.define(resource_definition("Harness"))
    answer = server.create(documents(HARNESS)[0].value)
    assert answer.status == 404


def test_two_served_versions_would_lose_what_one_does_not_know(server: ApiServer) -> None:
    definition = resource_definition("Harness", "v1alpha2")
    for version in definition["spec"]["versions"]:
        version["served"] = True
        version["storage"] = version["name"] == "v1alpha3"
    server.define(definition)
    assert server.create(documents(HARNESS)[0].value, keep=True).status == 201
    path = "/apis/kagent.dev/v1alpha3/namespaces/team/harnesses/runtime"
    assert "python" not in server.request("GET", path).value["spec"]


def test_kubectl_shows_columns_categories_and_help(server: ApiServer) -> None:
    for definition in ours("v1alpha2"):
        server.define(definition)
    server.create(documents(HARNESS)[0].value, keep=True)
    listed = server.kubectl("get", "kagent", "--namespace", "team").out
    assert listed.split()[:3] == ["NAME", "READY", "AGE"]
    assert "runtime" in listed
    assert "Which AgentTemplates are admitted" in server.kubectl("explain", "harness.spec").out
    assert server.kubectl("get", "ap", "--namespace", "team").status == 0


@pytest.mark.parametrize("kind", DEFINITIONS)
def test_a_default_in_a_definition_is_kept_by_the_server(server: ApiServer, kind: str) -> None:
    definition = resource_definition(kind)
    stored = server.define(definition)
    for given, kept in zip(definition["spec"]["versions"], stored["spec"]["versions"], strict=True):
        assert kept["schema"] == given["schema"]
