"""What is rendered can be applied by a server-side apply, and nothing differs afterwards."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from tests.api_server import ApiServer
from tests.cluster.definitions import upstream
from tests.parts import REPOSITORY

pytestmark = pytest.mark.server

ROOTS = (
    "examples/incident/rendered",
    "examples/variants/claude/rendered",
    "examples/variants/codex/rendered",
    "examples/variants/python/rendered",
)


@pytest.fixture(scope="module")
def server() -> Iterator[ApiServer]:
    with ApiServer() as running:
        running.define(upstream("ate.dev_actortemplates"))
        yield running


def _live(server: ApiServer, manager: str) -> list[tuple[str, int]]:
    """Every object that is there, with its generation and the managers of its fields."""
    listed = json.loads(server.kubectl("get", "actortemplates", "--all-namespaces", "-o", "json").out)
    for item in listed["items"]:
        assert manager in {entry["manager"] for entry in server_fields(server, item)}
    return sorted((item["metadata"]["name"], item["metadata"]["generation"]) for item in listed["items"])


def server_fields(server: ApiServer, item: dict[str, dict[str, str]]) -> list[dict[str, str]]:
    """Who manages the fields of an object."""
    metadata = item["metadata"]
    path = f"/apis/ate.dev/v1alpha1/namespaces/{metadata['namespace']}/actortemplates/{metadata['name']}"
    managed: list[dict[str, str]] = server.request("GET", path).value["metadata"]["managedFields"]
    return managed


@pytest.mark.parametrize("root", ROOTS)
def test_applying_leaves_no_difference(server: ApiServer, root: str) -> None:
    folder = str(REPOSITORY / root)
    server.kubectl("delete", "actortemplates", "--all", "--all-namespaces")
    applied = server.kubectl("apply", "--server-side", "-k", folder)
    assert applied.status == 0, applied.err
    first = _live(server, "kubectl")
    assert first
    again = server.kubectl("diff", "--server-side", "-k", folder)
    assert (again.status, again.out) == (0, "")
    assert server.kubectl("apply", "--server-side", "-k", folder).status == 0
    assert _live(server, "kubectl") == first
    again = server.kubectl("diff", "--server-side", "-k", folder)
    assert (again.status, again.out) == (0, "")


def test_a_client_side_apply_leaves_no_difference_either(server: ApiServer) -> None:
    folder = str(REPOSITORY / ROOTS[0])
    server.kubectl("delete", "actortemplates", "--all", "--all-namespaces")
    assert server.kubectl("apply", "-k", folder).status == 0
    again = server.kubectl("diff", "-k", folder)
    assert (again.status, again.out) == (0, "")


def test_a_difference_is_seen(server: ApiServer) -> None:
    folder = str(REPOSITORY / ROOTS[0])
    server.kubectl("apply", "--server-side", "-k", folder)
    name = _live(server, "kubectl")[0][0]
    server.kubectl(
        "annotate",
        "actortemplates",
        "--namespace",
        "agent-team",
        name,
        "--overwrite",
        "kustomize.toolkit.fluxcd.io/prune=enabled",
    )
    assert server.kubectl("diff", "--server-side", "--force-conflicts", "-k", folder).status == 1
