"""The hub: what every dialect of the input kinds is decoded to, frozen and free of versions.

`spec` is the manifest's spec with the API server's defaults applied and nulls pruned; its digest stands for
the object's generation. `document` gives the source position of any field.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from kagent_render.api.kubeagents import AgentPlugin, PlatformAgent
from kagent_render.api.sourced import Sourced

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kagent_render.diagnostics.diagnostic import Diagnostic


class Variant(StrEnum):
    """The typed runtime variants of a Harness."""

    PYTHON = "python"
    KAGENT = "kagent"
    CLAUDE = "claude"
    CODEX = "codex"


class Isolation(StrEnum):
    """Whether a bound template shares its parent's runtime boundary."""

    SHARED = "Shared"
    DEDICATED = "Dedicated"


@dataclass(frozen=True, slots=True)
class LabelRequirement:
    """One `matchExpressions` entry; `operator` is In, NotIn, Exists or DoesNotExist."""

    key: str
    operator: str
    values: tuple[str, ...] = ()

    def admits(self, labels: Mapping[str, str]) -> bool:
        """Whether `labels` satisfy this requirement, as Kubernetes evaluates it."""
        if self.operator == "Exists":
            return self.key in labels
        if self.operator == "DoesNotExist":
            return self.key not in labels
        chosen = self.key in labels and labels[self.key] in self.values
        return chosen if self.operator == "In" else not chosen


@dataclass(frozen=True, slots=True)
class LabelSelector:
    """A Kubernetes label selector; without requirements it admits everything."""

    requirements: tuple[LabelRequirement, ...] = ()

    def admits(self, labels: Mapping[str, str]) -> bool:
        """Whether every requirement admits `labels`."""
        return all(requirement.admits(labels) for requirement in self.requirements)


@dataclass(frozen=True, slots=True)
class SecretKeyRef:
    """A key of a same-namespace Secret; the value behind it is never read."""

    name: str
    key: str
    optional: bool = False


@dataclass(frozen=True, slots=True)
class EnvEntry:
    """One Harness environment entry: a literal or a credential reference, never both."""

    name: str
    value: str | None = None
    credential: SecretKeyRef | None = None


@dataclass(frozen=True, slots=True)
class Harness(Sourced):
    """A reusable runtime with its infrastructure policy.

    `admission` None admits no template. `image`, `worker_pool` and `snapshot_location` are None where the
    manifest leaves them to RenderConfig (v1alpha2 only).
    """

    variant: Variant
    image: str | None
    env: tuple[EnvEntry, ...]
    worker_pool: str | None
    snapshot_location: str | None
    admission: LabelSelector | None


@dataclass(frozen=True, slots=True, order=True)
class OciSource:
    """An OCI image pinned by digest: `<reference>@sha256:<64 hex>`."""

    reference: str


@dataclass(frozen=True, slots=True, order=True)
class GitSource:
    """A full Git commit of an http(s) repository; `commit` is 40 or 64 lower-case hex digits."""

    url: str
    commit: str


@dataclass(frozen=True, slots=True, order=True)
class S3Source:
    """One version of one S3 object; endpoint and region None where the manifest leaves them out."""

    bucket: str
    key: str
    version_id: str
    endpoint: str | None = None
    region: str | None = None


Origin = OciSource | GitSource | S3Source


@dataclass(frozen=True, slots=True)
class ArtifactSource:
    """One immutable artifact and the directory inside it; `path` is empty for its root."""

    origin: Origin
    path: str = ""


@dataclass(frozen=True, slots=True)
class McpBinding:
    """Explicitly selected tools of one same-namespace MCP server."""

    server_kind: str
    server_name: str
    tools: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AgentBinding:
    """Another same-namespace AgentTemplate as a logical tool."""

    name: str
    description: str
    template: str
    isolation: Isolation


ToolBinding = McpBinding | AgentBinding


@dataclass(frozen=True, slots=True)
class ConfigMapKeyRef:
    """A key of a same-namespace ConfigMap."""

    name: str
    key: str


@dataclass(frozen=True, slots=True)
class PromptSource:
    """A ConfigMap that `include` can read, under its alias or its name."""

    config_map: str
    alias: str | None = None

    @property
    def identifier(self) -> str:
        """The name that `include` uses: an alias replaces the ConfigMap's name."""
        return self.alias or self.config_map


@dataclass(frozen=True, slots=True)
class Skill:
    """A standalone Agent Skill."""

    name: str
    source: ArtifactSource


@dataclass(frozen=True, slots=True)
class PluginBundle:
    """Agent Skills selected from one Agent Plugins package."""

    source: ArtifactSource
    skills: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AgentTemplate(Sourced):
    """One agent's behaviour and tools.

    `prompt_sources` None means that the prompt is not a template at all; `harnesses` None means that the
    dialect has no include list (v1alpha3), so that the Harness's selector alone decides.
    """

    labels: Mapping[str, str]
    description: str
    model_config: str
    system_prompt: str | ConfigMapKeyRef
    prompt_sources: tuple[PromptSource, ...] | None
    tools: tuple[ToolBinding, ...]
    skills: tuple[Skill, ...]
    plugins: tuple[PluginBundle, ...]
    harnesses: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class ModelConfig(Sourced):
    """A model and its provider; the provider's block stays in `spec`."""

    provider: str
    model: str


class McpProtocol(StrEnum):
    """The transport of an MCP server."""

    SSE = "SSE"
    STREAMABLE_HTTP = "STREAMABLE_HTTP"


@dataclass(frozen=True, slots=True)
class Header:
    """One request header: a literal, a ConfigMap key or a Secret key."""

    name: str
    value: str | ConfigMapKeyRef | SecretKeyRef


@dataclass(frozen=True, slots=True)
class Tls:
    """The TLS settings of a model endpoint or an MCP server."""

    disable_verify: bool = False
    disable_system_cas: bool = False
    ca_cert: SecretKeyRef | None = None


@dataclass(frozen=True, slots=True)
class McpServer(Sourced):
    """A RemoteMCPServer or a converted MCPServer; time-outs in seconds, None where unset.

    `terminate_on_close` is None for a protocol that has no such setting.
    """

    url: str
    protocol: McpProtocol
    headers: tuple[Header, ...]
    timeout: float | None
    sse_read_timeout: float | None
    terminate_on_close: bool | None
    tls: Tls | None


@dataclass(frozen=True, slots=True)
class ConfigMap(Sourced):
    """A ConfigMap's text; `binary` names the keys that hold bytes and are no text."""

    data: Mapping[str, str]
    binary: frozenset[str]


@dataclass(frozen=True, slots=True)
class Secret(Sourced):
    """The name and key names of a Secret, SealedSecret or ExternalSecret; never a value."""

    keys: frozenset[str]


Resource = (
    Harness | AgentTemplate | ModelConfig | McpServer | ConfigMap | Secret | AgentPlugin | PlatformAgent
)


@dataclass(frozen=True, slots=True)
class Inventory:
    """Every decoded object of a repository, by (namespace, name).

    `broken` holds the identities (kind, namespace, name) of documents that exist but could not be decoded,
    so that what needs them is blocked rather than told that they are missing. MCP servers are keyed by
    (kind, namespace, name). `unreported` holds, by the same identity, what is wrong with ConfigMaps and
    Secrets: told only by who meets a reference to one.
    """

    harnesses: Mapping[tuple[str, str], Harness]
    templates: Mapping[tuple[str, str], AgentTemplate]
    model_configs: Mapping[tuple[str, str], ModelConfig]
    mcp_servers: Mapping[tuple[str, str, str], McpServer]
    config_maps: Mapping[tuple[str, str], ConfigMap]
    secrets: Mapping[tuple[str, str], Secret]
    broken: frozenset[tuple[str, str, str]] = frozenset()
    unreported: Mapping[tuple[str, str, str], tuple[Diagnostic, ...]] = field(default_factory=dict)
    agent_plugins: Mapping[tuple[str, str], AgentPlugin] = field(default_factory=dict)
    platform_agents: Mapping[tuple[str, str], PlatformAgent] = field(default_factory=dict)
