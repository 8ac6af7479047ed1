"""kustomize makes of a carried pair what this program says that it makes."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from kagent_render.diagnostics.diagnostic import PairRef
from kagent_render.emit.disk import DiskOutput
from kagent_render.emit.plan import OutputPlan, PairOutput, plan_output
from kagent_render.emit.writer import write_plan
from kagent_render.source.yaml import read_yaml
from tests.emit.hostile import ESCAPED, contents
from tests.emit.outputs import carried_output, pair_output
from tests.parts import go_tool, program

Build = Callable[[Path], list[Any]]
PACKAGE = "sigs.k8s.io/kustomize/kustomize/v5"


def kubectl(folder: Path) -> list[Any]:
    """The objects that kubectl's kustomize yields."""
    return _objects(program("kubectl"), "kustomize", str(folder))


def _objects(*command: str) -> list[Any]:
    done = subprocess.run(command, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return [document.value for document in read_yaml(done.stdout)]  # PyYAML takes no plain `=`


@pytest.fixture(
    scope="module",
    params=[
        "kubectl",
        pytest.param("v5.8.1", marks=pytest.mark.oracle),
        pytest.param("v5.5.0", marks=pytest.mark.oracle),
    ],
)
def build(request: pytest.FixtureRequest) -> Build:
    """One kustomize: that of kubectl, the newest by itself, and one of 2024."""
    if request.param == "kubectl":
        return kubectl
    tool = str(go_tool(PACKAGE, request.param))
    return lambda folder: _objects(tool, "build", str(folder))


def written(root: Path, plan: OutputPlan) -> Path:
    """The output folder that holds a plan."""
    with DiskOutput(root, "rendered") as output:
        write_plan(plan, output)
    return root / "rendered"


def by_identity(objects: Iterator[Any] | list[Any]) -> dict[tuple[str, str, str], Any]:
    """Objects by kind, namespace and name, of which each is there once."""
    found: dict[tuple[str, str, str], Any] = {}
    for value in objects:
        identity = (value["kind"], value["metadata"]["namespace"], value["metadata"]["name"])
        assert identity not in found
        found[identity] = value
    return found


def applied(plan: OutputPlan) -> dict[tuple[str, str, str], Any]:
    """The objects that a plan says are applied."""
    return by_identity(read_yaml(found.text)[0].value for found in plan.applied)


def test_what_is_applied_is_what_kustomize_yields(tmp_path: Path, build: Build) -> None:
    plan = plan_output(
        [
            carried_output("a", "py", "one", "v2", "v1"),
            carried_output("a", "py", "two", "v1 ${X}"),
            carried_output("b", "b-c", "a", "v1"),
            carried_output("b", "c", "a-b", "v1"),
            pair_output("b", "py", "plain", "v1"),
        ]
    )
    found = by_identity(build(written(tmp_path, plan)))
    assert found == applied(plan)
    assert [kind for kind, *_ in sorted(found)] == ["ActorTemplate"] * 2 + ["ConfigMap"] * 4


@pytest.mark.oracle
@settings(max_examples=15, phases=[Phase.generate])  # each example runs a program
@given(st.lists(contents(), min_size=20, max_size=20))
def test_every_byte_of_a_text_reaches_the_object(
    tmp_path_factory: pytest.TempPathFactory, build: Build, texts: list[bytes]
) -> None:
    """What canonical YAML writes, and more: it has carriage returns and byte order marks as escapes alone."""
    texts = [text for text in texts if not ESCAPED.search(text.decode())]
    outputs = [
        PairOutput(PairRef("a", "py", f"t{number}"), text, {f"t{number}-py-{'0' * 12}": text}, carried=True)
        for number, text in enumerate(texts)
    ]
    plan = plan_output(outputs)
    assert by_identity(build(written(tmp_path_factory.mktemp("texts"), plan))) == applied(plan)


def test_a_root_of_one_pair_that_has_nothing_to_carry_builds(tmp_path: Path, build: Build) -> None:
    output = carried_output("a", "py", "one", "v2", "v1")
    gone = PairOutput(
        output.pair, None, {}, output.retained, carried=True, foreign=frozenset(output.retained)
    )
    assert build(written(tmp_path, plan_output([gone]))) == []
