"""AgentInstanceService: each call, from its request to its reply.

What a request has to be comes before who the caller is, and that before whose the instance is (facts 8.2).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kagent_apply.api.v1alpha1 import agent_instances_pb2 as api
from kagent_apply.auth.port import Verb
from kagent_apply.instances.instance import Share
from kagent_apply.instances.share_token import new_share_token
from kagent_apply.instances.states import State
from kagent_apply.instances.validation import (
    read_creation,
    read_instance,
    read_instance_list,
    read_share,
    read_share_creation,
    read_share_list,
)
from kagent_apply.service.call import valid
from kagent_apply.service.later_fields import check_filters
from kagent_apply.service.messages import instance_message, page_of, share_message
from kagent_apply.service.method import Method, unary
from kagent_apply.service.refusal import no_instance, no_share

if TYPE_CHECKING:
    from kagent_apply.instances.instance import Instance
    from kagent_apply.instances.requests import InstanceName
    from kagent_apply.service.call import Call
    from kagent_apply.service.parts import Parts


@dataclass(frozen=True, slots=True)
class InstanceCalls:
    """The calls of AgentInstanceService."""

    parts: Parts

    def methods(self) -> tuple[Method, ...]:
        """All of them; those that wait for actors are told apart."""
        return (
            unary(api.CreateAgentInstanceRequest, self.create, waits=True),
            unary(api.GetAgentInstanceRequest, self.get),
            unary(api.ListAgentInstancesRequest, self.list),
            unary(api.SuspendAgentInstanceRequest, self.suspend, waits=True),
            unary(api.ResumeAgentInstanceRequest, self.resume, waits=True),
            unary(api.DeleteAgentInstanceRequest, self.delete, waits=True),
            unary(api.CreateAgentInstanceShareRequest, self.create_share),
            unary(api.ListAgentInstanceSharesRequest, self.list_shares),
            unary(api.RevokeAgentInstanceShareRequest, self.revoke_share),
        )

    def create(self, request: api.CreateAgentInstanceRequest, call: Call) -> api.CreateAgentInstanceResponse:
        """Create an instance, or go on with that of the same `request_id`."""
        creation = valid(
            read_creation(request.namespace, request.harness, request.agent_template, request.request_id)
        )
        call.request_id = creation.request_id
        caller = call.allowed(Verb.CREATE, creation.agent.namespace, creation.agent.agent_template)
        made = self.parts.operations.create(caller.subject, creation, call.timeout())
        return api.CreateAgentInstanceResponse(agent_instance=instance_message(made))

    def get(self, request: api.GetAgentInstanceRequest, call: Call) -> api.GetAgentInstanceResponse:
        """Tell of the caller's own instance."""
        name = valid(read_instance(request.namespace, request.agent_instance_id))
        caller = call.allowed(Verb.GET, name.namespace, name.id)
        return api.GetAgentInstanceResponse(agent_instance=instance_message(self._own(name, caller.subject)))

    def list(self, request: api.ListAgentInstancesRequest, call: Call) -> api.ListAgentInstancesResponse:
        """A page of the caller's own instances, or of all where they may see those."""
        asked = valid(check_filters(request))
        wanted = valid(
            read_instance_list(
                asked.namespace,
                asked.match_labels,
                all_creators=asked.all_creators,
                limit=asked.page.limit,
                token=asked.page.page_token,
            )
        )
        caller = call.allowed(Verb.LIST, wanted.namespace)
        if wanted.all_creators:
            call.allowed(Verb.ALL_CREATORS, wanted.namespace)
        creator = None if wanted.all_creators else caller.subject
        found = self.parts.store.instances(wanted.namespace, creator, wanted.match_labels, wanted.page)
        items, page = page_of(found, wanted.page.limit)
        return api.ListAgentInstancesResponse(
            agent_instances=[instance_message(item) for item in items], page=page
        )

    def suspend(
        self, request: api.SuspendAgentInstanceRequest, call: Call
    ) -> api.SuspendAgentInstanceResponse:
        """Suspend an instance."""
        name = valid(read_instance(request.namespace, request.agent_instance_id))
        caller = call.allowed(Verb.UPDATE, name.namespace, name.id)
        left = self.parts.operations.suspend(caller.subject, name, call.timeout())
        return api.SuspendAgentInstanceResponse(agent_instance=instance_message(left))

    def resume(self, request: api.ResumeAgentInstanceRequest, call: Call) -> api.ResumeAgentInstanceResponse:
        """Resume an instance."""
        name = valid(read_instance(request.namespace, request.agent_instance_id))
        caller = call.allowed(Verb.UPDATE, name.namespace, name.id)
        left = self.parts.operations.resume(caller.subject, name, call.timeout())
        return api.ResumeAgentInstanceResponse(agent_instance=instance_message(left))

    def delete(self, request: api.DeleteAgentInstanceRequest, call: Call) -> api.DeleteAgentInstanceResponse:
        """Delete an instance."""
        name = valid(read_instance(request.namespace, request.agent_instance_id))
        caller = call.allowed(Verb.DELETE, name.namespace, name.id)
        left = self.parts.operations.delete(caller.subject, name, call.timeout())
        return api.DeleteAgentInstanceResponse(agent_instance=instance_message(left))

    def create_share(
        self, request: api.CreateAgentInstanceShareRequest, call: Call
    ) -> api.CreateAgentInstanceShareResponse:
        """Make a share of the caller's own instance; the reply alone has its token."""
        wanted = valid(read_share_creation(request.namespace, request.agent_instance_id, request.permission))
        name = wanted.instance
        caller = call.allowed(Verb.SHARE, name.namespace, f"{name.id}/shares")
        self._own(name, caller.subject)
        token = new_share_token(self.parts.random_bytes)
        share = Share(
            id=self.parts.new_id(),
            namespace=name.namespace,
            instance=name.id,
            creator=caller.subject,
            permission=wanted.permission,
            created_at=self.parts.now(),
            digest=token.digest,
        )
        if not self.parts.store.add_share(share):
            raise no_instance()
        return api.CreateAgentInstanceShareResponse(share=share_message(share), token=token.text)

    def list_shares(
        self, request: api.ListAgentInstanceSharesRequest, call: Call
    ) -> api.ListAgentInstanceSharesResponse:
        """A page of the shares of the caller's own instance."""
        page = request.page
        wanted = valid(
            read_share_list(
                request.namespace, request.agent_instance_id, limit=page.limit, token=page.page_token
            )
        )
        name = wanted.instance
        caller = call.allowed(Verb.SHARE, name.namespace, f"{name.id}/shares")
        self._own(name, caller.subject)
        items, more = page_of(self.parts.store.shares(name, wanted.page), wanted.page.limit)
        return api.ListAgentInstanceSharesResponse(shares=[share_message(item) for item in items], page=more)

    def revoke_share(
        self, request: api.RevokeAgentInstanceShareRequest, call: Call
    ) -> api.RevokeAgentInstanceShareResponse:
        """Drop a share of the caller's own."""
        name = valid(read_share(request.namespace, request.share_id))
        caller = call.allowed(Verb.SHARE, name.namespace, f"shares/{name.id}")
        if not self.parts.store.revoke_share(name, caller.subject):
            raise no_share()
        return api.RevokeAgentInstanceShareResponse()

    def _own(self, name: InstanceName, creator: str) -> Instance:
        found = self.parts.store.instance(name)
        if found is None or found.creator != creator or found.standing.state is State.DELETED:
            raise no_instance()
        return found
