"""Artifacts held against what locks pin of them, by what each lock selected."""

from __future__ import annotations

import pytest

from kagent_render.api.hub import ArtifactSource, OciSource
from kagent_render.artifacts.failure import ArtifactFailure
from kagent_render.artifacts.package import Package, PackageFile
from kagent_render.artifacts.selection import Selection
from kagent_render.artifacts.tree_digest import tree_digest
from kagent_render.diagnostics.reasons import Reason
from kagent_render.preparation.other_content import check_locked

SOURCE = ArtifactSource(OciSource(f"r.example/content@sha256:{'0' * 64}"), "practices")
FILES = {
    "plugin.json": PackageFile(b"{}"),
    "README.md": PackageFile(b"read"),
    "skills/a/SKILL.md": PackageFile(b"a"),
    "skills/b/SKILL.md": PackageFile(b"b"),
}
PACKAGE = Package(FILES)


def edited(path: str) -> Package:
    return Package({**FILES, path: PackageFile(b"edited")})


def pinned(*skills: str, plugin: bool = True) -> Selection:
    """What a lock pins of the package as it is."""
    content = PACKAGE.selection("plugin.json", *(f"skills/{name}" for name in skills)) if plugin else PACKAGE
    manifest = ("practices", None) if plugin else None
    return Selection(tree_digest(content), dict.fromkeys(skills, "sha256:"), manifest)


@pytest.mark.parametrize(
    ("locked", "package"),
    [
        pytest.param([], edited("plugin.json"), id="no lock"),
        pytest.param([pinned("a")], PACKAGE, id="as it was"),
        pytest.param([pinned("a")], edited("skills/b/SKILL.md"), id="another skill"),
        pytest.param([pinned("a")], edited("README.md"), id="what is not selected"),
        pytest.param([pinned("a"), pinned("b", "a"), pinned("a", plugin=False)], PACKAGE, id="several locks"),
    ],
)
def test_content_that_a_lock_selected_as_it_is_passes(locked: list[Selection], package: Package) -> None:
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
    locked: list[Selection], package: Package
) -> None:
    with pytest.raises(ArtifactFailure) as caught:
        check_locked(SOURCE, package, locked)
    assert caught.value.reason is Reason.ARTIFACT_DIGEST_MISMATCH
    assert "expected `sha256:" in caught.value.message
    assert "got `sha256:" in caught.value.message
    assert caught.value.message.endswith("from the source itself")
    assert "tampered" in (caught.value.hint or "")
