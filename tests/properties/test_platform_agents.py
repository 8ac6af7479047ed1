"""What holds for every repository with PlatformAgents, whatever its files, and however a run ends."""

from __future__ import annotations

import itertools
import json
import random
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from kagent_render.agentplugin.lock import AgentLock
from kagent_render.agentplugin.lock_reading import read_agent_lock
from kagent_render.emit.layout import Role, place_of
from kagent_render.emit.plan import HEADER
from kagent_render.revision.canonical_json import text_digest
from kagent_render.revision.canonical_yaml import dump
from kagent_render.source.yaml import read_yaml
from tests.emit.outputs import broken_promises
from tests.properties import manifests as make
from tests.properties.platform_agents import CONFIGURED, agent, platform_agents, plugin
from tests.properties.repositories import check, namespaces, one_file_each, render, text_of, write
from tests.properties.test_generated import scattered
from tests.properties.test_interruption import dies
from tests.running import run, tree
from tests.source.git_repositories import git, stage_files

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.properties.manifests import Manifest

pytestmark = pytest.mark.process

few = settings(max_examples=12, derandomize=True, deadline=None, database=None)


@st.composite
def repositories(draw: Callable[..., Any]) -> list[Manifest]:
    """Agents of one or two namespaces, with pairs beside them or without."""
    found: list[Manifest] = draw(platform_agents())
    if draw(st.booleans()):
        found += draw(platform_agents("other"))
    return found + draw(namespaces()) if draw(st.booleans()) else found


@contextmanager
def rendered(manifests: list[Manifest]) -> Iterator[tuple[Path, dict[str, bytes]]]:
    """A root on disk and its output."""
    with tempfile.TemporaryDirectory() as folder:
        root = write(Path(folder), one_file_each(manifests), CONFIGURED)
        yield root, render(root)


@few
@given(repositories(), st.integers(0, 2**32))
def test_no_order_and_no_file_name_matters(manifests: list[Manifest], seed: int) -> None:
    with rendered(manifests) as (root, output):
        first = told(root)
        write(root, scattered(manifests, random.Random(seed)), CONFIGURED)
        assert render(root, "--exit-code") == output
        assert told(root) == first


def told(root: Path) -> list[str]:
    """What is said of the repository, without the places."""
    found = check(root, "-o", "json").json["diagnostics"]
    return sorted(json.dumps({**diagnostic, "source": None}) for diagnostic in found)


@few
@given(repositories())
def test_a_second_run_finds_all_current_and_memory_changes_nothing(manifests: list[Manifest]) -> None:
    with rendered(manifests) as (root, output):
        assert check(root).status == 0
        assert check(root, "--no-cache").status == 0
        assert render(root, "--exit-code") == output
        assert render(root, "--exit-code", "--no-cache") == output


@few
@given(repositories())
def test_every_file_is_canonical_and_every_lock_says_what_stands_beside_it(manifests: list[Manifest]) -> None:
    with rendered(manifests) as (_, output):
        pass
    assert broken_promises(output) == []
    agents = [one["metadata"] for one in manifests if one["kind"] == "PlatformAgent"]
    folders = {f"{one['namespace']}/_agentplugins/{one['name']}" for one in agents}
    assert {path.rpartition("/")[0] for path in output if "/_agentplugins/" in path} == folders
    for folder in folders:
        path = f"{folder}/revision.lock.yaml"
        lock = read_agent_lock(output[path], path)
        assert isinstance(lock, AgentLock)
        assert {f"{folder}/{name}": digest for name, digest in lock.files.items()} == {
            other: text_digest(content.decode())
            for other, content in output.items()
            if other.startswith(f"{folder}/") and role(other) is Role.MANIFEST
        }
        for other in (found for found in output if found.startswith(f"{folder}/")):
            (document,) = read_yaml(output[other])
            text = output[other].decode()
            assert text.endswith(dump(document.value))
            assert text.startswith(HEADER) is (role(other) is Role.KUSTOMIZATION)


def role(path: str) -> Role:
    place = place_of(path)
    assert place is not None, path
    return place.role


@few
@given(platform_agents(), namespaces())
def test_agents_and_pairs_change_no_byte_of_each_other(agents: list[Manifest], pairs: list[Manifest]) -> None:
    with rendered([*agents, *pairs]) as (_, both), rendered(agents) as (_, alone):
        pass
    with rendered(pairs) as (_, without):
        pass
    assert both == {**alone, **without}


@few
@given(platform_agents())
def test_a_plugin_more_or_less_changes_the_folder_of_its_agent_alone(manifests: list[Manifest]) -> None:
    with rendered(manifests) as (root, output):
        more = plugin("more", "keeper", config="platforms: {more: true}\n")
        write(root, one_file_each([*manifests, more]), CONFIGURED)
        after = render(root)
        changed = {path for path in after if output.get(path) != after[path]}
        assert changed
        assert all(path.startswith("team/_agentplugins/keeper/") for path in changed)
        write(root, one_file_each(manifests), CONFIGURED)
        assert render(root) == output


# A run that ends before it is done

OLD = [
    agent("changed"),
    agent("gone"),
    agent("kept"),
    plugin("first", "changed", config="platforms: {a: 1}\n"),
    plugin("second", "gone"),
    plugin("third", "kept"),
]
NEW = [
    agent("changed", harness={"tuning": {"default": {"maxTurns": 3}}}),
    agent("added"),
    agent("kept"),
    plugin("first", "changed", config="platforms: {a: 2}\n", env=[{"name": "LEVEL", "value": "1"}]),
    plugin("second", "added"),
    plugin("third", "kept"),
]


def edited(folder: Path) -> Path:
    """A repository whose commit holds the old output, with new sources: an agent changed, gone and added."""
    write(folder, one_file_each(OLD), CONFIGURED)
    render(folder)
    stage_files(folder, {})
    git(folder, "commit", "--quiet", "--message", "old")
    return write(folder, one_file_each(NEW), CONFIGURED)


def test_a_run_may_die_before_any_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "whole").mkdir()
    expected = render(edited(tmp_path / "whole"))
    root = tmp_path / "dying"
    root.mkdir()
    edited(root)
    old = tree(root / "rendered")
    for moment in itertools.count():
        git(root, "checkout", "--quiet", "HEAD", "--", "rendered")
        git(root, "clean", "--quiet", "-fd", "--", "rendered")
        died = dies(root, moment, monkeypatch)
        assert_whole(tree(root / "rendered"), old, expected)
        if not died:
            break
        assert check(root).status == 1 or tree(root / "rendered") == expected
        assert render(root) == expected
        assert check(root).status == 0
    assert moment > 20


def assert_whole(found: dict[str, bytes], old: dict[str, bytes], new: dict[str, bytes]) -> None:
    """Every file under its own name is one of the two runs', and every lock can be read."""
    assert broken_promises(found) == []
    for path, content in found.items():
        if place_of(path) is not None:
            assert content in (old.get(path), new.get(path)), path
            if path.endswith("/revision.lock.yaml"):
                assert isinstance(read_agent_lock(content, path), AgentLock)


# Nothing of a credential

WORD = "sk-Pl4ntedQ7vZ2mX9cR5tK8wB3nJ6hL1"
PLANTED: dict[str, dict[str, Any]] = {
    "env": {"env": [{"name": "API_TOKEN", "value": WORD}]},
    "env of the operator's own name": {"env": [{"name": "PATH", "value": WORD}]},
    "env that overrides": {"env": [{"name": "HOME", "value": WORD}]},
    "env with both": {
        "env": [{"name": "A", "value": WORD, "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}]
    },
    "env with a misspelt field": {"env": [{"name": "A", "valeu": WORD}]},
    "env that is a list": {"env": [{"name": "A", "value": [WORD]}]},
    "env that is a mapping": {"env": {"A": WORD}},
    "env twice": {"env": [{"name": "A", "value": WORD}, {"name": "A", "value": "b"}]},
    "config": {"config": f"platforms: {{slack: {{token: {WORD}}}}}\n"},
    "config in a list": {"config": f"platforms: {{slack: {{names: [a, {WORD}]}}}}\n"},
    "config in a mapping of a list": {"config": f"platforms: {{slack: {{names: [{{b: {WORD}}}]}}}}\n"},
    "config under a plain name": {"config": f"approvals: {{name: {WORD}}}\n"},
    "config in a text of several lines": {"config": f"platforms: {{text: 'a\n\n  b {WORD}'}}\n"},
    "config in a literal block": {"config": f"platforms:\n  slack:\n    token: {WORD}\n"},
    "config that is dropped": {"config": f"agent: {{token: {WORD}}}\n"},
    "config that is no YAML": {"config": f"platforms: {{token: {WORD}\n"},
    "config that is no YAML at the word": {"config": f"platforms:\n- a\n  {WORD}: [\n"},
    "config that is no mapping": {"config": WORD},
    "config with an unknown alias": {"config": f"platforms: *{WORD}\n"},
    "config that is a mapping": {"config": {"platforms": {"token": WORD}}},
    "config that erases": {"config": f"platforms: {WORD}\n"},
    "config that is unmergeable": {"config": f"platform_toolsets: {{slack: [{{token: {WORD}}}]}}\n"},
    "config that is shadowed": {"config": f"approvals: {{cron_mode: {WORD}}}\n"},
    "image with a password": {"image": f"user:{WORD}@registry.example.com/a:v1"},
    "image that is none": {"image": f"https://user:{WORD}@registry.example.com/a:v1"},
}
COMMANDS = (
    ("render", "--verbose", "--keep-going"),
    ("render", "-o", "json"),
    ("check", "--strict", "--verbose"),
    ("check", "-o", "json"),
    ("explain", "team/keeper", "--verbose"),
    ("explain", "team/keeper", "-o", "json"),
)


@pytest.mark.parametrize("one_line", [False, True], ids=["in lines", "in one line"])
@pytest.mark.parametrize("spec", PLANTED.values(), ids=PLANTED)
def test_a_planted_credential_is_never_shown(
    tmp_path: Path, cache: Path, spec: dict[str, Any], one_line: bool
) -> None:
    found = [agent("keeper"), plugin("a", "keeper", config="platforms: {slack: {token: x}}\n")]
    planted = plugin("b", "keeper")
    planted["spec"].update(spec)
    text = json.dumps(planted).encode() if one_line else text_of([planted])
    root = write(tmp_path, {**one_file_each(found), "planted.yaml": text}, CONFIGURED)
    for command in COMMANDS:
        done = run(*command, "--offline", cwd=root)
        assert WORD[:12] not in done.out + done.err, command
    assert {path.rpartition("/")[2] for path, data in tree(root / "rendered").items() if shows(data)} <= {
        "configmap.yaml",
        "gateway.yaml",
    }
    assert [path for path, data in tree(cache).items() if shows(data)] == []


def shows(data: bytes) -> bool:
    return WORD[:12].encode() in data


def test_a_literal_that_looks_like_a_credential_is_a_warning_of_its_plugin(tmp_path: Path) -> None:
    planted = plugin("b", "keeper", env=[{"name": "API_TOKEN", "value": WORD}])
    root = write(tmp_path, one_file_each([agent("keeper"), planted]), CONFIGURED)
    done = run("render", "--offline", "-o", "json", cwd=root)
    assert done.status == 0
    assert "CredentialLiteral" in {found["reason"] for found in done.json["diagnostics"]}
    patch = yaml.safe_load((root / "rendered/team/_agentplugins/keeper/gateway.yaml").read_text())
    assert patch["spec"]["template"]["spec"]["containers"][0]["env"][0]["value"] == WORD
    assert make.ZEROS in str(patch)
