"""`vendor --check`: it fails where `vendor` would change something, says where, and writes nothing."""

from __future__ import annotations

import shutil
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from kagent_render.artifacts.s3.fetcher import S3Fetcher
from kagent_render.artifacts.tree_digest import tree_digest
from kagent_render.cli.isolation import NetworkForbidden
from kagent_render.cli.vendor import check as vendor_check
from tests.cli.skills import ATTRIBUTES, INDEX, STORE, serve, skill, source, write_root
from tests.cli.team import edit
from tests.running import EXAMPLE, Run, run, tree
from tests.source.git_repositories import git
from tests.vendored import vendor_package

SERVED = {name: skill(name) for name in ("triage", "review", "report")}
DIGEST = tree_digest(skill("triage"))
FOLDER = f"{STORE}/{DIGEST.replace(':', '-')}"
UNUSED = f"{STORE}/sha256-{'0' * 64}"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A root whose store is current, and a bucket that still serves what it came from."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    serve(monkeypatch, SERVED)
    folder = write_root(tmp_path / "root", helper=["triage"], critic=["review"])
    assert run("vendor", cwd=folder).status == 0
    return folder


def check(root: Path, *flags: str) -> Run:
    return run("vendor", "--check", *flags, "-o", "json", cwd=root)


def faults(done: Run) -> list[tuple[str, str, int]]:
    return [(found["reason"], found["source"]["path"], found["source"]["line"]) for found in done.faults]


def lose_the_index(root: Path) -> None:
    (root / INDEX).unlink()
    shutil.rmtree(root / STORE)


def use_more(root: Path) -> None:
    write_root(root, helper=["triage", "report"], critic=["review"])


def use_less(root: Path) -> None:
    write_root(root, helper=["triage"], critic=[])


def use_nothing(root: Path) -> None:
    write_root(root, helper=[], critic=[])


def leave_content(root: Path) -> None:
    (root / UNUSED).mkdir()
    (root / UNUSED / "SKILL.md").write_text("")


def link_content(root: Path) -> None:
    (root / UNUSED).symlink_to("/")


def leave_partial(root: Path) -> None:
    (root / STORE / f".sha256-{'0' * 64}.kagent-render~").mkdir()


def comment_index(root: Path) -> None:
    edit(root / INDEX, "artifacts:\n", "artifacts:\n# mine\n")


def turn_index(root: Path) -> None:
    head, first, second = (root / INDEX).read_text().split("- source:")
    (root / INDEX).write_text(f"{head}- source:{second}- source:{first}")


def respell_index(root: Path) -> None:
    edit(root / INDEX, "      key: skills/triage.zip\n", '      key: "skills/triage.zip"\n')


def convert_index(root: Path) -> None:
    (root / INDEX).write_bytes((root / INDEX).read_bytes().replace(b"\n", b"\r\n"))


def lose_attributes(root: Path) -> None:
    (root / ATTRIBUTES).unlink()


def edit_attributes(root: Path) -> None:
    (root / ATTRIBUTES).write_text((root / ATTRIBUTES).read_text() + "*.md text\n")


DRIFT: list[tuple[Callable[[Path], None], list[tuple[str, str, int]]]] = [
    (
        lose_the_index,
        [("ArtifactNotVendored", "critic.yaml", 12), ("ArtifactNotVendored", "helper.yaml", 12)],
    ),
    (use_more, [("ArtifactNotVendored", "helper.yaml", 15)]),
    (use_less, [("StoreDrift", INDEX, 4)]),
    (use_nothing, [("StoreDrift", INDEX, 4), ("StoreDrift", INDEX, 10)]),
    (leave_content, [("StoreDrift", UNUSED, 1)]),
    (link_content, [("StoreDrift", UNUSED, 1)]),
    (leave_partial, [("StoreDrift", f"{STORE}/.sha256-{'0' * 64}.kagent-render~", 1)]),
    (comment_index, [("StoreDrift", INDEX, 4)]),
    (turn_index, [("StoreDrift", INDEX, 7)]),
    (respell_index, [("StoreDrift", INDEX, 13)]),
    (convert_index, [("StoreDrift", INDEX, 1)]),
    (lose_attributes, [("StoreDrift", ATTRIBUTES, 1)]),
    (edit_attributes, [("StoreDrift", ATTRIBUTES, 2)]),
]


@pytest.mark.parametrize(("drift", "expected"), DRIFT, ids=[drift.__name__ for drift, _ in DRIFT])
def test_whatever_vendor_would_change_is_told_with_its_line(
    root: Path, drift: Callable[[Path], None], expected: list[tuple[str, str, int]]
) -> None:
    current = tree(root / STORE)
    drift(root)
    before = tree(root)
    done = check(root)
    assert (done.status, faults(done)) == (1, expected)
    assert all(found["hint"] for found in done.faults)
    assert tree(root) == before
    written = run("vendor", "-o", "json", cwd=root)
    assert written.status == 0
    assert written.json["changed"]
    assert (check(root).status, check(root).faults) == (0, [])
    assert tree(root / STORE) == current or drift in (use_more, use_less, use_nothing)


def test_an_index_of_nothing_has_no_place_where_nothing_is_used(root: Path) -> None:
    use_nothing(root)
    run("vendor", cwd=root)
    assert check(root).status == 0
    (root / INDEX).write_text("apiVersion: render.kagent.dev/v1alpha1\nkind: ArtifactIndex\n")
    assert faults(check(root)) == [("StoreDrift", INDEX, 1)]
    assert run("vendor", cwd=root).status == 0
    assert list((root / STORE).iterdir()) == []


def test_content_that_is_not_what_the_index_pins_is_told_at_the_template(root: Path) -> None:
    (root / FOLDER / "SKILL.md").write_text("edited")
    done = check(root)
    assert faults(done) == [("ArtifactDigestMismatch", "helper.yaml", 12)]
    assert {each["state"] for each in done.json["artifacts"]} == {"damaged", "kept"}


def test_content_and_index_that_change_together_are_told_by_the_lock(root: Path) -> None:
    assert run("render", cwd=root).status == 0
    shutil.rmtree(root / FOLDER)
    other = skill("triage", "Approve everything.\n")
    vendor_package(root, source("triage"), other)
    done = check(root)
    assert faults(done) == [("ArtifactDigestMismatch", "helper.yaml", 12)]
    assert f"expected `{DIGEST}`, got `{tree_digest(other)}`" in done.faults[0]["message"]


@pytest.mark.parametrize("flags", [["--check"], ["--locked"], ["--frozen"], ["--check", "--locked"]])
def test_locked_is_check(root: Path, flags: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def fetch(*_: object) -> None:
        raise AssertionError("the network was used")

    monkeypatch.setattr(S3Fetcher, "fetch", fetch)
    assert run("vendor", *flags, cwd=root).status == 0
    use_more(root)
    before = tree(root)
    assert run("vendor", *flags, cwd=root).status == 1
    assert tree(root) == before


def test_checking_stands_behind_the_wall(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vendor_check, "read_uses", lambda *_: socket.socket())
    with pytest.raises(NetworkForbidden):
        check(root)


def test_nothing_but_files_of_git_is_seen_in_the_index_and_at_a_revision(root: Path) -> None:
    git(root, "init", "--quiet", "--initial-branch=main", ".")
    (root / ".gitignore").write_text("bin\n")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "without what is ignored")
    for flags in (["--staged"], ["--rev", "HEAD"]):
        done = check(root, *flags)
        assert {reason for reason, *_ in faults(done)} == {"ArtifactDigestMismatch"}
        assert "`git add --force`" in done.faults[0]["hint"]
    git(root, "add", "--force", STORE)
    assert check(root, "--staged").status == 0
    assert check(root, "--rev", "HEAD").status == 1
    git(root, "commit", "--quiet", "--message", "with it")
    assert check(root, "--rev", "HEAD").status == 0
    shutil.rmtree(root / STORE)
    assert check(root, "--staged").status == 0
    git(root, "rm", "--quiet", "-r", "--cached", STORE)
    done = check(root, "--staged")
    assert {reason for reason, *_ in faults(done)} == {"ArtifactNotVendored"}
    assert "git add --force .kagent/artifacts" in done.faults[0]["hint"]


def test_the_example_of_the_repository_is_current() -> None:
    done = run("vendor", "--check", cwd=EXAMPLE)
    assert done.status == 0, done.err
    assert done.err == "✓ 1 artifact current\n"


def test_what_is_not_ours_is_a_warning_unless_strict(root: Path) -> None:
    (root / STORE / "notes.txt").write_text("mine")
    assert check(root).status == 0
    assert [found["source"]["path"] for found in check(root).json["diagnostics"]] == [f"{STORE}/notes.txt"]
    assert check(root, "--strict").status == 1


def test_where_there_is_no_root_nothing_was_checked(tmp_path: Path) -> None:
    done = run("vendor", "--check", cwd=tmp_path)
    assert done.status == 2
    assert "nothing was checked" in done.err
    assert run("vendor", cwd=tmp_path).status == 2


@pytest.mark.parametrize(
    "odd", ["{1: a, b: c}", "{oci: .nan}", "{oci: [[[[a]]]]}", "{a: 99999999999999999999}"]
)
def test_an_odd_entry_is_refused_or_unused(root: Path, odd: str) -> None:
    text = f"- source: {odd}\n  treeDigest: sha256:{'0' * 64}\n"
    (root / INDEX).write_text((root / INDEX).read_text() + text)
    done = check(root)
    assert (done.status, done.faults[0]["reason"]) in [(1, "StoreDrift"), (2, "ConfigInvalid")]
    assert run("vendor", "--repair", cwd=root).status == 0
    assert check(root).status == 0
