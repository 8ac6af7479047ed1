"""Looks up everything that one template refers to, and says what is missing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kagent_render.api.hub import ConfigMapKeyRef, McpBinding
from kagent_render.compile.artifact_pins import pin_artifacts
from kagent_render.compile.mcp import ResolvedServer, resolve_server
from kagent_render.compile.provider import Provider, resolve_provider
from kagent_render.compile.resolved import ResolvedTemplate, UsedInput
from kagent_render.diagnostics.reasons import Reason
from kagent_render.graph.nearest import nearest_name
from kagent_render.prompt.composition import Prompt, compose_prompt
from kagent_render.revision.canonical_json import digest, text_digest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kagent_render.api.hub import (
        AgentTemplate,
        ConfigMap,
        Inventory,
        McpServer,
        ModelConfig,
        Secret,
    )
    from kagent_render.api.sourced import Sourced
    from kagent_render.compile.artifact_pins import Packages
    from kagent_render.diagnostics.diagnostic import Diagnostic, FieldPath, ObjectRef


@dataclass(frozen=True, slots=True)
class Resolution:
    """A template resolved, or None with the faults that keep it from being so.

    `blocked` tells that an invalid document stands in the way.
    """

    resolved: ResolvedTemplate | None
    faults: tuple[Diagnostic, ...]
    blocked: bool


def resolve_template(
    template: AgentTemplate,
    inventory: Inventory,
    digests: Mapping[ObjectRef, str],
    packages: Packages,
) -> Resolution:
    """Resolve model, prompt, MCP servers, skills and plugins of one template, collecting every fault.

    `digests` holds the spec digest of every model and server, `packages` every artifact.
    """
    lookup = _Lookup(template, inventory, digests)
    provider = lookup.provider()
    prompt = lookup.prompt()
    servers = lookup.servers()
    content, faults = pin_artifacts(template, packages)
    found = (*lookup.faults, *faults)
    failed = lookup.blocked or any(fault.is_error for fault in found)
    if failed or provider is None or prompt is None:
        return Resolution(None, found, lookup.blocked)
    resolved = ResolvedTemplate(
        template,
        prompt,
        provider,
        servers,
        content.skills,
        content.artifacts,
        tuple(lookup.inputs.values()),
    )
    return Resolution(resolved, found, blocked=False)


class _Lookup:
    """The references of one template as they are followed, with the inputs that they lead to."""

    def __init__(
        self, template: AgentTemplate, inventory: Inventory, digests: Mapping[ObjectRef, str]
    ) -> None:
        self.faults: list[Diagnostic] = []
        self.inputs: dict[tuple[str, str, str | None], UsedInput] = {}
        self.blocked = False
        self._template = template
        self._inventory = inventory
        self._digests = digests

    def provider(self) -> Provider | None:
        """The template's model."""
        name = self._template.model_config
        models = self._inventory.model_configs
        model = models.get((self._template.namespace, name))
        if model is None:
            field: FieldPath = ("spec", "modelConfig", "name")
            self._missing(Reason.MODEL_CONFIG_NOT_FOUND, "ModelConfig", name, field, models)
            return None
        self._use(model)
        provider, faults = resolve_provider(model, self._endpoint, self._inventory_secret)
        self.faults.extend(fault for fault in faults if not self._is_of_broken_secret(fault, model))
        if provider is not None and provider.secret_keys is not None:
            secret, keys = provider.secret_keys
            ref = self._inventory.secrets[self._template.namespace, secret].ref
            self._record(ref, None, digest(list(keys)))
        return provider

    def prompt(self) -> Prompt | None:
        """The system prompt, rendered if it is a template."""
        composed = compose_prompt(self._template, self._config_map)
        if not isinstance(composed, Prompt):
            self.faults.extend(fault for fault in composed if not self._is_of_broken(fault))
            return None
        for name, key in composed.used:
            config_map = self._inventory.config_maps[self._template.namespace, name]
            self._record(config_map.ref, key, text_digest(config_map.data[key]))
        return composed

    def servers(self) -> dict[int, ResolvedServer]:
        """The MCP server of each binding, by index in `spec.tools`."""
        bindings = [
            (index, tool) for index, tool in enumerate(self._template.tools) if isinstance(tool, McpBinding)
        ]
        resolved = {index: self._server(index, binding) for index, binding in bindings}
        return {index: server for index, server in resolved.items() if server is not None}

    def _server(self, index: int, binding: McpBinding) -> ResolvedServer | None:
        namespace, kind, name = self._template.namespace, binding.server_kind, binding.server_name
        server = self._inventory.mcp_servers.get((kind, namespace, name))
        if server is None:
            field: FieldPath = ("spec", "tools", index, "mcp", "server", "name")
            known = ((n, other) for k, n, other in self._inventory.mcp_servers if k == kind)
            self._missing(Reason.MCP_SERVER_NOT_FOUND, kind, name, field, known)
            return None
        self._use(server)
        found, faults = resolve_server(server, self._header)
        self.faults.extend(faults)
        return found

    def _config_map(self, name: str) -> ConfigMap | None:
        """A ConfigMap by name; one that cannot be decoded blocks the template, and is told of only now."""
        identity = ("ConfigMap", self._template.namespace, name)
        if identity in self._inventory.broken:
            self.blocked = True
            self.faults.extend(self._inventory.unreported.get(identity, ()))
        return self._inventory.config_maps.get((self._template.namespace, name))

    def _is_of_broken(self, fault: Diagnostic) -> bool:
        """Whether a ConfigMap is told missing that is only invalid."""
        return self.blocked and fault.reason is Reason.CONFIG_MAP_NOT_FOUND

    def _is_of_broken_secret(self, fault: Diagnostic, model: ModelConfig) -> bool:
        """Whether the keys of a Secret are told unknown whose manifest is only invalid."""
        secret = ("Secret", model.namespace, str(model.spec.get("apiKeySecret")))
        return fault.reason is Reason.CREDENTIAL_KEYS_UNKNOWN and secret in self._inventory.broken

    def _inventory_secret(self, name: str) -> Secret | None:
        return self._inventory.secrets.get((self._template.namespace, name))

    def _endpoint(self, reference: ConfigMapKeyRef, model: ModelConfig) -> str | Diagnostic:
        return self._value(reference, model, ("spec", "foundry", "endpointFrom"))

    def _header(self, reference: ConfigMapKeyRef, server: McpServer, index: int) -> str | Diagnostic:
        return self._value(reference, server, ("spec", "headersFrom", index, "valueFrom"))

    def _value(self, reference: ConfigMapKeyRef, holder: Sourced, field: FieldPath) -> str | Diagnostic:
        """A ConfigMap's text, or the fault at the reference in `holder`."""
        config_map = self._config_map(reference.name)
        if config_map is None and self.blocked:
            return ""
        if config_map is None:
            return holder.document.fault(
                Reason.CONFIG_MAP_NOT_FOUND,
                (*field, "name"),
                f"no ConfigMap `{reference.name}` in namespace `{holder.namespace}`",
                hint="commit its manifest, or write the value in place",
            )
        if reference.key not in config_map.data:
            return holder.document.fault(
                Reason.CONFIG_MAP_KEY_NOT_FOUND,
                (*field, "key"),
                f"ConfigMap `{reference.name}` has no text under `{reference.key}`",
                hint=f"add `data.{reference.key}` to the ConfigMap",
            )
        value = config_map.data[reference.key]
        self._record(config_map.ref, reference.key, text_digest(value))
        return value

    def _use(self, used: Sourced) -> None:
        if used.ref in self._digests:
            self._record(used.ref, None, self._digests[used.ref])
        else:
            self.blocked = True

    def _record(self, ref: ObjectRef, key: str | None, content: str) -> None:
        self.inputs[ref.kind, ref.name or "", key] = UsedInput(ref, key, content)

    def _missing(
        self,
        reason: Reason,
        kind: str,
        name: str,
        field: FieldPath,
        known: Iterable[tuple[str, str]],
    ) -> None:
        namespace = self._template.namespace
        if (kind, namespace, name) in self._inventory.broken:
            self.blocked = True
            return
        near = nearest_name(name, sorted(other for own, other in known if own == namespace))
        hint = f"did you mean `{near}`?" if near else f"commit the manifest of {kind} `{name}`"
        self.faults.append(
            self._template.document.fault(
                reason, field, f"no {kind} `{name}` in namespace `{namespace}`", hint=hint
            )
        )
