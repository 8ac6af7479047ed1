"""`kagent-apply serve --cluster`, a process over a commit, beside a real API server."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.apply.cli.calling import call
from tests.apply.cluster.lasting_server import LastingServer, eventually
from tests.apply.cluster.objects import NAMESPACE
from tests.apply.cluster.test_commit_check import commit
from tests.cluster.definitions import ours, upstream
from tests.parts import REPOSITORY
from tests.running import Run, copy_example

pytestmark = pytest.mark.server

PAIRS = f"rendered/{NAMESPACE}/python-runtime"
PATIENCE = 60


@pytest.fixture
def cluster() -> Iterator[LastingServer]:
    """A server with the definitions of the example, which is away at first."""
    with LastingServer() as running:
        for definition in (*ours("v1alpha2"), upstream("ate.dev_actortemplates")):
            running.define(definition)
        running.define_leases()
        running.kill()
        yield running


class Served:
    """The program, and what it has said."""

    def __init__(self, process: subprocess.Popen[bytes], log: Path) -> None:
        self.process = process
        self._log = log

    @property
    def told(self) -> str:
        return self._log.read_text()

    def ask(self, *args: str) -> Run:
        """What a command says, asked of this server."""
        match = re.search(r"ready on (\S+)", self.told)
        assert match is not None
        return call(*args, "--server", match[1])

    def end(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE)


@contextmanager
def _serving(folder: Path, place: Path, *args: str) -> Iterator[Served]:
    command = [sys.executable, "-m", "kagent_apply.cli.main", "serve", "--repo", str(folder), "--ref", "main"]
    given = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    here = ("--listen", "127.0.0.1:0", "--state", str(place / "state"), "--echo", "--log-format", "text")
    with (place / "log").open("wb") as log:
        process = subprocess.Popen([*command, *here, *args], stderr=log, cwd=place, env=given)
    with process:
        try:
            served = Served(process, place / "log")
            eventually(lambda: "ready on" in served.told or process.poll() is not None)
            yield served
        finally:
            process.kill()


def _templates(folder: Path, pair: str) -> list[dict[str, Any]]:
    paths = sorted((folder / PAIRS / pair / "actortemplates").glob("*.yaml"))
    return [yaml.load(path.read_text(), yaml.CSafeLoader) for path in paths]


def _create(served: Served, request: str) -> Run:
    agent = ("-n", NAMESPACE, "--harness", "python-runtime", "--template", "incident-coordinator")
    return served.ask("create", *agent, "--request-id", request)


def _conditions(server: LastingServer, value: dict[str, Any]) -> list[str]:
    found = server.get("agenttemplates", value).get("status", {}).get("harnesses", [])
    return [condition["status"] for pair in found for condition in pair["conditions"]]


def test_an_instance_waits_for_the_cluster_which_is_told_and_tidied(
    cluster: LastingServer, tmp_path: Path
) -> None:
    folder = copy_example(tmp_path / "incident")
    commit(folder)
    kept, over = (_templates(folder, f"incident-{name}") for name in ("coordinator", "reviewer"))
    told = yaml.safe_load((folder / "agents" / "incident-coordinator.yaml").read_text())
    place = tmp_path / "place"
    place.mkdir()
    with _serving(
        folder,
        place,
        *("--cluster", "--kubeconfig", str(cluster.kubeconfig), "--cluster-grace", "1"),
        *("--cluster-lease", f"{NAMESPACE}/kagent-apply"),
    ) as served:
        assert "status is written, and ActorTemplates that nothing needs are deleted" in served.told
        eventually(lambda: "a resource of the cluster cannot be watched" in served.told)
        assert served.ask("list", "-n", NAMESPACE).status == 0
        cluster.start()
        for value in (*kept, *over):
            cluster.post("actortemplates", value)
        cluster.post("agenttemplates", told)
        eventually(lambda: "a resource of the cluster is watched" in served.told)

        refused = _create(served, "early")
        assert refused.status != 0
        assert "its ActorTemplates are not ready yet" in refused.err
        for value in kept:
            cluster.apply_status("actortemplates", value, {"phase": "Ready"}, "substrate")
        eventually(lambda: _create(served, "early").status == 0)
        eventually(lambda: _conditions(cluster, told) == ["True"] * 4)

        shutil.rmtree(folder / PAIRS / "incident-reviewer")
        commit(folder)
        served.process.send_signal(signal.SIGHUP)
        eventually(lambda: not any(cluster.exists("actortemplates", value) for value in over))
        assert all(cluster.exists("actortemplates", value) for value in kept)
        assert served.end() == 0
        lease = {"apiVersion": "coordination.k8s.io/v1", "metadata": {"namespace": NAMESPACE}}
        lease["metadata"]["name"] = "kagent-apply"  # type: ignore[index]
        assert not cluster.get("leases", lease)["spec"].get("holderIdentity")


def test_an_api_server_that_answers_nothing_any_more_has_no_more_than_the_drain(
    cluster: LastingServer, tmp_path: Path
) -> None:
    """It is watched and this process leads; the drain has a second, and what comes after it another."""
    folder = copy_example(tmp_path / "incident")
    commit(folder)
    cluster.start()
    reached = ("--cluster", "--kubeconfig", str(cluster.kubeconfig), "--drain", "1")
    lease = ("--cluster-lease", f"{NAMESPACE}/kagent-apply")
    with _serving(folder, tmp_path, *reached, *lease) as served:
        eventually(lambda: served.told.count("a resource of the cluster is watched") >= 3)
        eventually(lambda: "leads" in served.told)
        with cluster.stopped():
            began = time.monotonic()
            assert served.end() == 0
            assert time.monotonic() - began < 3 * 2
    assert "Traceback" not in served.told


def test_a_kubeconfig_that_cannot_be_used_ends_the_start_with_what_to_do(tmp_path: Path) -> None:
    missing = tmp_path / "kubeconfig"
    with _serving(REPOSITORY, tmp_path, "--cluster", "--kubeconfig", str(missing)) as served:
        assert served.process.wait(PATIENCE) != 0
        assert f"the kubeconfig `{missing}` cannot be used" in served.told
        assert "hint: " in served.told
