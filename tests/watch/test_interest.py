"""Which changes matter: a path is passed over only where no run could tell the difference."""

from __future__ import annotations

import pytest

from kagent_render.source.globs import compile_filter
from kagent_render.watch.interest import Kind, RootInterest, is_interesting

SOURCES = compile_filter(["**/*.yaml", "!drafts/**"]).admits
RENDERING = RootInterest("/repo", "rendered", SOURCES, frozenset({".", "agents", "agents.d"}))
CHECKING = RootInterest("/repo", None, SOURCES, frozenset({"agents"}))
NESTED = RootInterest("/repo/teams/one", "out", SOURCES)

FILES = [
    ("/repo/agents/lead.yaml", True),
    ("/repo/kagent-render.yaml", True),
    ("/repo/lead.yaml", True),
    ("/repo/agents/kustomization.yml", True),
    ("/repo/.kagent/in-use/team.yaml", True),
    ("/repo/.kagent/artifacts/sha256/ab/SKILL.md", True),
    ("/repo/drafts/lead.yaml", False),
    ("/repo/README.md", False),
    ("/repo/rendered/team/runtime/lead/revision.lock.yaml", False),
    ("/repo/rendered", False),
    ("/repo/rendered-too/lead.yaml", True),
    ("/repo/.git/index", False),
    ("/repo/.git/HEAD.lock", False),
    ("/repo/vendor/.git/config.yaml", False),
    ("/repo/.idea/workspace.yaml", False),
    ("/repo/agents/.hidden/lead.yaml", False),
    ("/repo/agents/.lead.yaml.swp", False),
    ("/repo/agents/lead.yaml~", False),
    ("/repo/agents/.#lead.yaml", False),
    ("/repo/agents/#lead.yaml#", False),
    ("/repo/agents/4913", False),
    ("/repo/teams/one/lead.yaml", True),
    ("/repo/teams/one/out/lead.yaml", False),
    ("/repo/teams/one/rendered/lead.yaml", True),
    ("/repo/teams/two/kagent-render.yaml", True),
    ("/elsewhere/kagent-render.yaml", True),
    ("/elsewhere/lead.yaml", False),
]


@pytest.mark.parametrize(("path", "expected"), FILES, ids=[path for path, _ in FILES])
def test_a_file_matters_where_it_may_be_input(path: str, expected: bool) -> None:
    assert is_interesting(path, [RENDERING, NESTED], lambda _: Kind.FILE) is expected


OTHERS = [
    ("/repo/agents", Kind.FOLDER, True),
    ("/repo/agents.d", Kind.NOTHING, True),
    ("/repo/notes.d", Kind.NOTHING, False),
    ("/repo/agents/lead.yaml", Kind.NOTHING, True),
    ("/repo/agents/sedKq2", Kind.NOTHING, False),
    ("/repo", Kind.FOLDER, True),
    ("/repo", Kind.NOTHING, True),
    ("/repo/rendered", Kind.NOTHING, False),
    ("/repo/.cache", Kind.FOLDER, False),
    ("/elsewhere", Kind.FOLDER, True),
    ("/elsewhere/.cache", Kind.FOLDER, False),
]


@pytest.mark.parametrize(("path", "kind", "expected"), OTHERS)
def test_a_folder_that_comes_or_goes_matters_where_files_may_be_in_it(
    path: str, kind: Kind, expected: bool
) -> None:
    assert is_interesting(path, [RENDERING], lambda _: kind) is expected


def test_a_hand_edit_of_the_output_matters_to_check_alone() -> None:
    path = "/repo/rendered/kustomization.yaml"
    assert is_interesting(path, [CHECKING], lambda _: Kind.FILE)
    assert not is_interesting(path, [RENDERING], lambda _: Kind.FILE)
