"""What a root's agents are made of, as values for every drawing: trees, runtimes, and what each uses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kagent_render.api.hub import Isolation

if TYPE_CHECKING:
    from kagent_render.diagnostics.diagnostic import PairRef, PlatformAgentRef

Marked = frozenset[tuple[str, str]]
"""Agents by pair and binding path, and plugins by PlatformAgent and name."""


@dataclass(frozen=True, slots=True)
class Use:
    """One thing that an agent, a Harness or a plugin uses.

    `kind` is Kubernetes' kind, or `Artifact` or `Image`. `through` names, as `KIND/NAME`, what leads to it
    where it is not used directly. `keys` are those of a ConfigMap or Secret, None where they are not known;
    `details` is what is selected: tools, skills, the model. `path` is its source file, None where no manifest
    is known. `spellings` are other names of an artifact or an image.
    """

    kind: str
    name: str
    details: tuple[str, ...] = ()
    keys: tuple[str, ...] | None = ()
    through: str = ""
    path: str | None = None
    spellings: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """`KIND/NAME`."""
        return f"{self.kind}/{self.name}"

    def place(self, namespace: str) -> str:
        """The namespace of what is used by an object of `namespace`; artifacts and images have none."""
        return "" if self.kind in ("Artifact", "Image") else namespace


@dataclass(frozen=True, slots=True)
class AgentView:
    """One agent of a pair's tree: `path` and `parent` are binding paths, `boundary` that of its runtime."""

    path: str
    name: str
    template: str
    isolation: Isolation
    parent: str | None
    boundary: str
    source: str
    uses: tuple[Use, ...]


@dataclass(frozen=True, slots=True)
class RuntimeView:
    """One boundary; `actor_template` is empty and `egress` too where it could not be compiled.

    `bindings` are the headers of hosts where the egress gateway puts credentials in.
    """

    path: str
    actor_template: str = ""
    egress: tuple[str, ...] = ()
    bindings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class HarnessView:
    """What runs a pair; `variant` is empty where the Harness is not there or not valid."""

    name: str
    variant: str = ""
    source: str | None = None
    uses: tuple[Use, ...] = ()

    @property
    def label(self) -> str:
        """The name, with the variant in brackets where it is known."""
        return f"{self.name} ({self.variant})" if self.variant else self.name


@dataclass(frozen=True, slots=True)
class PairView:
    """One pair; `problem` is the reason that keeps it from being prepared, empty where nothing does.

    `agents` are in tree order, as far as the tree is known, and `runtimes` too.
    """

    pair: PairRef
    problem: str
    harness: HarnessView
    agents: tuple[AgentView, ...]
    runtimes: tuple[RuntimeView, ...]

    def bound_by(self, path: str) -> tuple[AgentView, ...]:
        """The agents that the one at a binding path binds."""
        return tuple(agent for agent in self.agents if agent.parent == path)

    def runtime(self, path: str) -> RuntimeView:
        """The runtime of a boundary."""
        return next((found for found in self.runtimes if found.path == path), RuntimeView(path))


@dataclass(frozen=True, slots=True)
class PluginView:
    """One AgentPlugin of a PlatformAgent; `status` is the reason of its condition, empty where unknown."""

    name: str
    profile: str
    status: str
    ready: bool
    rendered: bool
    source: str
    uses: tuple[Use, ...]


@dataclass(frozen=True, slots=True)
class PlatformView:
    """One PlatformAgent with its plugins, by name."""

    agent: PlatformAgentRef
    problem: str
    source: str | None
    plugins: tuple[PluginView, ...]


@dataclass(frozen=True, slots=True)
class Known:
    """An object of the repository and its file, whether or not anything uses it."""

    namespace: str
    kind: str
    name: str
    path: str


@dataclass(frozen=True, slots=True)
class Overview:
    """Everything of one root; `config` is the path of its RenderConfig, `settings` what all pairs take of it.

    `objects` are all that the repository has. `root` names it where there are several. `marked` are agents
    that stand out, by pair and binding path, and plugins, by PlatformAgent and name.
    """

    pairs: tuple[PairView, ...] = ()
    agents: tuple[PlatformView, ...] = ()
    config: str = ""
    settings: tuple[Use, ...] = ()
    objects: tuple[Known, ...] = ()
    root: str = ""
    marked: Marked = frozenset()

    def named(self, view: PairView | PlatformView) -> str:
        """The name of one of the views, with the root where there are several."""
        own = str(view.pair if isinstance(view, PairView) else view.agent)
        return f"{self.root}: {own}" if self.root else own
