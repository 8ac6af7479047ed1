"""What looks like a fault and is none: the pairs and the runtime boundaries that come out all the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from kagent_render.source.yaml import read_yaml
from tests.faults.repository import (
    ALONE,
    COORDINATOR,
    EXAMPLE,
    EXTRA,
    HARNESS,
    SPECIALISTS,
    UPSTREAM,
    Base,
    Edit,
    bindings,
    config_map,
    manifest,
    template,
)
from tests.running import run

_LABELS = "      matchLabels:\n        example.com/runtime: python\n"
_INCLUDE = "  harnesses:\n    include:\n    - name: python-runtime\n"
_RESEARCHER = {"incident-researcher": ["python-runtime: "]}
_SPECIALISTS = {**_RESEARCHER, "incident-reviewer": ["python-runtime: "]}
_USUAL = {"incident-coordinator": ["python-runtime: ", "python-runtime: reviewer"], **_SPECIALISTS}


@dataclass(frozen=True)
class Legal:
    """Edits that leave a repository sound; `boundaries` are those of each template, as `harness: path`."""

    edits: tuple[Edit, ...] = ()
    base: Base = EXAMPLE
    boundaries: Mapping[str, list[str]] | None = None


def _harness(old: str, new: str, base: Base = EXAMPLE, **boundaries: list[str]) -> Legal:
    return Legal((Edit(HARNESS, old, new),), base, boundaries or None)


def _extra(text: str, **boundaries: list[str]) -> Legal:
    """One more file; `boundaries` are those of the pairs that come with it."""
    written = {name: [f"python-runtime: {path}" for path in paths] for name, paths in boundaries.items()}
    return Legal((Edit(EXTRA, "", text),), EXAMPLE, {**_USUAL, **written})


def _file(path: str, text: str) -> Legal:
    return Legal((Edit(path, "", text),))


def _below(parent: str) -> list[str]:
    """The paths of 30 bindings of one template."""
    return sorted(f"{parent}m{number}" for number in range(30))


ADMISSION = {
    "the example as it is": Legal(),
    "the example in v1alpha3": Legal(base=UPSTREAM),
    "an empty selector": _harness(f"    selector:\n{_LABELS}", "    selector: {}\n"),
    "a selector of null labels": _harness(_LABELS, "      matchLabels:\n"),
    "a selector of expressions": _harness(
        _LABELS,
        "      matchExpressions:\n      - {key: example.com/runtime, operator: In, values: [python, codex]}\n"
        "      - {key: example.com/retired, operator: DoesNotExist}\n"
        "      - {key: example.com/context, operator: NotIn, values: [billing]}\n",
    ),
    "a Harness that admits nothing and is not asked": _extra(
        manifest("Harness", "idle", "  python: {}\n  workload: {image: 'r@sha256:" + "1" * 64 + "'}\n")
    ),
    "a Harness alone, without an image": _extra(manifest("Harness", "idle", "  python: {}\n")),
    "a Harness alone, which no template asks for": _extra(manifest("Harness", "idle", "  codex: {}\n")),
    "a second Harness": Legal(
        (
            Edit(EXTRA, "- name: python-runtime\n", "- name: python-runtime\n    - name: second\n"),
            Edit(EXTRA, "", manifest("Harness", "second", "  python: {}\n"
                 "  workload: {image: 'r@sha256:" + "1" * 64 + "'}\n"
                 "  allowedAgentTemplates: {selector: {}}\n")),
        ),
        ALONE, {"incident-researcher": ["python-runtime: ", "second: "]},
    ),
    "a template that asks for no Harness": _extra(template("aside").replace(_INCLUDE, "")),
    "a template that asks for an empty list": _extra(
        template("aside").replace(_INCLUDE, "  harnesses:\n    include: []\n")
    ),
    "v1alpha3: a template that no Harness selects": Legal(
        (Edit(EXTRA, "", template("aside", runtime="codex").replace("v1alpha2", "v1alpha3").replace(
            _INCLUDE, "")),),
        UPSTREAM,
    ),
    "v1alpha3: a Harness that admits nothing": Legal(
        (Edit(HARNESS, f"  allowedAgentTemplates:\n    selector:\n{_LABELS}", ""),), UPSTREAM, {}
    ),
    "templates of both dialects in one tree": Legal(
        (
            Edit(EXTRA, "", template("aside").replace("v1alpha2", "v1alpha3").replace(_INCLUDE, "")),
            Edit(COORDINATOR, "name: incident-reviewer", "name: aside"),
        ),
        EXAMPLE, {**_USUAL, "aside": ["python-runtime: "]},
    ),
    "22 Harness variables": Legal(
        (Edit(HARNESS, "  python: {}\n", "  python: {}\n  env:\n" + "".join(
            f"  - name: V{number}\n    value: x\n" for number in range(22))),),
        ALONE, _RESEARCHER,
    ),
    "a value of just the longest length": Legal(
        (Edit(HARNESS, "  python: {}\n",
              f"  python: {{}}\n  env:\n  - name: LONG\n    value: {'x' * 131_066}\n"),),
        ALONE, _RESEARCHER,
    ),
    "an empty value": _harness("  python: {}\n", "  python: {}\n  env:\n  - name: EMPTY\n    value: ''\n"),
}  # fmt: skip

TREES = {
    "isolation omitted": Legal(
        (Edit(COORDINATOR, "      isolation: Dedicated\n", ""),),
        boundaries={**_USUAL, "incident-coordinator": ["python-runtime: "]},
    ),
    "one template at two places": _extra(
        template("both", bindings("first => incident-reviewer", "second => incident-reviewer")),
        both=["", "first", "second"],
    ),
    "one template at two places of one boundary": _extra(
        template("both", bindings("first -> incident-reviewer", "second -> incident-reviewer")), both=[""]
    ),
    "a Dedicated binding below a Shared one": _extra(
        template("top", bindings("near -> near"))
        + template("near", bindings("far => incident-reviewer")),
        top=["", "near/far"], near=["", "far"],
    ),
    "a Shared binding below a Dedicated one": _extra(
        template("top", bindings("far => far")) + template("far", bindings("near -> incident-reviewer")),
        top=["", "far"], far=[""],
    ),
    "Shared on each side of a Dedicated binding": _extra(
        template("top", bindings("a -> a")) + template("a", bindings("b => b"))
        + template("b", bindings("c -> incident-reviewer")),
        top=["", "a/b"], a=["", "b"], b=[""],
    ),
    "one name in two boundaries": _extra(
        template("top", bindings("check => far")) + template("far", bindings("check => incident-reviewer")),
        top=["", "check", "check/check"], far=["", "check"],
    ),
    "64 nodes": _extra(
        template("wide", bindings("a => middle", "b => middle", "c => incident-reviewer"))
        + template("middle", bindings(*(f"m{number} => incident-reviewer" for number in range(30)))),
        wide=["", "a", *_below("a/"), "b", *_below("b/"), "c"], middle=["", *_below("")],
    ),
    "a binding named as its template": _extra(
        template("top", bindings("incident-reviewer => incident-reviewer")), top=["", "incident-reviewer"]
    ),
}  # fmt: skip

CONTENT = {
    "no prompt at all": Legal(
        (Edit(SPECIALISTS, "  systemPrompt: Investigate the available evidence.\n", ""),)
    ),
    "a prompt that looks like a template": Legal(
        (Edit(SPECIALISTS, "Investigate the available evidence.", "'{{ if }} is no template here'"),)
    ),
    "no skill selected": Legal((Edit(COORDINATOR, "    skills:\n    - code-review\n", "    skills: []\n"),)),
    "no plugin, as null": Legal((Edit(
        COORDINATOR,
        "  plugins:\n  - source:\n      bucket:\n        s3:\n          bucket: agent-content\n"
        "          key: plugins/repository-practices.zip\n"
        "          versionId: 3HL4kqtJlcpXroDTDmJ+rmSpXd3dIbrHY\n    skills:\n    - code-review\n",
        "  plugins: null\n"),)),
    "a ConfigMap twice that nothing reads": _extra(
        config_map("loose", "  a: One.\n") + config_map("loose", "  a: Two.\n")
    ),
    "a Secret twice that nothing reads": _extra(
        "---\napiVersion: v1\nkind: Secret\nmetadata: {namespace: agent-team, name: loose}\n" * 2
    ),
    "a ConfigMap with a number that nothing reads": _extra(config_map("loose", "  a: 3\n")),
    "a ConfigMap of another namespace with a name that is read here": Legal((
        Edit(SPECIALISTS, "systemPrompt: Investigate the available evidence.",
             "systemPromptFrom: {name: prompts, key: own}"),
        Edit(EXTRA, "", config_map("prompts", "  own: Investigate.\n")
             + config_map("prompts", "  own: 3\n").replace("agent-team", "other")),
    )),
    "a credential whose Secret is made in the cluster": _harness(
        "  python: {}\n",
        "  python: {}\n  env:\n  - name: MODE\n    credentialRef: {name: settings, key: mode}\n",
    ),
    "a model that nothing uses and nothing can run": _extra(
        manifest("ModelConfig", "spare", "  model: m\n  provider: Ollama\n")
    ),
}  # fmt: skip

FILES = {
    "documents that are null or no objects": _file("agents/odd.yaml", "---\n---\nnull\n---\n# kagent.dev\n"),
    "documents without apiVersion and kind": _file(
        "agents/odd.yaml", "name: kagent.dev\n---\n- kagent.dev\n"
    ),
    "a List": _extra(
        "apiVersion: v1\nkind: List\nitems:\n"
        "- apiVersion: kagent.dev/v1alpha2\n  kind: AgentTemplate\n"
        "  metadata: {namespace: agent-team, name: listed, labels: {example.com/runtime: python}}\n"
        "  spec: {modelConfig: {name: default-model}, harnesses: {include: [{name: python-runtime}]}}\n",
        listed=[""],
    ),
    "a Helm template of a foreign kind": _file(
        "charts/templates/deployment.yaml",
        "apiVersion: apps/v1\nkind: Deployment\n{{- if .Values.on }}\nmetadata: {{ .Values.m }}\n{{ end }}",
    ),
    "a Helm template of a ConfigMap": _file(
        "charts/templates/settings.yaml",
        "apiVersion: v1\nkind: ConfigMap\n{{- if .Values.on }}\nmetadata: {{ .Values.m }}\n{{ end }}",
    ),
    "kinds of our group that nobody knows": _extra(
        "apiVersion: kagent.dev/v1alpha2\nkind: Memory\nmetadata: {name: m}\nspec: {anything: [goes]}\n"
    ),
    "kinds of the group of plugins that nobody knows": _extra(
        "apiVersion: kubeagents.x-k8s.io/v1alpha1\nkind: ClusterAgent\nmetadata: {name: m}\nspec: {a: 1}\n"
    ),
    "kinds of ours in a foreign group": _extra(
        "apiVersion: agents.example.com/v1\nkind: AgentTemplate\nmetadata: {name: m}\nspec: {anything: 1}\n"
    ),
    "a custom resource definition of ours": _extra(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"
        "metadata: {name: harnesses.kagent.dev}\nspec: {group: kagent.dev}\n"
    ),
    "a broken file in a hidden folder": _file(".github/agents.yaml", "kind: kagent.dev\nkind: kagent.dev\n"),
    "a broken file that is no source": Legal((
        Edit("kagent-render.yaml", "spec:\n", 'spec:\n  sources: ["**/*.yaml", "!drafts/**"]\n'),
        Edit("drafts/agent.yaml", "", "kind: kagent.dev\nkind: kagent.dev\n"),
    )),
    "a kustomization and the patch that it lists": Legal((
        Edit("agents/kustomization.yaml", "", "kind: Kustomization\npatches:\n- path: patch.yaml\n"),
        Edit("agents/patch.yaml", "", "apiVersion: kagent.dev/v1alpha2\nkind: Harness\n"
             "metadata: {name: python-runtime}\nspec: {codex: {}}\n"),
    )),
    "a status and fields of the API server": Legal((
        Edit(HARNESS, "metadata:\n", "status: {conditions: []}\nmetadata:\n  uid: 1-2\n  generation: 3\n"
             "  finalizers: [a/b]\n  annotations: {a: b}\n"),
    )),
    "an anchor, an alias and a merge": Legal((
        Edit(HARNESS, "  python: {}\n", "  python: &empty {}\n"),
        Edit(HARNESS, "  workload:\n", "  workload:\n    <<: *empty\n"),
    )),
}  # fmt: skip

CASES = {**ADMISSION, **TREES, **CONTENT, **FILES}


@pytest.mark.parametrize("legal", CASES.values(), ids=CASES.keys())
def test_what_is_no_fault_gives_its_pairs_and_boundaries(legal: Legal, tmp_path: Path) -> None:
    root = tmp_path / "repository"
    legal.base.build(root)
    for edit in legal.edits:
        edit.apply(root)
    outcome = run("render", "-o", "json", "--offline", "--allow-empty", cwd=root)
    assert outcome.faults == []
    assert outcome.status == 0
    assert all(pair["revision"] for pair in outcome.json["pairs"])
    assert boundaries(root) == (_USUAL if legal.boundaries is None else legal.boundaries)
    assert run("check", "--offline", cwd=root).status == 0


def boundaries(root: Path) -> dict[str, list[str]]:
    """The boundaries that the locks hold, by template."""
    found: dict[str, list[str]] = {}
    for lock in sorted((root / "rendered").glob("*/*/*/revision.lock.yaml")):
        (document,) = read_yaml(lock.read_bytes())
        harness, name = lock.parts[-3], lock.parts[-2]
        paths = [f"{harness}: {boundary['path']}" for boundary in document.value["spec"]["boundaries"]]
        found.setdefault(name, []).extend(paths)
    return found
