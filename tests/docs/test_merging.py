"""What `docs/merging.md` shows is what the real Git and the driver do."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from kagent_render.merging.attributes import DRIVER
from tests.docs.console import agrees, commands
from tests.docs.markdown import blocks, page
from tests.parts import REPOSITORY
from tests.source.git_repositories import ENVIRONMENT

_PAGE = page("docs/merging.md")


@pytest.fixture
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("bin")
    program = folder / "kagent-render"
    program.write_text(f'#!/bin/sh\nPYTHONPATH={REPOSITORY} exec {sys.executable} -m kagent_render "$@"\n')
    program.chmod(0o755)
    return {**ENVIRONMENT, "PATH": f"{folder}:{ENVIRONMENT['PATH']}"}


@pytest.mark.server
def test_the_merge_of_one_agent_goes_as_the_page_shows(tmp_path: Path, environment: dict[str, str]) -> None:
    def shell(command: str) -> str:
        done = subprocess.run(
            ["sh", "-c", command], cwd=tmp_path, env=environment, capture_output=True, text=True
        )
        return done.stdout + done.stderr

    shell(
        "kagent-render init . && kagent-render render && git init -q -b main && git add . && git commit -qm 1"
    )
    installed = blocks(_PAGE, "console")[0]
    assert shell("kagent-render merge --install") == installed.text.partition("\n")[2]
    for branch, edit in (("topic", "s/gpt-5-mini/gpt-5/"), ("main", "s/Say so/Say it/")):
        shell(f"git checkout -q -B {branch} && sed -i '{edit}' agents/assistant.yaml")
        shell(f"kagent-render render && git add . && git commit -qm {branch}")
        if branch == "topic":
            shell("git checkout -q main 2>/dev/null || true; git reset -q --hard HEAD")
    for command, output in commands(_PAGE, "merging"):
        real = shell(command)
        assert agrees(output, real), real


def test_the_markers_of_the_page_have_the_labels_that_the_driver_writes() -> None:
    (text,) = [block.text for block in blocks(_PAGE) if block.text.startswith("<<<<<<<")]
    first, base, middle, last = text.splitlines()
    assert re.fullmatch(r"<{7} ours \S+/\S+/\S+ sha256:[0-9a-f]{12}", first)
    assert (base, middle) == ("||||||| base", "=======")
    assert re.fullmatch(r">{7} theirs \S+/\S+/\S+ sha256:[0-9a-f]{12}", last)


def test_the_driver_of_the_page_is_the_one_that_locks_name() -> None:
    assert f"merge.{DRIVER}.driver" in _PAGE
