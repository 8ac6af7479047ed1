"""The walk over one boundary that says of each value in its ActorTemplate what it comes from."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import TYPE_CHECKING

from kagent_render.api.credential_literals import looks_like_credential
from kagent_render.api.hub import ConfigMapKeyRef
from kagent_render.compile.adapters.adapter import CARD_VARIABLE, CONFIG_VARIABLE, FILES_VARIABLE
from kagent_render.compile.adapters.variants import adapter_of
from kagent_render.compile.bundle import AgentConfiguration, DedicatedTool, McpTool
from kagent_render.compile.capabilities.record import value_text
from kagent_render.compile.destination import destination_of
from kagent_render.compile.environment import EnvVar, Provenance
from kagent_render.compile.runtime_environment import TOOLS_URL
from kagent_render.diagnostics.diagnostic import field_text
from kagent_render.preparation.completeness import snapshot_location_of, worker_pool_of
from kagent_render.preparation.egress_reasons import egress_reasons, egress_setting, server_address
from kagent_render.preparation.explanation import Explanation
from kagent_render.preparation.gateway_explainer import (
    allowed_value,
    binding_sources,
    bound_value,
    placeholder_note,
)
from kagent_render.revision.canonical_json import compact
from kagent_render.target.ate_v1alpha1 import BINDING_PATH
from kagent_render.target.ateapi_resource import PLACEHOLDER
from kagent_render.target.flux import NO_SUBSTITUTION
from kagent_render.target.generation import Setting
from kagent_render.target.generations import generation_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kagent_render.api.hub import Harness, Inventory
    from kagent_render.compile.adapters.adapter import Places
    from kagent_render.compile.boundary import CompiledBoundary
    from kagent_render.compile.policy import Policy
    from kagent_render.compile.requirement import Requirement
    from kagent_render.diagnostics.diagnostic import FieldPath
    from kagent_render.revision.compiled_pair import CompiledPair
    from kagent_render.source.config import RenderConfig
    from kagent_render.target.actor_template import Manifest

_FIXED = "the same for every boundary of this target"
_SHOWN = 100
_SETTINGS: Mapping[str, FieldPath] = {
    "KAGENT_URL": ("spec", "controller"),
    "KAGENT_GRPC_URL": ("spec", "controller"),
    "KAGENT_API_URL": ("spec", "controller"),
    "KAGENT_GATEWAY_URL": ("spec", "controller"),
    TOOLS_URL: ("spec", "tools", "url"),
}
_WITHHELD = "a literal that looks like a credential, not shown"
_UNSHOWN = "a literal, not shown"
_MODEL_HEADERS: FieldPath = ("spec", "defaultHeaders")
_SAME_IN_FILES = "the files of the runtime's own CLI, made of the same values"


def explain_pair(
    compiled: CompiledPair, policy: Policy, config: RenderConfig, inventory: Inventory
) -> list[Explanation]:
    """Every explained value of a pair, boundary by boundary; what several agents share stands once."""
    explanations = (
        explanation
        for boundary, manifest in compiled.boundaries
        for explanation in _Explainer(boundary, manifest, policy, config, compiled, inventory).explain()
    )
    return list(dict.fromkeys(explanations))


class _Explainer:
    """One boundary's values."""

    def __init__(
        self,
        boundary: CompiledBoundary,
        manifest: Manifest,
        policy: Policy,
        config: RenderConfig,
        compiled: CompiledPair,
        inventory: Inventory,
    ) -> None:
        self._boundary = boundary
        self._bundle = boundary.bundle
        self._adapter = adapter_of(boundary.bundle.harness.variant)
        self._manifest = manifest
        self._generation = generation_of(compiled.target)
        self._policy = policy
        self._config = config
        self._compiled = compiled
        self._inventory = inventory
        self._nodes = {node.path: node for node in compiled.nodes}

    def explain(self) -> Iterator[Explanation]:
        """Identity, policy, environment, configuration, then what the lock derives."""
        yield from self._metadata()
        yield from self._infrastructure(self._bundle.harness)
        for variable in self._boundary.env:
            yield self._variable(variable)
        places = self._adapter.places(self._bundle)
        for member in self._bundle.agent.members():
            yield from self._agent(member, places[member.path])
        yield from self._egress()
        if self._generation.INJECTS_CREDENTIALS:
            yield from self._bindings()
        yield from self._requirements()

    def _requirements(self) -> Iterator[Explanation]:
        """What the boundary needs, what the record says of it, and every field that needs it."""
        record = self._compiled.record
        needing: defaultdict[str, list[Requirement]] = defaultdict(list)
        for requirement in self._bundle.requirements:
            needing[str(requirement)].append(requirement)
        for name in sorted(needing):
            found = record.capability(needing[name][0].capability)
            value = f"{value_text(found)} by record {record.name} {record.version}"
            yield self._entry(f"requirements[{name}]", value, *(need.provenance for need in needing[name]))

    def _infrastructure(self, harness: Harness) -> Iterator[Explanation]:
        """What somebody chose of where and in what it runs, then what nobody can choose."""
        policy, fields = self._policy, self._generation.SETTINGS
        pool, location = ("workerPoolRef", "name"), ("snapshotPolicy", "location")
        chosen = {
            Setting.IMAGE: (self._bundle.image, ("workload", "image"), ("images", harness.variant.value)),
            Setting.WORKER_POOL: (
                worker_pool_of(harness, policy),
                ("substrate", *pool),
                ("substrate", "workerPool"),
            ),
            Setting.SNAPSHOT_LOCATION: (
                snapshot_location_of(harness, policy),
                ("substrate", *location),
                ("substrate", "snapshotLocation"),
            ),
        }
        if field := fields.get(Setting.PAUSE_IMAGE):
            source = Provenance(self._config.document, ("spec", "substrate", "pauseImage"))
            yield self._entry(field, policy.pause_image or "", source, whole=True)
        for setting, (value, own, configured) in chosen.items():
            source = self._of(harness, ("spec", *own), ("spec", *configured))
            yield self._entry(fields[setting], value, source, whole=True)
        for field, value in self._generation.FIXED.items():
            yield self._entry(field, value if isinstance(value, str) else compact(value), note=_FIXED)

    def _metadata(self) -> Iterator[Explanation]:
        """The object's identity, and the labels and annotations that go with it."""
        template = self._compiled.nodes[0].template
        named = Provenance(template.document, ("metadata", "name"))
        run_by = Provenance(self._bundle.harness.document, ("metadata", "name"))
        made = "template, harness, binding path, and a digest over these and the spec"
        space = Provenance(template.document, ("metadata", "namespace"))
        sources = {
            "metadata.namespace": (space,),
            "metadata.atespace": (space,),
            "metadata.labels[kagent.dev/agent-template]": (named,),
            "metadata.labels[kagent.dev/harness]": (run_by,),
        }
        for field, value in self._generation.identity_fields(self._manifest.built.value):
            annotation = field.removeprefix("metadata.annotations[").rstrip("]")
            if field == "metadata.name":
                yield self._entry(field, value, named, run_by, note=made)
            elif field in sources:
                yield self._entry(field, value, *sources[field])
            elif annotation != field:
                yield self._annotation(annotation, field, value)
            else:
                yield self._entry(field, value, note=made if value == self._manifest.name[-12:] else _FIXED)

    def _annotation(self, annotation: str, field: str, value: str) -> Explanation:
        if annotation == BINDING_PATH:
            return self._entry(field, value, self._identity(self._bundle.agent)[0])
        if annotation == NO_SUBSTITUTION:
            return self._entry(field, value, note="a text of this boundary holds `${`")
        return self._configured(field, value, ("spec", "retention", "protect"))

    def _of(self, harness: Harness, own: FieldPath, setting: FieldPath) -> Provenance:
        """The Harness's field where it has one, else RenderConfig's."""
        value: object = harness.document.value
        for step in own:
            value = value.get(step) if isinstance(value, dict) else None
        if value is not None:
            return Provenance(harness.document, own)
        return Provenance(self._config.document, setting)

    def _configured(self, field: str, value: str, setting: FieldPath) -> Explanation:
        """A value of RenderConfig, or its default where the file leaves it out."""
        found: object = self._config.document.value
        for step in setting:
            found = found.get(step) if isinstance(found, dict) else None
        if found is None:
            return self._entry(field, value, note=f"the default of RenderConfig's {field_text(setting)}")
        return self._entry(field, value, Provenance(self._config.document, setting))

    def _variable(self, variable: EnvVar) -> Explanation:
        value = variable.value
        text = value if isinstance(value, str) else f"key {value.key} of Secret {value.name}"
        field = f"{self._generation.CONTAINER}.env[{variable.name}]"
        if isinstance(value, str) and looks_like_credential(variable.name, value):
            text = _WITHHELD
        elif isinstance(value, str) and variable.origin and variable.origin.field == _MODEL_HEADERS:
            text = _UNSHOWN
        if variable.name in _SETTINGS:
            return self._configured(field, text, _SETTINGS[variable.name])
        if variable.origin is None:
            own = variable in self._generation.variables(self._policy)
            return self._entry(field, text, note=_FIXED if own else "set for every runtime")
        if self._generation.INJECTS_CREDENTIALS and not isinstance(value, str):
            note = placeholder_note(self._boundary, self._adapter, variable.name, value)
            return self._entry(field, PLACEHOLDER, variable.origin, note=note, credential=True)
        if variable.name == CARD_VARIABLE:
            return self._entry(field, text, *self._identity(self._bundle.agent))
        if variable.name == FILES_VARIABLE:
            files = ", ".join(json.loads(text))
            return self._entry(field, f"{len(text.encode())} bytes: {files}", note=_SAME_IN_FILES)
        if variable.name == CONFIG_VARIABLE:
            # It may hold literal headers, of which nothing says that they are no credentials.
            return self._entry(field, f"{len(text.encode())} bytes of JSON", note="the values below it")
        return self._entry(field, text, variable.origin, credential=not isinstance(value, str))

    def _agent(self, agent: AgentConfiguration, places: Places) -> Iterator[Explanation]:
        """One agent's configuration, as far as its runtime has a place for it."""
        model, chosen = agent.provider.model_name
        named, described = self._identity(agent)
        yield from self._placed(places.name, places.named, named)
        yield from self._placed(places.description, agent.description, described)
        yield from self._placed(places.model, model, Provenance(agent.provider.model.document, chosen))
        yield from self._placed(places.instruction, agent.instruction, *self._prompt(agent))
        for tool, place in zip(agent.tools, places.tools, strict=True):
            yield from self._tool(tool, place, places.headers)
        for skill, place in zip(agent.skills, places.skills, strict=True):
            yield from self._placed(place, f"{skill.name}, {skill.digest}", skill.provenance)

    def _placed(self, place: str, value: str, *sources: Provenance) -> Iterator[Explanation]:
        if place:
            yield self._entry(f"{self._generation.CONTAINER}.{place}", value, *sources)

    def _tool(self, tool: McpTool | DedicatedTool, place: str, headers: str) -> Iterator[Explanation]:
        if isinstance(tool, DedicatedTool):
            yield from self._placed(place, f"invoke of {tool.name}", tool.provenance)
            return
        server = tool.server.server
        what = f"{', '.join(tool.tools)} of {server.name}"
        yield from self._placed(place, what, tool.provenance, server_address(server))
        last = {name: index for index, (name, _) in enumerate(tool.server.headers)}
        for name, index in last.items():
            value = tool.server.headers[index][1]
            source = Provenance(server.document, ("spec", "headersFrom", index))
            text = _UNSHOWN if isinstance(value, str) else f"key {value.key} of Secret {value.name}"
            yield from self._placed(f"{place}.{headers}.{name}", text, source)

    def _identity(self, agent: AgentConfiguration) -> tuple[Provenance, Provenance]:
        """Where an agent's name and description stand: in its binding, or in the root template."""
        node = self._nodes[agent.path]
        if node.parent is None or node.tool is None:
            document = agent.template.document
            return Provenance(document, ("metadata", "name")), Provenance(document, ("spec", "description"))
        document = self._nodes[node.parent].template.document
        binding: FieldPath = ("spec", "tools", node.tool, "agent")
        return Provenance(document, (*binding, "name")), Provenance(document, (*binding, "description"))

    def _prompt(self, agent: AgentConfiguration) -> list[Provenance]:
        """The prompt's own field, and the ConfigMap keys that it includes."""
        template = agent.template
        inline = not isinstance(template.system_prompt, ConfigMapKeyRef)
        field: FieldPath = ("spec", "systemPrompt" if inline else "systemPromptFrom")
        found = [Provenance(template.document, field)]
        prompt = self._compiled.resolved[template.name].prompt
        for name, key in prompt.used:
            config_map = self._inventory.config_maps[template.namespace, name]
            found.append(Provenance(config_map.document, ("data", key)))
        return found

    def _egress(self) -> Iterator[Explanation]:
        for origin in self._bundle.egress:
            field, value = f"egress[{origin}]", origin
            if self._generation.INJECTS_CREDENTIALS:
                value = allowed_value(self._boundary, destination_of(origin).host)
            reasons = egress_reasons(self._bundle, self._adapter, self._policy, origin)
            if sources := tuple(dict.fromkeys(reasons)):
                yield self._entry(field, value, *sources)
            else:
                yield self._configured(field, value, egress_setting(self._policy, origin))

    def _bindings(self) -> Iterator[Explanation]:
        """Each header that the egress gateway puts a Secret into, and the variable that has none for it."""
        for binding, sources in binding_sources(self._boundary, self._adapter):
            field = f"bindings[{binding.header} of {binding.hostname}]"
            held_by = (f"{self._generation.CONTAINER}.env[{name}]" for name in binding.variables)
            note = f"in place of what stands in {' and '.join(held_by)}"
            yield self._entry(field, bound_value(binding), *sources, note=note, credential=True)

    def _entry(
        self,
        field: str,
        value: str,
        *sources: Provenance,
        note: str = "",
        credential: bool = False,
        whole: bool = False,
    ) -> Explanation:
        """A value on one line, of which the beginning is enough unless it is wanted `whole`: a digest is."""
        shown = value if whole or len(value) <= _SHOWN else f"{value[:_SHOWN]}…"
        text = shown.replace("\n", "⏎")
        return Explanation(self._bundle.path, self._manifest.name, field, text, sources, note, credential)
