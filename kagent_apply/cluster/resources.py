"""The kinds of a cluster that are watched, and where an API server has them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from urllib.parse import quote


@dataclass(frozen=True, slots=True)
class Resource:
    """A kind whose objects have namespaces; `versions` are asked for in their order, until one is served."""

    group: str
    plural: str
    kind: str
    versions: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.plural}.{self.group}"

    def collection(self, version: str, namespace: str) -> str:
        """The path of all objects of a namespace, or of all namespaces where it is empty."""
        inside = f"/namespaces/{quote(namespace, safe='')}" if namespace else ""
        return f"/apis/{self.group}/{version}{inside}/{self.plural}"

    def item(self, version: str, namespace: str, name: str) -> str:
        """The path of one object."""
        return f"{self.collection(version, namespace)}/{quote(name, safe='')}"


ACTOR_TEMPLATES: Final = Resource("ate.dev", "actortemplates", "ActorTemplate", ("v1alpha1",))
WORKER_POOLS: Final = Resource("ate.dev", "workerpools", "WorkerPool", ("v1alpha1",))
HARNESSES: Final = Resource("kagent.dev", "harnesses", "Harness", ("v1alpha3", "v1alpha2"))
AGENT_TEMPLATES: Final = Resource("kagent.dev", "agenttemplates", "AgentTemplate", ("v1alpha3", "v1alpha2"))

WATCHED: Final = (ACTOR_TEMPLATES, WORKER_POOLS, HARNESSES, AGENT_TEMPLATES)
"""All that is watched."""
