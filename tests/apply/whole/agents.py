"""The agents of the examples as a repository commits them, and how that changes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.apply.revisions.world import HARNESS, NAMESPACE, Upstream, edition, folder, revision

__all__ = ["BOUNDARIES", "HARNESS", "NAMESPACE", "agent", "edition", "revision", "upstream", "without"]

BOUNDARIES = {"coordinator": 2, "researcher": 1, "reviewer": 1}
"""How many Actors an instance of each agent has."""


def agent(name: str) -> dict[str, Any]:
    """The fields of a request that name an agent."""
    return {"namespace": NAMESPACE, "harness": HARNESS, "agent_template": f"incident-{name}"}


def upstream(place: Path, example: str = "substrate-v0.4", number: int = 1) -> Upstream:
    """A repository with an edition of an example."""
    made = Upstream.make(place)
    made.commit(edition(number, example))
    return made


def without(files: Mapping[str, bytes], name: str) -> dict[str, bytes]:
    """Some files after an agent was removed, and the rest rendered again."""
    left = {path: data for path, data in files.items() if not path.startswith(folder(name) + "/")}
    listing = f"rendered/{NAMESPACE}/kustomization.yaml"
    return {**left, listing: left[listing].replace(f"- {HARNESS}/incident-{name}\n".encode(), b"")}
