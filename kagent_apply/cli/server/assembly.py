"""What a server stands on, out of its settings: the one place that knows every room."""

from __future__ import annotations

import logging
import os
import threading
import time
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import TYPE_CHECKING, Final

import click

from kagent_apply.auth.failure import AccessError
from kagent_apply.auth.file_reading import FileFaultError
from kagent_apply.cli.failure import EnvironmentFailure
from kagent_apply.cli.server.access import admitting, audited, open_gate
from kagent_apply.cli.server.computes import Preparing, open_served
from kagent_apply.cli.server.embedded import Echoing
from kagent_apply.cli.server.observing import open_observing, open_probes, readiness_checks
from kagent_apply.cli.server.serving import Assembly
from kagent_apply.observability.measured_parts import measured_store, traced
from kagent_apply.observability.measured_transport import MeasuredTransport
from kagent_apply.observability.readiness import Check
from kagent_apply.observability.trace_context import outgoing_headers
from kagent_apply.operations.operations import Operations
from kagent_apply.revisions.index import RevisionIndex
from kagent_apply.revisions.last_served import LastServed
from kagent_apply.revisions.location import is_on_this_machine, repository_at
from kagent_apply.service.parts import Parts
from kagent_apply.service.server import Extra
from kagent_apply.settings.places import store_url
from kagent_apply.store.opening import open_store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from kagent_apply.auth.access import Access
    from kagent_apply.cli.server.cluster_opening import Cluster
    from kagent_apply.cli.server.observing import Observing
    from kagent_apply.cluster.awaiting import TemplateWatch
    from kagent_apply.cluster.part import ClusterPart
    from kagent_apply.operations.work import Computes
    from kagent_apply.revisions.port import Revisions
    from kagent_apply.service.port import CallRecord
    from kagent_apply.settings.model import Settings
    from kagent_apply.store.sql_store import SqlStore
    from kagent_apply.substrate.port import Compute

    Beside = ClusterPart | TemplateWatch
    """What is started after the server, and closed before what it stands on, as far as it ends in time."""

_FLUSH: Final = 5.0
"""Seconds that the last spans have to reach their collector."""

_LONGEST_END: Final = 3.0
_SHORTEST_END: Final = 0.4
"""Seconds of the drain's that the cluster has to end with; an API server that never answers has no more."""

_LOGGER: Final = logging.getLogger(__name__)


@contextmanager
def assemble(settings: Settings, folder: Path) -> Iterator[Assembly]:
    """Everything opened, and closed again in the opposite order; raises EnvironmentFailure."""
    with ExitStack() as closing:
        with _telling_faults():
            assembly = _opened(settings, folder, closing)
        yield assembly  # what fails from here on is no fault of a part that was opened


def _opened(settings: Settings, folder: Path, closing: ExitStack) -> Assembly:
    """Every part in the order that they stand on each other."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    observing = open_observing()
    closing.callback(observing.tracing.close, _FLUSH)
    access = open_gate(settings, _LOGGER.warning)
    closing.callback(access.close)
    store = _store(settings, folder, observing, closing)
    compute, computes = _actors(settings, folder, observing, closing)
    cluster = _cluster(settings, observing, closing)
    index = _index(settings, folder, computes, observing, cluster)
    serving: Revisions = Echoing(index) if settings.echo else index
    operations = Operations(store, serving, computes, on_event=observing.operation)
    observing.watch(serving, access.audit, store.counts)
    if settings.metrics_listen:
        checks = readiness_checks(store, compute, index, operations, _checks(cluster))
        closing.callback(open_probes(settings.metrics_listen, observing, checks, serving).close)
    parts = Parts(
        store,
        serving,
        traced(operations, "operation", observing.tracing),
        access.authenticator,
        access.authorizer,
        observe=_observer(access, observing),
        admit=admitting(access.limits),
    )
    beside = _beside(cluster, settings, folder, index, store, compute)
    return _assembly(parts, settings, index, operations, access, observing, closing, beside)


def _assembly(
    parts: Parts,
    settings: Settings,
    index: RevisionIndex,
    operations: Operations,
    access: Access,
    observing: Observing,
    closing: ExitStack,
    beside: Sequence[Beside],
) -> Assembly:
    """The parts, with what goes on beside calls."""
    reading = threading.Thread(target=index.run, args=(settings.poll,), name="revisions", daemon=True)
    closing.callback(index.stop)

    def start() -> None:
        reading.start()
        operations.start()
        for part in beside:
            part.start()

    def rest(seconds: float) -> bool:
        until = time.monotonic() + seconds
        rested = operations.drain(seconds)
        for part in reversed(beside):
            part.close(min(_LONGEST_END, max(_SHORTEST_END, until - time.monotonic())))
        return rested

    def refresh() -> None:
        access.reload()
        index.poke()

    extra = Extra(interceptors=(observing.interceptor,))
    return Assembly(parts, extra, start=start, refresh=refresh, rest=rest)


def _store(settings: Settings, folder: Path, observing: Observing, closing: ExitStack) -> SqlStore:
    store = open_store(store_url(settings, folder))
    closing.callback(store.close)
    return measured_store(store, observing.metrics, observing.tracing)


def _actors(
    settings: Settings, folder: Path, observing: Observing, closing: ExitStack
) -> tuple[Compute, Computes]:
    measured = partial(MeasuredTransport, metrics=observing.metrics, tracing=observing.tracing)
    compute, computes = open_served(settings, folder / "substrate", measured, outgoing_headers)
    closing.callback(compute.close)
    seen = traced(compute, "step", observing.tracing)
    return compute, lambda target: seen if computes(target) is compute else computes(target)


def _cluster(settings: Settings, observing: Observing, closing: ExitStack) -> Cluster | None:
    if not settings.cluster:
        return None
    from kagent_apply.cli.server.cluster_opening import (
        open_cluster,  # with Kubernetes' client, which takes its time
    )

    cluster = open_cluster(settings, os.environ, observing.cluster)
    closing.callback(cluster.api.close)
    return cluster


def _beside(
    cluster: Cluster | None,
    settings: Settings,
    folder: Path,
    index: RevisionIndex,
    store: SqlStore,
    compute: Compute,
) -> Sequence[Beside]:
    """What goes on with a cluster."""
    if cluster is None:
        return ()
    return cluster.part(settings, folder, index, store, compute), cluster.retrying(index)


def _checks(cluster: Cluster | None) -> tuple[Check, ...]:
    """What is told of a cluster; a replica without one can do all that another could."""
    return () if cluster is None else (Check("cluster", cluster.problem, required=False),)


def _index(
    settings: Settings, folder: Path, computes: Computes, observing: Observing, cluster: Cluster | None
) -> RevisionIndex:
    repository = repository_at(settings.repo, settings.ref)
    kept = LastServed(folder / "served")
    asked = computes if cluster is None else cluster.awaiting(computes)
    told = observing.revision if cluster is None else cluster.hearing(observing.revision)
    index = RevisionIndex(repository, Preparing(asked), kept, told)
    if settings.embedded and is_on_this_machine(settings.repo):
        index.refresh()  # nothing has to be waited for, so that the first call finds what is committed
    return index


def _observer(access: Access, observing: Observing) -> Callable[[CallRecord], None]:
    def observe(record: CallRecord) -> None:
        access.audit.write(audited(record))
        observing.reports.call(record.method, record.status, record.seconds, record.incident, record.fault)

    return observe


@contextmanager
def _telling_faults() -> Iterator[None]:
    """End the command where a part cannot be opened, with one message for each fault."""
    try:
        yield
    except OSError as error:
        cause = (error.strerror or "it failed").lower()
        place = f"`{error.filename}`" if error.filename else "a file"
        raise EnvironmentFailure(
            f"{place} cannot be used: {cause}", "see to its path, mode and owner"
        ) from None
    except click.ClickException:
        raise
    except FileFaultError as error:
        *others, last = (
            EnvironmentFailure(f"`{fault.path}:{fault.line}`: {fault.message}", fault.hint)
            for fault in error.faults
        )
        for other in others:
            other.show()
        raise last from None
    except Exception as error:
        # Each room's own errors have one sentence for the operator; what has none is a bug.
        message, hint = getattr(error, "message", None), getattr(error, "hint", None)
        if message is None and not isinstance(error, (AccessError, ValueError)):
            raise
        raise EnvironmentFailure(message or str(error), hint) from None
