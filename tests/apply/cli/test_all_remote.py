"""One server that has nothing beside it: repository, Substrate and cluster are each behind a socket."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.apply.cli.real_server import AGENT, JUNE, NEWEST, Running, running, wait_for
from tests.apply.cli.test_substrates import certificates, lives, serves
from tests.apply.cluster.lasting_server import LastingServer
from tests.apply.cluster.objects import NAMESPACE
from tests.apply.revisions.world import Upstream, folder
from tests.apply.substrate.fake_control import FakeControl
from tests.apply.substrate.june_control import JuneControl
from tests.apply.substrate.newest_control import NewestControl
from tests.apply.substrate.serving import serve
from tests.apply.whole.agents import without
from tests.artifacts.git.backend import git_backend
from tests.cluster.definitions import ours, upstream
from tests.running import tree
from tests.servers import serving

pytestmark = pytest.mark.server

LOGIN = "reader:a-password-of-the-user"


@dataclass(frozen=True)
class Elsewhere:
    """The three that a server stands on, and its settings."""

    repository: Upstream
    control: FakeControl
    cluster: LastingServer
    settings: tuple[str, ...]
    peers: list[str]


@contextmanager
def _elsewhere(place: Path, control: FakeControl, target: str) -> Iterator[Elsewhere]:
    repository = Upstream.make(place / "served" / "agents")
    credentials, files = certificates(place)
    with (
        serving(git_backend(place / "served", login=LOGIN)) as git,
        serve(control, credentials) as (substrate, port),
        LastingServer() as cluster,
    ):
        for definition in (*ours("v1alpha2"), upstream("ate.dev_actortemplates")):
            cluster.define(definition)
        cluster.define_leases()
        settings = (
            *("--repo", f"{git.url}/agents", "--ref", "main", "--poll", "3600"),
            *("--substrate", f"dns:///localhost:{port}", "--target", target, *files),
            *("--cluster", "--kubeconfig", str(cluster.kubeconfig), "--cluster-grace", "1"),
            *("--cluster-lease", f"{NAMESPACE}/kagent-apply"),
        )
        yield Elsewhere(repository, control, cluster, settings, substrate.peers)


def _login(home: Path) -> None:
    """Have Git know the user's password, as a server does that runs as this user."""
    home.mkdir()
    user, _, password = LOGIN.partition(":")
    helper = f"!printf 'username={user}\\npassword={password}\\n'"
    (home / ".gitconfig").write_text(f'[credential]\n\thelper = "{helper}"\n')


def _templates(files: dict[str, bytes], name: str) -> dict[str, Any]:
    """The ActorTemplates of an agent by name."""
    paths = [path for path in files if path.startswith(f"{folder(name)}/actortemplates/")]
    found = [yaml.load(files[path], yaml.CSafeLoader) for path in paths]
    return {template["metadata"]["name"]: template for template in found}


def _told(elsewhere: Elsewhere, value: dict[str, Any]) -> list[str]:
    """The conditions of an AgentTemplate's one pair."""
    pairs = elsewhere.cluster.get("agenttemplates", value).get("status", {}).get("harnesses", [])
    return [condition["status"] for pair in pairs for condition in pair["conditions"]]


def _lives_through_it_all(server: Running, elsewhere: Elsewhere, files: dict[str, bytes]) -> None:
    """An instance from beginning to end, the status of its agent, and the end of another agent."""
    agent = yaml.safe_load(files["agents/incident-coordinator.yaml"])
    elsewhere.cluster.post("agenttemplates", agent)
    wait_for(lambda: serves(server))
    lives(server)
    wait_for(lambda: _told(elsewhere, agent) == ["True"] * 4)
    kept = server.reply("create", *AGENT, "--request-id", "kept")["agentInstance"]
    elsewhere.repository.commit(without(files, "reviewer"))
    server.process.send_signal(signal.SIGHUP)
    wait_for(lambda: "incident-reviewer" not in server.pairs())
    assert server.reply("get", "-n", NAMESPACE, kept["id"])["agentInstance"]["state"].endswith("READY")


def _ends(server: Running, elsewhere: Elsewhere) -> None:
    """It has given its Lease up, and said nothing that is secret; everybody knew by whom they were called."""
    assert server.end(signal.SIGTERM) == 0
    lease = {
        "apiVersion": "coordination.k8s.io/v1",
        "metadata": {"namespace": NAMESPACE, "name": "kagent-apply"},
    }
    assert not elsewhere.cluster.get("leases", lease)["spec"].get("holderIdentity")
    assert set(elsewhere.peers) == {"apply.example"}
    assert LOGIN.partition(":")[2] not in server.said
    assert "Traceback" not in server.said
    assert "cannot be read" not in server.said


def test_an_instance_lives_where_templates_are_objects_of_the_cluster(tmp_path: Path) -> None:
    files = tree(JUNE)
    _login(tmp_path / "run")
    with _elsewhere(tmp_path, JuneControl(), "ate.dev/v1alpha1") as elsewhere:
        elsewhere.repository.commit(files)
        reviewer = _templates(files, "reviewer")
        for templates in (_templates(files, "coordinator"), reviewer):
            for template in templates.values():
                elsewhere.cluster.post("actortemplates", template)
                elsewhere.cluster.apply_status("actortemplates", template, {"phase": "Ready"}, "substrate")
        with running(tmp_path / "run", *elsewhere.settings) as server:
            _lives_through_it_all(server, elsewhere, files)
            exists = elsewhere.cluster.exists
            wait_for(lambda: not any(exists("actortemplates", found) for found in reviewer.values()))
            coordinator = _templates(files, "coordinator").values()
            assert all(exists("actortemplates", found) for found in coordinator)
            _ends(server, elsewhere)


def test_an_instance_lives_where_templates_are_substrate_s_own(tmp_path: Path) -> None:
    files = tree(NEWEST)
    _login(tmp_path / "run")
    control = NewestControl()
    with _elsewhere(tmp_path, control, "ateapi/v0.4") as elsewhere:
        elsewhere.repository.commit(files)
        with running(tmp_path / "run", *elsewhere.settings) as server:
            _lives_through_it_all(server, elsewhere, files)
            wait_for(
                lambda: not _templates(files, "reviewer").keys() & {name for _, name in control.templates}
            )
            assert _templates(files, "coordinator").keys() <= {name for _, name in control.templates}
            assert len(control.actors) == 2  # of the instance that was kept
            _ends(server, elsewhere)
