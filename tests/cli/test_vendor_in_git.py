"""A vendored store in real Git: whatever the repository's own settings, a clean clone has every byte."""

from __future__ import annotations

from pathlib import Path

import pytest

from kagent_render.artifacts.package import Package, PackageFile
from tests.cli.skills import STORE, serve, skill, write_root
from tests.running import run, tree
from tests.source.git_repositories import git

HARD = Package(
    {
        **skill("triage").files,
        ".gitignore": PackageFile(b"*\n"),
        ".gitattributes": PackageFile(b"*.md eol=crlf linguist-generated\n* -diff\n"),
        "logs/.gitkeep": PackageFile(b""),
        "logs/build.log": PackageFile(b"ignored\r\nby nearly everyone\n"),
        "binary.bin": PackageFile(bytes(range(256)) * 4),
        "mixed.txt": PackageFile(b"one\r\ntwo\nthree\rfour $Id$\n"),
        "caf\u00e9 \u2603/with space.txt": PackageFile(b"utf-8"),
        "latin.txt": PackageFile("caf\u00e9\r\n".encode("latin-1")),
    }
)

SETTINGS = {
    "plain": ([], ""),
    "autocrlf": (["core.autocrlf=true"], ""),
    "eol": (["core.autocrlf=input", "core.eol=crlf"], ""),
    "attributes": (["core.autocrlf=true"], "* text=auto eol=crlf ident\n*.md text\n"),
    "encodings": ([], "*.txt text working-tree-encoding=UTF-16LE-BOM\n"),
    "filter": (["filter.upper.clean=tr a-z A-Z", "filter.upper.smudge=tr a-z A-Z"], "*.md filter=upper\n"),
}


@pytest.mark.parametrize(("config", "attributes"), SETTINGS.values(), ids=SETTINGS)
def test_a_clean_clone_has_what_was_vendored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, config: list[str], attributes: str
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    serve(monkeypatch, {"triage": HARD})
    root = write_root(tmp_path / "root")
    (root / ".gitattributes").write_text(f"{attributes}/*.yaml -text -filter -working-tree-encoding -ident\n")
    (root / ".gitignore").write_text("*.log\nbin/\n.kagent\n")
    assert run("vendor", cwd=root).status == 0
    assert run("render", cwd=root).status == 0
    flags = [part for setting in config for part in ("-c", setting)]
    git(root, "init", "--quiet", "--initial-branch=main", ".")
    git(root, *flags, "add", "--all")
    git(root, *flags, "add", "--force", STORE)
    assert run("vendor", "--check", "--staged", cwd=root).status == 0
    assert run("check", "--frozen", "--staged", cwd=root).status == 0
    git(root, *flags, "commit", "--quiet", "--message", "all")
    git(tmp_path, *flags, "clone", "--quiet", str(root), "clone")
    clone = tmp_path / "clone"
    assert tree(clone / STORE) == tree(root / STORE)
    for command in ("vendor --check", "vendor --check --rev HEAD", "render --offline", "check --frozen"):
        done = run(*command.split(), cwd=clone)
        assert done.status == 0, done.err
    assert git(clone, *flags, "status", "--porcelain", "--", STORE) == ""
