"""The section of Git's attributes for the driver, and what Git makes of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from kagent_render.merging.attributes import with_outputs
from tests.source.git_repositories import git


@pytest.mark.parametrize("before", ["", "*.txt text\n", "*.txt text", "# comment\n\n"])
def test_the_section_is_written_once_beside_what_is_there(before: str) -> None:
    once = with_outputs(before, ["rendered"])
    assert once.startswith(before)
    assert with_outputs(once, ["rendered"]) == once
    assert once.count("/rendered/**/kustomization.yaml merge=kagent-render\n") == 1
    assert with_outputs(once, []).rstrip("\n") == before.rstrip("\n")


def test_an_output_that_moved_leaves_nothing() -> None:
    text = with_outputs(with_outputs("a b\n", ["old"]) + "c d\n", ["new"])
    assert "old" not in text
    assert text.startswith("a b\nc d\n")


@pytest.mark.parametrize(
    "output", ["rendered", "teams/a b/out", "o[1]*?", 'quo"te', "back\\slash", "é", "#x"]
)
def test_git_finds_the_files_of_any_folder_and_no_others(tmp_path: Path, output: str) -> None:
    git(tmp_path, "init", "--quiet", "--template=", ".")
    (tmp_path / ".git" / "info").mkdir()
    (tmp_path / ".git" / "info" / "attributes").write_text(with_outputs("", [output]))
    paths = [
        f"{output}/kustomization.yaml",
        f"{output}/team/runtime/lead/kustomization.yaml",
        f"{output}/ops/_agentplugins/agent/configmap.yaml",
        f"{output}/team/runtime/lead/revision.lock.yaml",
        f"other/{output}/kustomization.yaml",
        "kustomization.yaml",
    ]
    told = git(tmp_path, "check-attr", "-z", "merge", *paths).split("\0")[2::3]
    assert told == ["kagent-render"] * 3 + ["unspecified"] * 3
