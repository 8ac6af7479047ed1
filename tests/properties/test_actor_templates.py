"""Every ActorTemplate that is written is what the June resource's API server stores, to the byte."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from hypothesis import given, settings

from kagent_render.target.generations import generation_of_manifest
from kagent_render.target.template_reading import read_template
from tests.oracle_crd import CrdOracle
from tests.properties import manifests as make
from tests.properties.repositories import one_file_each, render, repositories, write
from tests.running import WRITTEN, copy_example

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tests.properties.manifests import Manifest

pytestmark = pytest.mark.oracle


@pytest.fixture(scope="module")
def oracle() -> Iterator[CrdOracle]:
    with CrdOracle() as running:
        yield running


def actor_templates(output: Mapping[str, bytes]) -> list[dict[str, Any]]:
    return [
        yaml.load(content, yaml.CSafeLoader) for path, content in output.items() if "/actortemplates/" in path
    ]


def assert_all_stored_as_written(oracle: CrdOracle, output: Mapping[str, bytes], least: int = 1) -> None:
    found = actor_templates(output)
    assert len(found) >= least
    for one in found:
        assert_stored_as_written(oracle, one)


def assert_stored_as_written(oracle: CrdOracle, one: dict[str, Any]) -> None:
    verdict = oracle.validate("ate.dev_actortemplates.yaml", "v1alpha1", one)
    assert not verdict.refused, (one, verdict)
    assert verdict.defaulted == one


def test_the_example(oracle: CrdOracle, tmp_path: Path) -> None:
    assert_all_stored_as_written(oracle, render(copy_example(tmp_path / "example", rendered=False)), 4)


@settings(max_examples=20, derandomize=True, deadline=None, database=None)
@given(manifests=repositories())
def test_generated_repositories(oracle: CrdOracle, manifests: list[Manifest]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = write(Path(folder), one_file_each(manifests))
        assert_all_stored_as_written(oracle, render(root))


@pytest.mark.parametrize("version", ["v1alpha2", "v1alpha3"])
def test_every_provider(oracle: CrdOracle, tmp_path: Path, version: str) -> None:
    objects = [make.harness(version, "runtime", env=make.ENV), *make.supporting()]
    for provider in make.PROVIDERS:
        name = provider.lower()
        objects.append(make.model(version, provider, name))
        objects.append(make.template(version, name, ["runtime"], modelConfig={"name": name}))
    output = render(write(tmp_path, one_file_each(objects)))
    assert_all_stored_as_written(oracle, output, len(make.PROVIDERS))
    assert len(make.PROVIDERS) == 10


def test_servers_of_every_shape(oracle: CrdOracle, tmp_path: Path) -> None:
    servers = [
        make.server("v1alpha2", "events", protocol="SSE", sseReadTimeout="1m30s"),
        make.server("v1alpha2", "headers", headersFrom=make.HEADERS, timeout="5s"),
        make.server("v1alpha2", "tls", tls={"disableVerify": True}, terminateOnClose=False),
        make.manifest(
            "kagent.dev/v1alpha1", "MCPServer", "deployed", spec={"deployment": {"image": "x", "port": 3001}}
        ),
    ]
    names = [one["metadata"]["name"] for one in servers]
    tools = [
        make.mcp(name, f"run_{name}", kind=one["kind"]) for name, one in zip(names, servers, strict=True)
    ]
    objects = [
        make.harness("v1alpha2", "runtime"),
        make.model("v1alpha2", "OpenAI"),
        make.template("v1alpha2", "agent", ["runtime"], tools=tools),
    ]
    assert_all_stored_as_written(
        oracle, render(write(tmp_path, one_file_each([*objects, *servers, *make.supporting()])))
    )


@pytest.mark.parametrize("version", ["v1alpha2", "v1alpha3"])
def test_dedicated_boundaries_below_shared_ones(oracle: CrdOracle, tmp_path: Path, version: str) -> None:
    def agent(name: str, *tools: dict[str, Any]) -> Manifest:
        return make.template(version, name, ["runtime"], tools=[*tools], systemPrompt="A ${VARIABLE}.")

    objects = [
        make.harness(version, "runtime", env=make.ENV),
        make.model(version, "Bedrock"),
        agent("lead", make.agent("desk", "desk"), make.agent("Audit_1", "leaf", "Dedicated")),
        agent("desk", make.agent("critic", "critic", "Dedicated")),
        agent("critic", make.agent("inner", "leaf", "Shared")),
        agent("leaf"),
        *make.supporting(),
    ]
    output = render(write(tmp_path, one_file_each(objects)))
    boundaries = [path for path in output if "/lead/actortemplates/" in path]
    assert len(boundaries) == 3
    assert_all_stored_as_written(oracle, output, 7)


def written(target: str) -> list[Any]:
    """Every manifest for a target that the unit tests have written."""
    assert WRITTEN is not None
    found = (yaml.load(file.read_bytes(), yaml.CSafeLoader) for file in sorted(WRITTEN.glob("*.yaml")))
    return [manifest for manifest in found if target == generation_of_manifest(manifest).TARGET]


after_unit_tests = pytest.mark.skipif(
    WRITTEN is None, reason="judges what `make unit` keeps; run `make unit integration`"
)


@after_unit_tests
def test_whatever_any_test_has_written(oracle: CrdOracle) -> None:
    kept = written("ate.dev/v1alpha1")
    assert len(kept) > 100
    for manifest in kept:
        assert_stored_as_written(oracle, manifest)


@after_unit_tests
def test_whatever_any_test_has_written_for_substrate_s_own_api() -> None:
    kept = written("ateapi/v0.4")
    assert len(kept) > 20
    for manifest in kept:
        assert not isinstance(faults := read_template(manifest), list), faults


FAULTS: dict[str, Callable[[dict[str, Any]], object]] = {
    "a required field is missing": lambda spec: spec.pop("pauseImage"),
    "a field of another generation": lambda spec: spec.update(timeoutSeconds=1),
    "an image without a digest": lambda spec: spec["containers"][0].update(image="unpinned:latest"),
    "a default that is not written out": lambda spec: spec.pop("sandboxClass"),
}


@pytest.mark.parametrize("break_spec", FAULTS.values(), ids=FAULTS)
def test_the_judge_notices(
    oracle: CrdOracle, tmp_path: Path, break_spec: Callable[[dict[str, Any]], object]
) -> None:
    one = actor_templates(render(copy_example(tmp_path / "example", rendered=False)))[0]
    break_spec(one["spec"])
    verdict = oracle.validate("ate.dev_actortemplates.yaml", "v1alpha1", one)
    assert verdict.refused or verdict.defaulted != one
