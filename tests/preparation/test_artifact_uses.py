"""Which artifacts a root uses, at which fields, and which documents leave that in doubt."""

from __future__ import annotations

import pytest

from kagent_render.api.hub import ArtifactSource, OciSource
from kagent_render.artifacts.failure import ArtifactFailure
from kagent_render.diagnostics.diagnostic import field_text
from kagent_render.diagnostics.reasons import Reason
from kagent_render.preparation.artifact_uses import artifact_uses
from tests.manifests import HARNESS, ZEROS, documents, model, told

REFERENCE = f"r.example/content@sha256:{ZEROS}"


def source(path: str = "") -> ArtifactSource:
    return ArtifactSource(OciSource(REFERENCE), path)


def template(name: str, *paths: str, tools: str = "[]", includes: str = "[{name: runtime}]") -> str:
    skills = ", ".join(
        f"{{name: s{number}, source: {{oci: '{REFERENCE}', path: '{path}'}}}}"
        for number, path in enumerate(paths)
    )
    return (
        "apiVersion: kagent.dev/v1alpha2\nkind: AgentTemplate\n"
        f"metadata: {{namespace: team, name: {name}}}\n"
        f"spec: {{modelConfig: {{name: model}}, systemPrompt: Help., tools: {tools}, skills: [{skills}],"
        f" harnesses: {{include: {includes}}}}}\n"
    )


def uses(*texts: str) -> list[tuple[str, str, str]]:
    """Each use as template, field and path inside the artifact."""
    found = artifact_uses(documents(*texts))
    assert found.doubts == ()
    return [(use.template.name, field_text(use.field), use.source.path) for use in found.known]


CHILD = "[{agent: {name: child, description: d, templateRef: {name: child}}}]"


def test_every_template_of_a_pair_s_tree_is_one_that_uses() -> None:
    lead, child = template("lead", "x", "y", tools=CHILD), template("child", "x", includes="[]")
    assert uses(HARNESS, model("{provider: OpenAI, model: m}"), lead, child) == [
        ("lead", "spec.skills[0].source", "x"),
        ("lead", "spec.skills[1].source", "y"),
        ("child", "spec.skills[0].source", "x"),
    ]


def test_a_template_that_is_in_several_trees_is_one() -> None:
    assert len(uses(HARNESS, template("lead", "x", tools=CHILD), template("child", "y"))) == 2


def test_each_source_is_wanted_once_in_the_order_of_use() -> None:
    texts = (HARNESS, template("lead", "y", "x", "y"), template("other", "x", "z"))
    assert artifact_uses(documents(*texts)).sources == [source("y"), source("x"), source("z")]


@pytest.mark.parametrize(
    "texts",
    [
        pytest.param([template("lead", "x")], id="no Harness"),
        pytest.param([HARNESS, template("lead", "x")], id="no ModelConfig"),
        pytest.param([HARNESS, template("lead", "x", tools=CHILD)], id="no child"),
        pytest.param(
            [HARNESS.replace("r: {}", "r: {matchLabels: {a: b}}"), template("lead", "x")], id="refused"
        ),
        pytest.param([HARNESS, model("{provider: X}"), template("lead", "x")], id="a broken ModelConfig"),
    ],
)
def test_another_fault_of_a_pair_hides_no_use(texts: list[str]) -> None:
    assert uses(*texts) == [("lead", "spec.skills[0].source", "x")]


def test_a_template_of_no_pair_uses_nothing() -> None:
    assert uses(HARNESS, template("lead", "x", includes="[]")) == []


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (template("broken").replace("systemPrompt", "systemPromt"), "UnknownField"),
        (template("broken").replace("AgentTemplate", "AgentTemplat"), "UnknownField"),
        (template("broken").replace("v1alpha2", "v1alpha9"), "UnsupportedVersion"),
        (template("lead"), "DuplicateObject"),
        (HARNESS.replace("name: runtime", "name: other").replace("workload:", "workloads:"), "UnknownField"),
    ],
)
def test_a_document_that_may_use_more_is_a_doubt(text: str, reason: str) -> None:
    found = artifact_uses(documents(HARNESS, template("lead", "x"), text))
    assert {fault.reason.value for fault in found.doubts} >= {reason}


def test_a_failure_is_told_at_the_field_in_its_own_words() -> None:
    (use,) = artifact_uses(documents(HARNESS, template("lead", "x"))).known
    fault = use.fault(ArtifactFailure(Reason.ARTIFACT_NOT_FOUND, "it is gone", "look for it"))
    assert told([fault]) == [("ArtifactNotFound", "spec.skills[0].source")]
    assert (fault.message, fault.hint) == ("it is gone", "look for it")
    assert fault.source is not None
    assert (fault.source.path, fault.source.line) == ("1.yaml", 4)
