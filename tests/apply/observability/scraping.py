"""Metrics as Prometheus reads them."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.parser import text_string_to_metric_families

from kagent_apply.observability.metrics import Metrics

Series = dict[tuple[str, tuple[tuple[str, str], ...]], float]


def new_metrics() -> Metrics:
    """Metrics of a process that has done nothing."""
    return Metrics("1.2.3")


def parsed(text: str) -> Series:
    """Every series of an answer by its name and labels."""
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def scraped(registry: CollectorRegistry) -> Series:
    """Every series of a registry."""
    return parsed(generate_latest(registry).decode())


def value(series: Series, name: str, **labels: str) -> float | None:
    """What one series says."""
    return series.get((f"kagent_apply_{name}", tuple(sorted(labels.items()))))
