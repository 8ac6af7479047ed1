"""Compute of whose revisions those serve whose ActorTemplates the cluster has, and has ready."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kagent_apply.cluster.live import Readiness
from kagent_apply.substrate.port import ComputeRefusedError
from kagent_render.target.ate_v1alpha1 import TARGET

if TYPE_CHECKING:
    from kagent_apply.cluster.view import ClusterView
    from kagent_apply.instances.prepared import PreparedMember, PreparedRevision
    from kagent_apply.substrate.port import Actor, ActorName, Compute


class ClusterCompute:
    """A Compute that waits for what others apply: the custom resources of `ate.dev/v1alpha1`.

    Of any other target it asks nothing, and everything else is the other Compute's.
    """

    def __init__(self, compute: Compute, view: ClusterView) -> None:
        self._compute = compute
        self._view = view

    def prepare(self, revision: PreparedRevision, timeout: float) -> bool:
        """False while a live ActorTemplate is missing or not Ready; refused where it never will be."""
        if revision.target == TARGET and not is_ready(revision, self._view):
            return False
        return self._compute.prepare(revision, timeout)

    def check(self, revision: PreparedRevision) -> None:
        """What the other Compute says at once of a revision that it will never run, if it can tell."""
        check = getattr(self._compute, "check", None)
        if check is not None:
            check(revision)

    def actor(self, name: ActorName, timeout: float) -> Actor | None:
        """An actor as it is now."""
        return self._compute.actor(name, timeout)

    def create(self, name: ActorName, member: PreparedMember, timeout: float) -> Actor:
        """Make an actor that does not run yet."""
        return self._compute.create(name, member, timeout)

    def restrict(self, actor: Actor, member: PreparedMember, timeout: float) -> Actor:
        """An actor that has its egress policy."""
        return self._compute.restrict(actor, member, timeout)

    def resume(self, actor: Actor, timeout: float) -> Actor:
        """Have an actor run."""
        return self._compute.resume(actor, timeout)

    def suspend(self, actor: Actor, timeout: float) -> Actor:
        """Have an actor suspended."""
        return self._compute.suspend(actor, timeout)

    def delete(self, actor: Actor, timeout: float, *, any_state: bool = False) -> None:
        """Delete an actor."""
        self._compute.delete(actor, timeout, any_state=any_state)

    def delete_template(self, namespace: str, actor_template: str, timeout: float) -> None:
        """Delete an ActorTemplate of Substrate's own."""
        self._compute.delete_template(namespace, actor_template, timeout)

    def ping(self, timeout: float) -> None:
        """See whether Substrate answers."""
        self._compute.ping(timeout)

    def close(self) -> None:
        """Let go of connections and processes."""
        self._compute.close()


def is_ready(revision: PreparedRevision, view: ClusterView) -> bool:
    """Whether every ActorTemplate of a revision is there as committed, and Ready.

    Raises ComputeRefusedError where one differs or has failed: a spec cannot be changed (facts 10.1), and
    nothing leads out of the phase `Failed`.
    """
    # All are looked at, so that what is refused does not depend on what is ready already.
    ready = [_is_member_ready(revision.agent.namespace, member, view) for member in revision.members]
    return all(ready)


def _is_member_ready(namespace: str, member: PreparedMember, view: ClusterView) -> bool:
    live = view.actor_template(namespace, member.actor_template)
    if live is None or live.identity.deleting:
        return False
    named = f"the ActorTemplate `{namespace}/{member.actor_template}` in the cluster"
    if live.spec_digest != member.spec_digest:
        raise ComputeRefusedError(
            f"{named} is not the one that is committed", "delete it, and apply the ref again"
        )
    if live.readiness is Readiness.FAILED:
        raise ComputeRefusedError(f"{named} has failed", "see its status, delete it, and apply the ref again")
    return live.readiness is Readiness.READY
