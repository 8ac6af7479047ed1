"""What is measured, logged and traced of a server, and where the rooms' events go."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from kagent_apply.api.gitops.v1alpha1 import revisions_pb2
from kagent_apply.api.v1alpha1 import agent_instances_pb2
from kagent_apply.cli.failure import EnvironmentFailure
from kagent_apply.observability.audit_metrics import AuditMetrics
from kagent_apply.observability.instance_metrics import InstanceMetrics
from kagent_apply.observability.metrics import Metrics
from kagent_apply.observability.pair_metrics import PairMetrics
from kagent_apply.observability.probe_pages import probe_pages
from kagent_apply.observability.probe_server import ProbeServer
from kagent_apply.observability.readiness import Check, Checks
from kagent_apply.observability.reports import Reports
from kagent_apply.observability.rpc_interceptor import RpcInterceptor, method_paths
from kagent_apply.observability.trace_collector import TracingError, open_tracing
from kagent_apply.operations.events import Phase
from kagent_apply.revisions import events
from kagent_apply.substrate.port import ComputeError
from kagent_render import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kagent_apply.auth.audit_log import Audit
    from kagent_apply.cluster.event import ClusterEvent
    from kagent_apply.instances.states import State
    from kagent_apply.observability.tracing import Tracing
    from kagent_apply.operations.events import OperationEvent
    from kagent_apply.operations.operations import Operations
    from kagent_apply.revisions.index import RevisionIndex
    from kagent_apply.revisions.port import Revisions
    from kagent_apply.store.port import Store
    from kagent_apply.substrate.port import Compute

_REFLECTION: Final = frozenset(
    f"/grpc.reflection.{version}.ServerReflection/ServerReflectionInfo" for version in ("v1", "v1alpha")
)
_ASKING: Final = 1.5
"""Seconds that Substrate has to say that it is there."""


@dataclass(frozen=True, slots=True)
class Observing:
    """Metrics, traces, and the reports that make log lines of events."""

    metrics: Metrics
    tracing: Tracing
    reports: Reports

    @property
    def interceptor(self) -> RpcInterceptor:
        """What measures every RPC."""
        services = (
            file.services_by_name[name]
            for file, name in (
                (agent_instances_pb2.DESCRIPTOR, "AgentInstanceService"),
                (revisions_pb2.DESCRIPTOR, "RevisionService"),
            )
        )
        return RpcInterceptor(self.metrics, self.tracing, method_paths(*services) | _REFLECTION)

    def operation(self, event: OperationEvent) -> None:
        """A phase of an operation ended, or it came here."""
        if event.phase is Phase.TAKE_OVER:
            self.reports.lease_taken_over(event.instance)
            return
        self.reports.operation(
            event.operation, event.instance, event.phase, event.seconds, event.outcome, event.error
        )

    def revision(self, event: events.Event) -> None:
        """Something happened to the committed revisions."""
        match event:
            case events.RevisionServes():
                self.reports.pair_serves(event.agent, event.revision, event.commit)
            case events.PairProblem():
                self.reports.pair_problem(event.agent, event.problem, event.commit)
            case events.PairWithdrawn():
                self.reports.pair_withdrawn(event.agent, event.commit)
            case events.RefProblem():
                self.reports.ref_problem(event.problem)
            case events.RefRead():
                self.reports.ref_read()
            case events.CommitRead():
                self.reports.commit_read(event.commit, event.pairs)
            case events.PartProblem():
                self.reports.part_problem(event.problem, event.commit)
            case events.FirstTried():
                example = (event.example.agent, event.example.problem) if event.example else None
                self.reports.first_tried(event.commit, event.current, event.behind, example)
            case events.KeepingFailed():
                self.reports.kept_nothing(event.problem)

    def cluster(self, event: ClusterEvent) -> None:
        """Something happened between this process and the cluster."""
        self.reports.cluster(event.kind, event.message, event.resource, event.namespace, event.name)

    def watch(self, revisions: Revisions, audit: Audit, count: Callable[[], Mapping[State, int]]) -> None:
        """Ask these whenever metrics are read."""
        self.metrics.registry.register(InstanceMetrics(count))
        self.metrics.registry.register(PairMetrics(revisions))
        self.metrics.registry.register(AuditMetrics(lambda: audit.lost))


def open_observing() -> Observing:
    """By the environment's variables of OpenTelemetry; raises EnvironmentFailure."""
    metrics = Metrics(__version__)
    try:
        tracing = open_tracing(os.environ, __version__)
    except TracingError as error:
        raise EnvironmentFailure(error.message, error.hint) from None
    return Observing(metrics, tracing, Reports(metrics))


def _answering(ping: Callable[[], None]) -> Callable[[], str]:
    """Nothing wrong where a ping does not raise."""

    def ask() -> str:
        ping()
        return ""

    return ask


def _reached(compute: Compute) -> str:
    """What of Substrate is wrong, in our words: those of the server's that follow are not for probes."""
    try:
        compute.ping(_ASKING)
    except ComputeError as error:
        return error.message.partition(": ")[0]
    return ""


def readiness_checks(
    store: Store, compute: Compute, index: RevisionIndex, operations: Operations, more: Sequence[Check] = ()
) -> Checks:
    """What `/readyz` asks: what is required of this replica, and what all of them would lack alike."""
    return Checks(
        [
            Check("server", lambda: "it is stopping" if operations.draining else ""),
            Check("store", _answering(store.ping)),
            Check("revisions", lambda: "" if index.is_known else "the ref has not been read since the start"),
            Check("ref", index.problem, required=False),
            Check("substrate", partial(_reached, compute), required=False),
            *more,
        ]
    )


def open_probes(listen: str, observing: Observing, checks: Checks, revisions: Revisions) -> ProbeServer:
    """What answers probes and scrapes; raises EnvironmentFailure."""
    host, _, port = listen.rpartition(":")
    try:
        return ProbeServer(
            host.strip("[]"), int(port), probe_pages(observing.metrics.registry, checks, revisions)
        )
    except OSError:
        hint = "see whether another program listens there, or give another address in `--metrics-listen`"
        raise EnvironmentFailure(f"`{listen}` cannot be listened on", hint) from None
