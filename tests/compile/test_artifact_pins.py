"""Skills and plugins of a template: what is selected, pinned and told at which field."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from kagent_render.api.hub import ArtifactSource, OciSource
from kagent_render.artifacts.failure import ArtifactFailure
from kagent_render.artifacts.package import Package, PackageFile
from kagent_render.artifacts.selection import LockedContent, Selection
from kagent_render.artifacts.skills.plugin_manifest import SCHEMA
from kagent_render.compile.artifact_pins import PinnedContent, artifact_fields, pin_artifacts
from kagent_render.diagnostics.diagnostic import Diagnostic, Severity, distinct, field_text
from kagent_render.diagnostics.reasons import Reason
from tests.compile.boundaries import Packages, skill, template
from tests.manifests import inventory, told

REFERENCE = "r.example/content@sha256:" + "0" * 64
ORIGIN = OciSource(REFERENCE)
WHOLE, INSIDE = ArtifactSource(ORIGIN), ArtifactSource(ORIGIN, "plugins/one")


def plugin(*names: str) -> Package:
    manifest = json.dumps({"$schema": SCHEMA, "name": "practices", "version": "1.2.0"}).encode()
    files = {"plugin.json": PackageFile(manifest)}
    for name in names:
        files |= skill(name, f"skills/{name}/").files
    return Package(files)


def pin(
    spec: str, packages: Packages | Mapping[ArtifactSource, LockedContent]
) -> tuple[PinnedContent, list[Diagnostic]]:
    found = inventory(template("lead", spec)).templates["team", "lead"]
    return pin_artifacts(found, packages)


def a_skill(name: str, source: str = "") -> str:
    return f"{{name: {name}, source: {{oci: '{REFERENCE}'{source}}}}}"


def a_plugin(*skills: str, source: str = "") -> str:
    return f"{{source: {{oci: '{REFERENCE}'{source}}}, skills: [{', '.join(skills)}]}}"


def test_a_standalone_skill_is_pinned_by_its_own_content() -> None:
    content, faults = pin(f"skills: [{a_skill('one')}]", {WHOLE: skill("one")})
    assert faults == []
    (found,), (artifact,) = content.skills, content.artifacts
    assert (found.name, found.source, field_text(found.provenance.field)) == (
        "one",
        WHOLE,
        "spec.skills[0].name",
    )
    assert artifact.tree_digest == found.digest
    assert artifact.manifest is None
    assert artifact.identity == {"oci": REFERENCE}


@pytest.mark.parametrize(
    ("source", "key", "path"),
    [
        pytest.param("", WHOLE, "skills/one", id="at the artifact's root"),
        pytest.param(", path: plugins/one", INSIDE, "plugins/one/skills/one", id="at a path"),
    ],
)
def test_a_plugin_s_skill_becomes_a_skill_of_its_own(source: str, key: ArtifactSource, path: str) -> None:
    content, faults = pin(f"plugins: [{a_plugin('one', source=source)}]", {key: plugin("one", "two")})
    assert faults == []
    (found,), (artifact,) = content.skills, content.artifacts
    assert found.source == ArtifactSource(ORIGIN, path)
    assert field_text(found.provenance.field) == "spec.plugins[0].skills[0]"
    assert artifact.manifest == ("practices", "1.2.0")
    assert [(pinned.name, pinned.digest) for pinned in artifact.skills] == [("one", found.digest)]


def test_what_is_not_selected_counts_for_nothing() -> None:
    spec = f"plugins: [{a_plugin('one')}]"
    alone, beside = (pin(spec, {WHOLE: plugin(*names)})[0] for names in (["one"], ["one", "two"]))
    assert alone.artifacts == beside.artifacts
    assert [found.digest for found in alone.skills] == [found.digest for found in beside.skills]


def test_content_of_the_selection_counts() -> None:
    other = dict(plugin("one").files)
    other["skills/one/notes.md"] = PackageFile(b"more")
    spec = f"plugins: [{a_plugin('one')}]"
    before, after = (pin(spec, {WHOLE: package})[0] for package in (plugin("one"), Package(other)))
    assert before.artifacts[0].tree_digest != after.artifacts[0].tree_digest
    assert before.skills[0].digest != after.skills[0].digest


def test_skills_stand_in_the_template_s_order() -> None:
    spec = f"skills: [{a_skill('third')}]\nplugins: [{a_plugin('second', 'first')}]"
    content, faults = pin(
        spec.replace(REFERENCE, REFERENCE.replace("0", "1"), 1),
        {
            ArtifactSource(OciSource(REFERENCE.replace("0", "1"))): skill("third"),
            WHOLE: plugin("first", "second"),
        },
    )
    assert faults == []
    assert [found.name for found in content.skills] == ["third", "second", "first"]


FAILURE = ArtifactFailure(Reason.ARTIFACT_FETCH_FAILED, "it cannot be had", "try again")


@pytest.mark.parametrize(
    ("spec", "package", "expected"),
    [
        pytest.param(
            f"skills: [{a_skill('one')}]",
            FAILURE,
            [("ArtifactFetchFailed", "spec.skills[0].source")],
            id="a skill that cannot be had",
        ),
        pytest.param(
            f"plugins: [{a_plugin('one')}]",
            FAILURE,
            [("ArtifactFetchFailed", "spec.plugins[0].source")],
            id="a plugin that cannot be had",
        ),
        pytest.param(
            f"plugins: [{a_plugin('one', 'two')}]",
            plugin("one"),
            [("SkillNotFound", "spec.plugins[0].skills[1]")],
            id="a skill that the plugin has not",
        ),
        pytest.param(
            f"plugins: [{a_plugin('one')}]",
            Package({"README.md": PackageFile(b"")}),
            [("PluginManifestInvalid", "spec.plugins[0].source")],
            id="no plugin",
        ),
        pytest.param(
            f"skills: [{a_skill('other')}]",
            skill("one"),
            [("SkillInvalid", "spec.skills[0]")],
            id="a skill of another name",
        ),
        pytest.param(
            f"skills: [{a_skill('one')}]\nplugins: [{a_plugin('one')}]",
            Package({**plugin("one").files, **skill("one").files}),
            [("DuplicateSkillName", "spec.plugins[0].skills[0]")],
            id="one name from two places",
        ),
        pytest.param(
            f"plugins: [{a_plugin('one')}, {a_plugin('two', 'one', source=', path: more')}]",
            plugin("one", "two"),
            [("DuplicateSkillName", "spec.plugins[1].skills[1]")],
            id="one name from two plugins",
        ),
        pytest.param(
            f"plugins: [{a_plugin(chr(0xFC), 'u' + chr(0x308))}]",
            plugin("\u00fc"),
            [("DuplicateSkillName", "spec.plugins[0].skills[1]")],
            id="one name in two spellings",
        ),
    ],
)
def test_what_is_wrong_is_told_at_the_field_that_names_it(
    spec: str, package: Package | ArtifactFailure, expected: list[tuple[str, str]]
) -> None:
    _, faults = pin(spec, {WHOLE: package, ArtifactSource(ORIGIN, "more"): package})
    assert told(faults) == expected


def test_a_fetch_s_failure_keeps_its_words() -> None:
    (fault,) = pin(f"skills: [{a_skill('one')}]", {WHOLE: FAILURE})[1]
    assert (fault.message, fault.hint) == (FAILURE.message, FAILURE.hint)


def test_every_field_that_names_a_source_is_known() -> None:
    spec = f"skills: [{a_skill('one')}]\nplugins: [{a_plugin('two', source=', path: plugins/one')}]"
    (found,) = inventory(template("lead", spec)).templates.values()
    assert list(artifact_fields(found)) == [
        (("spec", "skills", 0, "source"), WHOLE),
        (("spec", "plugins", 0, "source"), INSIDE),
    ]


IGNORED = "PluginManifestIgnored"
NOTED = plugin("one")
NOTED = Package({**NOTED.files, "mcp.json": PackageFile(b"{}"), "skills/two/SKILL.md": PackageFile(b"")})


def test_everything_ignored_of_one_plugin_is_one_note_of_its_source() -> None:
    manifest = json.dumps(
        {"$schema": SCHEMA, "name": "practices", "mcpServers": {}, "extensions": {"a.b": {}}}
    )
    package = Package({**NOTED.files, "plugin.json": PackageFile(manifest.encode())})
    _, faults = pin(f"plugins: [{a_plugin('one')}]", {WHOLE: package})
    assert told(faults) == [(IGNORED, "spec.plugins[0].source"), ("SkillInvalid", "spec.plugins[0].source")]
    ignored = faults[0]
    assert ignored.severity is Severity.WARNING
    assert ignored.message.startswith(f"`{REFERENCE}`: ")
    for text in ("`mcpServers`", "`extensions`", "`mcp.json`"):
        assert text in ignored.message


def test_notes_of_a_plugin_are_said_once_however_many_templates_use_it() -> None:
    packages = {WHOLE: NOTED, INSIDE: NOTED}
    twice = f"plugins: [{a_plugin('one')}, {a_plugin(source=', path: plugins/one')}]"
    texts = [template(name, twice) for name in ("one", "two", "three")]
    found = inventory(*texts).templates.values()
    faults = [fault for each in found for fault in pin_artifacts(each, packages)[1]]
    noted = [
        (fault.object and fault.object.name, fault.reason.value, fault.field) for fault in distinct(faults)
    ]
    assert noted == [
        ("one", IGNORED, "spec.plugins[0].source"),
        ("one", "SkillInvalid", "spec.plugins[0].source"),
        ("one", IGNORED, "spec.plugins[1].source"),
        ("one", "PluginUnused", "spec.plugins[1].source"),
        ("one", "SkillInvalid", "spec.plugins[1].source"),
        ("two", "PluginUnused", "spec.plugins[1].source"),
        ("three", "PluginUnused", "spec.plugins[1].source"),
    ]


def test_errors_of_a_plugin_are_said_wherever_it_is_used() -> None:
    texts = [template(name, f"plugins: [{a_plugin('two')}]") for name in ("one", "two")]
    faults = [
        fault
        for each in inventory(*texts).templates.values()
        for fault in pin_artifacts(each, {WHOLE: NOTED})[1]
    ]
    errors = [fault for fault in distinct(faults) if fault.is_error]
    assert told(errors) == [("SkillInvalid", "spec.plugins[0].skills[0]")] * 2


def test_locks_that_pin_two_contents_are_told_with_both() -> None:
    away = ArtifactFailure(Reason.ARTIFACT_UNAVAILABLE_OFFLINE, "not at hand", hint="fetch it")
    pinned = (Selection("sha256:1", {"one": "sha256:1"}), Selection("sha256:2", {"one": "sha256:2"}))
    _, faults = pin(f"skills: [{a_skill('one')}]", {WHOLE: LockedContent(away, pinned)})
    assert told(faults) == [("ArtifactDigestMismatch", "spec.skills[0].source")]
    assert "expected `sha256:1` by one, got `sha256:2` from another" in faults[0].message
    assert "kagent-render verify" in (faults[0].hint or "")
