"""`render` writes what is prepared: all or nothing, never over what it must not replace."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from tests.cli.team import INPUTS, LOCK, PAIR_FOLDER, actor_templates, edit, lock_spec, write_team
from tests.running import run, tree
from tests.source.git_repositories import git

CRITIC = "rendered/team/runtime/critic"


def test_the_first_render_writes_every_file_and_the_second_none(tmp_path: Path) -> None:
    folder = write_team(tmp_path / "team")
    first = run("render", "-o", "json", cwd=folder)
    assert first.status == 0
    written = {path for path in tree(folder) if path.startswith("rendered/")}
    assert set(first.json["changed"]) == written
    before = tree(folder)
    second = run("render", "-o", "json", cwd=folder)
    assert second.status == 0
    assert second.json["changed"] == []
    assert tree(folder) == before


def test_exit_code_tells_whether_anything_was_written(tmp_path: Path) -> None:
    folder = write_team(tmp_path / "team")
    assert run("render", "--exit-code", cwd=folder).status == 1
    assert run("render", "--exit-code", cwd=folder).status == 0


def test_an_edit_rewrites_its_own_pair_alone(team: Path) -> None:
    before = tree(team)
    edit(team / "lead.yaml", "You lead.", "You decide.")
    changed = run("render", "-o", "json", cwd=team).json["changed"]
    assert changed
    assert all(path.startswith(f"{PAIR_FOLDER}/") for path in changed)
    after = tree(team)
    assert {path for path in after if before.get(path) != after[path]} == {*changed, "lead.yaml"}


@pytest.mark.parametrize("flag", ["--locked", "--frozen"])
def test_locked_writes_nothing_and_answers_as_check(team: Path, flag: str) -> None:
    edit(team / "lead.yaml", "You lead.", "You decide.")
    before = tree(team)
    done = run("render", flag, "-o", "json", cwd=team)
    assert tree(team) == before
    assert done.status == 1
    assert done.out == run("check", "-o", "json", cwd=team).out


def break_lead(folder: Path) -> None:
    """Edit every template and break the one of the pair `lead`."""
    for name in ("lead", "critic", "helper"):
        edit(folder / f"{name}.yaml", "You ", "You really ")
    edit(folder / "lead.yaml", "name: search}", "name: serch}")


def test_one_failed_pair_keeps_all_from_being_written(team: Path) -> None:
    break_lead(team)
    before = tree(team)
    done = run("render", cwd=team)
    assert done.status == 1
    assert tree(team) == before
    assert "✗ nothing was written (1 error" in done.err


def test_keep_going_writes_the_others_and_leaves_the_failed_pair_as_it_was(team: Path) -> None:
    break_lead(team)
    before = tree(team)
    done = run("render", "--keep-going", "-o", "json", cwd=team)
    assert done.status == 1
    after = tree(team)
    changed = {path for path in after if before.get(path) != after[path]}
    assert changed == set(done.json["changed"])
    assert {path.split("/")[3] for path in changed} == {"critic", "helper"}
    assert "runtime/lead" in after["rendered/team/kustomization.yaml"].decode()


def test_keep_going_lists_no_failed_pair_that_has_no_lock(tmp_path: Path) -> None:
    folder = write_team(tmp_path / "team")
    break_lead(folder)
    assert run("render", "--keep-going", cwd=folder).status == 1
    assert not (folder / PAIR_FOLDER).exists()
    assert "lead" not in (folder / "rendered/team/kustomization.yaml").read_text()
    assert (folder / CRITIC / "revision.lock.yaml").exists()


def test_a_failed_pair_that_lost_its_lock_loses_nothing_else(team: Path) -> None:
    break_lead(team)
    (team / LOCK).unlink()
    before = tree(team)
    assert "OutputDrift" not in {fault["reason"] for fault in run("check", "-o", "json", cwd=team).faults}
    assert run("render", "--keep-going", cwd=team).status == 1
    assert {path for path in before if path.startswith(PAIR_FOLDER)} <= set(tree(team))
    assert "runtime/lead" in (team / "rendered/team/kustomization.yaml").read_text()


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("apiVersion: kagent.dev/v1alpha2\nkind: [AgentTemplate\n", id="not YAML"),
        pytest.param("apiVersion: kagent.dev/v1alpha2\nkind: AgentTemplate\nspec: {}\n", id="without a name"),
    ],
)
def test_keep_going_removes_no_pair_while_a_document_cannot_be_read(team: Path, text: str) -> None:
    """The document may be the very one that asks for the pair."""
    (team / "lead.yaml").write_text(text)
    edit(team / "critic.yaml", "You ", "You really ")
    before = tree(team)
    done = run("render", "--keep-going", "-o", "json", cwd=team)
    assert done.status == 1
    assert {path.split("/")[3] for path in done.json["changed"]} == {"critic"}
    assert all(data == before[path] for path, data in tree(team).items() if path.startswith(PAIR_FOLDER))


def test_the_folder_of_a_pair_that_is_gone_is_removed(team: Path) -> None:
    (team / "lead.yaml").unlink()
    done = run("render", "-o", "json", cwd=team)
    assert done.status == 0
    assert LOCK in done.json["changed"]
    assert not (team / PAIR_FOLDER).exists()
    assert "lead" not in (team / "rendered/team/kustomization.yaml").read_text()
    assert run("check", cwd=team).status == 0


def test_the_last_pairs_are_removed_as_others_are(team: Path) -> None:
    for name in ("lead", "helper", "critic"):
        (team / f"{name}.yaml").unlink()
    done = run("render", cwd=team)
    assert done.status == 0
    assert "no pairs prepared, removed 13 files" in done.err
    assert not any(path.startswith("rendered/") for path in tree(team))


def test_a_foreign_file_is_warned_of_and_left(team: Path) -> None:
    (team / "rendered/team/notes.txt").write_text("mine")
    edit(team / "lead.yaml", "You lead.", "You decide.")
    done = run("render", "-o", "json", cwd=team)
    assert done.status == 0
    assert [found["message"] for found in done.json["diagnostics"] if found["reason"] == "OutputDrift"] == [
        "`rendered/team/notes.txt` is not written by kagent-render"
    ]
    assert (team / "rendered/team/notes.txt").read_text() == "mine"


def test_a_foreign_file_survives_the_removal_of_its_pair(team: Path) -> None:
    (team / PAIR_FOLDER / "notes.txt").write_text("mine")
    (team / "lead.yaml").unlink()
    assert run("render", cwd=team).status == 0
    assert [path for path in tree(team) if path.startswith(PAIR_FOLDER)] == [f"{PAIR_FOLDER}/notes.txt"]


def test_hand_edits_are_replaced(team: Path) -> None:
    before = tree(team)
    for path in before:
        if path.startswith("rendered/"):
            (team / path).write_bytes(before[path].replace(b"\n", b"\r\n"))
    (team / f"{PAIR_FOLDER}/actortemplates/lead-runtime-{'0' * 12}.yaml").write_text("extra: true\n")
    assert run("render", cwd=team).status == 0
    assert tree(team) == before


def test_strict_makes_a_warning_an_error(team: Path) -> None:
    before = tree(team)
    for command in ("render", "check"):
        done = run(command, "--strict", "-o", "json", cwd=team)
        assert done.status == 1
        assert {fault["reason"] for fault in done.faults} == {"CapabilityUnproven"}
    assert tree(team) == before


NEWER = ("    version: 1\n", "    version: 2\n")


def test_a_lock_of_a_newer_release_is_not_overwritten(team: Path) -> None:
    text = (team / LOCK).read_text()
    (team / LOCK).write_text(text.replace(*NEWER, 1))
    edit(team / "critic.yaml", "You ", "You really ")
    before = tree(team)
    done = run("render", "-o", "json", cwd=team)
    assert done.status == 1
    assert [fault["reason"] for fault in done.faults] == ["LockInvalid"]
    assert done.faults[0]["hint"] == "update kagent-render"
    assert tree(team) == before


def test_keep_going_writes_the_others_beside_a_lock_of_a_newer_release(team: Path) -> None:
    text = (team / LOCK).read_text()
    (team / LOCK).write_text(text.replace(*NEWER, 1))
    before = tree(team)
    edit(team / "critic.yaml", "You ", "You really ")
    done = run("render", "--keep-going", "-o", "json", cwd=team)
    assert done.status == 1
    assert [fault["reason"] for fault in done.faults] == ["LockInvalid"]
    assert {path.split("/")[3] for path in done.json["changed"]} == {"critic"}
    assert all(data == before[path] for path, data in tree(team).items() if path.startswith(PAIR_FOLDER))
    assert "runtime/lead" in (team / "rendered/team/kustomization.yaml").read_text()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("  target:", "<<<<<<< ours\n  target:", id="conflict markers"),
        pytest.param("name: runtime", "name:  runtime", id="not canonical"),
        pytest.param("You lead.", "You follow.", id="edited"),
    ],
)
def test_a_damaged_lock_of_this_release_is_written_again(team: Path, old: str, new: str) -> None:
    text = (team / LOCK).read_text()
    (team / LOCK).write_text(text.replace(old, new, 1))
    assert run("render", cwd=team).status == 0
    assert (team / LOCK).read_text() == text


def test_an_output_folder_that_is_a_link_is_refused(team: Path, tmp_path: Path) -> None:
    (team / "rendered").rename(tmp_path / "elsewhere")
    (team / "rendered").symlink_to(tmp_path / "elsewhere")
    before = tree(tmp_path / "elsewhere")
    for command in ("render", "check"):
        done = run(command, cwd=team)
        assert done.status == 2
        assert done.err == (
            "error: `rendered` is a symbolic link or no folder\n  hint: replace it by a real folder\n"
        )
    assert tree(tmp_path / "elsewhere") == before


@pytest.mark.parametrize("place", [PAIR_FOLDER, f"{PAIR_FOLDER}/actortemplates", LOCK])
def test_a_link_inside_the_output_is_not_followed(team: Path, tmp_path: Path, place: str) -> None:
    (team / place).rename(tmp_path / "elsewhere")
    (team / place).symlink_to(tmp_path / "elsewhere")
    edit(team / "lead.yaml", "You lead.", "You decide.")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    done = run("render", cwd=team)
    assert done.status in (1, 2)
    assert place in done.err
    assert {path: path.read_bytes() for path in before} == before


@pytest.mark.parametrize(
    ("code", "message"),
    [
        pytest.param(errno.ENOSPC, "cannot be written: the disk is full", id="a full disk"),
        pytest.param(errno.EACCES, "cannot be reached: permission denied", id="a read-only folder"),
        pytest.param(errno.EROFS, "cannot be reached: permission denied", id="a read-only file system"),
        pytest.param(errno.EIO, "cannot be reached: input/output error", id="a broken disk"),
    ],
)
def test_an_output_that_cannot_be_written_is_one_line_and_status_2(
    team: Path, monkeypatch: pytest.MonkeyPatch, code: int, message: str
) -> None:
    def refuse(*_: object) -> int:
        raise OSError(code, os.strerror(code))

    edit(team / "lead.yaml", "You lead.", "You decide.")
    before = tree(team)
    with monkeypatch.context() as patched:
        patched.setattr("kagent_render.emit.disk.os.write", refuse)
        done = run("render", cwd=team)
    assert done.status == 2
    first, hint = done.err.splitlines()
    assert first.startswith(f"error: `{PAIR_FOLDER}/actortemplates/")
    assert first.endswith(message)
    assert hint.startswith("  hint: ")
    assert tree(team) == before


def test_text_draws_each_pair_as_a_tree_and_counts_what_was_written(tmp_path: Path) -> None:
    folder = write_team(tmp_path / "team")
    done = run("render", cwd=folder)
    assert done.out == ""
    drawing = done.err.splitlines()[-6:]
    revision = lock_spec(folder)["revision"][:19]
    assert drawing[-4:] == [
        f"team/runtime/lead    {revision}",
        "├─ helper            Shared     helper, in its parent's runtime",
        "└─ critic            Dedicated  critic, a runtime of its own",
        "✓ 3 pairs prepared, wrote 13 files (4 warnings)",
    ]
    assert run("render", cwd=folder).err.splitlines()[-1] == (
        "✓ 3 pairs prepared, nothing to write (4 warnings)"
    )


def test_nested_bindings_are_drawn_below_each_other(tmp_path: Path) -> None:
    folder = write_team(tmp_path / "team")
    edit(
        folder / "critic.yaml",
        "  harnesses:",
        "  tools:\n  - agent: {name: aide, description: Aids., templateRef: {name: helper}}\n  harnesses:",
    )
    lines = run("render", cwd=folder).err.splitlines()
    assert lines[-3].startswith("└─ critic ")
    assert lines[-2].startswith("   └─ aide ")


def test_many_pairs_are_counted_and_not_drawn(tmp_path: Path) -> None:
    folder = write_team(tmp_path / "team")
    member = (folder / "helper.yaml").read_text()
    for number in range(12):
        (folder / f"m{number}.yaml").write_text(member.replace("helper", f"m{number}"))
    text = run("render", cwd=folder).err
    assert "team/runtime/m1 " not in text
    assert "15 pairs prepared" in text
    assert "team/runtime/m1 " in run("render", "-v", cwd=folder).err


def test_a_repository_without_pairs_is_clean(tmp_path: Path) -> None:
    folder = write_team(tmp_path / "team")
    for name in ("lead", "helper", "critic"):
        (folder / f"{name}.yaml").unlink()
    done = run("render", cwd=folder)
    assert done.status == 0
    assert done.err == "✓ no pairs prepared, nothing to write\n"
    assert run("check", cwd=folder).err == "✓ no pairs\n"


def test_colour_is_only_there_when_it_is_asked_for(team: Path) -> None:
    assert "\033[" not in run("render", cwd=team).err
    assert "\033[" in run("render", "--color", "always", cwd=team).err
    assert "\033[" in run("render", "--color", "always", cwd=team, env={"NO_COLOR": "1"}).err


def test_a_manifest_s_control_characters_reach_no_terminal(team: Path) -> None:
    edit(team / "lead.yaml", "name: search}", 'name: "se\\e[2Jrch"}')
    for command in ("render", "check"):
        assert "\033" not in run(command, cwd=team).err


def test_a_secret_s_value_is_in_no_output(tmp_path: Path) -> None:
    folder = write_team(tmp_path / "team")
    (folder / "inputs.yaml").write_text(INPUTS.replace("not-kept", "s3cr3t-v4lue"))
    texts = [
        run(*args, cwd=folder)
        for args in (["render"], ["check", "-o", "json"], ["explain", "team/runtime/lead"])
    ]
    assert all("s3cr3t" not in text.out + text.err for text in texts)
    assert not any(b"s3cr3t" in data for path, data in tree(folder).items() if path.startswith("rendered/"))
    assert actor_templates(folder)


@pytest.mark.parametrize("stdin", [b"", b"junk", b"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n"])
def test_an_empty_stream_takes_nothing_away(team: Path, stdin: bytes) -> None:
    before = tree(team)
    done = run("render", "-f", "-", cwd=team, stdin=stdin)
    assert done.status == 2
    assert "stdin asks for no pair, and `rendered` holds 3" in done.err
    assert tree(team) == before
    assert run("render", "-f", "-", "--allow-empty", cwd=team, stdin=stdin).status == 0
    assert not any(path.startswith("rendered/") for path in tree(team))


def test_a_revision_or_the_index_is_rendered_into_the_work_tree(team: Path) -> None:
    git(team, "init", "-q", "-b", "main")
    git(team, "add", ".")
    git(team, "commit", "-qm", "rendered")
    committed = tree(team / "rendered")
    edit(team / "lead.yaml", "You lead.", "You decide.")
    assert run("render", cwd=team).status == 0
    assert tree(team / "rendered") != committed
    for source in (("--rev", "HEAD"), ("--staged",)):
        assert run("render", *source, cwd=team).status == 0
        assert tree(team / "rendered") == committed


def test_a_bare_repository_is_not_written_to(team: Path, tmp_path: Path) -> None:
    git(team, "init", "-q", "-b", "main")
    git(team, "add", ".")
    git(team, "commit", "-qm", "rendered")
    git(tmp_path, "clone", "-q", "--bare", str(team), "bare.git")
    done = run("render", "--rev", "HEAD", cwd=tmp_path / "bare.git")
    assert done.status == 2
    assert "no work tree to write to" in done.err
    assert not (tmp_path / "bare.git/rendered").exists()


def test_a_sound_pair_has_its_revision_where_another_one_fails(team: Path) -> None:
    before = run("check", "-o", "json", cwd=team).json["pairs"]
    edit(team / "critic.yaml", "modelConfig:", "modelConfg:")
    after = {
        pair["template"]: pair["revision"] for pair in run("render", "-o", "json", cwd=team).json["pairs"]
    }
    assert after["helper"] == {pair["template"]: pair["revision"] for pair in before}["helper"]


def test_text_that_no_manifest_can_hold_is_escaped_or_refused(tmp_path: Path) -> None:
    assert run("init", cwd=tmp_path).status == 0
    agent = tmp_path / "agents/assistant.yaml"
    prompt = "  systemPrompt: |\n    You answer questions about the team's services.\n"
    edit(
        agent,
        prompt + "    Say so when you do not know.\n",
        '  systemPrompt: "a \\x80 b \\x7f c \\uFFFE d"\n',
    )
    assert run("render", cwd=tmp_path).status == 0
    [manifest] = tmp_path.glob("rendered/*/*/*/actortemplates/*.yaml")
    assert "a \\u0080 b \\u007f c \\ufffe d" in manifest.read_text()
    edit(
        tmp_path / "agents/python-runtime.yaml",
        "  python: {}\n",
        '  python: {}\n  env: [{name: A, value: "\\x80"}]\n',
    )
    [fault] = run("check", "-o", "json", cwd=tmp_path).faults
    assert (fault["reason"], fault["object"]["kind"]) == ("InvalidSpec", "Harness")
