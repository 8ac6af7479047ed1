"""Operations on instances as callers ask for them: begun or joined, then waited for."""

from __future__ import annotations

import secrets
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import replace
from typing import TYPE_CHECKING

from kagent_apply.instances.instance import Instance, planned_members
from kagent_apply.instances.lifecycle import NEW, begin, begin_creation
from kagent_apply.instances.outcome import Answered, Claimed, Joined, Refused
from kagent_apply.instances.standing import Reservation
from kagent_apply.instances.states import Operation
from kagent_apply.operations.backoff import Backoff
from kagent_apply.operations.carrier import Carrier
from kagent_apply.operations.clock import Clock, system_clock
from kagent_apply.operations.error import OperationError, not_served, of_compute, of_refusal, of_store
from kagent_apply.operations.events import ignore
from kagent_apply.operations.instance_id import new_instance_id
from kagent_apply.operations.limits import Limits
from kagent_apply.operations.rounds import Rounds
from kagent_apply.operations.runs import Runs
from kagent_apply.operations.waiting import follow, patience
from kagent_apply.operations.work import name_of
from kagent_apply.revisions.port import NotServed
from kagent_apply.store.port import StoreError
from kagent_apply.substrate.port import ComputeError, RevisionCheck

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kagent_apply.instances.lifecycle import Change
    from kagent_apply.instances.outcome import Outcome
    from kagent_apply.instances.prepared import PreparedRevision
    from kagent_apply.instances.requests import Creation, InstanceName
    from kagent_apply.instances.standing import Standing
    from kagent_apply.operations.carrier import Submit
    from kagent_apply.operations.events import OnEvent
    from kagent_apply.operations.runs import Run
    from kagent_apply.operations.waiting import Patience
    from kagent_apply.operations.work import Computes
    from kagent_apply.revisions.port import Revisions
    from kagent_apply.store.port import Hold, Store


class Operations:
    """Creates, suspends, resumes and deletes instances; every method may be called from several threads.

    Every operation raises OperationError. One that is under way when the caller's time is over goes on, and
    so does one that had trouble after it was issued, once `start` was called.
    """

    def __init__(
        self,
        store: Store,
        revisions: Revisions,
        computes: Computes,
        *,
        limits: Limits | None = None,
        on_event: OnEvent = ignore,
        clock: Clock | None = None,
        submit: Submit | None = None,
    ) -> None:
        limits = limits or Limits()
        clock = clock or system_clock()
        self._revisions = revisions
        self._pool = ThreadPoolExecutor(limits.workers, "operation")
        self._carrier = Carrier(
            store=store,
            computes=computes,
            holder=secrets.token_hex(16),
            limits=limits,
            clock=clock,
            runs=Runs(limits.open),
            backoff=Backoff(clock, limits.backoff),
            submit=submit or self._submit,
            on_event=on_event,
        )
        self._rounds = Rounds(self._carrier)

    def create(self, creator: str, creation: Creation, timeout: float) -> Instance:
        """The READY instance of a `request_id`, created unless it was before.

        Most were not, so that none is looked for: to reserve one tells whether it is there.
        """
        waits = patience(self._carrier.clock, timeout)
        with _told():
            while True:
                run, refusal = self._reserved(creator, creation)
                if run is not None:
                    given = self._outcome(run.name, run, waits)
                else:
                    given = self._created_before(creator, creation, waits, refusal)
                if given is not None:
                    return given

    def suspend(self, creator: str, name: InstanceName, timeout: float) -> Instance:
        """A READY instance, SUSPENDED."""
        return self._change(Operation.SUSPEND, creator, name, timeout)

    def resume(self, creator: str, name: InstanceName, timeout: float) -> Instance:
        """A SUSPENDED instance, READY."""
        return self._change(Operation.RESUME, creator, name, timeout)

    def delete(self, creator: str, name: InstanceName, timeout: float) -> Instance:
        """An instance, DELETED."""
        return self._change(Operation.DELETE, creator, name, timeout)

    def start(self) -> None:
        """Renew leases, and take up what nobody carries on, from now on and until `drain`."""
        self._rounds.start()

    def recover(self) -> int:
        """Take up operations that nobody carries on and that are due; how many. StoreError as the store's."""
        return self._rounds.recover()

    @property
    def draining(self) -> bool:
        """Whether nothing more is begun."""
        return self._carrier.runs.refusing

    def drain(self, timeout: float) -> bool:
        """Begin nothing more, and let what is under way end or come to rest within `timeout` seconds.

        Leases are released where all did, so that others go on at once; where False, they lapse.
        """
        rested = self._rounds.drain(timeout)
        self._pool.shutdown(wait=False)
        return rested

    def _submit(self, work: Callable[[], None]) -> object:
        """Work belongs to the trace of the call that began it."""
        return self._pool.submit(copy_context().run, work)

    def _change(self, operation: Change, creator: str, name: InstanceName, timeout: float) -> Instance:
        waits = patience(self._carrier.clock, timeout)
        with _told():
            while True:
                found = self._carrier.store.instance(name)
                if found is not None and found.creator != creator:
                    found = None
                outcome = self._begun(operation, found)
                if found is None or not isinstance(outcome, Claimed):
                    given = self._known(found, outcome, waits)
                else:
                    given = self._claim(found, outcome.standing, waits)
                if given is not None:
                    return given

    def _begun(self, operation: Change, found: Instance | None) -> Outcome:
        if found is None:
            return begin(operation, None)
        deletes = operation is Operation.DELETE is not found.standing.operation
        return begin(operation, found.standing, resting=deletes and self._carrier.gives_way(found))

    def _known(self, found: Instance | None, outcome: Outcome, waits: Patience) -> Instance | None:
        """What is given where nothing has to be claimed."""
        if isinstance(outcome, Refused):
            raise of_refusal(outcome)
        if found is not None and isinstance(outcome, Joined):
            return follow(self._carrier, found, outcome.standing, waits)
        return found if isinstance(outcome, Answered) else None

    def _claim(self, found: Instance, standing: Standing, waits: Patience) -> Instance | None:
        now = self._carrier.clock.utc_since(found.updated_at)
        after = replace(found, standing=standing, updated_at=now)
        run = self._carrier.claim(
            name_of(found), lambda hold: self._carrier.store.replace(found, after, hold)
        )
        return self._outcome(name_of(found), run, waits)

    def _reserved(self, creator: str, creation: Creation) -> tuple[Run | None, _Refusal | None]:
        """A creation that is begun; else why none is, or neither where the `request_id` was used before."""
        try:
            revision = self._serving(creation)
            planned = self._planned(creator, creation, revision)

            def put(hold: Hold) -> Instance | None:
                return planned if self._carrier.store.reserve(planned, revision, hold) else None

            return self._carrier.claim(name_of(planned), put, revision), None
        except (OperationError, ComputeError) as refusal:
            return None, refusal

    def _created_before(
        self, creator: str, creation: Creation, waits: Patience, refusal: _Refusal | None
    ) -> Instance | None:
        """What became of the creation of a `request_id`; raises `refusal` where there was none."""
        waits.check()
        found = self._carrier.store.by_request(creator, creation.agent.namespace, creation.request_id)
        if found is None:
            if refusal is not None:
                raise refusal
            return None
        reserved = Reservation(found.agent, found.standing)
        return self._known(found, begin_creation(creation.agent, reserved, prepared=False), waits)

    def _outcome(self, name: InstanceName, run: Run | None, waits: Patience) -> Instance | None:
        """What becomes of a claim; None where it was not to be had, and everything has to be read again."""
        if run is not None and run.tenure is not None:
            return follow(self._carrier, run.tenure.instance, run.tenure.mine, waits, run)
        waits.check()
        other = self._carrier.runs.find(name)
        if other is not None:
            waits.wait(other.done if other.settled.is_set() else other.settled, 0.05)
        return None

    def _serving(self, creation: Creation) -> PreparedRevision:
        """The revision that serves; refused before anything is stored where it never will run."""
        revision = self._revisions.serving(creation.agent)
        if isinstance(revision, NotServed):
            raise not_served(revision)
        compute = self._carrier.computes(revision.target)
        if isinstance(compute, RevisionCheck):
            compute.check(revision)
        return revision

    def _planned(self, creator: str, creation: Creation, revision: PreparedRevision) -> Instance:
        """Reserved and issued in one: a creation is never given up."""
        now = self._carrier.clock.utc()
        number = new_instance_id(now)
        return Instance(
            id=number,
            agent=creation.agent,
            creator=creator,
            request_id=creation.request_id,
            revision=revision.revision,
            labels=revision.labels,
            standing=replace(NEW, issued=True),
            members=planned_members(number, revision),
            created_at=now,
            updated_at=now,
        )


_Refusal = OperationError | ComputeError


@contextmanager
def _told() -> Iterator[None]:
    """Trouble of the store's and of Substrate's, as callers are told of it."""
    try:
        yield
    except StoreError as error:
        raise of_store(error) from error
    except ComputeError as error:
        raise of_compute(error) from error
