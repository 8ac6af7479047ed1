"""The rooms beside this one, in memory: what revisions, a store and Substrate say is what a test sets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kagent_apply.cluster.api import Reply, Stream
from kagent_apply.instances.prepared import PreparedMember, PreparedRevision
from kagent_apply.instances.requests import AgentName
from kagent_apply.revisions.port import NotServed, PairStatus
from kagent_apply.store.port import StoreError
from kagent_apply.substrate.port import ComputeUnavailableError


def revision_of(agent: AgentName, *names: str, digest: str = "sha256:0") -> PreparedRevision:
    """A revision with an ActorTemplate for each name."""
    members = tuple(
        PreparedMember(f"p{place}" if place else "", name, digest, b"") for place, name in enumerate(names)
    )
    return PreparedRevision(agent, "sha256:" + "1" * 64, "ate.dev/v1alpha1", {}, members)


@dataclass
class MemoryRevisions:
    """Revisions that serve, by agent."""

    found: dict[AgentName, PreparedRevision] = field(default_factory=dict)
    trouble: str = ""
    changing: bool = False

    def serving(self, agent: AgentName) -> PreparedRevision | NotServed:
        if self.changing or agent not in self.found:
            return NotServed("it does not serve", "wait")
        return self.found[agent]

    def pairs(self, namespace: str | None = None) -> Sequence[PairStatus]:
        return [
            PairStatus(agent, found.revision, found.revision, "c" * 40)
            for agent, found in self.found.items()
            if namespace in (None, agent.namespace)
        ]

    def problem(self) -> str:
        return self.trouble


@dataclass
class MemoryStore:
    """The part of a store that is asked here; `then` is what it says from the second time on."""

    needed: Mapping[str, Sequence[str]] = field(default_factory=dict)
    then: Mapping[str, Sequence[str]] | None = None
    down: bool = False
    asked: int = 0

    def actor_templates(self) -> Mapping[str, Sequence[str]]:
        self.asked += 1
        if self.down:
            raise StoreError("the database does not answer")
        return self.then if self.asked > 1 and self.then is not None else self.needed


@dataclass
class MemoryTemplates:
    """Substrate's own ActorTemplates."""

    names: dict[str, list[str]] = field(default_factory=dict)
    down: bool = False

    def templates(self, namespace: str, timeout: float) -> Sequence[str]:
        if self.down:
            raise ComputeUnavailableError("Substrate does not answer", "try again")
        return list(self.names.get(namespace, ()))

    def delete_template(self, namespace: str, actor_template: str, timeout: float) -> None:
        self.names[namespace].remove(actor_template)


@dataclass
class RecordingApi:
    """An API server that keeps what it is asked, and answers as a test says."""

    answer: Callable[[str, str], Reply] = field(default=lambda method, path: Reply(200))
    requests: list[tuple[str, str, Any]] = field(default_factory=list)

    def request(
        self,
        method: str,
        path: str,
        query: Mapping[str, str],
        body: Mapping[str, Any] | None = None,
        content_type: str = "application/json",
    ) -> Reply:
        self.requests.append((method, path, body))
        return self.answer(method, path)

    def stream(self, path: str, query: Mapping[str, str], seconds: float) -> Stream | Reply:
        raise NotImplementedError

    def close(self) -> None:
        raise NotImplementedError
