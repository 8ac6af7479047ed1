"""Faults in what templates draw in: prompts (DESIGN 7) and vendored plugins (DESIGN 8)."""

from __future__ import annotations

from typing import Any

from tests.faults.repository import (
    COORDINATOR,
    EXTRA,
    INDEX,
    SPECIALISTS,
    STORE,
    Edit,
    Fault,
    config_map,
)

_COORDINATOR = ("incident-coordinator",)
_NAME = "AgentTemplate/incident-coordinator"
_PROMPT = "  systemPrompt: Coordinate the incident investigation.\n"
_VERSION = "versionId: 3HL4kqtJlcpXroDTDmJ+rmSpXd3dIbrHY"
_CONTENT = f"{STORE}/sha256-54f4234bb3cb4607f601d0ea65afabd47e0faffd7b10bbef5a4778be1ace64a6"
_MANIFEST = f"{_CONTENT}/plugin.json"
_SKILL = f"{_CONTENT}/skills/code-review/SKILL.md"
_SOURCE = "spec.plugins[0].source"


def _prompt(reason: str, field: str, at: str, text: str, *maps: str, **more: Any) -> Fault:
    extra = (Edit(EXTRA, "", "".join(maps)),) if maps else ()
    return Fault(
        reason, _NAME, field, at, (Edit(COORDINATOR, _PROMPT, text), *extra), failing=_COORDINATOR, **more
    )


def _templated(reason: str, text: str, *maps: str, **more: Any) -> Fault:
    """A prompt that is a template with the sources `prompts` and, as `other`, `more-prompts`."""
    body = f"  systemPrompt: '{text}'\n  promptTemplate: {{}}\n"
    return _prompt(reason, "spec.systemPrompt", "systemPrompt:", body, *maps, **more)


def _plugin(reason: str, old: str, new: str, file: str = _MANIFEST, **more: Any) -> Fault:
    """A fault in a plugin whose digest is the one that the index pins."""
    return Fault(
        reason, _NAME, _SOURCE, "source:", (Edit(file, old, new),), file=COORDINATOR,
        failing=_COORDINATOR, revendored=True, **more,
    )  # fmt: skip


def _skill(reason: str, old: str, new: str, **more: Any) -> Fault:
    """A fault in the selected skill, told at the selection."""
    return Fault(
        reason, _NAME, "spec.plugins[0].skills[0]", "code-review", (Edit(_SKILL, old, new),),
        file=COORDINATOR, failing=_COORDINATOR, revendored=True, **more,
    )  # fmt: skip


def _artifact(reason: str, edit: Edit, **more: Any) -> Fault:
    return Fault(reason, _NAME, _SOURCE, "source:", (edit,), file=COORDINATOR, failing=_COORDINATOR, **more)


PROMPTS = {
    "a prompt in a ConfigMap that does not exist": _prompt(
        "ConfigMapNotFound", "spec.systemPromptFrom.name", "name: prompts",
        "  systemPromptFrom:\n    name: prompts\n    key: own\n", hint="commit ConfigMap `prompts`",
    ),
    "a prompt in a key that does not exist": _prompt(
        "ConfigMapKeyNotFound", "spec.systemPromptFrom.key", "key: coordinater",
        "  systemPromptFrom:\n    name: prompts\n    key: coordinater\n",
        config_map("prompts", "  coordinator: Coordinate.\n"), hint="`coordinator`",
    ),
    "a prompt that is binary": _prompt(
        "ConfigMapKeyNotFound", "spec.systemPromptFrom.key", "key: own",
        "  systemPromptFrom:\n    name: prompts\n    key: own\n",
        config_map("prompts", "  other: x\nbinaryData:\n  own: aGVsbG8=\n"), says="binary",
    ),
    "a prompt source that does not exist": _prompt(
        "ConfigMapNotFound", "spec.promptTemplate.dataSources[0].name", "name: prompts",
        f"{_PROMPT}  promptTemplate:\n    dataSources:\n    - name: prompts\n",
    ),
    "two prompt sources with one identifier": _prompt(
        "DuplicatePromptSource", "spec.promptTemplate.dataSources[1].alias", "alias: prompts",
        f"{_PROMPT}  promptTemplate:\n    dataSources:\n    - name: prompts\n    - name: more\n"
        "      alias: prompts\n",
        config_map("prompts", "  own: One.\n"), config_map("more", "  own: Two.\n"),
        says="`prompts/own`", hint="`alias`",
    ),
    "a prompt source twice": _prompt(
        "InvalidSpec", "spec.promptTemplate.dataSources[1].name", "name: prompts\n  tools",
        f"{_PROMPT}  promptTemplate:\n    dataSources:\n    - name: prompts\n    - name: prompts\n",
    ),
    "a prompt in two ConfigMaps of one name": Fault(
        "DuplicateObject", "ConfigMap/prompts", "metadata.name", "name: prompts\ndata:\n  own: Two.",
        (Edit(COORDINATOR, _PROMPT, "  systemPromptFrom:\n    name: prompts\n    key: own\n"),
         Edit(EXTRA, "", config_map("prompts", "  own: One.\n") + config_map("prompts", "  own: Two.\n"))),
        failing=_COORDINATOR, file=EXTRA, says="agents/extra.yaml:6:3",
    ),
    "a prompt in a ConfigMap with a number": Fault(
        "InvalidSpec", "ConfigMap/prompts", "data.retries", "retries:",
        (Edit(COORDINATOR, _PROMPT, "  systemPromptFrom:\n    name: prompts\n    key: own\n"),
         Edit(EXTRA, "", config_map("prompts", "  own: One.\n  retries: 3\n"))),
        failing=_COORDINATOR, file=EXTRA, hint="in quotes",
    ),
    "a template that does not parse": _templated("PromptTemplateInvalid", "{{ if }}"),
    "a template that does not end": _templated("PromptTemplateInvalid", "{{ .Description"),
    "a template with a function of Helm": _templated(
        "PromptTemplateInvalid", "{{ .Description | upper }}", says="upper"
    ),
    "a template with an unknown field": _templated(
        "PromptRenderFailed", "{{ .Namespace }}", says="Namespace"
    ),
    "a template that reaches for a Python attribute": _templated(
        "PromptRenderFailed", "{{ .AgentTemplateName.__class__ }}"
    ),
    "a template that includes nothing": _templated(
        "PromptRenderFailed", '{{ include "prompts/own" }}', says="prompts/own"
    ),
    "a template in a ConfigMap": _prompt(
        "PromptTemplateInvalid", "spec.systemPromptFrom.key", "key: own",
        "  systemPromptFrom:\n    name: prompts\n    key: own\n  promptTemplate: {}\n",
        config_map("prompts", "  own: 'Look: {{ end }}'\n"), says="`prompts`",
    ),
    "a prompt that no environment can hold": _prompt(
        "EnvValueTooLong", "spec.systemPrompt", "systemPrompt:", f"  systemPrompt: {'x' * 131_072}\n",
        says="KAGENT_CONFIG_JSON",
    ),
    "a Shared child's prompt that no environment can hold": Fault(
        "EnvValueTooLong", "AgentTemplate/incident-researcher", "spec.systemPrompt", "systemPrompt: xxx",
        (Edit(SPECIALISTS, "Investigate the available evidence.", "x" * 131_072),),
        failing=("incident-coordinator", "incident-researcher"),
    ),
}  # fmt: skip

PLUGINS = {
    "a skill that the plugin has not": Fault(
        "SkillNotFound", _NAME, "spec.plugins[0].skills[0]", "code-reviews",
        (Edit(COORDINATOR, "- code-review", "- code-reviews"),), failing=_COORDINATOR,
        hint="`code-review`, `commit-messages`",
    ),
    "a skill from outside `skills`": Fault(
        "SkillNotFound", _NAME, "spec.plugins[0].skills[0]", "../skills/code-review",
        (Edit(COORDINATOR, "- code-review", "- ../skills/code-review"),), failing=_COORDINATOR,
    ),
    "a skill from two plugins": Fault(
        "DuplicateSkillName", _NAME, "spec.plugins[1].skills[0]", "code-review\n  harnesses",
        (Edit(COORDINATOR, "    skills:\n    - code-review\n",
              "    skills:\n    - code-review\n  - source:\n      bucket:\n        s3:\n"
              "          bucket: agent-content\n          key: plugins/repository-practices.zip\n"
              f"          {_VERSION}\n    skills:\n    - code-review\n"),),
        failing=_COORDINATOR, hint="one source only",
    ),
    "a manifest that is no JSON": _plugin("PluginManifestInvalid", '"name": "repo', '"name" "repo'),
    "a manifest with a member twice": _plugin(
        "PluginManifestInvalid", '  "license"', '  "name": "other",\n  "license"', says="twice"
    ),
    "a manifest without a name": _plugin("PluginManifestInvalid", '"name": "repository-practices",', ""),
    "a manifest with a name in upper case": _plugin(
        "PluginManifestInvalid", "repository-practices", "Repository-Practices"
    ),
    "a manifest without a schema": _plugin(
        "PluginManifestInvalid",
        '"$schema": "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json",', "",
    ),
    "a manifest of Agent Plugins 1.1.0": _plugin(
        "PluginSchemaUnsupported", "/1.0.0/", "/1.1.0/", says="version `1.1.0`", hint="/1.0.0/"
    ),
    "a manifest of another schema": _plugin(
        "PluginSchemaUnsupported", "agent-plugins.org", "plugins.example.com"
    ),
    "a skill of another name": _skill("SkillInvalid", "name: code-review", "name: code-reviewer"),
    "a skill without a description": _skill("SkillInvalid", "description:", "summary:"),
}  # fmt: skip

ARTIFACTS = {
    "a vendored file that was changed": _artifact(
        "ArtifactDigestMismatch", Edit(_SKILL, "", "One more line.\n"), says="expected `sha256:54f4234b",
        hint="restore it from Git, or with `kagent-render vendor --repair`",
    ),
    "a vendored file that nobody pinned": _artifact(
        "ArtifactDigestMismatch", Edit(f"{_CONTENT}/skills/code-review/notes.md", "", "Notes.\n")
    ),
    "an index that promises something else": _artifact(
        "ArtifactDigestMismatch", Edit(INDEX, "sha256:54f4", "sha256:54f5"), says="got no file"
    ),
    "an artifact that is not vendored, offline": Fault(
        "ArtifactUnavailableOffline", _NAME, _SOURCE, "source:",
        (Edit(COORDINATOR, _VERSION, "versionId: another"),), failing=_COORDINATOR, says="version `another`",
        hint="kagent-render vendor",
    ),
    "a directory that is not vendored, offline": Fault(
        "ArtifactUnavailableOffline", _NAME, _SOURCE, "source:",
        (Edit(COORDINATOR, "    skills:", "      path: plugin\n    skills:"),), failing=_COORDINATOR,
        says="path `plugin`",
    ),
}  # fmt: skip

CASES = PROMPTS | PLUGINS | ARTIFACTS
