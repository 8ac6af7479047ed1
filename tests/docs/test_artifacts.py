"""`docs/artifacts.md` is true: its store is read, its snippet gives our digests, its limits are ours."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from kagent_render.api.hub import ArtifactSource, GitSource, OciSource, S3Source
from kagent_render.artifacts.archive.limits import MIB, Limits
from kagent_render.artifacts.deadline import Bounds
from kagent_render.artifacts.git.history import DEPTHS
from kagent_render.artifacts.package import Package, PackageFile
from kagent_render.artifacts.source_identity import identity_key, source_identity
from kagent_render.artifacts.store.index import INDEX, IndexEntry, dump_index
from kagent_render.artifacts.store.vendored import open_store
from kagent_render.artifacts.tree_digest import tree_digest
from kagent_render.source.worktree import WorkTree
from tests.docs.markdown import blocks, page, sections
from tests.running import EXAMPLE, copy_example, run

_PAGE = page("docs/artifacts.md")
_STORE = ".kagent/artifacts"
_POSTMORTEM = ArtifactSource(
    GitSource("https://git.example.com/skills.git", "9fceb02d0ae598e95dc970b74767f19372d61af8"),
    "incident/postmortem",
)
_TRIAGE = ArtifactSource(OciSource(f"registry.example.com/skills/triage@sha256:{'3' * 64}"))
_PRACTICES = ArtifactSource(
    S3Source("agent-content", "plugins/practices.zip", "1", "https://s3.example.com", "eu-central-1")
)
_DIGESTS = {
    _POSTMORTEM: f"sha256:{'1' * 64}",
    _TRIAGE: f"sha256:{'2' * 64}",
    _PRACTICES: f"sha256:{'1' * 64}",
}


def _block(language: str, path: str = "") -> str:
    (text,) = (block.text for block in blocks(_PAGE, language) if block.path == path)
    return text


def _digest(folder: Path) -> str:
    """What the page's snippet prints for a folder."""
    command = [sys.executable, "-c", _block("python", "tree_digest.py"), str(folder)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def _fill(root: Path, files: dict[str, PackageFile]) -> str:
    """Put content where the page says it is; gives the name of its folder."""
    new = root / _STORE / "new"
    for path, file in files.items():
        place = new / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(file.data)
        place.chmod(file.mode)
    name = _digest(new).replace(":", "-")
    new.rename(root / _STORE / name)
    return name


def test_the_snippet_gives_the_digest_that_names_the_content_of_the_example() -> None:
    (folder,) = (EXAMPLE / _STORE).glob("sha256-*")
    assert _digest(folder) == folder.name.replace("-", ":")
    assert f"treeDigest: {_digest(folder)}\n" in (EXAMPLE / INDEX).read_text()


def test_the_snippet_agrees_where_names_modes_and_order_are_hard(tmp_path: Path) -> None:
    files = {
        "a/b": PackageFile(b"\r\n"),
        "a-b": PackageFile(b"", executable=True),
        ".hidden/x": PackageFile(b"x"),
        "\u00e9": PackageFile(b"composed"),
        "\U0001f600": PackageFile(b"beyond the first plane"),
        "\uffee": PackageFile(b"before it in bytes, not in UTF-16"),
    }
    folder = tmp_path / _STORE / _fill(tmp_path, files)
    (folder / "\u00e9").rename(folder / "e\u0301")
    (folder / "link").symlink_to("a-b")
    assert _digest(folder) == tree_digest(Package(files))


def test_a_store_filled_as_the_page_says_is_read(tmp_path: Path) -> None:
    files = {"SKILL.md": PackageFile(b"text\r\n"), "run/it.sh": PackageFile(b"#!/bin/sh\n", executable=True)}
    digest = _fill(tmp_path, files).replace("-", ":")
    (tmp_path / INDEX).write_text(re.sub(r"(?<=treeDigest: ).*", digest, _block("yaml", INDEX)))
    store = open_store(WorkTree(tmp_path))
    for source in _DIGESTS:
        assert store.package(source) == Package(files)


def test_the_index_of_the_page_names_its_sources_in_the_one_spelling() -> None:
    entries = [IndexEntry(source_identity(source), digest) for source, digest in _DIGESTS.items()]
    assert _block("yaml", INDEX) == dump_index(entries).decode()


def test_another_order_is_read_and_a_number_is_another_source(tmp_path: Path) -> None:
    head, *entries = re.split(r"(?=^- source:)", _block("yaml", INDEX), flags=re.MULTILINE)
    (tmp_path / _STORE).mkdir(parents=True)
    (tmp_path / INDEX).write_text(head + "".join(reversed(entries)).replace('"1"', "1"))
    held = open_store(WorkTree(tmp_path)).digests
    expected = {identity_key(source_identity(source)): digest for source, digest in _DIGESTS.items()}
    number = identity_key(source_identity(_PRACTICES))
    assert expected.keys() - held.keys() == {number}
    assert all(held[key] == digest for key, digest in expected.items() if key != number)


def test_the_attributes_of_the_page_are_those_of_the_example() -> None:
    assert _block("gitattributes") == (EXAMPLE / _STORE / ".gitattributes").read_text()


@pytest.mark.parametrize(
    ("edited", "status"),
    [("skills/commit-messages/SKILL.md", 0), ("skills/code-review/SKILL.md", 1)],
    ids=["unselected", "selected"],
)
def test_a_lock_changes_with_the_selection_alone(edited: str, status: int, tmp_path: Path) -> None:
    root = copy_example(tmp_path / "root")
    (folder,) = (root / _STORE).glob("sha256-*")
    with (folder / edited).open("a") as file:
        file.write("\nMore.\n")
    digest = _digest(folder)
    shutil.move(folder, root / _STORE / digest.replace(":", "-"))
    (root / INDEX).write_text(re.sub(r"(?<=treeDigest: ).*", digest, (root / INDEX).read_text()))
    assert run("check", "--frozen", cwd=root).status == status


def test_the_limits_of_the_page_are_those_of_the_program() -> None:
    limits = Limits()
    shown = sections(_PAGE, 2)["What is refused"]
    assert f"over {limits.entries:,} entries or {limits.content // MIB} MiB" in shown
    assert f"an archive over {limits.archive // MIB} MiB; more than {limits.ratio} times" in shown
    assert f"{limits.entries:,} files and {limits.content // MIB} MiB hold" in shown


def test_the_bounds_of_the_page_are_those_of_the_program() -> None:
    bounds = Bounds()
    shown = sections(_PAGE, 2)["A server that does not answer"]
    assert f"| {bounds.connect} and {bounds.read} seconds |" in shown
    assert f"| {bounds.answer} seconds |" in shown
    assert f"| {bounds.body // 60} minutes |" in shown
    assert f"tried again for {bounds.retry} seconds" in shown


def test_the_generations_of_the_page_are_those_of_the_program() -> None:
    assert f"{DEPTHS[0]},\n{DEPTHS[1]} and {DEPTHS[2]:,} generations" in sections(_PAGE, 2)["Git"]
