from __future__ import annotations

import pytest

from kagent_render.graph.impact import Dependencies, Impact, Way
from tests.graph.overviews import GIT, TEAM

LEAD, OTHER, KEEPER = "team/runtime/lead", "team/runtime/other", "ops/keeper"


@pytest.fixture(scope="module")
def dependencies() -> Dependencies:
    return Dependencies(TEAM)


def reached(impact: Impact) -> dict[str, list[str | None]]:
    return {reach.subject: [way.agent for way in reach.ways] for reach in impact.reached}


QUESTIONS = [
    ("ModelConfig/aws", {LEAD: ["", "helper"]}),
    ("modelconfig/aws", {LEAD: ["", "helper"]}),
    ("team/ModelConfig/aws", {LEAD: ["", "helper"]}),
    ("Secret/aws", {LEAD: ["", "helper"]}),
    ("Secret/aws/token", {LEAD: ["", "helper"]}),
    ("ConfigMap/texts", {LEAD: ["", "helper"], OTHER: [""]}),
    ("ConfigMap/texts/rules", {LEAD: [""], OTHER: [""]}),
    ("ConfigMap/texts/tone", {LEAD: ["helper"], OTHER: [""]}),
    ("AgentTemplate/helper", {LEAD: ["helper"]}),
    ("Harness/runtime", {LEAD: [None], OTHER: [None]}),
    ("RenderConfig/kagent-render", {LEAD: [None], OTHER: [None], KEEPER: [None]}),
    ("registry.example.com/pause", {LEAD: [None], OTHER: [None], KEEPER: [None]}),
    ("registry.example.com/runtime", {LEAD: [None], OTHER: [None], KEEPER: ["probe"]}),
    ("AgentPlugin/probe", {KEEPER: ["probe"]}),
    ("PlatformAgent/keeper", {KEEPER: [None]}),
    (GIT, {LEAD: ["helper"]}),
    (f"{GIT}@abc", {LEAD: ["helper"]}),
    (f"{GIT}@abc//triage", {LEAD: ["helper"]}),
    ("abc", {LEAD: ["helper"]}),
    ("ModelConfig/unused", {}),
]


@pytest.mark.parametrize(("query", "expected"), QUESTIONS, ids=[query for query, _ in QUESTIONS])
def test_a_question_reaches_what_depends_on_its_object(
    dependencies: Dependencies, query: str, expected: dict[str, list[str | None]]
) -> None:
    origins = dependencies.find(query)
    assert origins
    assert reached(dependencies.impact(origins)) == expected


UNKNOWN = [
    "ModelConfig/none",
    "ops/ModelConfig/aws",
    "aws",
    "",
    "/",
    "ConfigMap/texts/none/more",
    "Secret/aws/x",
]


@pytest.mark.parametrize("query", UNKNOWN, ids=repr)
def test_what_nothing_has_or_uses_is_not_found(dependencies: Dependencies, query: str) -> None:
    assert dependencies.find(query) == []


FILES = [
    ("models.yaml", {LEAD: ["", "helper"]}),
    ("keeper.yaml", {KEEPER: [None]}),
    ("kagent-render.yaml", {LEAD: [None], OTHER: [None], KEEPER: [None]}),
    ("unused.yaml", {}),
]


@pytest.mark.parametrize(("path", "expected"), FILES)
def test_a_file_reaches_what_its_objects_reach(
    dependencies: Dependencies, path: str, expected: dict[str, list[str | None]]
) -> None:
    assert reached(dependencies.impact(dependencies.find_file(path))) == expected


def test_a_way_names_each_object_from_the_first_to_the_last(dependencies: Dependencies) -> None:
    impact = dependencies.impact(dependencies.find("Secret/aws"))
    assert impact.origins == ("team/Secret/aws",)
    assert impact.reached[0].ways == (
        Way(("Secret/aws", "Secret/aws/token", "ModelConfig/aws", "AgentTemplate/lead"), ""),
        Way(("Secret/aws", "Secret/aws/token", "ModelConfig/aws", "AgentTemplate/helper"), "helper"),
    )


def test_what_is_reached_stands_out_in_drawings(dependencies: Dependencies) -> None:
    impact = dependencies.impact(dependencies.find("ConfigMap/texts/tone"))
    assert impact.marked == {(LEAD, "helper"), (OTHER, "")}
