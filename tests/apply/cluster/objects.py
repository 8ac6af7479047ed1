"""Objects for these tests: the committed ones of the incident example, and variations of them."""

from __future__ import annotations

import copy
from functools import cache
from typing import Any, Final

import yaml

from kagent_apply.cluster.live import Identity, LiveObject, LiveTemplate, Readiness
from kagent_apply.cluster.ownership import Owners
from tests.running import EXAMPLE

NAMESPACE: Final = "agent-team"
COORDINATOR: Final = "incident-coordinator-python-runtime-66d353eb69b6"
_PAIR: Final = "rendered/agent-team/python-runtime/incident-coordinator"


@cache
def _manifest(name: str) -> dict[str, Any]:
    path = EXAMPLE / _PAIR / "actortemplates" / f"{name}.yaml"
    value: dict[str, Any] = yaml.load(path.read_text(), yaml.CSafeLoader)
    return value


def actor_template(namespace: str = NAMESPACE, name: str = COORDINATOR) -> dict[str, Any]:
    """The committed ActorTemplate, in a namespace of one's own."""
    value = copy.deepcopy(_manifest(name))
    value["metadata"]["namespace"] = namespace
    return value


@cache
def coordinator_lock() -> dict[str, Any]:
    """The lock of the pair."""
    value: dict[str, Any] = yaml.load((EXAMPLE / _PAIR / "revision.lock.yaml").read_text(), yaml.CSafeLoader)
    return value


def identity(name: str = COORDINATOR, namespace: str = NAMESPACE, **fields: Any) -> Identity:
    """An object's identity, as far as it matters."""
    known = {
        "api_version": "ate.dev/v1alpha1",
        "uid": f"uid-{namespace}-{name}",
        "resource_version": "1",
        "generation": 1,
    }
    return Identity(namespace=namespace, name=name, **{**known, **fields})


def live_template(
    name: str, namespace: str = NAMESPACE, *, is_ours: bool = True, **fields: Any
) -> LiveTemplate:
    """A live ActorTemplate of the pair `runtime/agent`."""
    return LiveTemplate(
        identity(name, namespace, **fields), "sha256:0", Readiness.READY, "runtime", "agent", is_ours
    )


def live_object(
    name: str,
    status: dict[tuple[str, ...], Any] | None = None,
    owners: Owners | None = None,
    *,
    version: str = "v1alpha3",
    **fields: Any,
) -> LiveObject:
    """A live Harness or AgentTemplate."""
    whole = identity(name, **{"api_version": f"kagent.dev/{version}", **fields})
    return LiveObject(whole, "sha256:spec", status or {}, owners or Owners())
