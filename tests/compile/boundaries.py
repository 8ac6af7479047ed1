"""A namespace's manifests compiled as far as a test needs: a template resolved, or a boundary compiled."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from kagent_render.api.hub import ArtifactSource, SecretKeyRef
from kagent_render.artifacts.failure import ArtifactFailure
from kagent_render.artifacts.package import Package, PackageFile
from kagent_render.compile.assembly import assemble_bundle
from kagent_render.compile.boundary import CompiledBoundary, compile_boundary
from kagent_render.compile.bundle import Bundle
from kagent_render.compile.capabilities.record import Capability, CapabilityRecord
from kagent_render.compile.policy import Policy
from kagent_render.compile.resolution import Resolution, resolve_template
from kagent_render.diagnostics.diagnostic import Diagnostic
from kagent_render.graph.pairs import resolve_pairs
from kagent_render.revision.spec_digest import digest_specs
from tests.manifests import HARNESS, inventory, model

POLICY = Policy(
    "ate.dev/v1alpha1", worker_pool="pool", snapshot_location="s3://snapshots", pause_image="pause"
)
MODEL = model("{provider: Ollama, model: llm, ollama: {host: 'http://ollama:11434'}}")
Packages = Mapping[ArtifactSource, Package | ArtifactFailure]


def template(name: str, spec: str = "", prompt: str = "systemPrompt: Act.") -> str:
    """An AgentTemplate of the Harness `runtime` with further lines of its spec."""
    lines = "".join(f"  {line}\n" for line in spec.splitlines())
    return (
        f"apiVersion: kagent.dev/v1alpha2\nkind: AgentTemplate\nmetadata: {{namespace: team, name: {name}}}\n"
        f"spec:\n  modelConfig: {{name: model}}\n  {prompt}\n{lines}"
        "  harnesses: {include: [{name: runtime}]}\n"
    )


def agent(name: str, isolation: str = "Shared", *, of: str = "", description: str = "Helps.") -> str:
    """A binding for `tools`, in flow style."""
    return (
        f"{{agent: {{name: {name}, description: {description}, isolation: {isolation},"
        f" templateRef: {{name: {of or name}}}}}}}"
    )


def resolve(*texts: str, name: str = "lead", packages: Packages | None = None) -> Resolution:
    """One template of the manifests, resolved."""
    digested, faults = digest_specs(inventory(*texts))
    assert not faults
    found = digested.inventory
    return resolve_template(found.templates["team", name], found, digested.digests.of, packages or {})


def bundle(
    *texts: str,
    name: str = "lead",
    path: str = "",
    policy: Policy = POLICY,
    packages: Packages | None = None,
    variant: str = "python",
    env: str = "",
) -> Bundle:
    """The bundle of one boundary of the pair whose root template is `name`; `env` is the Harness's."""
    runtime = HARNESS.replace("python: {}", f"{variant}: {{}}") + (f"  env: {env}\n" if env else "")
    digested, _ = digest_specs(inventory(runtime, MODEL, *texts))
    found = digested.inventory
    graph = next(graph for graph in resolve_pairs(found) if graph.candidate.pair.template == name)
    assert graph.is_sound, graph.diagnostics
    assert graph.tree is not None
    harness = graph.candidate.harness
    assert harness is not None
    resolved = {}
    for node in graph.tree.nodes:
        outcome = resolve_template(node.template, found, digested.digests.of, packages or {})
        assert outcome.resolved is not None, outcome.faults
        resolved[node.template.name] = outcome.resolved
    head = next(boundary.head for boundary in graph.boundaries if boundary.path == path)
    return assemble_bundle(graph.candidate.pair, head, harness, harness.image or "", resolved, policy)


def record(**values: Any) -> CapabilityRecord:
    """A record in which everything is proven but `values`."""
    known: dict[str, Any] = {
        "nativeAgentTools": True,
        "maxNativeAgentDepth": 1,
        "dedicatedAgentTools": True,
        "mcpInjection": True,
        "inputModalities": ("text",),
        "outputModalities": ("text",),
        "skills": True,
        "childSkills": True,
        "childTools": True,
        "privateDedicatedTools": True,
        "childModels": True,
        "mcpTransports": True,
        "mcpCredentials": True,
        "modelProviders": True,
        "modelOptions": True,
    }
    capabilities = {name: Capability(value, "seen") for name, value in {**known, **values}.items()}
    return CapabilityRecord("some-record", "1", "python", "runtime", "1", frozenset(), True, capabilities, "")


def compiled(
    *texts: str, path: str = "", policy: Policy = POLICY, packages: Packages | None = None
) -> tuple[CompiledBoundary, list[Diagnostic]]:
    """One boundary of the pair whose root is `lead`."""
    return compile_boundary(bundle(*texts, path=path, policy=policy, packages=packages), record(), policy)


def documents_of(boundary: CompiledBoundary) -> dict[str, Any]:
    """The JSON of a boundary's documents by the name of their variable."""
    return {variable.name: json.loads(str(variable.value)) for variable in boundary.adapter.documents}


def env_of(boundary: CompiledBoundary) -> dict[str, str | SecretKeyRef]:
    """The environment of a boundary, documents left out, in its order."""
    documents = {variable.name for variable in boundary.adapter.documents}
    return {variable.name: variable.value for variable in boundary.env if variable.name not in documents}


def skill(name: str, folder: str = "") -> Package:
    """A package that holds one skill."""
    text = f"---\nname: {name}\ndescription: Does it.\n---\nText.\n"
    return Package({f"{folder}SKILL.md": PackageFile(text.encode())})
