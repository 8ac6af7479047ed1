"""Every way in which an agent's lock file can be wrong, told apart."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kagent_render.agentplugin.lock import AgentLock
from kagent_render.agentplugin.lock_document import document_revision, dump_lock, to_document
from kagent_render.agentplugin.lock_reading import read_agent_lock
from kagent_render.diagnostics.reasons import Reason
from kagent_render.revision.canonical_yaml import dump
from kagent_render.revision.lock_document import dump_lock as dump_pair_lock
from kagent_render.revision.lock_file import LockFault, LockProblem
from tests.agentplugin.locks import full_lock
from tests.revision.locks import full_lock as pair_lock

TEXT = dump_lock(full_lock())
LINES = TEXT.splitlines(keepends=True)
PATH = "rendered/team/_agentplugins/platform-agent/revision.lock.yaml"


def problem(text: str | bytes) -> LockProblem[AgentLock]:
    found = read_agent_lock(text.encode() if isinstance(text, str) else text, PATH)
    assert isinstance(found, LockProblem)
    return found


FAULTS: dict[str, tuple[str, LockFault, int]] = {
    # the text, its fault and the line that is named
    "ours of a merge": ("".join([*LINES[:6], "<<<<<<< HEAD\n", *LINES[6:]]), LockFault.CONFLICT, 7),
    "the base of a merge": ("".join([*LINES[:6], "||||||| 123\n", *LINES[6:]]), LockFault.CONFLICT, 7),
    "the middle of a merge": ("".join([*LINES[:6], "=======\n", *LINES[6:]]), LockFault.CONFLICT, 7),
    "theirs of a merge": (TEXT + ">>>>>>> branch\n", LockFault.CONFLICT, len(LINES) + 1),
    "CRLF": (TEXT.replace("\n", "\r\n"), LockFault.LINE_ENDS, 1),
    "one CR": (TEXT.replace("  revision: 1\n", "  revision: 1\r\n"), LockFault.LINE_ENDS, 9),
    "unclosed": (TEXT + "x: [1", LockFault.NOT_YAML, len(LINES) + 1),
    "a key twice": (TEXT + "kind: x\n", LockFault.NOT_YAML, len(LINES) + 1),
    "an unknown alias": ("a: 1\nb: *y\n", LockFault.NOT_YAML, 2),
    "a tab": ("a:\n\tb: 1\n", LockFault.NOT_YAML, 2),
    "nothing": ("", LockFault.SHAPE, 1),
    "two documents": (TEXT + "---\n" + TEXT, LockFault.SHAPE, 1),
    "a list": ("- 1\n", LockFault.SHAPE, 1),
    "the lock of a pair": (dump_pair_lock(pair_lock()), LockFault.SHAPE, 2),
    "a newer version": (
        TEXT.replace("    version: 1\n", "    version: 2\n", 1),
        LockFault.NEWER,
        LINES.index("    version: 1\n") + 1,
    ),
    "a digest": (
        TEXT.replace("configHash: 0e", "configHash: 1e"),
        LockFault.EDITED,
        LINES.index("  revision: " + full_lock().revision + "\n") + 1,
    ),
    "a quoted value": (
        TEXT.replace("decidedBy: kubeVersion", "decidedBy: 'kubeVersion'"),
        LockFault.NOT_CANONICAL,
        next(number for number, line in enumerate(LINES, 1) if "decidedBy" in line),
    ),
    "a comment": (TEXT.replace("kind: P", "# ours\nkind: P"), LockFault.NOT_CANONICAL, 2),
    "a line feed more": (TEXT + "\n", LockFault.NOT_CANONICAL, len(LINES) + 1),
}


@pytest.mark.parametrize(("text", "fault", "line"), FAULTS.values(), ids=FAULTS)
def test_each_fault_is_told_at_its_line(text: str, fault: LockFault, line: int) -> None:
    found = problem(text)
    reason = Reason.LOCK_CONFLICT if fault is LockFault.CONFLICT else Reason.LOCK_INVALID
    assert (found.fault, found.diagnostic.reason) == (fault, reason)
    assert found.diagnostic.source is not None
    assert (found.diagnostic.source.path, found.diagnostic.source.line) == (PATH, line)
    assert found.diagnostic.hint


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


SPEC, IMAGE = "spec", ("spec", "plugins", 1, "image")


@pytest.mark.parametrize(
    ("change", "field", "message"),
    [
        (put("v1", "apiVersion"), "apiVersion", "is not `render.kagent.dev/v1alpha1`"),
        (put("PreparedRevision", "kind"), "kind", "is not `PreparedPlatformAgent`"),
        (drop("metadata", "namespace"), "metadata.namespace", "is missing"),
        (put("x", "metadata", "name"), "metadata.name", "does not name the PlatformAgent of the lock"),
        (put(0, SPEC, "schema", "version"), "spec.schema.version", "is not a positive integer"),
        (put(1, SPEC, "upstream"), "spec.upstream", "is not text"),
        (put("../x", SPEC, "agent", "name"), "spec.agent.name", "is not the name of an object"),
        (put([], SPEC, "agent", "fields"), "spec.agent.fields", "is not a mapping"),
        (put({"a": 1}, SPEC, "agent", "annotations"), "spec.agent.annotations.a", "is not text"),
        (
            put("yes", SPEC, "imageVolumes", "supported"),
            "spec.imageVolumes.supported",
            "is not true or false",
        ),
        (put(1.35, SPEC, "imageVolumes", "kubeVersion"), "spec.imageVolumes.kubeVersion", "is not text"),
        (drop(SPEC, "plugins"), "spec.plugins", "is missing"),
        (put("x", SPEC, "plugins", 0), "spec.plugins[0]", "is not a mapping"),
        (drop(SPEC, "plugins", 0, "name"), "spec.plugins[0].name", "is missing"),
        (put(None, SPEC, "plugins", 0, "profile"), "spec.plugins[0].profile", "is not text"),
        (drop(SPEC, "plugins", 0, "configDigest"), "spec.plugins[0].configDigest", "is missing"),
        (drop(SPEC, "plugins", 0, "status", "phase"), "spec.plugins[0].status.phase", "is missing"),
        (drop(SPEC, "plugins", 0, "status", "reason"), "spec.plugins[0].status.reason", "is missing"),
        (drop(*IMAGE, "digest"), "spec.plugins[1].image.digest", "is missing"),
        (put(1, *IMAGE, "note"), "spec.plugins[1].image.note", "is not text"),
        (drop(*IMAGE, "manifest", "name"), "spec.plugins[1].image.manifest.name", "is missing"),
        (put(1, *IMAGE, "manifest", "version"), "spec.plugins[1].image.manifest.version", "is not text"),
        (
            put("a", *IMAGE, "manifest", "requiresEnv"),
            "spec.plugins[1].image.manifest.requiresEnv",
            "is not a list",
        ),
        (put({}, SPEC, "config"), "spec.config", "is not a list"),
        (drop(SPEC, "config", 0, "digest"), "spec.config[0].digest", "is missing"),
        (drop(SPEC, "configHash"), "spec.configHash", "is missing"),
        (put(2**60, SPEC, "later"), "spec.later", "is an integer beyond 2^53"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_document_of_another_shape_is_invalid_at_its_field(change: Any, field: str, message: str) -> None:
    document = to_document(full_lock())
    change(document)
    found = problem(dump(document))
    assert (found.fault, found.diagnostic.field) == (LockFault.SHAPE, field)
    assert message in found.diagnostic.message


EDITS: dict[str, Any] = {
    "a character more": lambda line: line[:-1] + "x\n",
    "a character less": lambda line: line[:-2] + "\n",
    "a comment": lambda line: line[:-1] + " # mine\n",
    "deeper": lambda line: " " + line,
    "gone": lambda line: "",
    "twice": lambda line: line + line,
    "no line feed": lambda line: line[:-1],
}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
@pytest.mark.parametrize("number", range(len(LINES)))
def test_an_edit_of_any_line_is_noticed(number: int, edit: Any) -> None:
    problem("".join([*LINES[:number], edit(LINES[number]), *LINES[number + 1 :]]))


def values(document: Any) -> Any:
    """Every place of a text or a truth value below what the revision covers."""
    items = document.items() if isinstance(document, dict) else enumerate(document)
    for key, item in items:
        if isinstance(item, dict | list):
            yield from ((key, *path) for path in values(item))
        elif key not in ("version", "revision"):
            yield (key,)


@pytest.mark.parametrize("path", list(values(to_document(full_lock())["spec"])), ids=str)
def test_another_value_at_any_place_is_an_edit(path: tuple[Any, ...]) -> None:
    document: Any = to_document(full_lock())
    found = document["spec"]
    for step in path[:-1]:
        found = found[step]
    found[path[-1]] = not found[path[-1]] if isinstance(found[path[-1]], bool) else f"{found[path[-1]]}x"
    if path == ("agent", "name"):
        document["metadata"]["name"] += "x"
    edited = problem(dump(document))
    assert (edited.fault, edited.diagnostic.field) == (LockFault.EDITED, "spec.revision")
    assert edited.diagnostic.object is not None
    assert (edited.diagnostic.object.kind, edited.lock is not None) == ("PreparedPlatformAgent", True)


@given(st.integers(0, len(TEXT) - 1), st.sampled_from(" #:-\"'\n0a[{&*!\t"))
def test_no_edit_of_one_character_makes_another_lock(index: int, character: str) -> None:
    text = TEXT[:index] + character + TEXT[index + 1 :]
    if text != TEXT:
        problem(text)


def extended(**changes: Any) -> str:
    document = to_document(full_lock())
    document["spec"].update(changes)
    document["spec"]["revision"] = document_revision(document)
    return dump(document)


def test_a_newer_schema_revision_with_unknown_fields_is_accepted() -> None:
    text = extended(schema={"version": 1, "revision": 7}, later=True)
    assert isinstance(read_agent_lock(text.encode(), PATH), AgentLock)


def test_an_unknown_field_of_our_own_schema_revision_is_not_canonical() -> None:
    assert problem(extended(later=True)).fault is LockFault.NOT_CANONICAL
