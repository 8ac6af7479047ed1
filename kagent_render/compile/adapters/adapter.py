"""What every adapter is and gives: its identity, and the variables that configure its runtime."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from kagent_render.compile.environment import EnvVar, Provenance

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kagent_render.compile.bundle import Bundle
    from kagent_render.compile.capabilities.record import CapabilityRecord
    from kagent_render.compile.policy import Policy
    from kagent_render.compile.provider import Provider
    from kagent_render.compile.requirement import Requirement
    from kagent_render.diagnostics.diagnostic import Diagnostic

    KeyHeaders = Mapping[str, tuple[tuple[str, str], ...]]
    """By variable, the header that carries its value, with what stands before it; more than one where
    that depends on a client's version."""

CONFIG_VARIABLE = "KAGENT_CONFIG_JSON"
CARD_VARIABLE = "KAGENT_AGENT_CARD_JSON"
FILES_VARIABLE = "KAGENT_FILES_JSON"


@dataclass(frozen=True, slots=True)
class ModelVariable:
    """A variable that the model of one agent needs, and the field that chose the model."""

    variable: EnvVar
    chosen_by: Provenance


@dataclass(frozen=True, slots=True)
class AdapterOutput:
    """A runtime's configuration: `models` and `servers` before the fixed variables, `documents` after them.

    `models` holds what each agent's model needs, root first, `servers` the credentials of MCP servers in
    the order of the tools.
    """

    name: str
    format: int
    models: tuple[ModelVariable, ...]
    servers: tuple[EnvVar, ...]
    documents: tuple[EnvVar, ...]
    faults: tuple[Diagnostic, ...] = ()

    @property
    def env(self) -> tuple[EnvVar, ...]:
        """The variables before the Harness's own."""
        return (*(model.variable for model in self.models), *self.servers)


@dataclass(frozen=True, slots=True)
class Places:
    """Where the values of one agent stand in a runtime's configuration, below the container's `env`.

    `tools` and `skills` go by their position in the agent's own lists, `headers` leads from the place of a
    tool to the headers of its server. A place is empty where a runtime has none for that value. `named` is
    the agent's name as the runtime has it.
    """

    name: str
    named: str
    description: str
    model: str
    instruction: str
    tools: tuple[str, ...]
    skills: tuple[str, ...]
    headers: str = "headers"


class Adapter(Protocol):
    """One runtime variant: a pure function from a bundle to what that runtime reads.

    FORMAT is raised when the same bundle would be written as other bytes. CREDENTIAL_PREFIX begins the names
    of the variables that carry Secrets into the headers of MCP servers; KEY_HEADERS says how the runtime's
    clients of models send the key that a variable holds.
    """

    NAME: str
    FORMAT: int
    CREDENTIAL_PREFIX: str
    KEY_HEADERS: KeyHeaders

    def adapt(self, bundle: Bundle, policy: Policy, record: CapabilityRecord) -> AdapterOutput:
        """Write the configuration of one boundary for the runtime that `record` describes."""
        ...

    def origins(self, provider: Provider) -> tuple[str, ...]:
        """What the runtime contacts for a model, which need not be the provider's own endpoint."""
        ...

    def places(self, bundle: Bundle) -> Mapping[str, Places]:
        """Where each agent's values stand in that configuration, by binding path."""
        ...

    def reserves(self, name: str) -> bool:
        """Whether a variable decides what the runtime does, so that no Harness may set it."""
        ...

    def writes(self, requirement: Requirement) -> bool:
        """Whether the configuration has a place for what a field needs."""
        ...
