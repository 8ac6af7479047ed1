"""The vendored store: what is written is read, and nothing that was touched is believed."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from kagent_render.api.hub import ArtifactSource, S3Source
from kagent_render.artifacts.failure import ArtifactFailure
from kagent_render.artifacts.package import Package, PackageFile
from kagent_render.artifacts.store.index import INDEX
from kagent_render.artifacts.store.vendored import open_store
from kagent_render.artifacts.tree_digest import tree_digest
from kagent_render.diagnostics.reasons import Reason
from kagent_render.source.reader import MemoryFiles
from kagent_render.source.revision import GitRevision
from kagent_render.source.worktree import WorkTree
from tests.vendored import vendor_package

SOURCE = ArtifactSource(S3Source("agent-content", "plugins/a.zip", "3HL4kq"), "a")
OTHER = ArtifactSource(S3Source("agent-content", "plugins/b.zip", "1e3", region="eu-west-1"))
PACKAGE = Package(
    {
        "plugin.json": PackageFile(b"{}\r\n"),
        "skills/a/SKILL.md": PackageFile(b"text"),
        "skills/a/run.sh": PackageFile(b"#!/bin/sh\n", executable=True),
    }
)
DIGEST = tree_digest(PACKAGE)
CONTENT = f".kagent/artifacts/{DIGEST.replace(':', '-')}"


def files_of(root: Path) -> MemoryFiles:
    """What is on disk below `root` now."""
    tree = WorkTree(root)
    paths = tree.files(hidden=True).paths
    executable = frozenset(path for path in paths if tree.mode(path) == 0o755)
    return MemoryFiles({path: tree.read(path) for path in paths}, executable)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    vendor_package(tmp_path, SOURCE, PACKAGE)
    return tmp_path


def failure_of(root: Path, source: ArtifactSource = SOURCE) -> ArtifactFailure:
    with pytest.raises(ArtifactFailure) as failure:
        open_store(WorkTree(root)).package(source)
    return failure.value


def test_what_is_vendored_is_read_again(root: Path) -> None:
    vendor_package(root, OTHER, Package({"SKILL.md": PackageFile(b"x")}))
    store = open_store(WorkTree(root))
    assert store.package(SOURCE) == PACKAGE
    assert store.package(OTHER) == Package({"SKILL.md": PackageFile(b"x")})


def test_a_source_that_is_not_vendored_is_not_held(root: Path) -> None:
    assert open_store(WorkTree(root)).package(ArtifactSource(SOURCE.origin)) is None
    assert open_store(MemoryFiles({})).package(SOURCE) is None


def test_the_index_is_sorted_and_names_every_source(root: Path) -> None:
    vendor_package(root, OTHER, PACKAGE)
    assert (
        (root / INDEX).read_text()
        == f"""\
apiVersion: render.kagent.dev/v1alpha1
kind: ArtifactIndex
artifacts:
- source:
    s3:
      bucket: agent-content
      key: plugins/a.zip
      versionId: 3HL4kq
    path: a
  treeDigest: {DIGEST}
- source:
    s3:
      bucket: agent-content
      key: plugins/b.zip
      versionId: "1e3"
      region: eu-west-1
  treeDigest: {DIGEST}
"""
    )


def test_vendoring_is_the_same_in_any_order_and_twice(tmp_path: Path) -> None:
    for name, sources in (("a", [SOURCE, OTHER]), ("b", [OTHER, SOURCE, SOURCE, OTHER])):
        (tmp_path / name).mkdir()
        for source in sources:
            vendor_package(tmp_path / name, source, PACKAGE)
    assert files_of(tmp_path / "a") == files_of(tmp_path / "b")


def test_git_is_told_to_keep_every_byte(root: Path) -> None:
    assert (root / ".kagent/artifacts/.gitattributes").read_text().startswith("* -text ")


def test_nothing_but_the_store_is_written(root: Path) -> None:
    assert sorted(files_of(root).contents) == [
        ".kagent/artifacts/.gitattributes",
        ".kagent/artifacts/index.yaml",
        f"{CONTENT}/plugin.json",
        f"{CONTENT}/skills/a/SKILL.md",
        f"{CONTENT}/skills/a/run.sh",
    ]


def change(root: Path) -> None:
    (root / CONTENT / "plugin.json").write_bytes(b"{}\n")


def remove(root: Path) -> None:
    (root / CONTENT / "skills/a/SKILL.md").unlink()


def add(root: Path) -> None:
    (root / CONTENT / "skills/a/more").write_bytes(b"")


def add_one_that_is_too_large_to_read(root: Path) -> None:
    with (root / CONTENT / "more").open("wb") as file:
        file.truncate(101 << 20)


def add_too_many(root: Path) -> None:
    for number in range(10_000):
        (root / CONTENT / f"{number}").touch()


def rename(root: Path) -> None:
    (root / CONTENT / "plugin.json").rename(root / CONTENT / "Plugin.json")


def allow_execution(root: Path) -> None:
    (root / CONTENT / "plugin.json").chmod(0o755)


def forbid_execution(root: Path) -> None:
    (root / CONTENT / "skills/a/run.sh").chmod(0o644)


def replace_by_link(root: Path) -> None:
    (root / "elsewhere").write_bytes(b"{}\r\n")
    (root / CONTENT / "plugin.json").unlink()
    (root / CONTENT / "plugin.json").symlink_to(root / "elsewhere")


def remove_all(root: Path) -> None:
    shutil.rmtree(root / CONTENT)


def change_index(root: Path) -> None:
    index = root / INDEX
    index.write_text(index.read_text().replace(DIGEST, "sha256:" + "0" * 64))


TAMPERING: list[Callable[[Path], None]] = [
    change,
    remove,
    add,
    add_one_that_is_too_large_to_read,
    add_too_many,
    rename,
    allow_execution,
    forbid_execution,
    replace_by_link,
    remove_all,
    change_index,
]


@pytest.mark.parametrize("tamper", TAMPERING, ids=lambda tamper: tamper.__name__)
def test_tampering_is_a_digest_mismatch(root: Path, tamper: Callable[[Path], None]) -> None:
    tamper(root)
    failure = failure_of(root)
    assert failure.reason is Reason.ARTIFACT_DIGEST_MISMATCH
    assert "expected `sha256:" in failure.message
    assert ", got " in failure.message
    assert ".kagent/artifacts/sha256-" in failure.message
    assert "restore it from Git, or with `kagent-render vendor --repair`" in (failure.hint or "")
    assert "`git add --force`" in (failure.hint or "")


def test_a_mismatch_of_one_artifact_leaves_the_others_usable(root: Path) -> None:
    other = Package({"SKILL.md": PackageFile(b"x")})
    vendor_package(root, OTHER, other)
    change(root)
    assert open_store(WorkTree(root)).package(OTHER) == other


def test_vendoring_again_repairs_the_content(root: Path) -> None:
    add(root)
    change(root)
    vendor_package(root, SOURCE, PACKAGE)
    assert open_store(WorkTree(root)).package(SOURCE) == PACKAGE


def test_names_that_a_file_system_decomposed_are_the_same_names(tmp_path: Path) -> None:
    package = Package({"caf\u00e9": PackageFile(b"x")})
    directory = f".kagent/artifacts/{vendor_package(tmp_path, SOURCE, package).replace(':', '-')}"
    written = dict(files_of(tmp_path).contents)
    written[f"{directory}/cafe\u0301"] = written.pop(f"{directory}/caf\u00e9")
    assert open_store(MemoryFiles(written)).package(SOURCE) == package


def test_hidden_files_of_a_package_are_content(tmp_path: Path) -> None:
    package = Package({".claude/skills/a": PackageFile(b"x"), ".gitattributes": PackageFile(b"* text\n")})
    vendor_package(tmp_path, SOURCE, package)
    assert open_store(WorkTree(tmp_path)).package(SOURCE) == package


def test_a_committed_store_is_read_from_its_revision(root: Path) -> None:
    def git(*arguments: str) -> str:
        author = ["-c", "user.name=a", "-c", "user.email=a@example.com"]
        command = ["git", "-C", str(root), *author, *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    git("init", "--quiet")
    git("-c", "core.autocrlf=true", "add", "--all")
    git("commit", "--quiet", "--message=vendored")
    change(root)
    remove(root)
    assert open_store(GitRevision(root, "HEAD")).package(SOURCE) == PACKAGE


HEAD = "apiVersion: render.kagent.dev/v1alpha1\nkind: ArtifactIndex\n"
ENTRY = f"- source:\n    oci: a\n  treeDigest: sha256:{'0' * 64}\n"
BROKEN = {
    "empty": "",
    "not-yaml": "a: b: c",
    "conflict": f"<<<<<<< HEAD\n{HEAD}=======\n",
    "other-kind": HEAD.replace("ArtifactIndex", "ConfigMap"),
    "other-version": HEAD.replace("v1alpha1", "v9"),
    "two-documents": f"{HEAD}---\n{HEAD}",
    "not-a-list": f"{HEAD}artifacts: text\n",
    "entry-is-text": f"{HEAD}artifacts:\n- text\n",
    "more-in-an-entry": f"{HEAD}artifacts:\n{ENTRY}  more: 1\n",
    "short-digest": f"{HEAD}artifacts:\n{ENTRY.replace('0000', '')}",
    "path-as-digest": f"{HEAD}artifacts:\n{ENTRY.replace('sha256:', '../')}",
    "two-digests": f"{HEAD}artifacts:\n{ENTRY}{ENTRY.replace('0000', '1111')}",
}


@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_index_is_refused_as_a_whole(text: str) -> None:
    with pytest.raises(ArtifactFailure) as failure:
        open_store(MemoryFiles({INDEX: text.encode()}))
    assert failure.value.reason is Reason.CONFIG_INVALID
    assert f"`{INDEX}`" in failure.value.message


def test_an_index_of_nothing_holds_nothing() -> None:
    assert open_store(MemoryFiles({INDEX: HEAD.encode()})).digests == {}
