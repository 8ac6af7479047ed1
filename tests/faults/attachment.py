"""Faults between objects: the proposal's sections on attachment and on limits, and DESIGN 6."""

from __future__ import annotations

from typing import Any

from tests.faults.repository import (
    ALONE,
    COORDINATOR,
    EXTRA,
    HARNESS,
    MODEL,
    SPECIALISTS,
    TEMPLATES,
    UPSTREAM,
    Edit,
    Fault,
    bindings,
    manifest,
    template,
)

_COORDINATOR = ("incident-coordinator",)
_INCLUDE = "  harnesses:\n    include:\n    - name: python-runtime\n"
_REVIEWER_LABELS = "  name: incident-reviewer\n  labels:\n    example.com/runtime: python\n"
_REVIEWER_PROMPT = "  systemPrompt: Review the investigation for unsupported conclusions.\n"
_RESEARCHER_PROMPT = "  systemPrompt: Investigate the available evidence.\n"


def _extra(reason: str, at: str, name: str, field: str, text: str, **more: Any) -> Fault:
    """A fault in one more template, which does not reach the example's own."""
    more.setdefault("failing", (name,))
    more.setdefault("sound", TEMPLATES)
    return Fault(reason, f"AgentTemplate/{name}", field, at, (Edit(EXTRA, "", text),), **more)


ACCEPTANCE = {
    "a Harness that does not exist": Fault(
        "HarnessNotFound", "AgentTemplate/incident-researcher", "spec.harnesses.include[0].name",
        "name: pyhton-runtime", (Edit(EXTRA, "- name: python-runtime", "- name: pyhton-runtime"),), ALONE,
        hint="`python-runtime`",
    ),
    "a Harness that is in another namespace": Fault(
        "HarnessNotFound", "AgentTemplate/incident-researcher", "spec.harnesses.include[0].name",
        "name: python-runtime", (Edit(HARNESS, "namespace: agent-team", "namespace: platform"),), ALONE,
        file=EXTRA, hint="create Harness `python-runtime` in namespace `agent-team`",
    ),
    "a Harness that does not admit the root": Fault(
        "NotAdmitted", "AgentTemplate/incident-coordinator", "metadata.labels", "labels:",
        (Edit(COORDINATOR, "runtime: python", "runtime: claude"),), failing=_COORDINATOR,
        says="must be `python` but is `claude`", hint="to `python`",
    ),
    "a root without labels": Fault(
        "NotAdmitted", "AgentTemplate/incident-coordinator", "metadata.labels", "metadata:",
        (Edit(COORDINATOR, "  labels:\n    example.com/runtime: python\n    example.com/context: operations\n"
              "    example.com/purpose: incident\n", ""),),
        failing=_COORDINATOR, says="is missing", hint="add label `example.com/runtime: python`",
    ),
    "an expression that does not admit the root": Fault(
        "NotAdmitted", "AgentTemplate/incident-coordinator", "metadata.labels", "labels:",
        (Edit(HARNESS, "      matchLabels:\n",
              "      matchExpressions:\n      - {key: example.com/context, operator: DoesNotExist}\n"
              "      matchLabels:\n"),),
        failing=_COORDINATOR, file=COORDINATOR, says="must be absent", hint="remove label",
    ),
    "a Harness that does not admit a child": Fault(
        "NotAdmitted", "AgentTemplate/incident-reviewer", "metadata.labels",
        "labels:\n    example.com/runtime: codex",
        (Edit(SPECIALISTS, _REVIEWER_LABELS, _REVIEWER_LABELS.replace("python", "codex")),),
        failing=("incident-coordinator", "incident-reviewer"),
    ),
    "a child that does not include the Harness": Fault(
        "NotIncluded", "AgentTemplate/incident-reviewer", "spec.harnesses.include",
        "spec:\n  modelConfig:\n    name: default-model\n  systemPrompt: Review",
        (Edit(SPECIALISTS, _REVIEWER_PROMPT + _INCLUDE, _REVIEWER_PROMPT),),
        failing=_COORDINATOR, sound=("incident-researcher",), hint="add `python-runtime`",
    ),
    "a child that includes another Harness alone": Fault(
        "NotIncluded", "AgentTemplate/incident-reviewer", "spec.harnesses.include",
        "include:\n    - name: second",
        (Edit(SPECIALISTS, _REVIEWER_PROMPT + _INCLUDE,
              _REVIEWER_PROMPT + _INCLUDE.replace("python-runtime", "second")),
         Edit(EXTRA, "", manifest("Harness", "second", "  python: {}\n"
              "  workload: {image: 'r@sha256:" + "1" * 64 + "'}\n"
              "  allowedAgentTemplates: {selector: {}}\n"))),
        failing=_COORDINATOR, sound=("incident-researcher", "incident-reviewer"),
    ),
    "v1alpha3: a Harness that does not admit a child": Fault(
        "NotAdmitted", "AgentTemplate/incident-reviewer", "metadata.labels",
        "labels:\n    example.com/runtime: codex",
        (Edit(SPECIALISTS, _REVIEWER_LABELS, _REVIEWER_LABELS.replace("python", "codex")),),
        UPSTREAM, failing=_COORDINATOR, sound=("incident-researcher",),
    ),
}  # fmt: skip

TREE = {
    "a template that does not exist": Fault(
        "TemplateNotFound", "AgentTemplate/incident-coordinator", "spec.tools[0].agent.templateRef.name",
        "name: incident-reseacher",
        (Edit(COORDINATOR, "name: incident-researcher", "name: incident-reseacher"),),
        failing=_COORDINATOR, hint="`incident-researcher`",
    ),
    "a template that is in another namespace": Fault(
        "TemplateNotFound", "AgentTemplate/incident-coordinator", "spec.tools[1].agent.templateRef.name",
        "name: distant", (Edit(COORDINATOR, "name: incident-reviewer", "name: distant"),
         Edit(EXTRA, "", template("distant").replace("agent-team", "other").replace(_INCLUDE, ""))),
        failing=_COORDINATOR, hint="in namespace `agent-team`",
    ),
    "a template that binds itself": Fault(
        "CycleDetected", "AgentTemplate/incident-reviewer", "spec.tools[0].agent.templateRef.name",
        "name: incident-reviewer}",
        (Edit(SPECIALISTS, _REVIEWER_PROMPT, _REVIEWER_PROMPT + bindings("again => incident-reviewer")),),
        failing=("incident-coordinator", "incident-reviewer"),
        says="`incident-reviewer -> incident-reviewer`",
    ),
    "65 nodes": _extra(
        "TreeTooLarge", "agent:\n      name: m30\n", "middle", "spec.tools[30].agent",
        template("wide", bindings("a => middle", "b => middle"))
        + template("middle", bindings(*(f"m{number} => incident-reviewer" for number in range(31)))),
        failing=("wide",), sound=(*TEMPLATES, "middle"), says="64",
    ),
}  # fmt: skip

NAMES = {
    "two bindings of one name": _extra(
        "DuplicateBindingName",
        "name: twice\n      description: A part of the work.\n      isolation: Dedicated",
        "pair", "spec.tools[1].agent.name",
        template("pair", bindings("twice -> incident-researcher", "twice => incident-reviewer")),
    ),
    "two bindings that differ in case alone": _extra(
        "DuplicateBindingName", "name: Look_Up", "pair", "spec.tools[1].agent.name",
        template("pair", bindings("look-up -> incident-researcher", "Look_Up => incident-reviewer")),
    ),
    "a Shared child that repeats a name of its parent": _extra(
        "DuplicateBindingName", "name: review\n      description: A part of the work.\n"
        "      isolation: Dedicated\n      templateRef: {name: incident-researcher}",
        "child", "spec.tools[0].agent.name",
        template("parent", bindings("review => incident-reviewer", "child -> child"))
        + template("child", bindings("review => incident-researcher")),
        failing=("parent",), sound=(*TEMPLATES, "child"), hint="rename binding `review`",
    ),
    "a binding named `user`": _extra(
        "NameInvalid", "name: user", "pair", "spec.tools[0].agent.name",
        template("pair", bindings("user -> incident-researcher")), says="reserved",
    ),
    "a binding whose name begins with a digit": _extra(
        "NameInvalid", "name: 1st", "pair", "spec.tools[0].agent.name",
        template("pair", bindings("1st -> incident-researcher")), hint="beginning with a letter",
    ),
    "a binding with a dot in its name": _extra(
        "NameInvalid", "name: first.one", "pair", "spec.tools[0].agent.name",
        template("pair", bindings("first.one -> incident-researcher")),
    ),
    "a binding with a name of 65 characters": _extra(
        "NameInvalid", f"name: {'b' * 65}", "pair", "spec.tools[0].agent.name",
        template("pair", bindings(f"{'b' * 65} -> incident-researcher")), says="65",
    ),
    "a template with a name of 64 characters": _extra(
        "NameInvalid", f"name: {'t' * 64}", "t" * 64, "metadata.name", template("t" * 64), says="64"
    ),
    "a Harness named as a file of the output": Fault(
        "NameInvalid", "Harness/kustomization.yaml", "metadata.name", "name: kustomization.yaml",
        (Edit(HARNESS, "name: python-runtime", "name: kustomization.yaml"),
         Edit(EXTRA, "- name: python-runtime", "- name: kustomization.yaml")),
        ALONE, hint="rename the Harness",
    ),
}  # fmt: skip

DEPTH = {
    "two Shared levels": Fault(
        "SharedDepthExceeded", "AgentTemplate/incident-researcher", "spec.tools[0].agent",
        "agent:\n      name: deeper",
        (Edit(SPECIALISTS, _RESEARCHER_PROMPT,
              _RESEARCHER_PROMPT + bindings("deeper -> incident-reviewer")),),
        failing=_COORDINATOR, hint="`isolation: Dedicated`",
    ),
    "two Shared levels, the second by default": Fault(
        "SharedDepthExceeded", "AgentTemplate/incident-researcher", "spec.tools[0].agent",
        "agent:\n      name: deeper",
        (Edit(SPECIALISTS, _RESEARCHER_PROMPT, _RESEARCHER_PROMPT
              + bindings("deeper -> incident-reviewer").replace("      isolation: Shared\n", "")),),
        failing=_COORDINATOR,
    ),
    "two Shared levels below a Dedicated one": _extra(
        "SharedDepthExceeded", "agent:\n      name: third", "second", "spec.tools[0].agent",
        template("top", bindings("first => first")) + template("first", bindings("second -> second"))
        + template("second", bindings("third -> incident-reviewer")),
        failing=("top", "first"), sound=(*TEMPLATES, "second"),
    ),
}  # fmt: skip

REFERENCES = {
    "a model that does not exist": Fault(
        "ModelConfigNotFound", "AgentTemplate/incident-coordinator", "spec.modelConfig.name",
        "name: defualt-model", (Edit(COORDINATOR, "default-model", "defualt-model"),), failing=_COORDINATOR,
        hint="`default-model`",
    ),
    "a model that is in another namespace": Fault(
        "ModelConfigNotFound", "AgentTemplate/incident-researcher", "spec.modelConfig.name",
        "name: default-model", (Edit(MODEL, "namespace: agent-team", "namespace: other"),), ALONE, file=EXTRA,
        hint="commit the manifest",
    ),
    "an MCP server that does not exist": _extra(
        "MCPServerNotFound", "name: serach", "asking", "spec.tools[0].mcp.server.name",
        template("asking", "  tools:\n  - mcp:\n      server:\n        kind: RemoteMCPServer\n"
                 "        name: serach\n      tools: [find]\n")
        + manifest("RemoteMCPServer", "search", "  description: Search.\n  url: https://mcp.example.com/mcp\n"),
        hint="`search`",
    ),
    "an MCP server of the other kind": _extra(
        "MCPServerNotFound", "name: finder", "asking", "spec.tools[0].mcp.server.name",
        template("asking", "  tools:\n  - mcp:\n      server:\n        kind: MCPServer\n"
                 "        name: finder\n      tools: [find]\n"),
    ),
}  # fmt: skip

CASES = ACCEPTANCE | TREE | NAMES | DEPTH | REFERENCES
