"""Artifacts held against locks by what each lock selected."""

from __future__ import annotations

import dataclasses

import pytest

from kagent_render.api.hub import ArtifactSource, OciSource
from kagent_render.artifacts.failure import ArtifactFailure
from kagent_render.artifacts.package import Package, PackageFile
from kagent_render.artifacts.source_identity import source_identity
from kagent_render.artifacts.tree_digest import tree_digest
from kagent_render.diagnostics.diagnostic import PairRef
from kagent_render.diagnostics.reasons import Reason
from kagent_render.emit.folder import MemoryOutput
from kagent_render.emit.layout import lock_path
from kagent_render.preparation.locked_content import check_locked, locked_artifacts
from kagent_render.revision.lock import LockedArtifact, LockedSkill, PluginManifest
from kagent_render.revision.lock_document import dump_lock, seal
from tests.revision.locks import full_lock

SOURCE = ArtifactSource(OciSource(f"r.example/content@sha256:{'0' * 64}"), "practices")
FILES = {
    "plugin.json": PackageFile(b"{}"),
    "README.md": PackageFile(b"read"),
    "skills/a/SKILL.md": PackageFile(b"a"),
    "skills/b/SKILL.md": PackageFile(b"b"),
}
PACKAGE = Package(FILES)
PAIR = PairRef("team", "py", "planner")


def edited(path: str) -> Package:
    return Package({**FILES, path: PackageFile(b"edited")})


def pinned(*skills: str, plugin: bool = True) -> LockedArtifact:
    """What a lock pins of the package as it is."""
    content = PACKAGE.selection("plugin.json", *(f"skills/{name}" for name in skills)) if plugin else PACKAGE
    names = tuple(LockedSkill(name, "", "sha256:") for name in skills)
    manifest = PluginManifest("practices") if plugin else None
    return LockedArtifact(source_identity(SOURCE), tree_digest(content), names, manifest)


@pytest.mark.parametrize(
    ("locked", "package"),
    [
        pytest.param([], edited("plugin.json"), id="no lock"),
        pytest.param([pinned("a")], PACKAGE, id="as it was"),
        pytest.param([pinned("a")], edited("skills/b/SKILL.md"), id="another skill"),
        pytest.param([pinned("a")], edited("README.md"), id="what is not selected"),
        pytest.param([pinned("a"), pinned("b", "a"), pinned("a", plugin=False)], PACKAGE, id="several locks"),
        pytest.param(
            [dataclasses.replace(pinned("a"), source={"oci": "other"})],
            edited("skills/a/SKILL.md"),
            id="another source",
        ),
    ],
)
def test_content_that_a_lock_selected_as_it_is_passes(locked: list[LockedArtifact], package: Package) -> None:
    check_locked(SOURCE, package, locked)


@pytest.mark.parametrize(
    ("locked", "package"),
    [
        pytest.param([pinned("a")], edited("skills/a/SKILL.md"), id="the skill"),
        pytest.param([pinned("a")], edited("skills/a/more.md"), id="a file more"),
        pytest.param([pinned("a")], edited("plugin.json"), id="the manifest"),
        pytest.param([pinned("b"), pinned("a")], edited("skills/a/SKILL.md"), id="one of several locks"),
        pytest.param([pinned("a", plugin=False)], edited("README.md"), id="anything of a skill"),
        pytest.param([pinned("a")], Package({}), id="everything"),
    ],
)
def test_other_content_of_what_a_lock_selected_is_told_with_both_digests(
    locked: list[LockedArtifact], package: Package
) -> None:
    with pytest.raises(ArtifactFailure) as caught:
        check_locked(SOURCE, package, locked)
    assert caught.value.reason is Reason.ARTIFACT_DIGEST_MISMATCH
    assert "expected `sha256:" in caught.value.message
    assert "got `sha256:" in caught.value.message
    assert "tampered" in (caught.value.hint or "")


def output(*artifacts: LockedArtifact) -> MemoryOutput:
    lock = seal(dataclasses.replace(full_lock(), artifacts=artifacts))
    return MemoryOutput(
        {lock_path(PAIR): dump_lock(lock).encode(), "kustomization.yaml": b"\n  artifacts:\n"}
    )


def test_every_lock_of_the_output_pins() -> None:
    assert list(locked_artifacts(output(pinned("a")))) == [pinned("a")]
    assert list(locked_artifacts(output())) == []
    assert list(locked_artifacts(MemoryOutput())) == []


@pytest.mark.parametrize("damage", [(b"target: ", b"target:  "), (b"Plans", b"Edited")])
def test_a_lock_that_was_edited_still_pins_as_far_as_it_can_be_read(damage: tuple[bytes, bytes]) -> None:
    folder = output(pinned("a"))
    folder.files[lock_path(PAIR)] = folder.files[lock_path(PAIR)].replace(*damage)
    assert list(locked_artifacts(folder)) == [pinned("a")]


def test_a_lock_that_cannot_be_read_pins_nothing() -> None:
    folder = output(pinned("a"))
    folder.files[lock_path(PAIR)] = b"<<<<<<< HEAD\n" + folder.files[lock_path(PAIR)]
    assert list(locked_artifacts(folder)) == []
