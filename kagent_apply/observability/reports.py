"""What the other rooms tell of, as metrics and log lines: plain values in, and nothing waits."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING, Final

from kagent_apply.observability.cluster_lines import CLUSTER_LINES
from kagent_apply.observability.repetition import Repetition

if TYPE_CHECKING:
    from kagent_apply.instances.requests import AgentName, InstanceName
    from kagent_apply.instances.states import Operation
    from kagent_apply.observability.metrics import Metrics

WHOLE: Final = "whole"
"""The phase of an operation as far as this process carried it; every other is one of its steps."""

_AS_IT_SHOULD: Final = ("done", "lost", "stopped")
"""Outcomes after which nobody needs to look: the last two say that it goes on elsewhere, or later."""

_RPCS: Final = logging.getLogger("kagent_apply.rpc")
_OPERATIONS: Final = logging.getLogger("kagent_apply.operations")
_REVISIONS: Final = logging.getLogger("kagent_apply.revisions")
_CLUSTER: Final = logging.getLogger("kagent_apply.cluster")
_AUDIT: Final = logging.getLogger("kagent_apply.audit")


class Reports:
    """Takes what is told; every method may be called from several threads."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics
        self._repetition = Repetition()
        self._begun = False

    def operation(
        self,
        operation: Operation,
        instance: InstanceName,
        phase: str,
        seconds: float,
        outcome: str,
        error: str = "",
    ) -> None:
        """A phase of an operation ended; `error` names the class of an error of our own."""
        if phase != WHOLE:
            self._metrics.step(operation.name, phase, outcome, seconds)
            return
        self._metrics.operation(operation.name, outcome, seconds)
        fields = _instance(instance) | {"operation": operation.name, "outcome": outcome}
        more = {"seconds": round(seconds, 3)} | ({"error": error} if error else {})
        told = "an operation did not end as it should" if _is_wrong(outcome) else "an operation ended here"
        _OPERATIONS.log(self._level(operation, instance, outcome, error), told, extra=fields | more)

    def _level(self, operation: Operation, instance: InstanceName, outcome: str, error: str) -> int:
        """What is tried again and again, and fails in the same way, is told once."""
        wrong = outcome if _is_wrong(outcome) else ""
        news = self._repetition.is_news(f"{operation.name} {instance.namespace}/{instance.id}", wrong)
        if error:
            return logging.ERROR
        if wrong:
            return logging.WARNING if news else logging.DEBUG
        return logging.INFO

    def lease_taken_over(self, name: InstanceName) -> None:
        """An operation whose holder is gone is carried on here."""
        self._metrics.lease_taken_over()
        _OPERATIONS.info("an operation that others began is carried on", extra=_instance(name))

    def call(self, method: str, status: str, seconds: float, incident: str = "", fault: str = "") -> None:
        """An RPC ended; `incident` and `fault` are of an error of our own, which is told at every level."""
        fields: dict[str, object] = {"method": method, "status": status, "seconds": round(seconds, 3)}
        if incident:
            _RPCS.error("an RPC failed here", extra=fields | {"incident": incident, "fault": fault})
        else:
            _RPCS.debug("an RPC ended", extra=fields)

    def pair_serves(self, agent: AgentName, revision: str, commit: str) -> None:
        """A pair began to serve a revision; at the start that is one of many."""
        fields = _pair(agent) | {"revision": revision, "commit": commit}
        _REVISIONS.log(self._of_one(logging.INFO), "a pair serves another revision", extra=fields)

    def pair_problem(self, agent: AgentName, problem: str, commit: str) -> None:
        """The committed revision of a pair does not serve; empty where it does again."""
        if problem:
            fields = _pair(agent) | {"problem": problem, "commit": commit}
            told = "the committed revision of a pair does not serve"
            _REVISIONS.log(self._of_one(logging.WARNING), told, extra=fields)
        else:
            fields = _pair(agent) | {"commit": commit}
            _REVISIONS.log(self._of_one(logging.INFO), "a pair has no problem any more", extra=fields)

    def first_tried(
        self, commit: str, current: int, behind: int, example: tuple[AgentName, str] | None
    ) -> None:
        """Each pair of the first commit was tried once: one line for all, and from now on one for each."""
        self._begun = True
        fields: dict[str, object] = {"commit": commit, "pairs": current + behind}
        if example is None:
            _REVISIONS.info("every pair serves what is committed", extra=fields)
        else:
            agent, problem = example
            more = {"behind": behind, "problem": problem}
            told = "some pairs do not serve what is committed, such as this one"
            _REVISIONS.warning(told, extra=fields | more | _pair(agent))

    def _of_one(self, level: int) -> int:
        """The level of what is told of one pair: while a server starts, there is one line for all of them."""
        return level if self._begun else logging.DEBUG

    def pair_withdrawn(self, agent: AgentName, commit: str) -> None:
        """A pair is no longer listed."""
        _REVISIONS.info("a pair is no longer listed", extra=_pair(agent) | {"commit": commit})

    def ref_problem(self, problem: str) -> None:
        """The ref cannot be read; empty where it can again."""
        if problem:
            _REVISIONS.warning("the ref cannot be read, and is tried again", extra={"problem": problem})
        else:
            _REVISIONS.info("the ref can be read again")

    def ref_read(self) -> None:
        """The ref was read, whether or not it names another commit."""
        self._metrics.ref_read(time.time())

    def commit_read(self, commit: str, pairs: int) -> None:
        """Another commit was read."""
        _REVISIONS.info("another commit was read", extra={"commit": commit, "pairs": pairs})

    def part_problem(self, problem: str, commit: str) -> None:
        """A part of a commit does not say which pairs it has; those that are known there go on."""
        fields = {"problem": problem, "commit": commit}
        _REVISIONS.warning("a part of the commit does not say which pairs it has", extra=fields)

    def kept_nothing(self, problem: str) -> None:
        """What serves could not be kept for the next start."""
        _REVISIONS.warning("what serves could not be kept for the next start", extra={"problem": problem})

    def cluster(
        self, kind: str, problem: str, resource: str = "", namespace: str = "", name: str = ""
    ) -> None:
        """Something happened with the cluster: to an object, to a resource, or to a round as a whole."""
        self._metrics.cluster_event(kind)
        level, told = CLUSTER_LINES.get(kind, (logging.INFO, "something happened with the cluster"))
        wrong = problem if level >= logging.WARNING else ""
        news = self._repetition.is_news(f"cluster {resource} {namespace}/{name}", wrong)
        named = {"resource": resource, "namespace": namespace, "object": name}
        fields = {"kind": kind, "told": problem} | {key: value for key, value in named.items() if value}
        _CLUSTER.log(logging.DEBUG if wrong and not news else level, told, extra=fields)

    def audit(self, told: str) -> None:
        """The audit log cannot be written to, or can again."""
        _AUDIT.error(told)


def _is_wrong(outcome: str) -> bool:
    return outcome not in _AS_IT_SHOULD


def _instance(name: InstanceName) -> dict[str, object]:
    return {"namespace": name.namespace, "instance": name.id}


def _pair(agent: AgentName) -> dict[str, object]:
    return {"namespace": agent.namespace, "harness": agent.harness, "agent_template": agent.agent_template}
