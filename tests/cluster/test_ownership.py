"""Our definitions are made where there are none, and take the place of nobody's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.api_server import ApiServer
from tests.cluster.definitions import upstream
from tests.parts import REPOSITORY

pytestmark = pytest.mark.server

BASE = str(REPOSITORY / "kustomize/crds")
NAMES = ("agentplugins.kubeagents.x-k8s.io", "agenttemplates.kagent.dev", "harnesses.kagent.dev")


@pytest.fixture
def server() -> Iterator[ApiServer]:
    with ApiServer() as running:
        yield running


def _definition(server: ApiServer, name: str) -> dict[str, Any]:
    """A definition as it is, without who manages it since when."""
    found = dict(
        server.request("GET", f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{name}").value
    )
    metadata = {k: v for k, v in found["metadata"].items() if k not in ("managedFields", "resourceVersion")}
    return {"metadata": metadata, "spec": found["spec"]}


@pytest.fixture
def taken(server: ApiServer, tmp_path: Path) -> ApiServer:
    """A server where upstream's chart has defined Harness."""
    path = tmp_path / "harnesses.yaml"
    path.write_text(yaml.safe_dump(upstream("kagent.dev_harnesses")))
    done = server.kubectl("apply", "--server-side", "--field-manager", "helm", "-f", str(path))
    assert done.status == 0, done.err
    return server


def test_where_there_are_none_they_are_made(server: ApiServer) -> None:
    done = server.kubectl("apply", "--server-side", "-k", BASE)
    assert done.status == 0, done.err
    assert server.kubectl("wait", "--for=condition=Established", "crd", *NAMES).status == 0
    before = [_definition(server, name) for name in NAMES]
    assert server.kubectl("apply", "--server-side", "-k", BASE).status == 0
    assert [_definition(server, name) for name in NAMES] == before
    assert server.kubectl("diff", "--server-side", "-k", BASE).status == 0


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (("apply", "--server-side"), 'conflict with "helm": .spec.versions'),
        (("create",), "already exists"),
    ],
    ids=["a server-side apply", "create"],
)
def test_a_definition_of_someone_else_stays(taken: ApiServer, command: tuple[str, ...], said: str) -> None:
    before = _definition(taken, "harnesses.kagent.dev")
    done = taken.kubectl(*command, "-k", BASE)
    assert done.status == 1
    assert said in done.err
    assert _definition(taken, "harnesses.kagent.dev") == before


def test_flux_makes_what_is_missing_and_leaves_what_is_there(taken: ApiServer) -> None:
    before = _definition(taken, "harnesses.kagent.dev")
    built = taken.kubectl("kustomize", BASE).out
    done = taken.flux(built)
    assert done.status == 0, done.err
    became = dict(line.rsplit(" ", 1) for line in done.out.splitlines())
    assert {name.rpartition("/")[2]: action for name, action in became.items()} == {
        "agentplugins.kubeagents.x-k8s.io": "created",
        "agenttemplates.kagent.dev": "created",
        "harnesses.kagent.dev": "skipped",
    }
    assert _definition(taken, "harnesses.kagent.dev") == before


def test_flux_would_replace_a_definition_without_the_mark(taken: ApiServer) -> None:
    before = _definition(taken, "harnesses.kagent.dev")
    built = taken.kubectl("kustomize", BASE).out.replace("kustomize.toolkit.fluxcd.io/ssa", "example.com/ssa")
    assert "harnesses.kagent.dev configured" in taken.flux(built).out
    assert _definition(taken, "harnesses.kagent.dev") != before


@pytest.mark.parametrize("command", [("apply",), ("apply", "--server-side", "--force-conflicts")])
def test_what_takes_the_place_of_a_definition_has_to_be_asked_for(
    taken: ApiServer, command: tuple[str, ...]
) -> None:
    before = _definition(taken, "harnesses.kagent.dev")
    assert taken.kubectl(*command, "-k", BASE).status == 0
    assert _definition(taken, "harnesses.kagent.dev") != before


def test_the_marks_for_gitops_tools_are_on_every_definition() -> None:
    listed = [path for path in Path(BASE).glob("*.yaml") if path.name != "kustomization.yaml"]
    assert len(listed) == len(NAMES)
    for path in listed:
        annotations = yaml.safe_load(path.read_text())["metadata"]["annotations"]
        assert annotations["kustomize.toolkit.fluxcd.io/ssa"] == "IfNotPresent"
        assert annotations["kustomize.toolkit.fluxcd.io/prune"] == "disabled"
        assert annotations["argocd.argoproj.io/sync-options"] == "Prune=false,Delete=false"
