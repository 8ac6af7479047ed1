"""Small twins of what stands behind the services: a store in memory, and operations that do at once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from kagent_apply.auth.port import Caller, Credentials, UnauthenticatedError, Verb
from kagent_apply.instances.instance import Instance, Member, Share
from kagent_apply.instances.prepared import PreparedRevision
from kagent_apply.instances.reason import Reason
from kagent_apply.instances.requests import AgentName, Creation, InstanceName, Page, ShareName
from kagent_apply.instances.standing import Standing
from kagent_apply.instances.states import State
from kagent_apply.revisions.port import NotServed, PairStatus
from kagent_apply.service.parts import Parts
from kagent_apply.service.port import CallRecord
from kagent_apply.service.refusal import Refusal, RefusedError
from kagent_apply.store.port import Hold, StoreError

NOW = datetime(2026, 9, 1, 12, tzinfo=UTC)
AGENT = AgentName("payments", "python-runtime", "triage")


def uuid(number: int) -> str:
    """An id that sorts by its number."""
    return f"00000000-0000-4000-8000-{number:012d}"


def instance(
    number: int = 1, state: State = State.READY, creator: str = "ann", **changes: object
) -> Instance:
    """An instance of `AGENT`."""
    made = Instance(
        id=uuid(number),
        agent=AGENT,
        creator=creator,
        request_id=f"request-{number}",
        revision="sha256:" + "0" * 64,
        labels={"team": "a"},
        standing=Standing(state),
        members=(Member("", f"ai-{uuid(number)}", "triage-python-runtime-0123456789ab"),),
        created_at=NOW,
        updated_at=NOW + timedelta(seconds=1),
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def share(number: int = 1, of: int = 1, creator: str = "ann") -> Share:
    """A share of an instance."""
    from kagent_apply.instances.states import Permission

    return Share(uuid(number), "payments", uuid(of), creator, Permission.READ_ONLY, NOW, bytes([number]) * 32)


class MemoryStore:
    """What the services ask of a store; `down` is the error that each call raises."""

    def __init__(self, *instances: Instance) -> None:
        self.kept = {made.id: made for made in instances}
        self.kept_shares: dict[str, Share] = {}
        self.templates: dict[str, list[str]] = {}
        self.down: Exception | None = None

    def instance(self, name: InstanceName) -> Instance | None:
        self.ping()
        found = self.kept.get(name.id)
        return found if found is not None and found.agent.namespace == name.namespace else None

    def instances(
        self, namespace: str, creator: str | None, match_labels: Mapping[str, str], page: Page
    ) -> Sequence[Instance]:
        self.ping()
        found = [
            made
            for _, made in sorted(self.kept.items())
            if made.agent.namespace == namespace and made.id > page.after
            if creator is None or made.creator == creator
            if match_labels.items() <= made.labels.items() and made.standing.state is not State.DELETED
        ]
        return found[: page.limit + 1]

    def add_share(self, share: Share) -> bool:
        self.ping()
        self.kept_shares[share.id] = share
        return share.instance in self.kept

    def shares(self, instance: InstanceName, page: Page) -> Sequence[Share]:
        found = [made for _, made in sorted(self.kept_shares.items()) if made.id > page.after]
        return [made for made in found if made.instance == instance.id][: page.limit + 1]

    def revoke_share(self, name: ShareName, creator: str) -> bool:
        found = self.kept_shares.get(name.id)
        if found is None or found.creator != creator or found.namespace != name.namespace:
            return False
        del self.kept_shares[name.id]
        return True

    def actor_templates(self) -> Mapping[str, Sequence[str]]:
        self.ping()
        return self.templates

    def ping(self) -> None:
        if self.down is not None:
            raise self.down

    def reserve(self, instance: Instance, revision: PreparedRevision, hold: Hold) -> bool:
        raise NotImplementedError

    def replace(self, before: Instance, after: Instance, hold: Hold | None) -> Instance | None:
        raise NotImplementedError

    def renew(self, instance: Instance, hold: Hold) -> Instance | None:
        raise NotImplementedError

    def by_request(self, creator: str, namespace: str, request_id: str) -> Instance | None:
        raise NotImplementedError

    def unattended(self, limit: int) -> Sequence[InstanceName]:
        raise NotImplementedError

    def release(self, holder: str) -> int:
        raise NotImplementedError

    def revision(self, agent: AgentName, revision: str) -> PreparedRevision | None:
        raise NotImplementedError

    def share(self, digest: bytes) -> Share | None:
        raise NotImplementedError

    def close(self) -> None:
        """Nothing is held."""


Act = Callable[[str, str, object, float], Instance]
"""An operation by its name, the creator, what is asked for, and the seconds that it may take."""


def done(operation: str, creator: str, asked: object, timeout: float) -> Instance:
    """What an operation gives that nothing hinders."""
    ends = {"create": State.READY, "suspend": State.SUSPENDED, "resume": State.READY, "delete": State.DELETED}
    made = instance(1, ends[operation], creator)
    return replace(made, agent=asked.agent) if isinstance(asked, Creation) else made


@dataclass
class ScriptedOperations:
    """Does what a test says; `asked` has every call."""

    act: Act = done
    asked: list[tuple[str, str, object, float]] = field(default_factory=list)

    def _do(self, operation: str, creator: str, asked: object, timeout: float) -> Instance:
        self.asked.append((operation, creator, asked, timeout))
        return self.act(operation, creator, asked, timeout)

    def create(self, creator: str, creation: Creation, timeout: float) -> Instance:
        return self._do("create", creator, creation, timeout)

    def suspend(self, creator: str, name: InstanceName, timeout: float) -> Instance:
        return self._do("suspend", creator, name, timeout)

    def resume(self, creator: str, name: InstanceName, timeout: float) -> Instance:
        return self._do("resume", creator, name, timeout)

    def delete(self, creator: str, name: InstanceName, timeout: float) -> Instance:
        return self._do("delete", creator, name, timeout)


@dataclass
class ListedRevisions:
    """An index of the pairs that a test gives it."""

    listed: list[PairStatus] = field(default_factory=list)
    trouble: str = ""

    def serving(self, agent: AgentName) -> PreparedRevision | NotServed:
        return NotServed("there is none", "commit one")

    def pairs(self, namespace: str | None = None) -> Sequence[PairStatus]:
        return [pair for pair in self.listed if namespace in (None, pair.agent.namespace)]

    def problem(self) -> str:
        return self.trouble


class Tokens:
    """Every token but `nobody` is the caller's name; without one it is `ann`."""

    def __init__(self) -> None:
        self.seen: list[Credentials] = []

    def authenticate(self, credentials: Credentials) -> Caller:
        self.seen.append(credentials)
        if credentials.bearer == "nobody":
            raise UnauthenticatedError("the token names nobody", "get another")
        return Caller(credentials.bearer or "ann")


@dataclass
class Forbidding:
    """Allows everything but the verbs, and the namespaces, that are forbidden; `asked` has every question."""

    forbidden: set[str] = field(default_factory=set)
    asked: list[tuple[str, str, str]] = field(default_factory=list)

    def allows(self, caller: Caller, verb: Verb, namespace: str, name: str = "") -> bool:
        self.asked.append((verb.value, namespace, name))
        return not {verb.value, namespace, caller.subject} & self.forbidden


class Records:
    """Keeps what the server tells of its calls, and waits for it."""

    def __init__(self) -> None:
        self.kept: list[CallRecord] = []
        self._more = threading.Condition()

    def __call__(self, record: CallRecord) -> None:
        with self._more:
            self.kept.append(record)
            self._more.notify_all()

    def wait(self, number: int) -> CallRecord:
        """The last record, once there are so many."""
        with self._more:
            assert self._more.wait_for(lambda: len(self.kept) >= number, 30)
            return self.kept[-1]

    @property
    def last(self) -> CallRecord:
        return self.kept[-1]


@dataclass
class Crowd:
    """Lets nobody in who is `full`; `inside` has whoever is counted now, `seen` whoever ever was."""

    full: set[str] = field(default_factory=set)
    inside: list[str] = field(default_factory=list)
    seen: list[str] = field(default_factory=list)

    @contextmanager
    def admitted(self, subject: str) -> Iterator[None]:
        if subject in self.full:
            refusal = Refusal(
                "RESOURCE_EXHAUSTED", Reason.LIMIT_EXCEEDED, "too many calls", "wait", retry_after=1.5
            )
            raise RefusedError(refusal)
        self.inside.append(subject)
        self.seen.append(subject)
        try:
            yield
        finally:
            self.inside.remove(subject)


@dataclass
class World:
    """All parts of a server, to be changed by a test."""

    store: MemoryStore = field(default_factory=MemoryStore)
    revisions: ListedRevisions = field(default_factory=ListedRevisions)
    operations: ScriptedOperations = field(default_factory=ScriptedOperations)
    tokens: Tokens = field(default_factory=Tokens)
    policy: Forbidding = field(default_factory=Forbidding)
    records: Records = field(default_factory=Records)
    crowd: Crowd = field(default_factory=Crowd)

    def parts(self) -> Parts:
        """As the server takes them; each looks its part up again, so that a test may put another there."""
        return Parts(
            self.store,
            self.revisions,
            self.operations,
            self.tokens,
            self.policy,
            self.records,
            now=lambda: NOW,
            new_id=lambda: uuid(99),
            random_bytes=lambda length: b"\7" * length,
            admit=self.crowd.admitted,
        )

    def reset(self) -> None:
        """As it was at first, for the next test of the same server."""
        for part in (
            self.store,
            self.revisions,
            self.operations,
            self.tokens,
            self.policy,
            self.records,
            self.crowd,
        ):
            part.__dict__.update(type(part)().__dict__)


STORE_DOWN = StoreError("the store did not answer")
