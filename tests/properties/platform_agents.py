"""PlatformAgents and plugins as values, alone and as generated repositories."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from hypothesis import strategies as st

from tests.properties import manifests as make
from tests.properties.repositories import CONFIG

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.properties.manifests import Manifest

API: Final = "kubeagents.x-k8s.io/v1alpha1"
CONFIGURED: Final = {**CONFIG, "spec": {**CONFIG["spec"], "kubeVersion": "1.35"}}
"""RenderConfig for a cluster that has image volumes."""

ENV: Final[tuple[dict[str, Any], ...]] = (
    {"name": "TOKEN", "valueFrom": {"secretKeyRef": {"name": "plugins", "key": "token"}}},
    {"name": "LEVEL", "value": "debug"},
    {"name": "LEVEL_OF_OTHERS"},
    {"name": "HOME", "value": "/elsewhere"},
    {"name": "NODE", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}},
)
CONFIGS: Final = (
    "",
    "# nothing\n",
    "platform_toolsets:\n  google_chat: [stockout, 'yes', no]\n",
    "platforms: {slack: {enabled: true, extra: {list: [1, 1.0, {a: 1}]}}}\napprovals: {mode: off}\n",
    "platforms:\n  pubsub:\n    enabled: true\n    text: |\n      two\n      lines – äöü 漢字\n",
    "approvals:\n",
)
SPECS: Final[tuple[dict[str, Any], ...]] = (
    {},
    {"integration": {"slack": {"enabled": True, "allowedUsers": ["U1"]}}},
    {"deployment": {"replicas": 2, "env": [{"name": "LEVEL", "value": "info"}]}},
)
HARNESSES: Final[tuple[dict[str, Any], ...]] = (
    {},
    {"hermes": {"agentHome": "/srv/agent"}},
    {"tuning": {"maxInProgress": 3, "default": {"maxTurns": 9}, "cluster": {"apiMaxRetries": 1}}},
    {"experimental": {"platformFrontDoor": True}, "memory": {"provider": "hindsight"}},
)


def agent(name: str, namespace: str = "team", **spec: Any) -> Manifest:
    """A PlatformAgent; `harness` is added to what every one has."""
    harness = {"clusterName": "c", "location": "l", "projectId": "p", **spec.pop("harness", {})}
    return make.manifest(API, "PlatformAgent", name, namespace, spec={"harness": harness, **spec})


def plugin(name: str, of: str, namespace: str = "team", **spec: Any) -> Manifest:
    """A plugin whose image has a digest."""
    image = f"registry.example.com/plugins/{name}@sha256:{make.ZEROS}"
    return make.manifest(API, "AgentPlugin", name, namespace, spec={"agentRef": of, "image": image, **spec})


@st.composite
def platform_agents(draw: Callable[..., Any], namespace: str = "team") -> list[Manifest]:
    """One or two agents with up to five plugins, none of which is at fault."""
    names = draw(st.sampled_from([["keeper"], ["keeper", "concierge"]]))
    agents = [
        agent(name, namespace, harness=draw(st.sampled_from(HARNESSES)), **draw(st.sampled_from(SPECS)))
        for name in names
    ]
    titles = draw(st.lists(st.sampled_from(["a", "b", "a2", "a10", "zz"]), unique=True, max_size=5))
    return [*agents, *(draw(_plugins(title, names, namespace)) for title in titles)]


@st.composite
def _plugins(draw: Callable[..., Any], name: str, agents: list[str], namespace: str) -> Manifest:
    spec: dict[str, Any] = {"config": draw(st.sampled_from(CONFIGS))}
    spec["env"] = draw(st.lists(st.sampled_from(ENV), unique_by=lambda entry: entry["name"], max_size=3))
    if profile := draw(st.sampled_from(["", "platform", "cluster-a"])):
        spec["targetProfile"] = profile
    if policy := draw(st.sampled_from(["", "Always"])):
        spec["imagePullPolicy"] = policy
    return plugin(name, draw(st.sampled_from(agents)), namespace, **spec)
