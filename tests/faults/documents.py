"""Faults in files and in RenderConfig: DESIGN 4."""

from __future__ import annotations

from typing import Any

from tests.faults.repository import (
    CONFIG,
    COORDINATOR,
    EXTRA,
    HARNESS,
    MODEL,
    SPECIALISTS,
    TEMPLATES,
    Edit,
    Fault,
    template,
)

_PAUSE = (
    "    pauseImage: registry.k8s.io/pause:3.10.2@sha256:"
    "f548e0e8e3dc1896ca956272154dde3314e8cc4fde0a57577ee9fa1c63f5baf4\n"
)


def _yaml(at: str, text: str, **more: Any) -> Fault:
    """A file of ours that is no YAML: nobody can say which object it would hold."""
    head = "apiVersion: kagent.dev/v1alpha2\nkind: AgentTemplate\n"
    return Fault(
        "YAMLInvalid", None, None, at, (Edit(EXTRA, "", head + text),), failing=(), sound=TEMPLATES, **more
    )


def _config(field: str, at: str, old: str, new: str, **more: Any) -> Fault:
    """A fault that keeps RenderConfig from being read, so that no pair is known."""
    more.setdefault("failing", ())
    more.setdefault("sound", ())
    return Fault("ConfigInvalid", "RenderConfig/None", field, at, (Edit(CONFIG, old, new),), **more)


FILES = {
    "a key twice": _yaml("kind: Harness", "kind: Harness\n"),
    "a tab as indentation": _yaml("\tname: x", "metadata:\n\tname: x\n"),
    "an anchor that is not there": _yaml("*nowhere", "metadata: *nowhere\n"),
    "a list in a mapping": _yaml("- name", "metadata:\n  name: x\n- name: y\n"),
    "an unknown field in `metadata`'s place": Fault(
        "UnknownField", "AgentTemplate/incident-coordinator", "metdata", "metdata:",
        (Edit(COORDINATOR, "metadata:", "metdata: {}\nmetadata:"),), failing=TEMPLATES[:1],
        hint="write `metadata`",
    ),
    "a version that does not exist": Fault(
        "UnsupportedVersion", "AgentTemplate/incident-coordinator", "apiVersion", "apiVersion:",
        (Edit(COORDINATOR, "v1alpha2", "v1alpha1"),), failing=TEMPLATES[:1],
        hint="`kagent.dev/v1alpha2` or `kagent.dev/v1alpha3`",
    ),
    "a Harness twice": Fault(
        "DuplicateObject", "Harness/python-runtime", "metadata.name", "name: python-runtime # again",
        (Edit(HARNESS, "", "---\napiVersion: kagent.dev/v1alpha2\nkind: Harness\nmetadata:\n"
              "  namespace: agent-team\n  name: python-runtime # again\nspec: {python: {}}\n"),),
        says="agents/python-runtime.yaml:5",
    ),
    "a template twice, in two dialects": Fault(
        "DuplicateObject", "AgentTemplate/incident-reviewer", "metadata.name",
        "name: incident-reviewer\n  labels",
        (Edit("agents/again.yaml", "", template("incident-reviewer").replace("v1alpha2", "v1alpha3").replace(
            "  harnesses:\n    include:\n    - name: python-runtime\n", "")),),
        file=SPECIALISTS, failing=("incident-coordinator", "incident-reviewer"),
        says="agents/again.yaml:6",
    ),
    "a model twice, in a List": Fault(
        "DuplicateObject", "ModelConfig/default-model", "metadata.name", "name: default-model",
        (Edit("more/list.yaml", "", "apiVersion: v1\nkind: List\nitems:\n- apiVersion: kagent.dev/v1alpha2\n"
              "  kind: ModelConfig\n  metadata:\n    namespace: agent-team\n    name: default-model\n"
              "  spec: {model: a}\n"),),
    ),
    "a broken document that pairs need": Fault(
        "InvalidSpec", "ModelConfig/default-model", "spec.model", "model: 5",
        (Edit(MODEL, "gpt-5-mini", "5"),),
    ),
    "a broken template that a tree needs": Fault(
        "UnknownField", "AgentTemplate/incident-reviewer", "spec.prompt", "prompt:",
        (Edit(SPECIALISTS, "  systemPrompt: Review the", "  prompt: Review the"),),
        failing=("incident-coordinator", "incident-reviewer"),
    ),
}  # fmt: skip

SETTINGS = {
    "no target": _config(
        "spec.target", "spec:", "  target: ate.dev/v1alpha1\n", "", hint="set `spec.target`",
        failing=TEMPLATES,
    ),
    "the target of August": _config(
        "spec.target", "target:", "ate.dev/v1alpha1", "ate.dev/v1alpha2"
    ),
    "no pause image": _config(
        "spec.substrate.pauseImage", "substrate:", _PAUSE, "", failing=TEMPLATES, hint="by digest"
    ),
    "a pause image by tag": _config(
        "spec.substrate.pauseImage", "pauseImage:", _PAUSE, "    pauseImage: registry.k8s.io/pause:3.10.2\n"
    ),
    "an unknown field": _config(
        "spec.retnetion", "retnetion:", "retention:", "retnetion:", hint="write `retention`"
    ),
    "an output outside of the root": _config(
        "spec.output", "output:", "spec:\n", "spec:\n  output: ../elsewhere\n"
    ),
    "no revision kept": _config("spec.retention.revisions", "revisions:", "revisions: 1", "revisions: 0"),
    "an address with a password": _config(
        "spec.tools.url", "url:", "spec:\n", "spec:\n  tools: {url: 'https://u:hunter2@tools.example.com'}\n"
    ),
}  # fmt: skip

CASES = FILES | SETTINGS
