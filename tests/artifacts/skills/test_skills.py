"""The rules of Agent Skills, alone and against the reference validator."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from skills_ref.validator import validate  # type: ignore[import-untyped]

from kagent_render.artifacts.package import Package, PackageFile
from kagent_render.artifacts.skills.skill import document_faults, read_skill
from kagent_render.artifacts.tree_digest import tree_digest
from kagent_render.diagnostics.reasons import Reason

GOOD = "---\nname: review\ndescription: Reviews code.\n---\nText.\n"


def document(*lines: str) -> str:
    return "\n".join(["---", *lines, "---", "Text.", ""])


def package(text: str, **files: bytes) -> Package:
    return Package({"SKILL.md": PackageFile(text.encode()), **{n: PackageFile(d) for n, d in files.items()}})


VALID: dict[str, tuple[str, str]] = {
    "minimal": (GOOD, "review"),
    "windows-lines": (GOOD.replace("\n", "\r\n"), "review"),
    "old-mac-lines": (GOOD.replace("\n", "\r"), "review"),
    "no-text": ("---\nname: review\ndescription: d\n---", "review"),
    "spaces-after-marks": ("--- \nname: review\ndescription: d\n---  \n", "review"),
    "marks-in-text": (GOOD + "---\nmore\n---\n", "review"),
    "comment": (document("# a comment", "name: review # another", "description: d"), "review"),
    "quotes": (document("name: 'review'", 'description: "a: b"'), "review"),
    "folded": (document("name: review", "description: >-", "  one", "  two"), "review"),
    "looks-like-a-number": (document("name: 123", "description: 1.0"), "123"),
    "looks-like-null": (document("name: null", "description: true"), "null"),
    "looks-like-a-date": (document("name: 2024-01-01", "description: d"), "2024-01-01"),
    "name-64": (document(f"name: {'a' * 64}", "description: d"), "a" * 64),
    "description-1024": (document("name: review", f"description: {'d' * 1_024}"), "review"),
    "compatibility-500": (
        document("name: review", "description: d", f"compatibility: {'c' * 500}"),
        "review",
    ),
    "license": (document("name: review", "description: d", "license: MIT"), "review"),
    "allowed-tools": (document("name: review", "description: d", "allowed-tools: Read Grep"), "review"),
    "tools-list": (document("name: review", "description: d", "allowed-tools:", "- Read"), "review"),
    "metadata": (
        document("name: review", "description: d", "metadata:", "  version: 1.0", "  a: b"),
        "review",
    ),
    "other-letters": (document("name: pr\u00fcfung-2", "description: d"), "pr\u00fcfung-2"),
    "tab-in-quotes": (document("name: review", "description: 'a\tb'"), "review"),
    "tab-in-a-block": (document("name: review", "description: |", "  \tb"), "review"),
    "line-separators": (document("name: review", "description: a\x85b\u2028c\u2029d\ufeffe"), "review"),
    "merge-key-in-quotes": (document("name: review", "description: d", "metadata:", "  '<<': x"), "review"),
    "compatible-form": (document("name: \uff52eview", "description: d"), "review"),
}
INVALID: dict[str, tuple[str, str]] = {
    "empty": ("", "review"),
    "no-front-matter": ("# Review\n", "review"),
    "blank-line-first": ("\n" + GOOD, "review"),
    "byte-order-mark": ("\ufeff" + GOOD, "review"),
    "not-closed": ("---\nname: review\ndescription: d\n", "review"),
    "nothing-between": ("---\n---\n", "review"),
    "list": (document("- name"), "review"),
    "text": (document("review"), "review"),
    "not-yaml": (document("name: review", "description: a: b"), "review"),
    "tab": (document("name: review", "\tdescription: d"), "review"),
    "tab-before-a-value": (document("name: review", "description:\td"), "review"),
    "tab-in-plain-text": (document("name: review", "description: a\tb"), "review"),
    "tab-after-a-value": (document("name: review\t", "description: d"), "review"),
    "merge-key": (document("name: review", "description: d", "metadata:", "  <<: x"), "review"),
    "value-mark": (document("name: review", "description: ="), "review"),
    "same-key-twice": (document("name: review", "name: review", "description: d"), "review"),
    "anchor": (document("name: &a review", "description: *a"), "review"),
    "tag": (document("name: !!str review", "description: d"), "review"),
    "flow-mapping": (document("name: review", "description: d", "metadata: {a: b}"), "review"),
    "flow-sequence": (document("name: review", "description: d", "allowed-tools: [Read]"), "review"),
    "unknown-member": (document("name: review", "description: d", "version: 1"), "review"),
    "no-name": (document("description: d"), "review"),
    "empty-name": (document("name:", "description: d"), "review"),
    "name-list": (document("name:", "- review", "description: d"), "review"),
    "name-65": (document(f"name: {'a' * 65}", "description: d"), "a" * 65),
    "upper-case": (document("name: Review", "description: d"), "Review"),
    "underscore": (document("name: re_view", "description: d"), "re_view"),
    "space": (document("name: re view", "description: d"), "re view"),
    "hyphen-first": (document("name: -review", "description: d"), "-review"),
    "hyphen-last": (document("name: review-", "description: d"), "review-"),
    "two-hyphens": (document("name: re--view", "description: d"), "re--view"),
    "other-name": (document("name: reviews", "description: d"), "review"),
    "no-description": (document("name: review"), "review"),
    "blank-description": (document("name: review", 'description: "  "'), "review"),
    "description-1025": (document("name: review", f"description: {'d' * 1_025}"), "review"),
    "description-mapping": (document("name: review", "description:", "  a: b"), "review"),
    "compatibility-501": (
        document("name: review", "description: d", f"compatibility: {'c' * 501}"),
        "review",
    ),
    "compatibility-list": (document("name: review", "description: d", "compatibility:", "- a"), "review"),
}
STRICTER: dict[str, tuple[str, str]] = {
    "metadata-text": (document("name: review", "description: d", "metadata: text"), "review"),
    "metadata-list": (document("name: review", "description: d", "metadata:", "- a"), "review"),
    "mark-without-line": ("---name: review\ndescription: d\n---\n", "review"),
    "mark-inside-a-line": ("---\nname: review\ndescription: d --- e\n", "review"),
    "end-of-document": (document("name: review", "description: d", "..."), "review"),
    "large": (document("name: review", "description: d", "metadata:", f"  a: {'x' * 70_000}"), "review"),
}


def accepted(text: str, name: str) -> bool:
    return not list(document_faults(text.encode(), name))


def reference_accepts(text: str, name: str) -> bool:
    with TemporaryDirectory() as directory:
        skill = Path(directory) / name
        skill.mkdir()
        (skill / "SKILL.md").write_bytes(text.encode())
        return not validate(skill)


@pytest.mark.parametrize(("text", "name"), VALID.values(), ids=VALID.keys())
def test_a_valid_skill_is_accepted_as_the_reference_accepts_it(text: str, name: str) -> None:
    reading = read_skill(package(text), name)
    assert reading.findings == ()
    assert reading.content
    assert reference_accepts(text, name)


@pytest.mark.parametrize(("text", "name"), INVALID.values(), ids=INVALID.keys())
def test_an_invalid_skill_is_refused_as_the_reference_refuses_it(text: str, name: str) -> None:
    reading = read_skill(package(text), name)
    assert {finding.reason for finding in reading.findings} == {Reason.SKILL_INVALID}
    assert reading.content is None
    assert not reference_accepts(text, name)


@pytest.mark.parametrize(("text", "name"), STRICTER.values(), ids=STRICTER.keys())
def test_what_the_reference_overlooks_is_refused_all_the_same(text: str, name: str) -> None:
    assert not accepted(text, name)
    assert reference_accepts(text, name)


def test_bytes_that_are_no_utf8_are_refused() -> None:
    faults = list(document_faults(GOOD.encode() + b"\xff", "review"))
    assert [fault for fault, _ in faults] == ["`SKILL.md` is not UTF-8"]


def test_a_standalone_skill_is_the_whole_package() -> None:
    content = read_skill(package(GOOD, x=b"1"), "review").content
    assert content
    assert content.digest == tree_digest(package(GOOD, x=b"1"))


def test_an_artifact_without_a_skill_at_its_root_has_no_skill() -> None:
    reading = read_skill(Package({"review/SKILL.md": PackageFile(GOOD.encode())}), "review")
    assert [finding.reason for finding in reading.findings] == [Reason.SKILL_NOT_FOUND]
    assert reading.findings[0].hint == "set `source.path` to the directory that holds `SKILL.md`"


POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"1" * 64 + b"\nsize 12345\n"


def test_a_pointer_of_git_lfs_is_not_taken_for_content() -> None:
    reading = read_skill(package(GOOD, **{"data.bin": POINTER}), "review")
    assert reading.content is None
    (finding,) = reading.findings
    assert finding.reason is Reason.SKILL_INVALID
    assert finding.message == "skill `review`: `data.bin` is a Git LFS pointer, not its content"
    assert "git lfs" in (finding.hint or "")


def test_a_skill_file_that_is_a_pointer_has_no_other_fault() -> None:
    (finding,) = read_skill(package(POINTER.decode()), "review").findings
    assert "`SKILL.md` is a Git LFS pointer" in finding.message


@pytest.mark.parametrize("data", [POINTER + b"x" * 1_024, b" " + POINTER, POINTER.replace(b"v1", b"v10", 1)])
def test_what_only_resembles_a_pointer_is_content(data: bytes) -> None:
    assert read_skill(package(GOOD, **{"notes.md": data}), "review").content


def test_a_faults_place_is_told_by_its_line_in_the_file() -> None:
    faults = list(document_faults(document("name: review", "description: d", "name: x").encode(), "review"))
    assert faults[0][0] == "`SKILL.md` has front matter that has the same key twice in line 4"


@pytest.mark.parametrize(
    "front",
    [
        "- " * 30_000,
        "a:\n " * 30,
        "? " * 20_000,
        "[" * 60_000,
        "a: &a\n" * 9_000,
        "'" * 65_000,
        "\t" * 65_000,
    ],
    ids=["sequences", "mappings", "keys", "flow", "anchors", "quotes", "tabs"],
)
def test_front_matter_that_is_made_to_be_slow_is_refused(front: str) -> None:
    assert not accepted(f"---\n{front}\n---\n", "review")


KEY = st.sampled_from(["name", "description", "license", "compatibility", "allowed-tools", "other", "Name"])
SCALAR = st.sampled_from(
    ["review", "a b", "'q'", '"d"', "1", "~", "", "|", ">-", "a: b", "a # c", "#", "- x", "*a", "&a x",
     "!t x", "[a]", "{a: b}", "@x", "%x", "`x`", "a:b", "\u00fc", '"\\u00e9"', "'it''s'", "? a", "x:"]
)  # fmt: skip
LINE = st.one_of(
    st.builds("{}: {}".format, KEY, SCALAR),
    st.builds("  {}: {}".format, st.sampled_from(["a", "b"]), SCALAR),
    st.builds("  {}".format, SCALAR),
    st.sampled_from(["", "# comment", "metadata:", "- item", "  - item", " odd: x"]),
)


@settings(max_examples=200, deadline=None)
@given(st.lists(LINE, max_size=5), st.booleans())
@example(["metadata:", "  a: b"], True)
def test_generated_skills_are_judged_as_the_reference_judges_them(lines: list[str], complete: bool) -> None:
    start = ["name: review", "description: Reviews code."] if complete else []
    text = document(*start, *lines)
    if any(line.startswith("metadata:") for line in lines) and reference_accepts(text, "review"):
        return  # the reference does not look into `metadata`
    assert accepted(text, "review") == reference_accepts(text, "review")


@settings(max_examples=300, deadline=None)
@given(st.text(st.sampled_from("aZ09-_. \u00e9\u00df\u0130\uff41\u2160\u0660\u4e2d"), min_size=1, max_size=8))
def test_generated_names_are_judged_as_the_reference_judges_them(name: str) -> None:
    if name.strip(". ") != name or "---" in name:
        return  # no name of a directory, or read by the reference as the end of the front matter
    text = document(f"name: '{name}'", "description: d")
    assert accepted(text, name) == reference_accepts(text, name)
