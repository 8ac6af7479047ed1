"""What is counted and timed, in a registry of its own; docs/operating.md has a row for each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from prometheus_client import CollectorRegistry, Counter, Gauge, GCCollector, Histogram, ProcessCollector

from kagent_apply.observability.bounded_names import BoundedNames

if TYPE_CHECKING:
    from collections.abc import Iterator

    from prometheus_client import Metric

PREFIX: Final = "kagent_apply"

_SHORT: Final = (0.001, 0.005, 0.02, 0.1, 0.5, 2, 10)
_LONG: Final = (0.01, 0.05, 0.2, 1, 5, 20, 60)
"""Upper bounds in seconds: of calls to the store, and of what waits for Substrate."""

_MOST_METHODS: Final = 64
_MOST_WORDS: Final = 24
"""Values of one label."""


class _Registry(CollectorRegistry):
    """Without the times of creation that the library adds to every counter: as many series again."""

    def collect(self) -> Iterator[Metric]:
        for metric in super().collect():
            metric.samples = [sample for sample in metric.samples if not sample.name.endswith("_created")]
            yield metric


class Metrics:
    """Counters and histograms of what this process does; every method may be called from several threads.

    Labels are the program's own words and gRPC's, and each has a bound all the same.
    """

    def __init__(self, version: str) -> None:
        self.registry = _Registry()
        ProcessCollector(registry=self.registry)
        GCCollector(registry=self.registry)
        self._series: dict[tuple[Any, tuple[str, ...]], Any] = {}
        self._paths, self._methods, self._calls = (BoundedNames(_MOST_METHODS) for _ in range(3))
        self._codes, self._kinds, self._steps, self._outcomes = (BoundedNames(_MOST_WORDS) for _ in range(4))
        self._events = BoundedNames(_MOST_WORDS)
        self._gauge("build_info", "The version that runs; always 1.", "version").labels(version).set(1)
        self._declare_calls()
        self._declare_operations()

    def _declare_calls(self) -> None:
        method = ("service", "method")
        self._rpcs = self._counter("rpcs", "RPCs that ended, by gRPC status.", *method, "code")
        self._rpc_seconds = self._histogram("rpc_seconds", "How long RPCs took.", _LONG, *method)
        self._under_way = self._gauge("rpcs_under_way", "RPCs that have not ended.")
        self._compute = self._counter(
            "compute_calls", "Calls to Substrate, by gRPC status.", "method", "code"
        )
        self._compute_seconds = self._histogram(
            "compute_call_seconds", "How long calls to Substrate took.", _LONG, "method"
        )
        self._store_seconds = self._histogram(
            "store_call_seconds", "How long calls to the store took, failed ones included.", _SHORT, "call"
        )
        self._store_errors = self._counter("store_errors", "Calls to the store that failed.", "call")

    def _declare_operations(self) -> None:
        kind = "operation"
        self._operations = self._counter("operations", "Operations that ended, by outcome.", kind, "outcome")
        self._operation_seconds = self._histogram(
            "operation_seconds", "How long operations took.", _LONG, kind
        )
        self._step_seconds = self._histogram(
            "operation_step_seconds", "How long steps took.", _LONG, kind, "step"
        )
        self._steps_ended = self._counter("operation_steps", "Steps that ended.", kind, "step", "outcome")
        self._taken = self._counter("leases_taken_over", "Operations carried on after their holder was gone.")
        self._cluster = self._counter("cluster_events", "What happened with the cluster, by kind.", "kind")
        self._read = self._gauge(
            "ref_read_timestamp_seconds",
            "When the ref was last read without a problem, as Unix time; 0: never.",
        )

    def rpc_began(self) -> None:
        """One more RPC is under way."""
        self._under_way.inc()

    def rpc(self, path: str, code: str, seconds: float) -> None:
        """An RPC ended; `path` is `/package.Service/Method`."""
        service, _, method = self._paths.label(path.lstrip("/")).rpartition("/")
        self._under_way.dec()
        self._of(self._rpcs, service, method, self._codes.label(code)).inc()
        self._of(self._rpc_seconds, service, method).observe(seconds)

    def compute_call(self, method: str, code: str, seconds: float) -> None:
        """A call to Substrate ended."""
        label = self._methods.label(method)
        self._of(self._compute, label, self._codes.label(code)).inc()
        self._of(self._compute_seconds, label).observe(seconds)

    def store_call(self, call: str, seconds: float, *, failed: bool) -> None:
        """A call to the store ended."""
        label = self._calls.label(call)
        self._of(self._store_seconds, label).observe(seconds)
        if failed:
            self._of(self._store_errors, label).inc()

    def operation(self, kind: str, outcome: str, seconds: float) -> None:
        """An operation ended, or was given up."""
        label = self._kinds.label(kind)
        self._of(self._operations, label, self._outcomes.label(outcome)).inc()
        self._of(self._operation_seconds, label).observe(seconds)

    def step(self, kind: str, step: str, outcome: str, seconds: float) -> None:
        """A step of an operation ended."""
        labels = self._kinds.label(kind), self._steps.label(step)
        self._of(self._steps_ended, *labels, self._outcomes.label(outcome)).inc()
        self._of(self._step_seconds, *labels).observe(seconds)

    def lease_taken_over(self) -> None:
        """An operation that somebody else began is carried on here."""
        self._taken.inc()

    def ref_read(self, at: float) -> None:
        """The ref was read without a problem, at a Unix time."""
        self._read.set(at)

    def cluster_event(self, kind: str) -> None:
        """Something happened between this process and the cluster."""
        self._cluster.labels(self._events.label(kind)).inc()

    def _of(self, metric: Any, *labels: str) -> Any:
        """The series with these values, of which there are few: finding one takes the library a while."""
        key = metric, labels
        if key not in self._series:
            self._series[key] = metric.labels(*labels)
        return self._series[key]

    def _counter(self, name: str, told: str, *labels: str) -> Counter:
        return Counter(name, told, labels, PREFIX, registry=self.registry)

    def _gauge(self, name: str, told: str, *labels: str) -> Gauge:
        return Gauge(name, told, labels, PREFIX, registry=self.registry)

    def _histogram(self, name: str, told: str, buckets: tuple[Any, ...], *labels: str) -> Histogram:
        return Histogram(name, told, labels, PREFIX, buckets=buckets, registry=self.registry)
