"""What holds for every repository: generated ones, rendered by the program itself."""

from __future__ import annotations

import random
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kagent_render.emit.layout import Role, place_of
from kagent_render.emit.plan import HEADER
from kagent_render.revision.canonical_yaml import dump
from kagent_render.revision.lock import Lock
from kagent_render.revision.lock_reading import read_lock
from kagent_render.source.yaml import read_yaml
from tests.emit.outputs import broken_promises
from tests.properties import manifests as make
from tests.properties.edits import EDITS, EXPLICIT_CONFIG
from tests.properties.repositories import (
    check,
    one_file_each,
    pair_of,
    render,
    repositories,
    text_of,
    write,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from tests.properties.manifests import Manifest

pytestmark = pytest.mark.process

few = settings(max_examples=12, derandomize=True, deadline=None, database=None)
least = settings(few, max_examples=2)


@contextmanager
def rendered(manifests: list[Manifest]) -> Iterator[tuple[Path, dict[str, bytes]]]:
    """A root on disk and its output."""
    with tempfile.TemporaryDirectory() as folder:
        root = write(Path(folder), one_file_each(manifests))
        yield root, render(root)


def identities(root: Path) -> dict[str, tuple[int, int]]:
    return {
        str(path): (path.stat().st_ino, path.stat().st_mtime_ns) for path in (root / "rendered").rglob("*")
    }


@few
@given(repositories())
def test_a_second_run_finds_all_current_and_touches_nothing(
    manifests: list[Manifest],
) -> None:
    with rendered(manifests) as (root, output):
        before = identities(root)
        assert check(root).status == 0
        assert render(root, "--exit-code") == output
        assert identities(root) == before


@few
@given(repositories())
def test_every_file_is_canonical_and_every_lock_is_read_back(
    manifests: list[Manifest],
) -> None:
    with rendered(manifests) as (_, output):
        pass
    assert broken_promises(output) == []
    assert {pair_of(path) for path in output} - {None} == pairs_of(manifests)
    for path, content in output.items():
        place = place_of(path)
        assert place is not None, path
        if place.role is Role.LOCK:
            assert isinstance(read_lock(content, path), Lock)
        if place.role is not Role.ATTRIBUTES:
            text = content.decode().removeprefix(HEADER)
            (document,) = read_yaml(text.encode())
            assert dump(document.value) == text


def pairs_of(manifests: list[Manifest]) -> set[tuple[str, ...]]:
    def names(kind: str) -> list[tuple[str, str]]:
        found = [one["metadata"] for one in manifests if one["kind"] == kind]
        return [(meta["namespace"], meta["name"]) for meta in found]

    return {
        (namespace, harness, template)
        for namespace, harness in names("Harness")
        for other, template in names("AgentTemplate")
        if namespace == other
    }


@few
@given(repositories(), st.integers(0, 2**32))
def test_no_order_and_no_file_name_matters(manifests: list[Manifest], seed: int) -> None:
    with rendered(manifests) as (root, output):
        write(root, scattered(manifests, random.Random(seed)))
        assert render(root, "--exit-code") == output


def scattered(manifests: list[Manifest], dice: random.Random) -> dict[str, bytes]:
    """The objects in any order, in one to six files with names that sort anyhow."""
    mixed = dice.sample(manifests, len(manifests))
    files: dict[str, list[Manifest]] = {}
    for one in mixed:
        name = f"{dice.choice('az')}{dice.randrange(3)}/ä ö.yaml"
        files.setdefault(name, []).append(one)
    return {name: text_of(held) for name, held in files.items()}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
@least
@given(manifests=repositories())
def test_an_unrelated_edit_changes_no_byte(
    manifests: list[Manifest],
    edit: Callable[[list[Manifest]], Mapping[str, bytes]],
) -> None:
    with rendered(manifests) as (root, output):
        write(root, edit(manifests))
        found = check(root)
        assert found.status == 0, found.err
        assert render(root, "--exit-code") == output


@least
@given(repositories())
def test_defaults_written_into_the_configuration_change_no_byte(
    manifests: list[Manifest],
) -> None:
    with rendered(manifests) as (root, output):
        write(root, one_file_each(manifests), EXPLICIT_CONFIG)
        assert render(root, "--exit-code") == output


@pytest.mark.parametrize("name", ["agent-00", "zz", "runtime"])
@least
@given(manifests=repositories())
def test_a_pair_more_or_less_changes_its_own_folder_and_the_list_of_its_namespace_alone(
    manifests: list[Manifest], name: str
) -> None:
    with rendered(manifests) as (root, output):
        harnesses = [one for one in manifests if one["kind"] == "Harness"]
        version = harnesses[0]["apiVersion"].rpartition("/")[2]
        team = [one["metadata"]["name"] for one in harnesses if one["metadata"]["namespace"] == "team"]
        extra = make.template(version, name, team, systemPrompt="One more.")
        write(root, one_file_each([*manifests, extra]))
        after = render(root)
        changed = {path for path in output.keys() | after.keys() if output.get(path) != after.get(path)}
        own = {path for path in after if pair_of(path) in {("team", harness, name) for harness in team}}
        assert changed == own | {"team/kustomization.yaml"}
        write(root, one_file_each(manifests))
        assert render(root) == output
