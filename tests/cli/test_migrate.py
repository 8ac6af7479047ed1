"""`migrate` moves a root to v1alpha3 in place, whole or not at all, and says what it did."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import click
import pytest

from kagent_render.cli.migrate import run as migrate_run
from kagent_render.emit.disk import DiskOutput
from kagent_render.migration import rules
from kagent_render.source.reader import Listing, ReadError
from kagent_render.source.worktree import WorkTree
from kagent_render.source.yaml import read_yaml
from tests.cli.team import CONFIG, HARNESS, edit, write_team
from tests.parts import REPOSITORY
from tests.running import EXAMPLE, copy_example, run, tree
from tests.source.git_repositories import git

OLD, NEW = "kagent.dev/v1alpha2", "kagent.dev/v1alpha3"
MAX = f"""\
apiVersion: {OLD}
kind: ModelConfig
metadata: {{namespace: team, name: big}}
spec: {{provider: OpenAI, model: m, openAI: {{reasoningEffort: max}}}}
"""
MODEL = f"apiVersion: {OLD}\nkind: ModelConfig\nmetadata: {{namespace: team, name: m}}\nspec: {{model: m}}\n"
LAST = "".join([*MODEL.splitlines(keepends=True)[1:], f"apiVersion: {OLD}\n"])
DESK = """\
apiVersion: kagent.dev/v1alpha1
kind: MCPServer
metadata: {namespace: team, name: desk}
spec: {deployment: {image: desk, port: 3001}, timeout: 45s}
"""
REMOTE_DESK = f"""\
apiVersion: {NEW}
kind: RemoteMCPServer
metadata: {{namespace: team, name: desk}}
spec: {{description: A desk., url: "http://desk.team:3001/mcp", timeout: 45s}}
"""


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    """The team's manifests, not rendered."""
    return write_team(tmp_path / "team")


def manifests(folder: Path) -> dict[str, bytes]:
    """Every ActorTemplate of an output folder."""
    return {path: data for path, data in tree(folder).items() if "/actortemplates/" in path}


_FAILS = "custom-resource-alone"
"""The recorded repository that has a pair which no target prepares."""


def repositories() -> list[Path]:
    """Every root of the examples and of the recorded repositories that prepares and has v1alpha2 objects."""
    places = [REPOSITORY / "examples", REPOSITORY / "tests/golden/repositories"]
    roots = [path.parent for place in places for path in place.rglob("kagent-render.yaml")]
    whole = (root for root in roots if root.name != _FAILS)
    return sorted(root for root in whole if any(OLD in path.read_text() for path in root.rglob("*.yaml")))


def named(root: Path) -> str:
    """A root in the name of a test."""
    return root.relative_to(REPOSITORY).as_posix()


@pytest.mark.parametrize("root", repositories(), ids=named)
def test_a_repository_renders_to_the_same_actor_templates(root: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(root, tmp_path / "copy", ignore=shutil.ignore_patterns("rendered"))
    assert run("render", "--offline", cwd=copy).status == 0
    before = manifests(copy / "rendered")
    assert before
    done = run("migrate", "--offline", cwd=copy)
    assert done.status == 0, done.err
    sources = {path: data for path, data in tree(copy).items() if not path.startswith("rendered/")}
    assert not any(f"apiVersion: {OLD}".encode() in data for data in sources.values())
    rendered = run("render", "--offline", cwd=copy)
    assert rendered.status == 0, rendered.err
    assert manifests(copy / "rendered") == before
    assert run("check", "--frozen", cwd=copy).status == 0
    again = run("migrate", "--offline", cwd=copy)
    assert (again.status, again.err) == (0, "✓ nothing to migrate\n")


def test_a_lock_differs_in_what_the_version_says_alone(tmp_path: Path) -> None:
    copy = copy_example(tmp_path / "incident")
    before = tree(copy / "rendered")
    run("migrate", "--offline", cwd=copy)
    run("render", "--offline", cwd=copy)
    after = tree(copy / "rendered")
    assert set(after) == set(before)
    for path, data in before.items():
        if path.endswith("revision.lock.yaml"):
            old, new = (read_yaml(text)[0].value["spec"] for text in (data, after[path]))
            different = {key for key in new if new[key] != old[key]}
            assert different <= {"revision", "harness", "templates", "inputs", "artifacts"}
            assert new["boundaries"] == old["boundaries"]
        else:
            assert after[path] == data


def test_a_dry_run_prints_a_diff_and_writes_nothing(plain: Path) -> None:
    before = tree(plain)
    done = run("migrate", "--dry-run", cwd=plain)
    assert tree(plain) == before
    assert done.status == 0
    assert "-  python: {}\n+  kagent: {}\n" in done.out
    assert "\033[" not in done.out
    assert done.err.endswith("✓ 6 objects in 5 files would change, the same ActorTemplates\n")
    assert run("migrate", "--dry-run", "--exit-code", cwd=plain).status == 1


def test_a_dry_run_is_coloured_where_that_is_asked_for(plain: Path) -> None:
    done = run("migrate", "--dry-run", "--color", "always", cwd=plain)
    assert "\033[31m-  python: {}\033[0m" in done.out


def test_the_diff_can_be_applied_by_git(plain: Path, tmp_path: Path) -> None:
    edit(plain / "harness.yaml", "  env:\n  - name: LEVEL\n    value: info\n", "")
    model, _, *others = (plain / "inputs.yaml").read_text().split("---\n")
    (plain / "inputs.yaml").write_text("---\n".join([model, *others]))
    other = shutil.copytree(plain, tmp_path / "other")
    shown = run("migrate", "--dry-run", "-o", "json", cwd=plain).json["files"]
    assert len(shown) == 5
    (tmp_path / "a.diff").write_text("".join(shown.values()))
    git(other, "init", "--quiet", ".")
    git(other, "apply", str(tmp_path / "a.diff"))
    run("migrate", cwd=plain)
    assert {path: (other / path).read_text() for path in shown} == {
        path: (plain / path).read_text() for path in shown
    }


ODD_FILES = {
    "tabs": ("a.yaml", MODEL.replace("{model: m}", "\t{model:\tm}\t# m")),
    "no last line feed": ("a.yaml", MODEL.rstrip()),
    "a last line without line feed that changes": ("a.yaml", LAST.rstrip()),
    "a byte order mark": ("a.yaml", f"\ufeff{MODEL}"),
    "a name of odd characters": ('a\t"\\\u00e9 b.yaml', MODEL),
    "a folder": ("below/a.yaml", MODEL),
}


@pytest.mark.parametrize(("name", "text"), ODD_FILES.values(), ids=ODD_FILES)
@pytest.mark.parametrize("place", [".", "one", "one/agents"])
@pytest.mark.parametrize("output", ["text", "json"])
def test_a_diff_of_any_text_and_place_can_be_applied_by_git(
    tmp_path: Path, name: str, text: str, place: str, output: str
) -> None:
    for root in ["one", "two"][: 2 if place == "." else 1]:
        file = tmp_path / root / name
        (tmp_path / root / "agents").mkdir(parents=True)
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(text.encode())
        (tmp_path / root / "agents/b.yaml").write_text(MODEL.replace("name: m", "name: other"))
        (tmp_path / root / "kagent-render.yaml").write_text(CONFIG)
    git(tmp_path, "init", "--quiet", ".")
    here = tmp_path / place
    shown = run("migrate", "--dry-run", "-o", output, cwd=here)
    (tmp_path / "a.diff").write_text(shown.out if output == "text" else "".join(shown.json["files"].values()))
    before = {path: path.read_bytes() for path in tmp_path.rglob("*.yaml")}
    git(tmp_path / "one" if place == "one/agents" else here, "apply", str(tmp_path / "a.diff"))
    after = {path: path.read_bytes() for path in before}
    for path, data in before.items():
        path.write_bytes(data)
    run("migrate", cwd=here)
    assert after == {path: path.read_bytes() for path in before} != before


def test_a_diff_for_people_keeps_what_ends_a_line(plain: Path) -> None:
    (plain / "a.yaml").write_bytes(MODEL.replace("\n", "\r\n").encode())
    with patch.object(click, "echo") as echo:
        run("migrate", "--dry-run", cwd=plain)
    assert f"+apiVersion: {NEW}\r" in [call.args[0] for call in echo.call_args_list if call.args]


def test_json_names_files_changes_and_diagnostics(plain: Path) -> None:
    (plain / "big.yaml").write_text(MAX)
    done = run("migrate", "--dry-run", "-o", "json", cwd=plain)
    assert list(done.json) == ["files", "diagnostics", "changed"]
    assert list(done.json["files"]) == done.json["changed"]
    assert "big.yaml" not in done.json["changed"]
    [note] = done.json["diagnostics"]
    assert (note["severity"], note["field"]) == ("info", "spec.openAI.reasoningEffort")
    assert run("migrate", "-o", "json", cwd=plain).json == done.json


def test_what_v1alpha3_does_not_take_stays_and_is_told_and_used(plain: Path) -> None:
    (plain / "big.yaml").write_text(MAX)
    edit(plain / "helper.yaml", "{name: aws}", "{name: big}")
    done = run("migrate", cwd=plain)
    assert done.status == 0
    assert "note: big.yaml:4: ModelConfig `big` stays `kagent.dev/v1alpha2`" in done.err
    assert (plain / "big.yaml").read_text() == MAX
    assert run("render", "--offline", cwd=plain).status == 0


def test_an_mcp_server_gets_a_remote_mcp_server_behind_it(plain: Path) -> None:
    edit(plain / "lead.yaml", "{kind: RemoteMCPServer, name: search}", "{kind: MCPServer, name: desk}")
    (plain / "desk.yaml").write_text(f"# desks\n{DESK}---\n# more\n")
    run("render", "--offline", cwd=plain)
    before = manifests(plain / "rendered")
    done = run("migrate", cwd=plain)
    assert "desk.yaml  added RemoteMCPServer team/desk\n" in done.err
    assert "6 objects and 1 RemoteMCPServer added in 6 files migrated" in done.err
    added = read_yaml((plain / "desk.yaml").read_bytes())[1].value
    assert added["spec"] == {
        "description": "MCPServer desk",
        "url": "http://desk.team:3001/mcp",
        "timeout": "45s",
    }
    run("render", "--offline", cwd=plain)
    assert manifests(plain / "rendered") == before


def test_a_remote_mcp_server_that_is_the_same_one_is_taken(plain: Path) -> None:
    edit(plain / "lead.yaml", "{kind: RemoteMCPServer, name: search}", "{kind: MCPServer, name: desk}")
    (plain / "desk.yaml").write_text(f"{DESK}---\n{REMOTE_DESK}")
    assert run("migrate", cwd=plain).status == 0
    assert (plain / "desk.yaml").read_text() == f"{DESK}---\n{REMOTE_DESK}"


def with_another_harness(root: Path) -> None:
    """A Harness that admits all templates, which none of them includes."""
    (root / "other.yaml").write_text(HARNESS.replace("name: runtime", "name: other"))


def with_a_taken_name(root: Path) -> None:
    """An MCPServer whose name another RemoteMCPServer has."""
    edit(root / "lead.yaml", "{kind: RemoteMCPServer, name: search}", "{kind: MCPServer, name: desk}")
    (root / "desk.yaml").write_text(f"{DESK}---\n{REMOTE_DESK.replace('3001', '3002')}")


def unadmitting(root: Path, *left_out: str) -> None:
    """A Harness that no pair needs, and that RenderConfig leaves without something."""
    for line in left_out:
        edit(root / "kagent-render.yaml", line, "")
    text = HARNESS.replace("name: runtime", "name: idle").split("  env:")[0]
    (root / "idle.yaml").write_text(text)
    substrate = "  substrate: {workerPoolRef: {name: p}, snapshotPolicy: {location: s3://l}}\n"
    (root / "harness.yaml").write_text(HARNESS.replace("  env:\n", f"{substrate}  env:\n"))


def without_pool(root: Path) -> None:
    """No worker pool anywhere."""
    unadmitting(root, "    workerPool: pool\n")


def without_location(root: Path) -> None:
    """No snapshot location anywhere."""
    unadmitting(root, "    snapshotLocation: s3://snapshots/team\n")


def without_image(root: Path) -> None:
    """No image anywhere."""
    unadmitting(root)
    text = re.sub(r"  workload:\n.*\n", "", (root / "idle.yaml").read_text())
    (root / "idle.yaml").write_text(text)


def with_a_needed_anchor(root: Path) -> None:
    """A version that an annotation repeats."""
    edit(
        root / "helper.yaml",
        f"apiVersion: {OLD}\nkind: AgentTemplate\nmetadata: {{",
        f"apiVersion: &v {OLD}\nkind: AgentTemplate\nmetadata: {{annotations: {{v: *v}}, ",
    )


def with_a_file_that_does_not_parse(root: Path) -> None:
    """A Harness that the templates leave out, in a text that is no YAML."""
    (root / "other.yaml").write_text(HARNESS.replace("name: runtime", "name: other") + "\t- x\n")


def with_a_fault(root: Path) -> None:
    """A pair that does not prepare as it is."""
    edit(root / "lead.yaml", "{name: aws}", "{name: gone}")


REFUSALS: list[tuple[Callable[[Path], None], int, str, str, str]] = [
    (with_another_harness, 3, "NotMigratable", "spec.harnesses", "would become a pair with Harness `other`"),
    (with_a_taken_name, 1, "NotMigratable", "spec.tools[0].mcp.server.name", "is there already"),
    (without_pool, 1, "InvalidSpec", "spec.substrate.workerPoolRef.name", "names no worker pool"),
    (without_location, 1, "InvalidSpec", "spec.substrate.snapshotPolicy.location", "names no snapshot"),
    (without_image, 1, "InvalidSpec", "spec.workload.image", "the Harness names no image"),
    (
        with_a_needed_anchor,
        1,
        "NotMigratable",
        "apiVersion",
        "AgentTemplate `helper` cannot be edited in place",
    ),
    (with_a_file_that_does_not_parse, 1, "YAMLInvalid", "None", "a value starts with"),
    (with_a_fault, 1, "ModelConfigNotFound", "spec.modelConfig.name", "gone"),
]


@pytest.mark.parametrize(
    ("arrange", "count", "reason", "field", "message"), REFUSALS, ids=[case[0].__name__ for case in REFUSALS]
)
def test_a_root_that_cannot_be_moved_whole_is_left_alone(
    plain: Path, arrange: Callable[[Path], None], count: int, reason: str, field: str, message: str
) -> None:
    arrange(plain)
    before = tree(plain)
    done = run("migrate", "-o", "json", cwd=plain)
    assert done.status == 1
    assert tree(plain) == before
    assert (done.json["files"], done.json["changed"]) == ({}, [])
    assert len(done.faults) == count
    for fault in done.faults:
        assert (fault["reason"], str(fault["field"])) == (reason, field)
        assert message in fault["message"]
        assert fault["hint"]
    assert "✗ nothing was migrated" in run("migrate", cwd=plain).err


def test_a_file_that_does_not_parse_is_told_where_nothing_else_moves(plain: Path) -> None:
    run("migrate", cwd=plain)
    with_a_file_that_does_not_parse(plain)
    [fault] = run("migrate", "-o", "json", cwd=plain).faults
    assert fault["reason"] == "YAMLInvalid"


def test_nothing_is_moved_where_a_folder_cannot_be_read(plain: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = WorkTree.files

    def partial(self: WorkTree, folder: str = "", **flags: Any) -> Listing:
        listing = real(self, folder, **flags)
        return listing if folder else replace(listing, unreadable=(ReadError("x", "cannot be read"),))

    before = tree(plain)
    monkeypatch.setattr(WorkTree, "files", partial)
    [fault] = run("migrate", "-o", "json", cwd=plain).faults
    assert fault["reason"] == "SourceUnreadable"
    assert tree(plain) == before


def test_new_pairs_are_accepted_where_that_is_asked_for(plain: Path) -> None:
    with_another_harness(plain)
    done = run("migrate", "--allow-new-pairs", cwd=plain)
    assert (done.status, "the same ActorTemplates, 3 new pairs\n" in done.err) == (0, True)
    pairs = run("check", "--offline", "-o", "json", cwd=plain).json["pairs"]
    assert {pair["harness"] for pair in pairs} == {"runtime", "other"}


def test_what_would_be_prepared_differently_is_refused(plain: Path) -> None:
    given = rules._given
    location = {"workerPoolRef": {"name": "pool"}, "snapshotPolicy": {"location": "s3://else"}}
    with patch.object(rules, "_given", lambda spec, harness, name, _: given(spec, harness, name, location)):
        done = run("migrate", "-o", "json", cwd=plain)
    assert done.status == 1
    assert {fault["pair"]["template"] for fault in done.faults} == {"lead", "helper", "critic"}
    assert all("`spec.snapshotsConfig.location`" in fault["message"] for fault in done.faults), done.faults


def test_objects_of_both_versions_are_finished(plain: Path) -> None:
    edit(plain / "harness.yaml", OLD, NEW)
    edit(plain / "harness.yaml", "python: {}", "kagent: {}")
    substrate = (
        "  substrate: {workerPoolRef: {name: pool}, snapshotPolicy: {location: s3://snapshots/team}}\n"
    )
    edit(plain / "harness.yaml", "  env:\n", f"{substrate}  env:\n")
    done = run("migrate", cwd=plain)
    assert (done.status, "5 objects in 4 files migrated" in done.err) == (0, True)


def test_files_that_are_no_sources_are_left_alone(plain: Path) -> None:
    others = {
        "rendered/x.yaml": HARNESS,
        ".hidden/x.yaml": HARNESS,
        "charts/x.yaml": HARNESS,
        "charts/helm.yaml": f"apiVersion: {OLD}\nkind: Harness\nname: {{{{ .Values.x }}}}\n",
        "texts.yaml": "kind: ConfigMap\nname: {{ .Values.x }}: y\n",
        "kustomization.yaml": "patches: [{path: patch.yaml}]\n",
        "patch.yaml": HARNESS,
        "nested/kagent-render.yaml": "apiVersion: render.kagent.dev/v1alpha1\nkind: RenderConfig\nspec: {}\n",
        "nested/x.yaml": HARNESS,
        "other.yaml": "apiVersion: example.com/v1alpha2\nkind: Harness\nspec: {python: {}}\n",
        "text.md": HARNESS,
    }
    edit(plain / "kagent-render.yaml", "spec:\n", 'spec:\n  sources: ["**/*.yaml", "!charts/**"]\n')
    for path, text in others.items():
        (plain / path).parent.mkdir(exist_ok=True)
        (plain / path).write_text(text)
    done = run("migrate", cwd=plain)
    assert done.status == 0, done.err
    assert "warning[SourceSkipped]" in done.err
    assert {path: (plain / path).read_text() for path in others} == others


def test_platform_agents_stay_and_need_no_registry(mixed: Path) -> None:
    before = {name: data for name, data in tree(mixed).items() if b"kubeagents" in data}
    assert before
    done = run("migrate", cwd=mixed)
    assert done.status == 0, done.err
    assert {name: data for name, data in tree(mixed).items() if b"kubeagents" in data} == before


def test_a_mode_stays(plain: Path) -> None:
    (plain / "lead.yaml").chmod(0o640)
    (plain / "helper.yaml").chmod(0o755)
    run("migrate", cwd=plain)
    assert [(plain / name).stat().st_mode & 0o777 for name in ("lead.yaml", "helper.yaml")] == [0o640, 0o755]


def test_a_link_is_neither_read_nor_written(plain: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "idle.yaml").write_text(HARNESS.replace("name: runtime", "name: idle"))
    (plain / "linked.yaml").symlink_to(outside / "idle.yaml")
    (plain / "folder").symlink_to(outside)
    before = tree(outside)
    assert run("migrate", cwd=plain).status == 0
    assert tree(outside) == before


@pytest.mark.parametrize("what", ["file", "folder", "content", "gone", "pipe"])
def test_what_changes_before_it_is_written_is_not_written_over(
    plain: Path, tmp_path: Path, what: str
) -> None:
    (plain / "agents").mkdir()
    (plain / "lead.yaml").rename(plain / "agents/lead.yaml")
    outside = tmp_path / "outside"
    outside.mkdir()
    text = (plain / "agents/lead.yaml").read_text()
    (outside / "lead.yaml").write_text(text)
    write = migrate_run._write_all

    def meddling(*args: object) -> None:
        lead = plain / "agents/lead.yaml"
        if what == "content":
            lead.write_text(f"# mine\n{text}")
        elif what == "folder":
            shutil.rmtree(plain / "agents")
            (plain / "agents").symlink_to(outside)
        else:
            lead.unlink()
            if what == "file":
                lead.symlink_to(outside / "lead.yaml")
            elif what == "pipe":
                os.mkfifo(lead)
        write(*args)  # type: ignore[arg-type]

    with patch.object(migrate_run, "_write_all", meddling):
        done = run("migrate", cwd=plain)
    assert done.status == 2
    assert "`agents/lead.yaml`" in done.err
    assert "hint: " in done.err
    assert (outside / "lead.yaml").read_text() == text
    assert not list(plain.rglob("*~"))


def test_a_run_that_is_killed_between_two_files_is_finished_by_the_next(plain: Path, tmp_path: Path) -> None:
    whole = shutil.copytree(plain, tmp_path / "whole")
    assert run("migrate", cwd=whole).status == 0
    rewrite, left = DiskOutput.rewrite, [2]

    def dying(folder: DiskOutput, path: str, before: bytes, after: bytes) -> bool:
        left[0] -= 1
        if left[0] < 0:
            (plain / ".kagent-render~").write_bytes(after[:10])
            raise KeyboardInterrupt
        return rewrite(folder, path, before, after)

    with patch.object(DiskOutput, "rewrite", dying):
        assert run("migrate", cwd=plain).status == 1
    assert 0 < sum(tree(plain)[path] != data for path, data in tree(whole).items()) < 5
    assert run("migrate", cwd=plain).status == 0
    assert tree(plain) == tree(whole)


def test_no_root_is_written_where_another_fails(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write_team(tmp_path / name)
    with_a_fault(tmp_path / "two")
    before = tree(tmp_path)
    done = run("migrate", cwd=tmp_path)
    assert (done.status, tree(tmp_path)) == (1, before)
    assert "✗ one: nothing was migrated, because another root failed" in done.err


def test_no_secret_and_no_literal_is_shown(plain: Path) -> None:
    secret = (
        "apiVersion: v1\nkind: Secret\nmetadata: {namespace: team, name: s}\nstringData: {k: not-shown}\n"
    )
    flow = (
        f"{{apiVersion: {OLD}, kind: Harness, metadata: {{namespace: team, name: idle}},"
        " spec: {python: {}, env: [{name: NOTE, value: not-shown}]}}"
    )
    (plain / "s.yaml").write_text(f"{MAX.replace('max', 'low')}---\n# not-shown\n{secret}---\n{flow}\n")
    edit(plain / "harness.yaml", "value: info", "value: not-shown")
    edit(
        plain / "kagent-render.yaml",
        "spec:\n",
        f"spec:\n  images: {{python: r.example.com/x@sha256:{'0' * 64}}}\n",
    )
    for flags in (["--dry-run"], ["--dry-run", "-o", "json"], []):
        done = run("migrate", *flags, cwd=plain)
        assert done.status == 0, done.err
        assert "not-shown" not in done.out + done.err
        assert bool(done.out) == bool(flags)


def test_a_name_cannot_move_the_cursor_or_give_commands(plain: Path) -> None:
    nasty = "x\u202e\x1b[31m##[error]y.yaml"
    (plain / nasty).write_text(MAX.replace("max", "low"))
    done = run("migrate", "--dry-run", cwd=plain)
    assert done.status == 0
    assert not re.search("[\u202e\x1b]|##\\[error", done.out + done.err)


@pytest.mark.parametrize("flag", [["--staged"], ["--rev", "HEAD"], ["-f", "-"]], ids=" ".join)
def test_what_is_no_work_tree_is_refused(plain: Path, flag: list[str]) -> None:
    done = run("migrate", *flag, cwd=plain, stdin=b"")
    assert (done.status, "`migrate` changes files" in done.err) == (2, True)
    assert f"{flag[0]}, " not in (shown := run("migrate", "--help", cwd=plain).out)
    assert f"{flag[0]} " not in shown


@pytest.mark.parametrize("flag", ["--locked", "--frozen"])
def test_where_writing_is_refused_it_is_a_dry_run(plain: Path, flag: str) -> None:
    before = tree(plain)
    assert "+apiVersion: kagent.dev/v1alpha3" in run("migrate", flag, cwd=plain).out
    assert tree(plain) == before


def test_a_review_tells_versions_alone(committed: Path) -> None:
    run("migrate", cwd=committed)
    run("render", "--offline", cwd=committed)
    done = run("diff", "HEAD", "-o", "json", cwd=committed)
    assert (done.status, done.json["widens"]) == (0, False)
    changes = [change for pair in done.json["pairs"] for change in pair["changes"]]
    assert {(change["topic"], change["after"]) for change in changes} == {("version", NEW)}


def test_a_vendored_artifact_stays_vendored(tmp_path: Path) -> None:
    copy = copy_example(tmp_path / "incident")
    done = run("migrate", "--offline", cwd=copy)
    assert ".kagent/artifacts/index.yaml  1 source with the endpoint\n" in done.err
    assert run("vendor", "--check", "--offline", cwd=copy).status == 0
    assert (
        "endpoint: https://s3.eu-central-1.amazonaws.com"
        in (copy / ".kagent/artifacts/index.yaml").read_text()
    )


def test_an_invalid_index_of_the_vendored_store_is_told(plain: Path) -> None:
    (plain / ".kagent/artifacts").mkdir(parents=True)
    (plain / ".kagent/artifacts/index.yaml").write_text("a: 1\n")
    before = tree(plain)
    done = run("migrate", cwd=plain)
    assert (done.status, tree(plain)) == (2, before)
    assert "error[ConfigInvalid]: `.kagent/artifacts/index.yaml` is not one `ArtifactIndex`" in done.err


def test_a_root_without_anything_to_move_is_not_prepared(plain: Path) -> None:
    (plain / "kagent-render.yaml").rename(plain.parent / "kagent-render.yaml")
    shutil.rmtree(plain)
    done = run("migrate", "--exit-code", cwd=plain.parent)
    assert (done.status, done.err) == (0, "✓ nothing to migrate\n")


def test_the_example_says_which_command_is_next(tmp_path: Path) -> None:
    shutil.copytree(EXAMPLE, tmp_path / "a b")
    done = run("migrate", "--offline", "a b", cwd=tmp_path)
    assert done.err.endswith(
        "next: `kagent-render render 'a b'` writes the locks, which name the new versions\n"
    )
