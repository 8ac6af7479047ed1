"""Every object of our own kinds has a digest, or is told and broken."""

from __future__ import annotations

import pytest

from kagent_render.api.decoding import decode
from kagent_render.revision.spec_digest import Digested, digest_specs
from kagent_render.source.document import Document
from tests.manifests import HARNESS, documents, told

PLUGIN = """\
apiVersion: kubeagents.x-k8s.io/v1alpha1
kind: AgentPlugin
metadata: {namespace: team, name: stockout}
spec: {agentRef: platform-agent, image: i, targetProfile: %s}
"""
AGENT = """\
apiVersion: kubeagents.x-k8s.io/v1alpha1
kind: PlatformAgent
metadata: {namespace: team, name: platform-agent}
spec: {harness: {clusterName: c, location: l, projectId: p}, limit: %s}
"""


def digested(*texts: str) -> tuple[Digested, list[tuple[str, str | None]]]:
    """The digests of manifests that decode, and what is told of them."""
    found, faults = digest_specs(decode(documents(*texts))[0])
    return found, told(faults)


def test_every_object_of_ours_has_a_digest() -> None:
    found, faults = digested(HARNESS, PLUGIN % "a", AGENT % 1)
    assert faults == []
    assert sorted(str(ref) for ref in found.digests.of) == [
        "AgentPlugin/stockout",
        "Harness/runtime",
        "PlatformAgent/platform-agent",
    ]


def test_a_profile_that_is_empty_has_the_digest_of_none() -> None:
    (empty, _), (none, _) = digested(PLUGIN % "''"), digested(PLUGIN % "~")
    assert empty.digests.of == none.digests.of


@pytest.mark.parametrize(("text", "kind"), [(PLUGIN % "a", "AgentPlugin"), (AGENT % 1, "PlatformAgent")])
def test_what_has_no_canonical_form_is_told_and_broken(text: str, kind: str) -> None:
    (document,) = documents(text)
    field = "config" if kind == "AgentPlugin" else "limit"
    value = {**document.value, "spec": {**document.value["spec"], field: "half a pair: \ud800"}}
    inventory, faults = decode([Document("a.yaml", value, document.locator)])
    assert faults == []
    found, faults = digest_specs(inventory)
    assert told(faults) == [("InvalidSpec", f"spec.{field}")]
    assert [broken[0] for broken in found.inventory.broken] == [kind]
