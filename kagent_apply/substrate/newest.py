"""Substrate's newest generation: ActorTemplates and egress policies are made by way of its own API."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from kagent_apply.substrate.committed import committed_rules, committed_template
from kagent_apply.substrate.control_compute import ControlCompute
from kagent_apply.substrate.egress_policy import write_policy
from kagent_apply.substrate.known_template import KnownTemplate
from kagent_apply.substrate.newest_messages import NewestMessages
from kagent_apply.substrate.port import ActorName, ComputeError
from kagent_apply.substrate.same_object import SameObject
from kagent_apply.substrate.templates import delete_template, list_templates, make_template

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kagent_apply.instances.prepared import PreparedMember, PreparedRevision
    from kagent_apply.substrate.deadline import Clock, Deadline
    from kagent_apply.substrate.port import Actor, Compute
    from kagent_apply.substrate.transport import Transport
    from kagent_render.target.messages import ateapi_pb2

    TemplateReader = Callable[[PreparedRevision, PreparedMember], ateapi_pb2.ActorTemplate]
    """Gives the ActorTemplate to make for a member; raises ComputeRefusedError."""


class NewestCompute(ControlCompute):
    """The port over a Control service of v0.4.0-alpha1 or v0.4.0.

    `template_of` may take other targets than these two, for a server that runs them as well.
    """

    def __init__(
        self,
        transport: Transport,
        clock: Clock | None = None,
        template_of: TemplateReader = committed_template,
    ) -> None:
        super().__init__(transport, NewestMessages(), has_templates=True, clock=clock)
        self._template_of = template_of
        self._templates: SameObject[KnownTemplate] = SameObject()
        self._rules: SameObject[ateapi_pb2.EgressPolicyTemplate] = SameObject()
        self._atespaces: set[str] = set()

    def prepare(self, revision: PreparedRevision, timeout: float) -> bool:
        """Make sure of the atespace and the ActorTemplates; False while these are not ready to be used.

        A template that is there and differs is ComputeRefusedError, and stays as it is.
        """
        templates = [self._template(revision, member) for member in revision.members]
        deadline, atespace = self._begin(timeout), revision.agent.namespace
        if atespace not in self._atespaces:
            self._make_atespace(atespace, deadline)
        try:
            ready = [self._make_template(template, atespace, deadline) for template in templates]
        except ComputeError:
            self._atespaces.discard(atespace)
            raise
        self._atespaces.add(atespace)
        return all(ready)

    def restrict(self, actor: Actor, member: PreparedMember, timeout: float) -> Actor:
        """An actor as it is once it has its egress policy, and just that; ActorGoneError without it."""
        if member.egress is None:
            return actor
        rules = self._rules.get(member, None, partial(committed_rules, member.egress, member))
        deadline = self._begin(timeout)
        found = self._find(actor, deadline)
        again = partial(self._find, found, deadline)
        write_policy(self._transport, found.name, again, rules, deadline)
        return again()

    def templates(self, namespace: str, timeout: float) -> Sequence[str]:
        """The names of all ActorTemplates of an atespace; none where there is no such atespace."""
        return list_templates(self._transport, namespace, self._begin(timeout))

    def delete_template(self, namespace: str, actor_template: str, timeout: float) -> None:
        """Delete an ActorTemplate that nothing needs any more; gone is fine."""
        delete_template(self._transport, ActorName(namespace, actor_template), self._begin(timeout))

    def _template(self, revision: PreparedRevision, member: PreparedMember) -> KnownTemplate:
        place = revision.target, revision.agent.namespace
        return self._templates.get(member, place, lambda: KnownTemplate(self._template_of(revision, member)))

    def _make_template(self, template: KnownTemplate, atespace: str, deadline: Deadline) -> bool:
        """Where one is gone, its atespace may be gone with it."""

        def remake() -> None:
            if atespace in self._atespaces:
                self._make_atespace(atespace, deadline)

        return make_template(self._transport, template, deadline, remake)


if TYPE_CHECKING:
    _: type[Compute] = NewestCompute
