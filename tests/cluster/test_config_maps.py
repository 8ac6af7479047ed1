"""ConfigMaps that carry pairs, as a cluster takes them: applied, compared, pruned, full to the last byte."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kagent_render.diagnostics.diagnostic import PairRef
from kagent_render.emit.config_map import MAX_DATA
from kagent_render.emit.disk import DiskOutput
from kagent_render.emit.plan import OutputPlan, PairOutput, plan_output
from kagent_render.emit.writer import write_plan
from tests.api_server import ApiServer
from tests.emit.outputs import carried_output
from tests.parts import program

pytestmark = pytest.mark.server

PAIR = PairRef("team", "py", "planner")
PRUNING = ("--prune", "--applyset=configmaps/agents", "--namespace=a")


@pytest.fixture(scope="module")
def running() -> Iterator[ApiServer]:
    with ApiServer() as server:
        yield server


@pytest.fixture
def server(running: ApiServer) -> ApiServer:
    """A server without any ConfigMap."""
    running.kubectl("delete", "configmaps", "--all", "--all-namespaces")
    return running


def written(root: Path, plan: OutputPlan) -> str:
    with DiskOutput(root, "rendered") as output:
        write_plan(plan, output)
    return str(root / "rendered")


def live(server: ApiServer) -> dict[str, dict[str, Any]]:
    """The ConfigMaps that are there, by name."""
    listed = server.kubectl("get", "configmaps", "--all-namespaces", "-o", "json")
    return {item["metadata"]["name"]: item for item in json.loads(listed.out)["items"]}


def applied(server: ApiServer, folder: str) -> dict[str, dict[str, Any]]:
    """What is there once a folder is applied on the server, and nothing differs."""
    done = server.kubectl("apply", "--server-side", "-k", folder)
    assert done.status == 0, done.err
    compared = server.kubectl("diff", "--server-side", "-k", folder)
    assert (compared.status, compared.out) == (0, "")
    return live(server)


def test_applying_twice_changes_nothing(server: ApiServer, tmp_path: Path) -> None:
    plan = plan_output(
        [carried_output("a", "py", "one", "v2 ${X}", "v1"), carried_output("b", "c", "a-b", "v1")]
    )
    folder = written(tmp_path, plan)
    first = applied(server, folder)
    assert applied(server, folder) == first
    for value in first.values():
        pair = Path(folder, value["metadata"]["annotations"]["render.kagent.dev/pair"])
        files = [pair / "revision.lock.yaml", *pair.glob("actortemplates/*")]
        assert {key: text.encode() for key, text in value["data"].items()} == {
            path.name: path.read_bytes() for path in files
        }


def test_a_new_revision_is_an_update_of_the_same_object(server: ApiServer, tmp_path: Path) -> None:
    (before,) = applied(
        server, written(tmp_path, plan_output([carried_output("a", "py", "one", "v1")]))
    ).values()
    (after,) = applied(
        server, written(tmp_path, plan_output([carried_output("a", "py", "one", "v2")]))
    ).values()
    assert after["metadata"]["uid"] == before["metadata"]["uid"]
    assert after["data"].keys() != before["data"].keys()


def test_a_pair_that_is_gone_is_pruned_and_a_stranger_is_not(
    server: ApiServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KUBECTL_APPLYSET", "true")
    stranger = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "one-py-settings"}}
    server.request("POST", "/api/v1/namespaces/a/configmaps", stranger)
    one, two = carried_output("a", "py", "one", "v1"), carried_output("a", "py", "two", "v1")
    for outputs, pairs in (([one, two], {"a/py/one", "a/py/two"}), ([two], {"a/py/two"})):
        folder = written(tmp_path, plan_output(outputs))
        done = server.kubectl("apply", "--server-side", "-k", folder, *PRUNING)
        assert done.status == 0, done.err
        assert pairs_of(live(server)) == pairs
    assert {"agents", "one-py-settings"} < live(server).keys()


def pairs_of(found: dict[str, dict[str, Any]]) -> set[str]:
    annotated = (value["metadata"].get("annotations", {}) for value in found.values())
    return {notes["render.kagent.dev/pair"] for notes in annotated if "render.kagent.dev/pair" in notes}


def test_flux_applies_what_is_built_and_finds_it_unchanged(server: ApiServer, tmp_path: Path) -> None:
    folder = written(tmp_path, plan_output([sized(MAX_DATA)]))
    built = subprocess.run(
        [program("kubectl"), "kustomize", folder], capture_output=True, text=True, check=True
    )
    name = f"ConfigMap/team/{next(iter(plan_output([sized(1)]).applied)).name}"
    for action in ("created", "unchanged"):
        done = server.flux(built.stdout)
        assert (done.status, done.out) == (0, f"{name} {action}\n"), done.err


def sized(size: int, retained: int = 0) -> PairOutput:
    """A pair whose lock and manifest take so many bytes, and a retained manifest of so many."""
    lock, manifest = b"l" * (size // 2), b"m" * (size - size // 2)
    earlier = {f"planner-py-{'1' * 12}": b"r" * retained} if retained else {}
    return PairOutput(PAIR, lock, {f"planner-py-{'0' * 12}": manifest}, earlier, carried=True)


@pytest.mark.parametrize("size", [MAX_DATA - 1, MAX_DATA])
def test_what_we_call_small_enough_is(server: ApiServer, tmp_path: Path, size: int) -> None:
    (made,) = applied(server, written(tmp_path, plan_output([sized(size)]))).values()
    assert sum(map(len, made["data"].values())) == size


def test_what_we_call_too_large_is(server: ApiServer, tmp_path: Path) -> None:
    folder = written(tmp_path, plan_output([sized(MAX_DATA + 1)]))
    done = server.kubectl("apply", "--server-side", "-k", folder)
    assert done.status == 1
    assert f"Too long: may not be more than {MAX_DATA} bytes" in done.err


@pytest.mark.parametrize(("retained", "carried"), [(24, True), (25, False)])
def test_what_is_retained_fills_the_object_to_the_last_byte(
    server: ApiServer, tmp_path: Path, retained: int, carried: bool
) -> None:
    plan = plan_output([sized(MAX_DATA - 24, retained)])
    (made,) = applied(server, written(tmp_path, plan)).values()
    assert (f"planner-py-{'1' * 12}.yaml" in made["data"]) is carried


def test_a_client_side_apply_is_why_argocd_is_told_otherwise(server: ApiServer, tmp_path: Path) -> None:
    folder = written(tmp_path, plan_output([sized(270_000)]))
    done = server.kubectl("apply", "-k", folder)
    assert "metadata.annotations: Too long: may not be more than 262144 bytes" in done.err
    (made,) = applied(server, folder).values()
    assert made["metadata"]["annotations"]["argocd.argoproj.io/sync-options"] == "ServerSideApply=true"


def test_the_longest_names_are_those_of_an_object(server: ApiServer, tmp_path: Path) -> None:
    pair = PairRef("n" * 63, "h" * 245, "t" * 250)
    output = PairOutput(pair, b"l", {"m" * 60: b"m"}, {"r" * 230: b"r"}, carried=True)
    (made,) = applied(server, written(tmp_path, plan_output([output]))).values()
    assert made["metadata"]["annotations"]["render.kagent.dev/pair"] == str(pair)
    assert len(made["data"]) == 3
