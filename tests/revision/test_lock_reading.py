"""Reading a lock: the round trip, and every way in which a lock file can be wrong."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from kagent_render.diagnostics.reasons import Reason
from kagent_render.revision.canonical_json import digest
from kagent_render.revision.canonical_yaml import dump
from kagent_render.revision.lock import Lock, LockedPrompt, LockSchema
from kagent_render.revision.lock_document import document_revision, dump_lock, seal, to_document
from kagent_render.revision.lock_file import LockFault, LockProblem
from kagent_render.revision.lock_reading import read_lock
from tests.revision.locks import full_lock

TEXT = dump_lock(full_lock())
PATH = "rendered/team/py/planner/revision.lock.yaml"


def problem(text: str | bytes) -> LockProblem[Lock]:
    found = read_lock(text.encode() if isinstance(text, str) else text, PATH)
    assert isinstance(found, LockProblem)
    return found


def edited(change: Any) -> str:
    """The lock's text after `change` to its document, with a fitting revision."""
    document = to_document(full_lock())
    change(document)
    document["spec"]["revision"] = document_revision(document["spec"])
    return dump(document)


def test_a_lock_reads_back_as_it_was_written() -> None:
    lock = read_lock(TEXT.encode(), PATH)
    assert isinstance(lock, Lock)
    assert dump_lock(lock) == TEXT
    assert lock.pair == full_lock().pair
    assert lock.revision == full_lock().revision
    assert {template.path: template.labels for template in lock.templates}[""]["team"] == "a"


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_prompt_survives_the_round_trip(text: str) -> None:
    lock = dataclasses.replace(
        full_lock(), prompts=(LockedPrompt("", True, digest(text), text),), boundaries=()
    )
    again = read_lock(dump_lock(seal(lock)).encode(), PATH)
    assert isinstance(again, Lock)
    assert again.prompts == lock.prompts


@pytest.mark.parametrize("marker", ["<<<<<<< HEAD", "||||||| 1234567", "=======", ">>>>>>> branch"])
def test_conflict_markers_are_a_conflict_at_their_line(marker: str) -> None:
    lines = TEXT.splitlines(keepends=True)
    found = problem("".join([*lines[:6], marker + "\n", *lines[6:]]))
    assert found.fault is LockFault.CONFLICT
    assert found.diagnostic.reason is Reason.LOCK_CONFLICT
    assert found.diagnostic.source is not None
    assert (found.diagnostic.source.path, found.diagnostic.source.line) == (PATH, 7)


def test_text_that_resembles_conflict_markers_is_no_conflict() -> None:
    text = "Heading\n=======\n<<<<<<< x\n>>>>>>> y\n"
    lock = seal(dataclasses.replace(full_lock(), prompts=(LockedPrompt("", False, digest(text), text),)))
    assert isinstance(read_lock(dump_lock(lock).encode(), PATH), Lock)


def test_a_checkout_that_changed_line_ends_is_named() -> None:
    found = problem(TEXT.replace("\n", "\r\n"))
    assert found.fault is LockFault.LINE_ENDS
    assert ".gitattributes" in (found.diagnostic.hint or "")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (b"a: [1", None),
        (b"a: 1\nb: \xff\n", 2),
        (b"a: 1\na: 2\n", 2),
        (b"a: &x 1\nb: *y\n", 2),
        (b"[" * 100_000, None),
        (b"a: \x00", None),
    ],
    ids=["unclosed", "not UTF-8", "duplicate key", "unknown alias", "deep", "NUL"],
)
def test_what_is_not_yaml_is_invalid(text: bytes, line: int | None) -> None:
    found = problem(text)
    assert (found.fault, found.diagnostic.reason) == (LockFault.NOT_YAML, Reason.LOCK_INVALID)
    assert found.diagnostic.source is not None
    assert line in (None, found.diagnostic.source.line)


def drop(*path: Any) -> Any:
    def change(document: Any) -> None:
        for step in path[:-1]:
            document = document[step]
        del document[path[-1]]

    return change


def put(value: Any, *path: Any) -> Any:
    def change(document: Any) -> None:
        for step in path[:-1]:
            document = document[step]
        document[path[-1]] = value

    return change


@pytest.mark.parametrize(
    ("change", "field", "message"),
    [
        (put("v1", "apiVersion"), "apiVersion", "`apiVersion` is not `render.kagent.dev/v1alpha1`"),
        (put("ConfigMap", "kind"), "kind", "`kind` is not `PreparedRevision`"),
        (put("x", "metadata", "name"), "metadata.name", "does not name the root template and the Harness"),
        (drop("metadata", "namespace"), "metadata.namespace", "is missing"),
        (put(0, "spec", "schema", "version"), "spec.schema.version", "is not a positive integer"),
        (put("1", "spec", "schema", "version"), "spec.schema.version", "is not an integer"),
        (put(1, "spec", "target"), "spec.target", "is not text"),
        (drop("spec", "retained"), "spec.retained", "is missing"),
        (put("x", "spec", "templates", 0, "path"), "spec.templates", "has no root template"),
        (put(1, "spec", "templates", 1, "labels"), "spec.templates[1].labels", "is not a mapping"),
        (put(1, "spec", "harness", "fields", "env"), "spec.harness.fields.env", "is not text"),
        (put("no", "spec", "prompts", 0, "template"), "spec.prompts[0].template", "is not true or false"),
        (put([1], "spec", "egress", 0, "origins"), "spec.egress[0].origins[0]", "is not text"),
        (put("x", "spec", "inputs", 0), "spec.inputs[0]", "is not a mapping"),
        (put({}, "spec", "credentials"), "spec.credentials", "is not a list"),
        (
            put(2**60, "spec", "artifacts", 0, "source", "x"),
            "spec.artifacts[0].source.x",
            "is an integer beyond 2^53",
        ),
        (
            put("../../x", "spec", "boundaries", 0, "actorTemplate"),
            "spec.boundaries[0].actorTemplate",
            "is not the name of an object",
        ),
        (
            put("/etc/passwd", "spec", "boundaries", 0, "manifest"),
            "spec.boundaries[0].manifest",
            "is not the path of the ActorTemplate's manifest",
        ),
        (
            put("..", "spec", "retained", 0, "actorTemplates", 0),
            "spec.retained[0].actorTemplates[0]",
            "is not the name of an object",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_document_of_another_shape_is_invalid_at_its_field(change: Any, field: str, message: str) -> None:
    document = to_document(full_lock())
    change(document)
    found = problem(dump(document))
    assert found.fault is LockFault.SHAPE
    assert found.diagnostic.reason is Reason.LOCK_INVALID
    assert found.diagnostic.field == field
    assert message in found.diagnostic.message


@pytest.mark.parametrize("text", ["", "# nothing\n", "- 1\n", "text\n", TEXT + "---\n" + TEXT, "{}\n"])
def test_a_file_without_exactly_one_lock_is_invalid(text: str) -> None:
    assert problem(text).fault is LockFault.SHAPE


def test_an_invalid_field_is_found_at_its_line() -> None:
    found = problem(TEXT.replace("    variant: python\n", "    variant: 3\n"))
    line = TEXT.splitlines().index("    variant: python") + 1
    assert found.diagnostic.source is not None
    assert found.diagnostic.source.line == line


def test_a_newer_schema_version_needs_a_newer_program_whatever_else_it_holds() -> None:
    found = problem(dump({"spec": {"schema": {"version": 2, "revision": 1}, "other": []}}))
    assert (found.fault, found.diagnostic.reason) == (LockFault.NEWER, Reason.LOCK_INVALID)
    assert "newer kagent-render" in found.diagnostic.message


def test_a_newer_schema_revision_with_unknown_fields_is_accepted() -> None:
    def extend(document: Any) -> None:
        document["spec"]["schema"]["revision"] = 7
        document["spec"]["harness"]["later"] = {"x": [1]}
        document["spec"]["later"] = True

    lock = read_lock(edited(extend).encode(), PATH)
    assert isinstance(lock, Lock)
    assert lock.schema == LockSchema(1, 7)


def test_an_unknown_field_of_our_own_schema_revision_is_not_canonical() -> None:
    text = edited(put(True, "spec", "harness", "later"))
    found = problem(text)
    assert found.fault is LockFault.NOT_CANONICAL
    assert found.diagnostic.source is not None
    assert text.splitlines()[found.diagnostic.source.line - 1] == "    later: true"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("    variant: python\n", "    variant: 'python'\n"),
        ("  target: ate.dev/v1alpha1\n", "  target: ate.dev/v1alpha1 # ours\n"),
        ("  - path: coder\n    name: coder\n", "  - name: coder\n    path: coder\n"),
        ("apiVersion:", "\n\napiVersion:"),
        ("apiVersion:", "---\napiVersion:"),
        ("  retained:\n", "  retained: \n"),
    ],
)
def test_another_spelling_names_the_first_line_that_differs(before: str, after: str) -> None:
    assert before in TEXT
    text = TEXT.replace(before, after, 1)
    found = problem(text)
    expected = next(
        n for n, (a, b) in enumerate(zip(text.split("\n"), TEXT.split("\n"), strict=False), 1) if a != b
    )
    assert found.fault is LockFault.NOT_CANONICAL
    assert found.diagnostic.source is not None
    assert found.diagnostic.source.line == expected
    assert f"line {expected} " in found.diagnostic.message


@pytest.mark.parametrize("text", [TEXT + "\n", TEXT[:-1], "\ufeff" + TEXT], ids=["more", "less", "BOM"])
def test_a_file_that_starts_or_ends_otherwise_is_not_canonical(text: str) -> None:
    assert problem(text).fault is LockFault.NOT_CANONICAL


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("      You plan.\n", "      You obey.\n"),
        ("    key: k\n", "    key: other\n"),
        ("@sha256:aaaa", "@sha256:aaab"),
        ("  revision: sha256:", "  revision: sha256:0"),
    ],
)
def test_a_hand_edit_is_told_from_bad_form(before: str, after: str) -> None:
    assert before in TEXT
    found = problem(TEXT.replace(before, after, 1))
    assert (found.fault, found.diagnostic.field) == (LockFault.EDITED, "spec.revision")
    assert found.diagnostic.object is not None
    assert found.diagnostic.object.name == "planner-py"


@given(st.integers(0, len(TEXT) - 1), st.sampled_from(" #:-\"'\n0a[{&*!\t"))
def test_no_edit_of_one_character_makes_another_lock_of_the_same_revision(index: int, character: str) -> None:
    found = read_lock((TEXT[:index] + character + TEXT[index + 1 :]).encode(), PATH)
    if isinstance(found, Lock):
        assert found.revision == full_lock().revision
        assert dump_lock(found) == TEXT[:index] + character + TEXT[index + 1 :]


def test_an_alias_bomb_is_refused_without_being_unfolded() -> None:
    bomb = "a0: &a0 [x, x]\n" + "".join(
        f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 40)
    )
    assert problem(bomb).fault in (LockFault.NOT_YAML, LockFault.SHAPE)


def test_the_lock_is_read_as_other_yaml_readers_read_it() -> None:
    assert yaml.safe_load(TEXT) == to_document(full_lock())
