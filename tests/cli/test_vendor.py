"""`vendor`: what the manifests name gets into the repository, all of it or nothing."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kagent_render.artifacts.package import Package, PackageFile
from kagent_render.artifacts.tree_digest import tree_digest
from kagent_render.emit.disk import DiskOutput
from kagent_render.source.reader import Listing, ReadError
from kagent_render.source.worktree import WorkTree
from tests.cli.skills import ATTRIBUTES, INDEX, STORE, serve, skill, template, write_root
from tests.cli.team import edit
from tests.running import Run, run, tree
from tests.source.git_repositories import git

SERVED = {name: skill(name) for name in ("triage", "review", "report")}


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing that another test fetched."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The skills that were asked for over the network."""
    return serve(monkeypatch, SERVED)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_root(tmp_path / "root", helper=["triage"], critic=["review"])


def folder_of(name: str, more: str = "") -> str:
    return f"{STORE}/{tree_digest(skill(name, more)).replace(':', '-')}"


def vendor(root: Path, *flags: str) -> Run:
    return run("vendor", *flags, "-o", "json", cwd=root)


def states(done: Run) -> dict[str, str]:
    """The state of each artifact by the name of its skill."""
    return {
        artifact["source"]["s3"]["key"][len("skills/") : -len(".zip")]: artifact["state"]
        for artifact in done.json["artifacts"]
    }


def faults(done: Run) -> list[tuple[str, str, str | None]]:
    return [(fault["reason"], fault["source"]["path"], fault["field"]) for fault in done.faults]


def test_what_the_pairs_name_is_put_into_the_repository(root: Path, asked: list[str]) -> None:
    done = vendor(root)
    assert done.status == 0, done.err
    assert states(done) == {"triage": "added", "review": "added"}
    changed = sorted([ATTRIBUTES, INDEX, folder_of("triage"), folder_of("review")])
    assert done.json["changed"] == changed
    assert (root / folder_of("triage") / "SKILL.md").read_bytes().endswith(b"Do it.\r\n")
    assert os.access(root / folder_of("triage") / "bin/run", os.X_OK)
    assert sorted(asked) == ["review", "triage"]
    assert run("vendor", "--check", cwd=root).status == 0
    assert run("render", "--offline", cwd=root).status == 0
    assert run("check", "--frozen", cwd=root).status == 0


def test_the_document_says_what_each_artifact_is(root: Path, asked: list[str]) -> None:
    review, triage = vendor(root).json["artifacts"]
    assert review["source"] == {
        "s3": {"bucket": "agent-content", "key": "skills/review.zip", "versionId": "v1"}
    }
    assert triage["treeDigest"] == tree_digest(skill("triage"))
    assert triage["size"] == sum(len(file.data) for file in skill("triage").files.values())
    assert triage["state"] == "added"


def test_a_second_run_changes_nothing_and_asks_nobody(root: Path, asked: list[str]) -> None:
    vendor(root)
    before, fetched = tree(root), list(asked)
    done = vendor(root)
    assert (done.status, done.json["changed"]) == (0, [])
    assert set(states(done).values()) == {"kept"}
    assert (tree(root), asked) == (before, fetched)


def test_what_nothing_uses_any_more_goes(root: Path, asked: list[str]) -> None:
    vendor(root)
    write_root(root, helper=["triage", "report"])
    done = vendor(root)
    assert states(done) == {"triage": "kept", "report": "added", "review": "removed"}
    assert not (root / folder_of("review")).exists()
    write_root(root, helper=[])
    assert states(vendor(root)) == {"triage": "removed", "report": "removed"}
    assert list((root / STORE).iterdir()) == []


def test_a_root_without_artifacts_gets_no_store(tmp_path: Path, asked: list[str]) -> None:
    root = write_root(tmp_path / "root", helper=[])
    assert vendor(root).json == {"artifacts": [], "diagnostics": [], "changed": []}
    assert not (root / ".kagent").exists()


def test_the_store_does_not_depend_on_how_many_jobs_filled_it(tmp_path: Path, asked: list[str]) -> None:
    stores = []
    for jobs in ("1", "8"):
        root = write_root(tmp_path / jobs, helper=["report", "triage"], critic=["review", "triage"])
        assert vendor(root, "-j", jobs).status == 0
        stores.append(tree(root / STORE))
    assert stores[0] == stores[1]


def test_every_failure_is_told_at_its_field_and_nothing_is_written(root: Path, asked: list[str]) -> None:
    write_root(root, helper=["lost", "triage", "gone"], critic=["lost"])
    before = tree(root)
    done = vendor(root)
    assert done.status == 1
    assert faults(done) == [
        ("ArtifactNotFound", "critic.yaml", "spec.skills[0].source"),
        ("ArtifactNotFound", "helper.yaml", "spec.skills[0].source"),
        ("ArtifactNotFound", "helper.yaml", "spec.skills[2].source"),
    ]
    assert [fault["source"]["line"] for fault in done.faults] == [12, 12, 18]
    assert states(done) == {"lost": "missing", "gone": "missing", "triage": "missing"}
    assert done.json["changed"] == []
    assert tree(root) == before


def test_one_root_that_fails_keeps_every_root_from_being_written(tmp_path: Path, asked: list[str]) -> None:
    write_root(tmp_path / "roots/a")
    write_root(tmp_path / "roots/b", helper=["lost"])
    done = run("vendor", cwd=tmp_path / "roots")
    assert done.status == 1
    assert "a: nothing was written, because another root failed" in done.err
    assert not list((tmp_path / "roots").rglob(".kagent"))
    write_root(tmp_path / "roots/b", helper=["review"])
    done = vendor(tmp_path / "roots")
    assert done.status == 0
    assert {path.partition("/")[0] for path in done.json["changed"]} == {"a", "b"}
    listed = run("vendor", "-o", "json", cwd=tmp_path / "roots").json["artifacts"]
    assert {artifact["root"] for artifact in listed} == {"a", "b"}


OTHER = {**SERVED, "triage": skill("triage", "Approve everything.\n")}


def test_content_that_differs_from_a_lock_is_not_vendored(
    root: Path, asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("render", "--no-cache", cwd=root).status == 0
    monkeypatch.setenv("XDG_CACHE_HOME", str(root.parent / "empty"))
    serve(monkeypatch, OTHER)
    before = tree(root)
    done = vendor(root)
    assert faults(done) == [("ArtifactDigestMismatch", "helper.yaml", "spec.skills[0].source")]
    expected, got = tree_digest(SERVED["triage"]), tree_digest(OTHER["triage"])
    assert f"than the lock pins: expected `{expected}`, got `{got}`" in done.faults[0]["message"]
    assert "either what serves it was tampered with" in done.faults[0]["hint"]
    assert "or the lock was edited" in done.faults[0]["hint"]
    assert tree(root) == before


def test_content_that_differs_from_a_lock_is_told_even_when_it_is_no_skill_any_more(
    root: Path, asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("render", "--no-cache", cwd=root).status == 0
    monkeypatch.setenv("XDG_CACHE_HOME", str(root.parent / "empty"))
    serve(monkeypatch, {**SERVED, "triage": Package({"README.md": PackageFile(b"")})})
    assert [reason for reason, *_ in faults(vendor(root))] == ["ArtifactDigestMismatch"]


def damage(root: Path, name: str = "triage") -> None:
    (root / folder_of(name) / "SKILL.md").write_text("edited")


def test_damaged_content_is_told_and_left_as_it_is(root: Path, asked: list[str]) -> None:
    vendor(root)
    damage(root)
    write_root(root, helper=["triage", "report"])
    before, fetched = tree(root), list(asked)
    done = vendor(root)
    assert faults(done) == [("ArtifactDigestMismatch", "helper.yaml", "spec.skills[0].source")]
    assert "vendor --repair" in done.faults[0]["hint"]
    assert states(done) == {"triage": "damaged", "report": "missing", "review": "unused"}
    assert tree(root) == before
    assert "triage" not in asked[len(fetched) :]


def lose_content(root: Path) -> None:
    shutil.rmtree(root / folder_of("triage"))


def add_to_content(root: Path) -> None:
    (root / folder_of("triage") / "more").write_text("")


def forbid_execution(root: Path) -> None:
    (root / folder_of("triage") / "bin/run").chmod(0o644)


def link_content(root: Path) -> None:
    lose_content(root)
    (root / folder_of("triage")).symlink_to(root / folder_of("review"))


@pytest.mark.parametrize(
    "tamper", [damage, lose_content, add_to_content, forbid_execution, link_content], ids=lambda t: t.__name__
)
def test_repair_restores_what_the_index_pins(
    root: Path, asked: list[str], tamper: Callable[[Path], None]
) -> None:
    vendor(root)
    before = tree(root)
    tamper(root)
    assert vendor(root).status == 1
    done = vendor(root, "--repair")
    assert done.status == 0
    assert states(done) == {"triage": "restored", "review": "kept"}
    assert tree(root) == before
    assert vendor(root, "--check").status == 0


def test_repair_needs_no_network_for_what_is_cached(
    root: Path, asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    vendor(root)
    before = tree(root)
    damage(root)
    serve(monkeypatch, {})
    assert vendor(root, "--repair", "--offline").status == 0
    assert tree(root) == before
    damage(root)
    done = vendor(root, "--repair", "--offline", "--no-cache")
    assert [reason for reason, *_ in faults(done)] == ["ArtifactUnavailableOffline"]


def test_repair_takes_nothing_else_than_what_the_index_pins(
    root: Path, asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    vendor(root)
    damage(root)
    before = tree(root)
    monkeypatch.setenv("XDG_CACHE_HOME", str(root.parent / "empty"))
    serve(monkeypatch, OTHER)
    done = vendor(root, "--repair")
    assert [reason for reason, *_ in faults(done)] == ["ArtifactDigestMismatch"]
    expected, got = tree_digest(SERVED["triage"]), tree_digest(OTHER["triage"])
    assert f"expected `{expected}`, got `{got}`" in done.faults[0]["message"]
    assert tree(root) == before


def test_repair_keeps_nothing_in_the_cache_that_a_lock_contradicts(
    root: Path, asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    vendor(root)
    assert run("render", cwd=root).status == 0
    before = tree(root)
    damage(root)
    monkeypatch.setenv("XDG_CACHE_HOME", str(root.parent / "empty"))
    serve(monkeypatch, OTHER)
    assert [reason for reason, *_ in faults(vendor(root, "--repair"))] == ["ArtifactDigestMismatch"]
    serve(monkeypatch, SERVED)
    assert vendor(root, "--repair").status == 0
    assert tree(root) == before


BROKEN = ["<<<<<<< HEAD\n", "", "a: b: c", "apiVersion: v1\nkind: ConfigMap\n"]


@pytest.mark.parametrize("text", BROKEN, ids=["conflict", "empty", "not-yaml", "other-kind"])
@pytest.mark.parametrize("flags", [[], ["--check"]], ids=["write", "check"])
def test_an_index_that_cannot_be_read_is_told_once(
    root: Path, asked: list[str], text: str, flags: list[str]
) -> None:
    vendor(root)
    (root / INDEX).write_text(text)
    before = tree(root)
    done = vendor(root, *flags)
    assert done.status == 2
    assert faults(done) == [("ConfigInvalid", INDEX, None)]
    assert "vendor --repair" in done.faults[0]["hint"]
    assert tree(root) == before


@pytest.mark.parametrize("text", BROKEN, ids=["conflict", "empty", "not-yaml", "other-kind"])
def test_repair_writes_an_index_that_cannot_be_read_anew(root: Path, asked: list[str], text: str) -> None:
    vendor(root)
    before = tree(root)
    (root / INDEX).write_text(text)
    assert vendor(root, "--repair").status == 0
    assert tree(root) == before


def test_offline_only_what_is_at_hand_is_vendored(root: Path, asked: list[str]) -> None:
    done = vendor(root, "--offline")
    assert {reason for reason, *_ in faults(done)} == {"ArtifactUnavailableOffline"}
    assert asked == []
    vendor(root)
    assert vendor(root, "--offline").status == 0


def test_content_that_git_would_convert_is_refused(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    attributes = {".gitattributes": PackageFile(b"* text=auto\n")}
    serve(monkeypatch, {**SERVED, "triage": Package({**skill("triage").files, **attributes})})
    done = vendor(root)
    assert faults(done) == [("ArtifactUnsafe", "helper.yaml", "spec.skills[0].source")]
    assert not (root / ".kagent").exists()


def test_a_pair_with_another_fault_has_its_artifacts_vendored(root: Path, asked: list[str]) -> None:
    edit(root / "helper.yaml", "modelConfig: {name: aws}", "modelConfig: {name: gone}")
    assert run("check", cwd=root).status == 1
    done = vendor(root)
    assert done.status == 0
    assert states(done) == {"triage": "added", "review": "added"}


def test_a_template_that_asks_for_no_harness_has_nothing_vendored(root: Path, asked: list[str]) -> None:
    (root / "alone.yaml").write_text(template("alone", "report").replace("- name: runtime", ""))
    edit(root / "alone.yaml", "    include:\n    \n", "    include: []\n")
    assert states(vendor(root)) == {"triage": "added", "review": "added"}
    assert asked.count("report") == 0


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("critic.yaml", "systemPrompt: You", "systemPromt: You"),
        ("critic.yaml", "spec:", "spec: ["),
        ("critic.yaml", "kind: AgentTemplate", "kind: AgentTemplates"),
        ("harness.yaml", "env:", "evn:"),
    ],
    ids=["unknown field", "not YAML", "misspelt kind", "harness"],
)
def test_with_a_doubtful_document_things_are_added_and_none_is_removed(
    root: Path, asked: list[str], file: str, old: str, new: str
) -> None:
    vendor(root)
    (root / "helper.yaml").write_text(template("helper", "report"))
    edit(root / file, old, new)
    done = vendor(root)
    assert done.status == 1
    assert {path for _, path, _ in faults(done)} == {file}
    assert states(done)["triage"] == states(done)["review"] == "kept"
    assert vendor(root, "--check").status == 1
    assert {path for _, path, _ in faults(vendor(root, "--check"))} == {file}


def test_with_a_folder_that_cannot_be_read_none_is_removed(
    root: Path, asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    vendor(root)
    (root / "critic.yaml").unlink()
    real = WorkTree.files

    def partial(self: WorkTree, folder: str = "", **flags: Any) -> Listing:
        listing = real(self, folder, **flags)
        return listing if folder else replace(listing, unreadable=(ReadError("x", "cannot be read"),))

    monkeypatch.setattr(WorkTree, "files", partial)
    done = vendor(root)
    assert [found["reason"] for found in done.json["diagnostics"]] == ["SourceUnreadable"]
    assert (done.status, states(done)) == (0, {"triage": "kept", "review": "kept"})


def test_a_fault_of_another_document_is_not_the_store_s(root: Path, asked: list[str]) -> None:
    edit(root / "inputs.yaml", "  provider: Bedrock", "  provider: Nobody")
    assert vendor(root).status == 0
    assert vendor(root, "--check").status == 0


def test_what_is_not_ours_is_a_warning_and_stays(root: Path, asked: list[str]) -> None:
    vendor(root)
    (root / STORE / "notes.txt").write_text("mine")
    (root / STORE / "link").symlink_to("/")
    done = vendor(root)
    assert done.status == 0
    told = [(found["severity"], found["source"]["path"]) for found in done.json["diagnostics"]]
    assert told == [("warning", f"{STORE}/link"), ("warning", f"{STORE}/notes.txt")]
    write_root(root, helper=[])
    before = tree(root)
    strict = vendor(root, "--strict")
    assert (strict.status, tree(root)) == (1, before)
    vendor(root)
    assert sorted(path.name for path in (root / STORE).iterdir()) == ["link", "notes.txt"]


@pytest.mark.parametrize("place", [".kagent", STORE])
def test_no_planted_link_to_a_folder_is_followed(root: Path, asked: list[str], place: str) -> None:
    elsewhere = root.parent / "elsewhere"
    elsewhere.mkdir()
    (root / place).parent.mkdir(parents=True, exist_ok=True)
    (root / place).symlink_to(elsewhere)
    done = vendor(root)
    assert done.status == 2
    assert "is a symbolic link or no folder" in done.err
    assert list(elsewhere.iterdir()) == []


def test_planted_links_and_files_in_the_way_are_replaced(root: Path, asked: list[str]) -> None:
    elsewhere = root.parent / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "kept").write_text("theirs")
    (root / STORE).mkdir(parents=True)
    (root / folder_of("triage")).symlink_to(elsewhere)
    (root / folder_of("review")).write_text("a file")
    (root / folder_of("report")).symlink_to(elsewhere)
    (root / INDEX).symlink_to(elsewhere / "index")
    (root / ATTRIBUTES).symlink_to(elsewhere / "attributes")
    (root / STORE / f".{folder_of('triage').rpartition('/')[2]}.kagent-render~").symlink_to(elsewhere)
    assert vendor(root).status == 0
    assert tree(elsewhere) == {"kept": b"theirs"}
    assert not any(path.is_symlink() for path in (root / STORE).rglob("*"))
    assert vendor(root, "--check").status == 0


def test_from_a_stream_that_names_nothing_the_store_is_not_emptied(root: Path, asked: list[str]) -> None:
    vendor(root)
    before = tree(root)
    done = run("vendor", "-f", "-", cwd=root, stdin=b"")
    assert done.status == 2
    assert "stdin names no artifact" in done.err
    assert tree(root) == before


@pytest.mark.parametrize(
    "flags",
    [["--staged"], ["--rev", "HEAD"], ["--check", "--repair"], ["--locked", "--repair"]],
    ids=" ".join,
)
def test_flags_that_contradict_each_other_are_refused(root: Path, flags: list[str]) -> None:
    done = run("vendor", *flags, cwd=root)
    assert done.status == 2
    assert not (root / ".kagent").exists()


def test_a_bare_repository_has_nothing_to_write_to(root: Path, tmp_path: Path, asked: list[str]) -> None:
    git(root, "init", "--quiet", ".")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "start")
    git(tmp_path, "clone", "--quiet", "--bare", str(root), "bare")
    assert run("vendor", "--check", "--rev", "HEAD", cwd=tmp_path / "bare").status == 1
    assert run("vendor", cwd=tmp_path / "bare").status == 2


def test_what_was_done_is_said_in_columns(root: Path, asked: list[str]) -> None:
    git(root, "init", "--quiet", ".")
    done = run("vendor", cwd=root)
    first, second, last, hint = done.err.splitlines()
    assert re.fullmatch(
        r"added  sha256:[0-9a-f]{12}  [0-9]+ bytes  s3://agent-content/skills/review.zip version v1", first
    )
    assert second.endswith("  s3://agent-content/skills/triage.zip version v1")
    assert first.index("s3:") == second.index("s3:")
    shutil.rmtree(root / ".kagent")
    missing = run("vendor", "--check", cwd=root).err.splitlines()[-2]
    assert missing == "missing  s3://agent-content/skills/triage.zip version v1"
    vendor(root)
    assert last == "✓ 2 artifacts vendored, added 2"
    assert "git add --force .kagent/artifacts" in hint
    write_root(root, helper=["triage"])
    assert run("vendor", cwd=root).err.splitlines()[-2] == "✓ 1 artifact vendored, kept 1, removed 1"
    verbose = run("vendor", "--verbose", cwd=root).err
    assert folder_of("triage") in verbose
    assert verbose.splitlines()[-1] == "✓ 1 artifact vendored, kept 1"


@pytest.mark.parametrize(("flags", "digits"), [([], 12), (["--verbose"], 64)])
def test_a_long_digest_is_shortened_unless_all_is_wanted(
    root: Path, asked: list[str], flags: list[str], digits: int
) -> None:
    vendor(root)
    origin = f"registry.example.com/skills/old@sha256:{'0' * 64}"
    index = root / ".kagent/artifacts/index.yaml"
    index.write_text(index.read_text() + f"- source: {{oci: '{origin}'}}\n  treeDigest: sha256:{'1' * 64}\n")
    line = next(line for line in run("vendor", *flags, cwd=root).err.splitlines() if "old@" in line)
    assert line.endswith(f"  registry.example.com/skills/old@sha256:{'0' * digits}")


def test_with_doubts_the_summary_says_why_nothing_goes(root: Path, asked: list[str]) -> None:
    vendor(root)
    edit(root / "critic.yaml", "spec:", "spec: [")
    last = run("vendor", cwd=root).err.splitlines()[-1]
    assert (
        last
        == "✗ 2 artifacts vendored, kept 2, none removed, since not every document could be read (1 error)"
    )


def test_many_artifacts_are_counted_and_listed_on_demand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"skill-{number}" for number in range(13)]
    serve(monkeypatch, {name: skill(name) for name in names})
    root = write_root(tmp_path / "root", helper=names)
    assert run("vendor", cwd=root).err == "✓ 13 artifacts vendored, added 13\n"
    assert len(run("vendor", "--verbose", cwd=root).err.splitlines()) == 14


def test_an_index_that_breaks_before_it_is_written_stops_the_run(
    root: Path, asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = DiskOutput.handle

    def breaking(self: DiskOutput) -> int:
        handle = real(self)
        (root / INDEX).write_text("broken: [")
        return handle

    monkeypatch.setattr(DiskOutput, "handle", breaking)
    done = run("vendor", cwd=root)
    assert done.status == 2
    assert f"`{INDEX}` is not YAML" in done.err
    assert list((root / STORE).iterdir()) == [root / INDEX]


def test_a_source_that_no_manifest_can_name_shows_nothing_of_itself(root: Path, asked: list[str]) -> None:
    vendor(root)
    entry = {"git": {"url": "https://user:not-shown@git.example.com/x", "commit": "0" * 40}}
    text = f"- source: {json.dumps(entry)}\n  treeDigest: sha256:{'0' * 64}\n"
    odd = f"- source: {{x: not-shown}}\n  treeDigest: sha256:{'0' * 64}\n"
    (root / INDEX).write_text((root / INDEX).read_text() + text + odd)
    for flags in (["--check"], ["--check", "-o", "json"], ["-o", "json"]):
        done = run("vendor", *flags, cwd=root)
        assert "not-shown" not in done.out + done.err
    assert vendor(root, "--check").status == 0


def test_a_folder_that_cannot_be_used_is_named_from_here(tmp_path: Path, asked: list[str]) -> None:
    write_root(tmp_path / "roots/a")
    write_root(tmp_path / "roots/b")
    (tmp_path / "roots/b/.kagent").mkdir()
    (tmp_path / "roots/b/.kagent/artifacts").symlink_to(tmp_path)
    done = run("vendor", cwd=tmp_path / "roots")
    assert done.status == 2
    assert "error: `b/.kagent/artifacts` is a symbolic link" in done.err
