"""Where each file of the output folder stands, and to whom a path there belongs.

All paths are relative to the output folder and use `/`.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from enum import Enum
from typing import Final

from kagent_render.diagnostics.diagnostic import PairRef, PlatformAgentRef
from kagent_render.target import actor_template as target

ATTRIBUTES: Final = ".gitattributes"
KUSTOMIZATION: Final = "kustomization.yaml"
LOCK: Final = "revision.lock.yaml"
AGENT_PLUGINS: Final = "_agentplugins"
"""The folder of a namespace with a Component for each PlatformAgent; no Harness can have its name."""

COMPONENT_FILES: Final = ("configmap.yaml", "gateway.yaml", "status.yaml")
"""What a PlatformAgent's Component holds beside its lock and its kustomization."""

DEEPEST: Final = 5
"""The number of segments of the deepest path: a manifest's."""

_NAMESPACE: Final = re.compile(r"[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?")
_NAME: Final = re.compile(r"[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?")
_HASH: Final = re.compile(r"-[0-9a-f]{12}")
_TEMPORARY: Final = re.compile(r"((?:.*/)?)\.([^/]+)\.kagent-render~")
_READABLE_LENGTH: Final = 50


Owner = PairRef | PlatformAgentRef
"""To whom a folder of the output belongs."""


class Role(Enum):
    """What a file of the output folder is for."""

    MANIFEST = "manifest"
    LOCK = "lock"
    KUSTOMIZATION = "kustomization"
    ATTRIBUTES = "attributes"


@dataclass(frozen=True, slots=True)
class Place:
    """The role of a path and whom it belongs to; None where it serves several."""

    role: Role
    owner: Owner | None = None

    @property
    def pair(self) -> PairRef | None:
        """The pair that the path belongs to; None where it belongs to a PlatformAgent, or serves several."""
        return self.owner if isinstance(self.owner, PairRef) else None


_SHARED: Final = {ATTRIBUTES: Place(Role.ATTRIBUTES), KUSTOMIZATION: Place(Role.KUSTOMIZATION)}


def is_representable(pair: PairRef) -> bool:
    """Whether a pair has a folder: its names are Kubernetes' and none is that of a file beside it."""
    return (
        _NAMESPACE.fullmatch(pair.namespace) is not None
        and all(_NAME.fullmatch(name) for name in (pair.harness, pair.template))
        and pair.harness != KUSTOMIZATION
    )


@functools.lru_cache(maxsize=65_536)
def pair_folder(pair: PairRef) -> str:
    """The folder of a pair; raises ValueError where it is not representable."""
    if not is_representable(pair):
        raise ValueError(f"`{pair}` has no folder")
    return f"{pair.namespace}/{pair.harness}/{pair.template}"


def agent_folder(agent: PlatformAgentRef) -> str:
    """The folder of a PlatformAgent; raises ValueError where its names cannot be paths."""
    if not _NAMESPACE.fullmatch(agent.namespace) or not _NAME.fullmatch(agent.name):
        raise ValueError(f"`{agent}` has no folder")
    return f"{agent.namespace}/{AGENT_PLUGINS}/{agent.name}"


def owner_folder(owner: Owner) -> str:
    """The folder of a pair or of a PlatformAgent."""
    return pair_folder(owner) if isinstance(owner, PairRef) else agent_folder(owner)


def lock_path(owner: Owner) -> str:
    """The path of the lock of a pair or of a PlatformAgent."""
    return f"{owner_folder(owner)}/{LOCK}"


def manifest_path(pair: PairRef, actor_template: str) -> str:
    """The path of one ActorTemplate of a pair; raises ValueError at a name that is not an object's."""
    if not _NAME.fullmatch(actor_template):
        raise ValueError(f"`{actor_template}` is not the name of an object")
    return f"{pair_folder(pair)}/{target.manifest_path(actor_template)}"


def temporary_path(path: str) -> str:
    """Where the file for `path` is written before it takes its place."""
    folder, separator, name = path.rpartition("/")
    return f"{folder}{separator}.{name}.kagent-render~"


def temporary_target(path: str) -> str | None:
    """The path that a temporary file was meant for; None where `path` is not one of ours."""
    found = _TEMPORARY.fullmatch(path)
    target = found[1] + found[2] if found else ""
    return target if place_of(target) is not None else None


def place_of(path: str) -> Place | None:
    """What a path is for by its shape alone; None where this program writes no such path."""
    parts = path.split("/")
    if len(parts) == 1:
        return _SHARED.get(path)
    if len(parts) == 2:
        return (
            _SHARED[KUSTOMIZATION] if _NAMESPACE.fullmatch(parts[0]) and parts[1] == KUSTOMIZATION else None
        )
    if len(parts) < 4:
        return None
    if parts[1] == AGENT_PLUGINS:
        return _place_of_agent(PlatformAgentRef(parts[0], parts[2]), "/".join(parts[3:]))
    pair = PairRef(*parts[:3])
    role = _role_in_pair(pair, "/".join(parts[3:])) if is_representable(pair) else None
    return Place(role, pair) if role else None


_AGENT_ROLES: Final = {
    LOCK: Role.LOCK,
    KUSTOMIZATION: Role.KUSTOMIZATION,
    **dict.fromkeys(COMPONENT_FILES, Role.MANIFEST),
}


def _place_of_agent(agent: PlatformAgentRef, name: str) -> Place | None:
    named = _NAMESPACE.fullmatch(agent.namespace) and _NAME.fullmatch(agent.name)
    return Place(_AGENT_ROLES[name], agent) if named and name in _AGENT_ROLES else None


def _role_in_pair(pair: PairRef, path: str) -> Role | None:
    if path in (LOCK, KUSTOMIZATION):
        return Role.LOCK if path == LOCK else Role.KUSTOMIZATION
    name = path.rpartition("/")[2].removesuffix(".yaml")
    return Role.MANIFEST if path == target.manifest_path(name) and _is_named_for(pair, name) else None


def _is_named_for(pair: PairRef, name: str) -> bool:
    """Whether an ActorTemplate's name is one that the pair's boundaries get (DESIGN 12)."""
    readable = f"{pair.template}-{pair.harness}"[:_READABLE_LENGTH].rstrip("-.")
    # Some generations have no dots in names.
    begins = name.startswith((f"{readable}-", f"{readable}-".replace(".", "-")))
    return begins and _HASH.fullmatch(name, len(name) - 13) is not None
