"""Substrate of June 2026: ActorTemplates are custom resources, which GitOps tools apply."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kagent_apply.substrate.control_compute import ControlCompute
from kagent_apply.substrate.june_messages import JuneMessages
from kagent_apply.substrate.port import ComputeRefusedError

if TYPE_CHECKING:
    from kagent_apply.instances.prepared import PreparedMember, PreparedRevision
    from kagent_apply.substrate.deadline import Clock
    from kagent_apply.substrate.port import Actor, Compute
    from kagent_apply.substrate.transport import Transport

TARGET: Final = "ate.dev/v1alpha1"
"""The target whose revisions this generation takes."""


class JuneCompute(ControlCompute):
    """The port over a Control service of June 2026, which has neither templates nor egress policies."""

    def __init__(self, transport: Transport, clock: Clock | None = None) -> None:
        super().__init__(transport, JuneMessages(), has_templates=False, clock=clock)

    def prepare(self, revision: PreparedRevision, timeout: float) -> bool:
        """Make sure of the atespace; whether the ActorTemplates are ready is the cluster's to say."""
        if revision.target != TARGET:
            raise ComputeRefusedError(
                f"a revision for `{revision.target}` cannot run on Substrate of June 2026",
                f"render it for `{TARGET}`, or give the address of a newer Substrate",
            )
        self._make_atespace(revision.agent.namespace, self._begin(timeout))
        return True

    def restrict(self, actor: Actor, member: PreparedMember, timeout: float) -> Actor:  # noqa: ARG002
        """The actor as it is: this generation has no egress policy."""
        return actor

    def delete_template(self, namespace: str, actor_template: str, timeout: float) -> None:
        """Nothing: ActorTemplates are pruned where they were applied."""


if TYPE_CHECKING:
    _: type[Compute] = JuneCompute
