"""Sets the merge driver up in one clone: its configuration, its attributes and its hook."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import click

from kagent_render.cli.failure import EnvironmentFailure
from kagent_render.cli.git_failure import telling_git_failures
from kagent_render.diagnostics.text import printable
from kagent_render.merging.attributes import DRIVER, with_outputs
from kagent_render.source.config_reading import read_config
from kagent_render.source.git_program import GitProgram
from kagent_render.source.reader import Subfolder
from kagent_render.source.repository import top_level
from kagent_render.source.roots import config_path, roots_among
from kagent_render.source.worktree import WorkTree

_COMMAND: Final = "kagent-render merge --hook"
_CONFIGURATION: Final = {
    f"merge.{DRIVER}.name": "rendered from the merged manifests",
    f"merge.{DRIVER}.driver": "kagent-render merge %O %A %B %P %S %X %Y",
    # The bases that Git makes up in a criss-cross merge: nothing follows from what they hold.
    f"merge.{DRIVER}.recursive": "binary",
}
_HOOK: Final = f"""\
#!/bin/sh
# Written by `kagent-render merge --install`: renders what the merge gives and stages it.
# Where that changed anything the merge stops, for you to commit it.
exec {_COMMAND}
"""
_EXECUTABLE: Final = 0o755


def install_driver() -> None:
    """Install the driver in the clone around the working directory; what is there already stays."""
    git = GitProgram(work_tree())
    try:
        with telling_git_failures():
            _configure(git)
            _write_attributes(git)
            _write_hook(git)
    except OSError as error:
        place = printable(str(error.filename))
        raise EnvironmentFailure(f"`{place}` cannot be written: {error.strerror}") from None


def work_tree() -> Path:
    """The top of the work tree around the working directory; raises EnvironmentFailure outside of any."""
    found = top_level(Path.cwd())
    if found is None:
        raise EnvironmentFailure("this is no Git work tree", "run the command in a clone")
    return found


def _configure(git: GitProgram) -> None:
    for key, value in _CONFIGURATION.items():
        known = git.run("config", "--local", "--get", key, accept=None).text
        if not known:
            git.run("config", "--local", key, value)
            _tell(f"set {key} = {value}")
        elif known != value:
            _tell(f"kept {key} = {printable(known)}")


def _write_attributes(git: GitProgram) -> None:
    path = git_path(git, "info/attributes")
    text = path.read_text(errors="surrogateescape") if path.exists() else ""
    wanted = with_outputs(text, output_folders(git.repository))
    if wanted != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(f"{path.name}.kagent-render~")
        temporary.write_text(wanted, errors="surrogateescape")
        temporary.replace(path)
        _tell(f"wrote {_shown(path)}")


def output_folders(repository: Path) -> list[str]:
    """The output folder of every root of a work tree, as paths of the repository."""
    files = WorkTree(repository)
    found = []
    for place in roots_among(files.files().paths):
        config, _ = read_config(Subfolder(files, place), config_path(""))
        if config is not None:
            found.append(f"{place}/{config.output}" if place else config.output)
    return found


def _write_hook(git: GitProgram) -> None:
    path = git_path(git, "hooks/pre-merge-commit")
    if hook_finishes(git):
        return
    if os.path.lexists(path) or git.run("config", "--get", "core.hooksPath", accept=None).text:
        _tell(f"to have what a merge gives rendered, let {_shown(path)} run: {_COMMAND}")
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(_HOOK)
    path.chmod(_EXECUTABLE)
    _tell(f"wrote {_shown(path)}")


def hook_finishes(git: GitProgram) -> bool:
    """Whether a hook of this clone renders what a merge gives before Git commits it."""
    path = git_path(git, "hooks/pre-merge-commit")
    try:
        return os.access(path, os.X_OK) and _COMMAND in path.read_text(errors="replace")
    except OSError:
        return False


def git_path(git: GitProgram, name: str) -> Path:
    """Where Git keeps one of its files, in a linked work tree or with `core.hooksPath` too."""
    return git.repository / git.run("rev-parse", "--git-path", name).text


def _shown(path: Path) -> str:
    return printable(os.path.relpath(path))


def _tell(text: str) -> None:
    click.echo(text, err=True)
