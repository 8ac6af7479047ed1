"""Planning and writing the vendored store in memory: what changes, in which order, and a kill anywhere."""

from __future__ import annotations

import dataclasses
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kagent_render.api.hub import ArtifactSource, OciSource, S3Source
from kagent_render.artifacts.package import Package, PackageFile
from kagent_render.artifacts.source_identity import identity_key, source_identity
from kagent_render.artifacts.store.index import STORE, IndexEntry, dump_index
from kagent_render.artifacts.store.plan import (
    ATTRIBUTES,
    ATTRIBUTES_NAME,
    INDEX_NAME,
    StorePlan,
    content_name,
    plan_store,
)
from kagent_render.artifacts.store.reading import read_store
from kagent_render.artifacts.store.vendored import intact_contents, open_store
from kagent_render.artifacts.store.writing import write_store
from kagent_render.artifacts.tree_digest import tree_digest
from kagent_render.emit.folder import InterruptedRunError, MemoryOutput
from kagent_render.source.reader import MemoryFiles

Wanted = dict[ArtifactSource, Package]


def source(name: str, path: str = "") -> ArtifactSource:
    return ArtifactSource(S3Source("agent-content", f"{name}.zip", "v1"), path)


def package(text: str) -> Package:
    return Package(
        {"SKILL.md": PackageFile(text.encode()), "bin/run": PackageFile(b"#!/bin/sh\n", executable=True)}
    )


def name_of(text: str) -> str:
    return content_name(tree_digest(package(text)))


A, B, C = source("a"), source("b"), source("c")
ONE: Wanted = {A: package("one")}
TWO: Wanted = {A: package("one"), B: package("two")}
SHARED: Wanted = {A: package("one"), B: package("one"), source("a", "x"): package("two")}


def files_of(folder: MemoryOutput) -> MemoryFiles:
    """The folder as the store of a root."""
    contents = {f"{STORE}/{path}": data for path, data in folder.files.items()}
    return MemoryFiles(contents, frozenset(f"{STORE}/{path}" for path in folder.executable))


def plan_for(wanted: Wanted, folder: MemoryOutput, used: frozenset[str] = frozenset()) -> StorePlan:
    reader = files_of(folder)
    present = read_store(reader, {path.partition("/")[0] for path in folder.files})
    intact = intact_contents(reader, map(tree_digest, wanted.values()))
    named = {identity_key(source_identity(each)) for each in wanted}
    return plan_store(wanted, named | used, dataclasses.replace(present, intact=intact))


def vendored(wanted: Wanted, folder: MemoryOutput | None = None) -> MemoryOutput:
    folder = folder or MemoryOutput()
    write_store(plan_for(wanted, folder), folder)
    return folder


def holds(folder: MemoryOutput, wanted: Wanted) -> bool:
    store = open_store(files_of(folder))
    return {each: store.package(each) for each in wanted} == wanted and len(store.digests) == len(wanted)


@pytest.mark.parametrize("wanted", [{}, ONE, TWO, SHARED], ids=["nothing", "one", "two", "shared"])
def test_what_is_written_is_what_is_wanted_and_nothing_else(wanted: Wanted) -> None:
    folder = vendored(wanted)
    assert holds(folder, wanted)
    tops = {path.partition("/")[0] for path in folder.files}
    contents = {content_name(tree_digest(each)) for each in wanted.values()}
    assert tops == contents | ({INDEX_NAME, ATTRIBUTES_NAME} if wanted else set())


def test_writing_again_changes_nothing() -> None:
    folder = vendored(TWO)
    changes = folder.changes
    plan = plan_for(TWO, folder)
    assert plan.changed == ()
    write_store(plan, folder)
    assert folder.changes == changes


@given(st.permutations(list(SHARED.items())), st.permutations(list(TWO.items())))
def test_the_order_of_the_sources_and_what_was_there_before_do_not_count(
    items: list[tuple[ArtifactSource, Package]], before: list[tuple[ArtifactSource, Package]]
) -> None:
    assert vendored(dict(items), vendored(dict(before))).files == vendored(SHARED).files


def test_the_plan_says_what_becomes_of_each_artifact_in_the_order_of_the_index() -> None:
    folder = vendored({A: package("one"), B: package("two")})
    plan = plan_for({A: package("one"), C: package("three")}, folder)
    told = [(each.identity["s3"]["key"], str(each.state), each.size) for each in plan.artifacts]
    assert told == [("a.zip", "kept", 13), ("b.zip", "removed", None), ("c.zip", "added", 15)]
    assert plan.changed == tuple(sorted([INDEX_NAME, name_of("two"), name_of("three")]))


def test_content_that_another_source_still_uses_stays() -> None:
    plan = plan_for(ONE, vendored({A: package("one"), B: package("one")}))
    assert plan.changed == (INDEX_NAME,)


def test_entries_that_may_be_used_stay_as_they_are() -> None:
    folder = vendored(TWO)
    plan = plan_for({C: package("three")}, folder, frozenset(read_store(files_of(folder), ()).entries))
    assert [str(each.state) for each in plan.artifacts] == ["kept", "kept", "added"]
    write_store(plan, folder)
    assert holds(folder, {**TWO, C: package("three")})


def test_content_that_no_entry_names_is_not_believed() -> None:
    folder = MemoryOutput({f"{name_of('one')}/SKILL.md": b"something else", f"{name_of('two')}/x": b""})
    assert holds(vendored(ONE, folder), ONE)
    assert not any(name_of("two") in path for path in folder.files)


def test_damaged_content_that_is_wanted_is_written_anew_and_told_as_restored() -> None:
    folder = vendored(ONE)
    folder.files[f"{name_of('one')}/more"] = b""
    plan = plan_for(ONE, folder)
    assert [str(each.state) for each in plan.artifacts] == ["restored"]
    write_store(plan, folder)
    assert folder.files == vendored(ONE).files


FOREIGN = [
    "notes.txt",
    ".DS_Store",
    "sha256-abc/x",
    f"sha256-{'A' * 64}/x",
    f"sha256-{'0' * 64}x/y",
    f"sha512-{'0' * 64}/x",
    ".notes.txt.kagent-render~",
]


@pytest.mark.parametrize("path", FOREIGN)
def test_what_is_not_ours_stays_and_is_named(path: str) -> None:
    folder = vendored(TWO)
    folder.files[path] = b"theirs"
    plan = plan_for({}, folder)
    assert plan.foreign == (path.partition("/")[0],)
    write_store(plan, folder)
    assert folder.files == {path: b"theirs"}


def test_what_a_killed_run_left_goes() -> None:
    folder = vendored(ONE)
    left = [f".{name_of('two')}.kagent-render~/x", f".{name_of('one')}.old.kagent-render~/y"]
    folder.files |= dict.fromkeys([*left, ".index.yaml.kagent-render~"], b"")
    assert vendored(ONE, folder).files == vendored(ONE).files


def test_an_edited_attributes_file_is_written_anew() -> None:
    folder = vendored(ONE)
    folder.files[ATTRIBUTES_NAME] = b"* text=auto\n"
    assert plan_for(ONE, folder).changed == (ATTRIBUTES_NAME,)
    assert vendored(ONE, folder).files[ATTRIBUTES_NAME] == ATTRIBUTES


def test_an_index_in_another_spelling_is_written_anew() -> None:
    folder = vendored(TWO)
    folder.files[INDEX_NAME] = b"# by hand\n" + folder.files[INDEX_NAME]
    assert plan_for(TWO, folder).changed == (INDEX_NAME,)
    assert vendored(TWO, folder).files == vendored(TWO).files


STEPS = {
    "fill": ({}, TWO),
    "add": (ONE, TWO),
    "remove": (TWO, ONE),
    "exchange": ({B: package("two")}, {A: package("one"), C: package("three")}),
    "content moves": (ONE, {A: package("three")}),
    "empty": (TWO, {}),
}


@pytest.mark.parametrize(("before", "after"), STEPS.values(), ids=STEPS)
def test_a_kill_before_any_change_leaves_every_entry_its_content_and_the_next_run_repairs(
    before: Wanted, after: Wanted
) -> None:
    expected = vendored(after, vendored(before)).files
    for moment in itertools.count():
        folder = vendored(before)
        folder.changes, folder.dies_before = 0, moment
        try:
            vendored(after, folder)
        except InterruptedRunError:
            assert_every_entry_has_its_content(folder)
        else:
            break
        folder.dies_before = None
        assert vendored(after, folder).files == expected
    assert moment > 2


def assert_every_entry_has_its_content(folder: MemoryOutput) -> None:
    """Nothing that the index names is missing or other than it says, and Git is told to keep it so."""
    reader = files_of(folder)
    digests = set(open_store(reader).digests.values())
    assert intact_contents(reader, digests) == digests
    assert not digests or folder.files[ATTRIBUTES_NAME] == ATTRIBUTES


def test_a_kill_while_content_is_restored_is_repaired_by_the_next_run() -> None:
    damaged = f"{name_of('one')}/SKILL.md"
    for moment in itertools.count():
        folder = vendored(ONE)
        folder.files[damaged] = b"damaged"
        folder.changes, folder.dies_before = 0, moment
        try:
            vendored(ONE, folder)
        except InterruptedRunError:
            folder.dies_before = None
            assert vendored(ONE, folder).files == vendored(ONE).files
        else:
            break
    assert moment > 4


def test_contents_come_before_the_index_and_removals_after_it() -> None:
    class Journal(MemoryOutput):
        def replace(self, source: str, target: str) -> None:
            super().replace(source, target)
            journal.append(target)

    journal: list[str] = []
    folder = Journal(vendored(TWO).files)
    folder.executable = set(vendored(TWO).executable)
    vendored({A: package("one"), C: package("three")}, folder)
    assert journal == [name_of("three"), INDEX_NAME, f".{name_of('two')}.kagent-render~"]


def test_an_entry_of_a_source_that_no_manifest_can_name_is_only_ever_removed() -> None:
    entry = IndexEntry({"ftp": "somewhere"}, f"sha256:{'0' * 64}")
    folder = MemoryOutput({INDEX_NAME: dump_index([entry])})
    assert [str(each.state) for each in plan_for(ONE, folder).artifacts] == ["removed", "added"]
    assert holds(vendored(ONE, folder), ONE)


def test_sources_differ_in_what_pins_them_alone() -> None:
    oci = ArtifactSource(OciSource(f"registry.example.com/a@sha256:{'3' * 64}"))
    folder = vendored({oci: package("one"), A: package("one")})
    assert folder.files[INDEX_NAME].count(b"treeDigest: ") == 2
    assert sum(path.endswith("/SKILL.md") for path in folder.files) == 1
