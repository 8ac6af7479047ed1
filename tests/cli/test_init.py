"""`init` writes an example that renders, checks clean and replaces nothing; `completion` completes."""

from __future__ import annotations

import os
import pty
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from kagent_render.cli.init import TARGETS
from kagent_render.source.config import TARGETS as KNOWN
from kagent_render.target.generations import generation_of
from tests.parts import missing
from tests.running import run, tree
from tests.source.git_repositories import git

FILES = {
    "kagent-render.yaml",
    "agents/python-runtime.yaml",
    "agents/assistant.yaml",
    "rendered/.gitattributes",
}


def test_the_example_renders_and_is_current_without_a_warning(tmp_path: Path) -> None:
    assert run("init", cwd=tmp_path).status == 0
    assert set(tree(tmp_path)) == FILES
    done = run("render", "--strict", "-o", "json", cwd=tmp_path)
    assert done.status == 0
    assert [pair["template"] for pair in done.json["pairs"]] == ["assistant"]
    assert done.json["diagnostics"] == []
    assert "rendered/.gitattributes" not in done.json["changed"]
    assert run("check", "--strict", "--frozen", cwd=tmp_path).status == 0


def test_it_says_what_it_wrote_and_what_to_do_next(tmp_path: Path) -> None:
    done = run("init", "new/place", cwd=tmp_path)
    assert done.out == ""
    assert done.err.splitlines() == [
        "wrote new/place/kagent-render.yaml",
        "wrote new/place/agents/python-runtime.yaml",
        "wrote new/place/agents/assistant.yaml",
        "wrote new/place/rendered/.gitattributes",
        "",
        "for ate.dev/v1alpha1, the custom resource of June 2026: Substrate before v0.0.22",
        "for another Substrate: edit spec.target of kagent-render.yaml",
        "next: kagent-render render new/place",
    ]
    assert run("render", "new/place", cwd=tmp_path).status == 0


def test_who_chose_a_target_is_told_of_no_other(tmp_path: Path) -> None:
    done = run("init", "--target", "ateapi/v0.4", cwd=tmp_path)
    assert done.err.splitlines()[-2:] == [
        f"for ateapi/v0.4, {TARGETS['ateapi/v0.4']}",
        "next: kagent-render render .",
    ]


def test_in_a_clone_it_names_the_merge_driver(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", "--template=", ".")
    before = tree(tmp_path)
    assert run("init", cwd=tmp_path).err.endswith("and once in each clone: kagent-render merge --install\n")
    assert {path: data for path, data in tree(tmp_path).items() if path not in FILES} == before


@pytest.mark.parametrize("existing", sorted(FILES))
def test_nothing_that_exists_is_changed(tmp_path: Path, existing: str) -> None:
    (tmp_path / existing).parent.mkdir(exist_ok=True)
    (tmp_path / existing).write_text("mine")
    done = run("init", cwd=tmp_path)
    assert done.status == 2
    assert done.err.startswith(f"error: `{existing}` exists already")
    assert tree(tmp_path) == {existing: b"mine"}


def test_a_link_that_leads_nowhere_exists_too(tmp_path: Path) -> None:
    (tmp_path / "kagent-render.yaml").symlink_to(tmp_path / "elsewhere")
    assert run("init", cwd=tmp_path).status == 2
    assert not (tmp_path / "elsewhere").exists()


def test_init_offers_every_target_and_each_has_the_generation_of_its_name() -> None:
    assert list(TARGETS) == list(KNOWN)
    assert [generation_of(target).TARGET for target in KNOWN] == list(KNOWN)


@pytest.mark.parametrize("target", TARGETS)
def test_the_target_is_the_one_that_was_chosen(tmp_path: Path, target: str) -> None:
    assert run("init", "--target", target, cwd=tmp_path).status == 0
    assert f"  target: {target}\n" in (tmp_path / "kagent-render.yaml").read_text()


def test_the_namespace_is_the_one_that_was_chosen(tmp_path: Path) -> None:
    assert run("init", "--namespace", "mine", cwd=tmp_path).status == 0
    assert run("render", cwd=tmp_path).status == 0
    assert (tmp_path / "rendered/mine/python-runtime/assistant/revision.lock.yaml").exists()


@pytest.mark.parametrize(
    "args",
    [["--target", "other"], ["--namespace", "Not A Name"], ["--namespace", "a/../b"], ["--namespace", ""]],
    ids=" ".join,
)
def test_a_value_that_cannot_be_is_status_2_and_writes_nothing(tmp_path: Path, args: list[str]) -> None:
    assert run("init", *args, cwd=tmp_path).status == 2
    assert tree(tmp_path) == {}


def test_a_folder_that_cannot_be_made_is_status_2(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = run("init", "file/below", cwd=tmp_path)
    assert done.status == 2
    assert "cannot be written" in done.err


@pytest.mark.parametrize(
    ("answer", "target"),
    [
        pytest.param(b"\n", "ate.dev/v1alpha1", id="the default"),
        pytest.param(b"ateapi/v0.4\n", "ateapi/v0.4", id="another"),
        pytest.param(b"nonsense\nateapi/v0.4\n", "ateapi/v0.4", id="after a mistake"),
    ],
)
def test_a_person_is_asked_for_the_target(tmp_path: Path, answer: bytes, target: str) -> None:
    ours, theirs = pty.openpty()
    os.write(ours, answer)
    done = subprocess.run(
        [sys.executable, "-c", "from kagent_render.cli.main import main; main()", "init"],
        cwd=tmp_path,
        stdin=theirs,
        capture_output=True,
        text=True,
        timeout=30,
    )
    os.close(theirs)
    os.close(ours)
    assert done.returncode == 0
    assert "Which Substrate generation does your cluster run?" in done.stderr
    shown = " ".join(done.stderr.split())
    assert all(f" {name} {meaning} " in shown for name, meaning in TARGETS.items())
    assert max(map(len, done.stderr.partition("target (")[0].splitlines())) < 80
    assert f"  target: {target}\n" in (tmp_path / "kagent-render.yaml").read_text()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_has_a_completion_script(tmp_path: Path, shell: str) -> None:
    done = run("completion", shell, cwd=tmp_path)
    assert done.status == 0
    assert "_KAGENT_RENDER_COMPLETE" in done.out
    assert "kagent-render" in done.out


@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        pytest.param(["re"], {"render"}, id="a command"),
        pytest.param(["render", "--keep"], {"--keep-going"}, id="a flag"),
        pytest.param(["check", "-o", "j"], {"json"}, id="a value"),
        pytest.param(["init", "--target", "ate"], set(TARGETS), id="a target"),
    ],
)
def test_bash_completes(tmp_path: Path, typed: list[str], completed: set[str]) -> None:
    bash = shutil.which("bash")
    if bash is None:
        missing("no bash on PATH to complete in")
        return
    (tmp_path / "kagent-render").write_text(
        f"#!{sys.executable}\nfrom kagent_render.cli.main import main\nmain()\n"
    )
    (tmp_path / "kagent-render").chmod(0o755)
    (tmp_path / "script").write_text(run("completion", "bash", cwd=tmp_path).out)
    words = " ".join(f"'{word}'" for word in ("kagent-render", *typed))
    code = (
        f"source ./script; COMP_WORDS=({words}); COMP_CWORD={len(typed)}; "
        '_kagent_render_completion ./kagent-render; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = subprocess.run(
        [bash, "--norc", "--noprofile", "-c", code],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=30,
        env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"},
    )
    assert done.returncode == 0, done.stderr
    assert set(done.stdout.split()) == completed
