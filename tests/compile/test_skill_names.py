"""Skills of one name in one runtime boundary: of one source they are one skill, of two an error."""

from __future__ import annotations

import pytest

from kagent_render.api.hub import ArtifactSource, OciSource
from kagent_render.artifacts.package import Package, PackageFile
from kagent_render.artifacts.skills.plugin_manifest import SCHEMA
from tests.compile.boundaries import Packages, agent, compiled, skill, template
from tests.manifests import told

ONE, OTHER, PLUGIN = (f"r.example/{name}@sha256:{'0' * 64}" for name in ("one", "other", "plugin"))
NOTES = PackageFile(b"notes")


def _plugin() -> Package:
    manifest = f'{{"$schema": "{SCHEMA}", "name": "practices"}}'.encode()
    return Package({"plugin.json": PackageFile(manifest), **skill("review", "skills/review/").files})


PACKAGES: Packages = {
    ArtifactSource(OciSource(ONE)): skill("review"),
    ArtifactSource(OciSource(OTHER)): Package({**skill("review").files, "notes.md": NOTES}),
    ArtifactSource(OciSource(PLUGIN)): _plugin(),
}
ONE_SKILL, OTHER_SKILL = (f"skills: [{{name: review, source: {{oci: '{oci}'}}}}]" for oci in (ONE, OTHER))
ONE_OF_PLUGIN = f"plugins: [{{source: {{oci: '{PLUGIN}'}}, skills: [review]}}]"
SAME: list[tuple[str, str]] = []
DIFFERENT = [("DuplicateSkillName", "spec.skills[0].name")]


@pytest.mark.parametrize(
    ("root", "child", "isolation", "expected"),
    [
        pytest.param(ONE_SKILL, ONE_SKILL, "Shared", SAME, id="one source"),
        pytest.param(ONE_OF_PLUGIN, ONE_OF_PLUGIN, "Shared", SAME, id="one plugin"),
        pytest.param(ONE_OF_PLUGIN, ONE_SKILL, "Shared", DIFFERENT, id="one content from a plugin and alone"),
        pytest.param(ONE_SKILL, OTHER_SKILL, "Shared", DIFFERENT, id="two contents"),
        pytest.param(ONE_OF_PLUGIN, OTHER_SKILL, "Shared", DIFFERENT, id="two contents, one of a plugin"),
        pytest.param(
            OTHER_SKILL,
            ONE_OF_PLUGIN,
            "Shared",
            [("DuplicateSkillName", "spec.plugins[0].skills[0]")],
            id="two contents, the child's of a plugin",
        ),
        pytest.param(ONE_SKILL, OTHER_SKILL, "Dedicated", SAME, id="two contents in two runtimes"),
    ],
)
def test_a_runtime_has_one_skill_under_a_name(
    root: str, child: str, isolation: str, expected: list[tuple[str, str]]
) -> None:
    texts = (
        template("lead", f"tools: [{agent('child', isolation)}]\n{root}"),
        template("child", child),
    )
    _, faults = compiled(*texts, packages=PACKAGES)
    assert told(faults) == expected


def test_two_shared_children_may_not_differ_either() -> None:
    texts = (
        template("lead", f"tools: [{agent('first')}, {agent('second')}]"),
        template("first", ONE_SKILL),
        template("second", OTHER_SKILL),
    )
    _, faults = compiled(*texts, packages=PACKAGES)
    assert told(faults) == DIFFERENT
    assert "AgentTemplate `first` has another skill `review` from another source" in faults[0].message
