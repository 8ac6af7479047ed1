"""The cluster that the settings name: how it is reached, what waits for it, and what is done there."""

from __future__ import annotations

import secrets
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from kagent_apply.cli.server.commit_check import CommitCheck
from kagent_apply.cli.server.remote_commit_check import RemoteCommitCheck
from kagent_apply.cluster.awaiting import TemplateWatch
from kagent_apply.cluster.collector import Deletion
from kagent_apply.cluster.connection import connect
from kagent_apply.cluster.leadership import LeaseLeadership, LeaseName
from kagent_apply.cluster.part import ClusterPart, Conduct
from kagent_apply.cluster.readiness import ClusterCompute
from kagent_apply.cluster.view import ClusterView
from kagent_apply.revisions.events import CommitRead, RevisionServes
from kagent_apply.revisions.location import local_path
from kagent_apply.substrate.newest import NewestCompute

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kagent_apply.cluster.api import Api
    from kagent_apply.cluster.committed import ReadCommitted
    from kagent_apply.cluster.event import Tell
    from kagent_apply.operations.work import Computes
    from kagent_apply.revisions.events import Event
    from kagent_apply.revisions.index import RevisionIndex
    from kagent_apply.settings.model import Settings
    from kagent_apply.store.port import Store
    from kagent_apply.substrate.port import Compute

_SERVICE_ACCOUNT: Final = Path("/var/run/secrets/kubernetes.io/serviceaccount")
_LEASE: Final = "kagent-apply"
_ROUND: Final = 10.0
"""Seconds between rounds where nothing changes; a shorter grace has shorter ones."""


@dataclass(frozen=True, slots=True)
class Reached:
    """How a cluster is reached: by a kubeconfig, or without one by the service account of a Pod."""

    kubeconfig: Path | None
    namespace: str = ""


@dataclass(frozen=True, slots=True)
class Cluster:
    """A cluster as this process sees it, and the Lease whose holder writes there."""

    api: Api
    view: ClusterView
    tell: Tell
    lease: LeaseName | None

    def awaiting(self, computes: Computes) -> Computes:
        """Computes that have a revision ready once the cluster has its ActorTemplates ready."""
        return lambda target: ClusterCompute(computes(target), self.view)

    def hearing(self, told: Callable[[Event], None]) -> Callable[[Event], None]:
        """Hear of revisions before somebody else does: another commit is another status."""

        def hear(event: Event) -> None:
            if isinstance(event, CommitRead | RevisionServes):
                self.view.wake()
            told(event)

        return hear

    def retrying(self, index: RevisionIndex) -> TemplateWatch:
        """Has revisions tried again as soon as the cluster has something new for them."""
        return TemplateWatch(self.view, index.retry)

    def problem(self) -> str:
        """What cannot be watched just now; empty where all that there is is watched."""
        found = {
            f"`{scope.resource}`: {state.problem}": None
            for scope, state in self.view.states().items()
            if state.problem
        }
        return "; ".join(list(found)[:3])

    def part(
        self, settings: Settings, folder: Path, index: RevisionIndex, store: Store, compute: Compute
    ) -> ClusterPart:
        """What watches and writes, once it is started."""
        own = compute if isinstance(compute, NewestCompute) and not settings.embedded else None
        return ClusterPart(
            self.api,
            self.view,
            index,
            store,
            _reading(settings, folder, index),
            self.tell,
            conduct(settings),
            leadership=LeaseLeadership(self.api, self.lease, self.tell) if self.lease else None,
            templates=own,
        )


def open_cluster(settings: Settings, environment: Mapping[str, str], tell: Tell) -> Cluster:
    """A cluster of which nothing is asked yet; raises ConnectionFailedError."""
    reached = reached_by(settings, environment, _SERVICE_ACCOUNT, Path.home())
    api = connect(reached.kubeconfig, settings.kube_context or None)
    return Cluster(api, ClusterView(), tell, lease_of(settings, reached.namespace))


def reached_by(settings: Settings, environment: Mapping[str, str], account: Path, home: Path) -> Reached:
    """What was asked for, else the service account of a Pod, else the user's kubeconfig."""
    if settings.kubeconfig is not None:
        return Reached(settings.kubeconfig)
    is_pod = bool(environment.get("KUBERNETES_SERVICE_HOST")) and (account / "token").is_file()
    if is_pod and not settings.kube_context:
        return Reached(None, (account / "namespace").read_text().strip())
    return Reached(Path(environment.get("KUBECONFIG") or home / ".kube" / "config"))


def lease_of(settings: Settings, own_namespace: str) -> LeaseName | None:
    """The Lease that was asked for, else that of a Pod's namespace; its holder is this very process."""
    named = settings.cluster_lease or (f"{own_namespace}/{_LEASE}" if own_namespace else "")
    if not named or settings.cluster_writes == "nothing":
        return None
    namespace, _, name = named.partition("/")
    return LeaseName(namespace, name, f"{socket.gethostname()}-{secrets.token_hex(4)}")


def conduct(settings: Settings) -> Conduct:
    """What is watched and written by the settings."""
    deletion = Deletion(settings.cluster_grace, owned=frozenset(settings.cluster_own))
    return Conduct(
        everywhere=settings.cluster_everywhere,
        publishes=settings.cluster_writes != "nothing",
        deletion=deletion if settings.cluster_writes == "all" else None,
        interval=min(_ROUND, settings.cluster_grace),
    )


def _reading(settings: Settings, folder: Path, index: RevisionIndex) -> ReadCommitted:
    here = local_path(settings.repo)
    if here is not None:
        return CommitCheck(here, settings.ref)
    return RemoteCommitCheck(settings.repo, lambda: index.commit, folder / "cluster")
