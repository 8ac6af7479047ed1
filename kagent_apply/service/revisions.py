"""RevisionService: what is committed, and which ActorTemplates instances need."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kagent_apply.api.gitops.v1alpha1 import revisions_pb2 as api
from kagent_apply.api.v1alpha1.common_pb2 import PageResponse
from kagent_apply.auth.port import Verb
from kagent_apply.instances.field_rules import DEFAULT_LIMIT, namespace_faults
from kagent_apply.service.call import valid
from kagent_apply.service.method import Method, unary
from kagent_apply.service.pair_pages import key_of, page_faults, pair_token, read_pair_token

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kagent_apply.revisions.port import PairStatus
    from kagent_apply.service.call import Call
    from kagent_apply.service.parts import Parts


@dataclass(frozen=True, slots=True)
class RevisionCalls:
    """The calls of RevisionService."""

    parts: Parts

    def methods(self) -> tuple[Method, ...]:
        """All of them."""
        return (
            unary(api.ListRevisionsRequest, self.list),
            unary(api.ListActorTemplatesInUseRequest, self.in_use),
        )

    def list(self, request: api.ListRevisionsRequest, call: Call) -> api.ListRevisionsResponse:
        """A page of the pairs of one namespace, or of all that the caller may list."""
        faults = [
            *(namespace_faults(request.namespace) if request.namespace else ()),
            *page_faults(request.page),
        ]
        asked = valid(faults or request)
        limit, after = asked.page.limit or DEFAULT_LIMIT, read_pair_token(asked.page.page_token)
        listed = self._pairs(asked.namespace, call)
        found = [pair for pair in listed if after is None or key_of(pair) > after]
        more = pair_token(found[limit - 1]) if len(found) > limit else ""
        return api.ListRevisionsResponse(
            pairs=[_message(pair) for pair in found[:limit]],
            page=PageResponse(next_page_token=more),
            problem=self.parts.revisions.problem() if listed or self._may_know(asked.namespace, call) else "",
        )

    def in_use(
        self, request: api.ListActorTemplatesInUseRequest, call: Call
    ) -> api.ListActorTemplatesInUseResponse:
        """The ActorTemplates of a namespace that instances need, whoever created them."""
        namespace = valid([*namespace_faults(request.namespace)] or request).namespace
        call.allowed(Verb.LIST, namespace)  # whose instances need them is not told
        names = self.parts.store.actor_templates().get(namespace, ())
        return api.ListActorTemplatesInUseResponse(actor_templates=sorted(names))

    def _may_know(self, namespace: str, call: Call) -> bool:
        """Whether the problem of the ref, which says where that is, is for a caller who is told no pair."""
        return bool(namespace) or call.may(Verb.LIST, "")  # the namespace of a rule for all of them

    def _pairs(self, namespace: str, call: Call) -> Sequence[PairStatus]:
        if namespace:
            call.allowed(Verb.LIST, namespace)
            return self.parts.revisions.pairs(namespace)
        pairs = self.parts.revisions.pairs()
        call.of_all(Verb.LIST)  # also where there is nothing to tell
        listed = {name for name in {pair.agent.namespace for pair in pairs} if call.may(Verb.LIST, name)}
        return [pair for pair in pairs if pair.agent.namespace in listed]


def _message(pair: PairStatus) -> api.Pair:
    return api.Pair(
        namespace=pair.agent.namespace,
        harness=pair.agent.harness,
        agent_template=pair.agent.agent_template,
        serving=pair.serving,
        committed=pair.committed,
        commit=pair.commit,
        problem=pair.problem,
    )
