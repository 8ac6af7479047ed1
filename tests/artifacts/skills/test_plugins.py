"""The rules of Agent Plugins 1.0.0 for a client that loads selected skills and nothing else."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kagent_render.artifacts.archive.formats import read_archive
from kagent_render.artifacts.package import Package, PackageFile
from kagent_render.artifacts.skills.plugin import PluginReading, read_plugin
from kagent_render.artifacts.skills.plugin_manifest import SCHEMA, PluginManifest, read_manifest
from kagent_render.artifacts.tree_digest import tree_digest
from kagent_render.diagnostics.diagnostic import Severity
from kagent_render.diagnostics.reasons import Reason
from tests.artifacts.archive.archives import tar_entry, tar_of

MINIMAL = {"$schema": SCHEMA, "name": "practices"}
ABSENT = object()


def skill(name: str, description: str = "Reviews code.") -> bytes:
    return f"---\nname: {name}\ndescription: {description}\n---\nText.\n".encode()


def plugin(manifest: Any = None, **files: bytes) -> Package:
    """A plugin of a manifest and files; `__` in a name stands for `/`, `_MD` for `SKILL.md`."""
    data = manifest if isinstance(manifest, bytes) else json.dumps(manifest or MINIMAL).encode()
    named = {name.replace("__", "/").replace("_MD", "SKILL.md"): data for name, data in files.items()}
    return Package({path: PackageFile(text) for path, text in {"plugin.json": data, **named}.items()})


def with_members(**members: Any) -> dict[str, Any]:
    named = {**MINIMAL, **{key.replace("schema", "$schema"): value for key, value in members.items()}}
    return {key: value for key, value in named.items() if value is not ABSENT}


def told(reading: PluginReading) -> list[tuple[Reason, Severity, int | None]]:
    return [(finding.reason, finding.severity, finding.selection) for finding in reading.findings]


ACCEPTED: dict[str, dict[str, Any]] = {
    "minimal": {},
    "name-one-character": {"name": "a"},
    "name-64-characters": {"name": "a" * 64},
    "name-with-dots-and-hyphens": {"name": "acme.tools-2.x"},
    "name-dot-next-to-hyphen": {"name": "a.-b"},
    "version-not-semver": {"version": "yesterday"},
    "empty-texts": {"version": "", "description": "", "license": ""},
    "homepage-not-a-url": {"homepage": "not a url", "repository": "::"},
    "keywords": {"keywords": ["a", ""]},
    "no-keywords": {"keywords": []},
    "author": {"author": {"name": "A", "email": "not an address", "url": "x"}},
    "empty-author": {"author": {}},
    "empty-extensions": {"extensions": {}},
}


@pytest.mark.parametrize("members", ACCEPTED.values(), ids=ACCEPTED.keys())
def test_a_manifest_is_accepted_in_silence(members: dict[str, Any]) -> None:
    manifest = with_members(**members)
    reading = read_plugin(plugin(manifest, skills__a___MD=skill("a")), ["a"])
    assert reading.findings == ()
    assert reading.content
    assert reading.content.manifest == PluginManifest(manifest["name"], manifest.get("version"))


REJECTED: dict[str, Any] = {
    "no-name": with_members(name=ABSENT),
    "name-empty": with_members(name=""),
    "name-65-characters": with_members(name="a" * 65),
    "name-upper-case": with_members(name="Practices"),
    "name-underscore": with_members(name="a_b"),
    "name-hyphen-first": with_members(name="-a"),
    "name-dot-last": with_members(name="a."),
    "name-two-hyphens": with_members(name="a--b"),
    "name-two-dots": with_members(name="a..b"),
    "name-line-feed": with_members(name="a\n"),
    "name-not-ascii": with_members(name="caf\u00e9"),
    "name-number": with_members(name=7),
    "name-null": with_members(name=None),
    "no-schema": with_members(schema=ABSENT),
    "schema-empty": with_members(schema=""),
    "schema-number": with_members(schema=1),
    "version-number": with_members(version=1.0),
    "version-null": with_members(version=None),
    "description-list": with_members(description=["a"]),
    "homepage-object": with_members(homepage={}),
    "repository-object": with_members(repository={"url": "x"}),
    "license-bool": with_members(license=True),
    "keywords-text": with_members(keywords="a"),
    "keywords-numbers": with_members(keywords=["a", 1]),
    "keywords-null": with_members(keywords=None),
    "author-text": with_members(author="A"),
    "author-unknown-member": with_members(author={"name": "A", "phone": "1"}),
    "author-number": with_members(author={"name": 1}),
    "author-null": with_members(author=None),
    "list": b"[]",
    "text": b'"plugin"',
    "empty": b"",
    "not-json": b"name: practices",
    "comment": b'{"name": "a" /* no */}',
    "trailing-comma": json.dumps(MINIMAL).encode().replace(b"}", b",}"),
    "two-values": json.dumps(MINIMAL).encode() * 2,
    "not-utf8": json.dumps(MINIMAL).encode("utf-16"),
    "byte-order-mark": b"\xef\xbb\xbf" + json.dumps(MINIMAL).encode(),
    "same-member-twice": json.dumps(MINIMAL).encode().replace(b"}", b', "name": "b"}'),
    "infinity": json.dumps(with_members(extensions=float("inf"))).encode(),
    "lone-surrogate": json.dumps(with_members(version="\ud800")).encode(),
    "deep": b'{"extensions":' + b"[" * 200_000,
    "long-number": b'{"extensions":' + b"9" * 5_000 + b"}",
    "large": json.dumps(with_members(description="x" * (1 << 20))).encode(),
}


@pytest.mark.parametrize("manifest", REJECTED.values(), ids=REJECTED.keys())
def test_a_broken_manifest_rejects_the_plugin(manifest: Any) -> None:
    reading = read_plugin(plugin(manifest, skills__a___MD=skill("a")), ["a"])
    assert reading.content is None
    assert told(reading) == [(Reason.PLUGIN_MANIFEST_INVALID, Severity.ERROR, None)]
    assert "\n" not in reading.findings[0].message


def test_every_fault_of_a_manifest_is_told() -> None:
    reading = read_plugin(plugin(with_members(name="A", version=1, keywords=1, author=1, more=1)), [])
    errors = [finding for finding in reading.findings if finding.is_error]
    assert len(errors) == 4
    assert len(reading.findings) == 5


@pytest.mark.parametrize("version", ["1.1.0", "0.9.0", "2.0.0-rc.1"])
def test_another_schema_version_is_refused_by_its_name(version: str) -> None:
    schema = f"https://agent-plugins.org/schemas/{version}/plugin.schema.json"
    reading = read_plugin(plugin(with_members(schema=schema, name="A")), [])
    assert told(reading) == [(Reason.PLUGIN_SCHEMA_UNSUPPORTED, Severity.ERROR, None)]
    assert f"`{version}`" in reading.findings[0].message
    assert reading.content is None


@pytest.mark.parametrize(
    "schema",
    [
        SCHEMA + "#",
        SCHEMA + "/",
        SCHEMA.replace("https", "http"),
        SCHEMA.upper(),
        f" {SCHEMA}",
        "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json",
        "x" * 100_000,
        "`\x1b[31m`",
    ],
)
def test_only_the_exact_schema_identifier_counts(schema: str) -> None:
    reading = read_plugin(plugin(with_members(schema=schema)), [])
    assert told(reading) == [(Reason.PLUGIN_SCHEMA_UNSUPPORTED, Severity.ERROR, None)]
    assert reading.findings[0].message.isprintable()
    assert len(reading.findings[0].message) < 300


def test_a_manifest_that_is_a_pointer_of_git_lfs_is_told_as_such() -> None:
    manifest, (finding,) = read_manifest(
        b"version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 1\n"
    )
    assert manifest is None
    assert finding.message == "`plugin.json` is a Git LFS pointer, not its content"
    assert "git lfs" in (finding.hint or "")


def test_a_plugin_without_manifest_is_rejected() -> None:
    reading = read_plugin(Package({"skills/a/SKILL.md": PackageFile(skill("a"))}), ["a"])
    assert told(reading) == [(Reason.PLUGIN_MANIFEST_INVALID, Severity.ERROR, None)]


@pytest.mark.parametrize(
    ("members", "files", "severity", "text"),
    [
        ({"mcpServers": {}}, {}, Severity.WARNING, "`mcpServers`"),
        ({"\x1b`": 1}, {}, Severity.WARNING, "\ufffd"),
        ({"extensions": []}, {}, Severity.WARNING, "`extensions`"),
        ({"extensions": None}, {}, Severity.WARNING, "`extensions`"),
        ({"extensions": {"com.example": {"name": 1}}}, {}, Severity.INFO, "`extensions`"),
        ({}, {"mcp.json": b"{}"}, Severity.INFO, "`mcp.json`"),
        ({}, {"mcp.json": b"not json"}, Severity.INFO, "`mcp.json`"),
        ({}, {"mcp.json__x": b""}, Severity.INFO, "`mcp.json`"),
        ({}, {"com.example.client__hooks__x": b""}, Severity.INFO, "`com.example.client`"),
    ],
    ids=[
        "unknown-member",
        "unprintable-member",
        "extensions-list",
        "extensions-null",
        "extensions",
        "mcp",
        "mcp-invalid",
        "mcp-directory",
        "extension-directory",
    ],
)
def test_what_is_ignored_is_reported_and_nothing_else_happens(
    members: dict[str, Any], files: dict[str, bytes], severity: Severity, text: str
) -> None:
    reading = read_plugin(plugin(with_members(**members), skills__a___MD=skill("a"), **files), ["a"])
    assert told(reading) == [(Reason.PLUGIN_MANIFEST_IGNORED, severity, None)]
    assert text in reading.findings[0].message
    assert reading.content


def test_what_is_ignored_is_no_part_of_the_selected_content() -> None:
    files = {"LICENSE": b"", "mcp.json": b"{}", "com.example.client__x": b"", "skills__README.md": b""}
    content = read_plugin(
        plugin(skills__a___MD=skill("a"), skills__b___MD=skill("b"), **files), ["a"]
    ).content
    assert content
    assert list(content.package.files) == ["plugin.json", "skills/a/SKILL.md"]


def test_digests_are_of_the_selection_and_of_each_skill() -> None:
    package = plugin(skills__a___MD=skill("a"), skills__a__x=b"1", skills__b___MD=skill("b"))
    content = read_plugin(package, ["b", "a"]).content
    assert content
    assert content.tree_digest == tree_digest(package)
    assert [one.name for one in content.skills] == ["b", "a"]
    only_a = Package({"SKILL.md": PackageFile(skill("a")), "x": PackageFile(b"1")})
    assert content.skills[1].digest == tree_digest(only_a)


def test_an_unselected_skill_does_not_change_the_digest() -> None:
    one = read_plugin(plugin(skills__a___MD=skill("a")), ["a"]).content
    two = read_plugin(plugin(skills__a___MD=skill("a"), skills__b___MD=skill("b")), ["a"]).content
    assert one
    assert two
    assert one.tree_digest == two.tree_digest


NOTHING_SELECTED = (Reason.PLUGIN_UNUSED, Severity.INFO, None)


@pytest.mark.parametrize("files", [{}, {"skills__a___MD": skill("a")}], ids=["without-skills", "with-skills"])
def test_an_empty_selection_selects_nothing_and_says_so(files: dict[str, bytes]) -> None:
    reading = read_plugin(plugin(**files), [])
    assert told(reading) == [NOTHING_SELECTED]
    assert "no skill is selected" in reading.findings[0].message
    assert reading.content
    assert reading.content.skills == ()
    assert list(reading.content.package.files) == ["plugin.json"]


NOT_FOUND: dict[str, tuple[dict[str, bytes], str]] = {
    "nothing-there": ({}, "a"),
    "other-skill": ({"skills__b___MD": skill("b")}, "a"),
    "directory-without-skill-file": ({"skills__a__README.md": b""}, "a"),
    "lower-case-file": ({"skills__a__skill.md": skill("a")}, "a"),
    "skill-file-is-a-directory": ({"skills__a___MD__x": b""}, "a"),
    "nested": ({"skills__group__a___MD": skill("a")}, "a"),
    "nested-by-path": ({"skills__group__a___MD": skill("a")}, "group/a"),
    "outside-of-skills": ({"other__a___MD": skill("a")}, "a"),
    "parent": ({"_MD": skill("a")}, ".."),
    "file-in-skills": ({"skills___MD": skill("skills")}, "SKILL.md"),
    "empty-name": ({"skills___MD": skill("skills")}, ""),
    "other-case": ({"skills__a___MD": skill("a")}, "A"),
}


@pytest.mark.parametrize(("files", "selected"), NOT_FOUND.values(), ids=NOT_FOUND.keys())
def test_only_an_immediate_child_with_a_skill_file_is_a_skill(files: dict[str, bytes], selected: str) -> None:
    reading = read_plugin(plugin(**files), [selected])
    assert told(reading) == [(Reason.SKILL_NOT_FOUND, Severity.ERROR, 0)]
    assert reading.content is None


def test_skills_that_are_not_a_directory_are_reported() -> None:
    reading = read_plugin(plugin(skills=b"text"), [])
    assert told(reading) == [(Reason.SKILL_INVALID, Severity.WARNING, None), NOTHING_SELECTED]
    assert reading.content


def test_a_broken_selected_skill_is_an_error_at_its_selection() -> None:
    package = plugin(skills__a___MD=skill("a"), skills__b___MD=skill("c"), skills__d___MD=b"")
    reading = read_plugin(package, ["a", "b", "d", "e"])
    errors = [(one.reason, one.selection) for one in reading.findings if one.is_error]
    assert errors == [(Reason.SKILL_INVALID, 1), (Reason.SKILL_INVALID, 2), (Reason.SKILL_NOT_FOUND, 3)]
    assert reading.content is None


def test_a_broken_neighbour_is_reported_and_the_others_load() -> None:
    reading = read_plugin(plugin(skills__a___MD=skill("a"), skills__b___MD=b"no front matter"), ["a"])
    assert told(reading) == [(Reason.SKILL_INVALID, Severity.INFO, None)]
    assert "`b`" in reading.findings[0].message
    assert reading.content


_SKIPPED = (Reason.SKILL_INVALID, Severity.INFO, None)


@pytest.mark.parametrize(
    ("outside", "of_a", "of_b"),
    [
        (
            "plugin.json",
            (Reason.PLUGIN_MANIFEST_INVALID, Severity.ERROR, None),
            (Reason.PLUGIN_MANIFEST_INVALID, Severity.ERROR, None),
        ),
        ("skills/a/SKILL.md", (Reason.SKILL_INVALID, Severity.ERROR, 0), _SKIPPED),
        ("skills/a/x.md", (Reason.SKILL_INVALID, Severity.ERROR, 0), None),
        ("skills/README.md", None, None),
        ("docs/x.md", None, None),
        (
            "mcp.json",
            (Reason.PLUGIN_MANIFEST_IGNORED, Severity.INFO, None),
            (Reason.PLUGIN_MANIFEST_IGNORED, Severity.INFO, None),
        ),
    ],
)
def test_a_link_out_of_the_plugin_fails_as_narrowly_as_possible(
    outside: str, of_a: tuple[Reason, Severity, int | None], of_b: tuple[Reason, Severity, int | None]
) -> None:
    whole = plugin(skills__a___MD=skill("a"), skills__b___MD=skill("b"))
    files = {path: file for path, file in whole.files.items() if path != outside}
    for name, expected in (("a", of_a), ("b", of_b)):
        reading = read_plugin(Package(files, outside=(outside,)), [name])
        assert told(reading) == [one for one in [expected] if one]
        assert bool(reading.content) == (not any(finding.is_error for finding in reading.findings))


def test_skills_behind_a_link_out_of_the_plugin_are_no_skills() -> None:
    package = Package(
        {"plugin.json": PackageFile(json.dumps(MINIMAL).encode())}, outside=("skills/README.md",)
    )
    reading = read_plugin(package, [])
    assert told(reading) == [(Reason.SKILL_INVALID, Severity.WARNING, None), NOTHING_SELECTED]
    assert reading.content


def test_links_that_stay_inside_of_the_plugin_are_what_they_lead_to() -> None:
    manifest = json.dumps(MINIMAL).encode()
    archive = tar_of(
        tar_entry(b"p/meta/plugin.json", manifest),
        tar_entry(b"p/plugin.json", kind=b"2", link=b"meta/plugin.json"),
        tar_entry(b"p/shared/a/SKILL.md", skill("a")),
        tar_entry(b"p/shared/notes.md", b"notes"),
        tar_entry(b"p/skills", kind=b"2", link=b"shared"),
        tar_entry(b"p/shared/a/notes.md", kind=b"2", link=b"../notes.md"),
    )
    reading = read_plugin(read_archive(archive, "p.tar").subtree("p"), ["a"])
    assert told(reading) == []
    assert reading.content
    assert list(reading.content.package.files) == ["plugin.json", "skills/a/SKILL.md", "skills/a/notes.md"]
    copied = Package({"SKILL.md": PackageFile(skill("a")), "notes.md": PackageFile(b"notes")})
    assert reading.content.skills[0].digest == tree_digest(copied)


def test_a_link_out_of_a_plugin_inside_of_a_larger_artifact_leaves_the_plugin() -> None:
    archive = tar_of(
        tar_entry(b"p/plugin.json", json.dumps(MINIMAL).encode()),
        tar_entry(b"p/skills/a/SKILL.md", skill("a")),
        tar_entry(b"p/skills/a/notes.md", kind=b"2", link=b"../../../notes.md"),
        tar_entry(b"notes.md", b"notes"),
    )
    reading = read_plugin(read_archive(archive, "p.tar").subtree("p"), ["a"])
    assert told(reading) == [(Reason.SKILL_INVALID, Severity.ERROR, 0)]
    assert "`notes.md` is a link that leaves" in reading.findings[0].message
