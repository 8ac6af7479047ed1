"""Audit records that were lost: counted by the audit log, and asked of it when metrics are read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from prometheus_client.core import CounterMetricFamily
from prometheus_client.registry import Collector

from kagent_apply.observability.metrics import PREFIX

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from prometheus_client import Metric


@dataclass(frozen=True, slots=True, eq=False)  # a registry tells collectors apart by which they are
class AuditMetrics(Collector):
    """`lost` gives how many records could not be written since the start."""

    lost: Callable[[], int]

    def collect(self) -> Iterator[Metric]:
        """The one series."""
        yield CounterMetricFamily(
            f"{PREFIX}_audit_write_failures", "Audit records that could not be written.", value=self.lost()
        )
