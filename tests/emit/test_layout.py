"""Paths of the output folder, and which paths are ours."""

from __future__ import annotations

import pytest

from kagent_render.diagnostics.diagnostic import PairRef, PlatformAgentRef
from kagent_render.emit.layout import (
    Place,
    Role,
    agent_folder,
    is_representable,
    lock_path,
    manifest_path,
    owner_folder,
    pair_folder,
    place_of,
    temporary_path,
    temporary_target,
)

PAIR = PairRef("team", "py", "planner")
AGENT = PlatformAgentRef("team", "ops.agent")
HASH = "0123456789ab"


def test_a_pair_has_one_folder_with_lock_and_manifests() -> None:
    assert pair_folder(PAIR) == "team/py/planner"
    assert lock_path(PAIR) == "team/py/planner/revision.lock.yaml"
    assert (
        manifest_path(PAIR, "planner-py-" + HASH) == f"team/py/planner/actortemplates/planner-py-{HASH}.yaml"
    )


@pytest.mark.parametrize(
    "pair",
    [
        PairRef("", "py", "planner"),
        PairRef("..", "py", "planner"),
        PairRef("te.am", "py", "planner"),
        PairRef("_agentplugins", "py", "planner"),
        PairRef("Team", "py", "planner"),
        PairRef("team", "../x", "planner"),
        PairRef("team", "a/b", "planner"),
        PairRef("team", "_agentplugins", "planner"),
        PairRef("team", "kustomization.yaml", "planner"),
        PairRef("team", ".git", "planner"),
        PairRef("team", "py", ".."),
        PairRef("team", "py", "a\0"),
        PairRef("team", "py", "a\n"),
        PairRef("team", "py", "a" * 254),
        PairRef("t" * 64, "py", "planner"),
    ],
    ids=str,
)
def test_a_name_that_would_leave_its_folder_has_none(pair: PairRef) -> None:
    assert not is_representable(pair)
    with pytest.raises(ValueError, match="has no folder"):
        pair_folder(pair)


@pytest.mark.parametrize("name", ["", "..", "a/b", "../../x", "A", "a\n"])
def test_a_manifest_is_named_for_an_object(name: str) -> None:
    with pytest.raises(ValueError, match="is not the name of an object"):
        manifest_path(PAIR, name)


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("kustomization.yaml", Place(Role.KUSTOMIZATION)),
        (".gitattributes", Place(Role.ATTRIBUTES)),
        ("team/kustomization.yaml", Place(Role.KUSTOMIZATION)),
        ("team/py/planner/kustomization.yaml", Place(Role.KUSTOMIZATION, PAIR)),
        ("team/py/planner/revision.lock.yaml", Place(Role.LOCK, PAIR)),
        (f"team/py/planner/actortemplates/planner-py-{HASH}.yaml", Place(Role.MANIFEST, PAIR)),
        (f"team/py/planner/actortemplates/planner-py-critic-{HASH}.yaml", Place(Role.MANIFEST, PAIR)),
        (
            f"team/{'h' * 30}/{'t' * 30}/actortemplates/{'t' * 30}-{'h' * 19}-{HASH}.yaml",
            Place(Role.MANIFEST, PairRef("team", "h" * 30, "t" * 30)),
        ),
        (f"team/py/planner/actortemplates/other-py-{HASH}.yaml", None),
        ("team/py/planner/actortemplates/planner-py-0123456789AB.yaml", None),
        ("team/py/planner/actortemplates/planner-py.yaml", None),
        (f"team/py/planner/actortemplates/planner-py-{HASH}.json", None),
        (f"team/py/planner/other/planner-py-{HASH}.yaml", None),
        ("team/_agentplugins/ops.agent/revision.lock.yaml", Place(Role.LOCK, AGENT)),
        ("team/_agentplugins/ops.agent/kustomization.yaml", Place(Role.KUSTOMIZATION, AGENT)),
        ("team/_agentplugins/ops.agent/configmap.yaml", Place(Role.MANIFEST, AGENT)),
        ("team/_agentplugins/ops.agent/gateway.yaml", Place(Role.MANIFEST, AGENT)),
        ("team/_agentplugins/ops.agent/status.yaml", Place(Role.MANIFEST, AGENT)),
        ("team/_agentplugins/ops.agent/notes.md", None),
        ("team/_agentplugins/ops.agent/a/status.yaml", None),
        ("team/_agentplugins/Ops/status.yaml", None),
        ("team/_agentplugins/status.yaml", None),
        ("Team/_agentplugins/ops/status.yaml", None),
        ("team/py/planner/notes.md", None),
        ("team/py/kustomization.yaml", None),
        ("team/.gitattributes", None),
        ("Team/kustomization.yaml", None),
        ("revision.lock.yaml", None),
        ("team/py/planner/a/b/revision.lock.yaml", None),
        ("", None),
    ],
)
def test_a_path_is_ours_by_its_shape(path: str, place: Place | None) -> None:
    assert place_of(path) == place


@pytest.mark.parametrize("path", ["kustomization.yaml", "team/kustomization.yaml", lock_path(PAIR)])
def test_a_temporary_file_stands_beside_its_target_and_is_known_again(path: str) -> None:
    temporary = temporary_path(path)
    assert temporary.rpartition("/")[0] == path.rpartition("/")[0]
    assert temporary_target(temporary) == path
    assert place_of(temporary) is None


@pytest.mark.parametrize(
    "path", ["a.kagent-render~", ".notes.md.kagent-render~", "x/.a.yaml.kagent-render~", "a"]
)
def test_another_file_is_no_temporary_file_of_ours(path: str) -> None:
    assert temporary_target(path) is None


def test_an_agent_has_one_folder_that_no_pair_can_have() -> None:
    assert owner_folder(AGENT) == agent_folder(AGENT) == "team/_agentplugins/ops.agent"
    assert lock_path(AGENT) == "team/_agentplugins/ops.agent/revision.lock.yaml"


@pytest.mark.parametrize("agent", [("", "a"), ("..", "a"), ("team", ".."), ("team", "a/b"), ("team", "A")])
def test_an_agent_whose_name_would_leave_its_folder_has_none(agent: tuple[str, str]) -> None:
    with pytest.raises(ValueError, match="has no folder"):
        agent_folder(PlatformAgentRef(*agent))
