"""How many pairs serve, and which have a problem: asked of the index whenever metrics are read."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from kagent_apply.observability.metrics import PREFIX

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from prometheus_client import Metric

    from kagent_apply.revisions.port import PairStatus, Revisions

MOST_PAIRS: Final = 100
"""Pairs with a problem that have a series of their own; how many more there are is in another."""

_STATES: Final = ("serving", "behind", "not_serving")


@dataclass(frozen=True, slots=True, eq=False)  # a registry tells collectors apart by which they are
class PairMetrics(Collector):
    """Series of pairs that are gone, or well again, are gone from the next answer."""

    revisions: Revisions

    def collect(self) -> Iterator[Metric]:
        """The series, of one look at the index."""
        pairs = self.revisions.pairs()
        yield _states(pairs)
        yield from _problems([pair for pair in pairs if pair.problem])
        ref = GaugeMetricFamily(f"{PREFIX}_ref_problem", "1 where the ref could not be read when last tried.")
        ref.add_metric([], float(bool(self.revisions.problem())))
        yield ref


def pair_state(pair: PairStatus) -> str:
    """`serving` what is committed, `behind` with what was good before, or `not_serving`.

    The id of a revision is not all that is committed of it: its manifests may be broken or its pair be listed
    twice, and then what serves is from an earlier commit.
    """
    if not pair.serving:
        return "not_serving"
    return "serving" if pair.serving == pair.committed and not pair.problem else "behind"


def _states(pairs: Sequence[PairStatus]) -> Metric:
    counted = Counter(map(pair_state, pairs))
    family = GaugeMetricFamily(f"{PREFIX}_pairs", "Pairs by what they serve.", labels=["state"])
    for state in _STATES:
        family.add_metric([state], counted[state])
    return family


def _problems(pairs: Sequence[PairStatus]) -> Iterator[Metric]:
    labels = ["namespace", "harness", "agent_template"]
    family = GaugeMetricFamily(f"{PREFIX}_pair_problem", "1 for a pair that has a problem.", labels=labels)
    for pair in pairs[:MOST_PAIRS]:
        family.add_metric([pair.agent.namespace, pair.agent.harness, pair.agent.agent_template], 1)
    yield family
    more = GaugeMetricFamily(
        f"{PREFIX}_pair_problems_left_out", "Pairs with a problem and no series of their own."
    )
    more.add_metric([], max(0, len(pairs) - MOST_PAIRS))
    yield more
