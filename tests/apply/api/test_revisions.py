"""The messages of RevisionService, by their numbers: clients that exist go on understanding them."""

from __future__ import annotations

import pytest

from kagent_apply.api.gitops.v1alpha1 import revisions_pb2

FIELDS = {
    "Pair": "namespace=1 harness=2 agent_template=3 serving=4 committed=5 commit=6 problem=7",
    "ListRevisionsRequest": "namespace=1 page=2",
    "ListRevisionsResponse": "pairs=1 page=2 problem=3",
    "ListActorTemplatesInUseRequest": "namespace=1",
    "ListActorTemplatesInUseResponse": "actor_templates=1",
}


@pytest.mark.parametrize("message", FIELDS)
def test_a_message_has_these_numbers_and_no_others(message: str) -> None:
    found = revisions_pb2.DESCRIPTOR.message_types_by_name[message].fields
    assert " ".join(f"{field.name}={field.number}" for field in found) == FIELDS[message]


def test_the_service_has_these_calls() -> None:
    assert set(revisions_pb2.DESCRIPTOR.message_types_by_name) == set(FIELDS)
    service = revisions_pb2.DESCRIPTOR.services_by_name["RevisionService"]
    assert service.full_name == "kagent.gitops.v1alpha1.RevisionService"
    assert [call.name for call in service.methods] == ["ListRevisions", "ListActorTemplatesInUse"]
