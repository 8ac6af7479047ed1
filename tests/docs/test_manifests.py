"""`docs/manifests.md` shows every field, in manifests that decode, and in two roots that render."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from kagent_render.api.decoding import decode
from kagent_render.api.hub import AgentTemplate, ArtifactSource, ConfigMapKeyRef, Inventory, ModelConfig
from kagent_render.api.kinds import DIALECTS
from kagent_render.api.schema import Block
from kagent_render.api.shape import Node, shape_of
from kagent_render.artifacts.archive.limits import Limits as ArchiveLimits
from kagent_render.artifacts.package import Package, PackageFile
from kagent_render.compile.provider import Provider, resolve_provider
from kagent_render.compile.runtime_environment import RESERVED_NAMES
from kagent_render.graph.tree import MAX_NODES
from kagent_render.preparation.in_use import check_in_use, names_in_use
from kagent_render.prompt.limits import Limits as PromptLimits
from kagent_render.source.document import Document
from kagent_render.target import ateapi_resource, ateapi_v0_4
from kagent_render.target.ate_v1alpha1 import MAX_ENV_BYTES, MAX_LABEL
from kagent_render.target.environment_limits import MAX_ENV
from tests.docs.markdown import Block as Fence
from tests.docs.markdown import blocks, page, sections
from tests.manifests import documents
from tests.running import run
from tests.vendored import vendor_package

_PAGE = page("docs/manifests.md")
_FENCES = blocks(_PAGE, "yaml")
_ROOTS = ("v1alpha2", "v1alpha3")
_MANIFESTS = [fence for fence in _FENCES if not fence.path.endswith("kagent-render.yaml")]
_SECTIONS = {
    ("kagent.dev/v1alpha2", "Harness"): "Harness and AgentTemplate in v1alpha2",
    ("kagent.dev/v1alpha3", "Harness"): "Harness and AgentTemplate in v1alpha3",
    ("kagent.dev/v1alpha2", "AgentTemplate"): "Harness and AgentTemplate in v1alpha2",
    ("kagent.dev/v1alpha3", "AgentTemplate"): "Harness and AgentTemplate in v1alpha3",
}


def _title(fence: Fence) -> str:
    return fence.path or documents(fence.text)[0].ref.kind


@pytest.mark.parametrize("fence", _MANIFESTS, ids=_title)
def test_an_example_decodes_without_a_finding(fence: Fence) -> None:
    found = documents(fence.text)
    _, faults = decode(found)
    assert [*faults, *check_in_use(found)] == []


@pytest.fixture(params=_ROOTS)
def root(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """One of the two whole examples, with the artifacts that it names in its vendored store."""
    for fence in _FENCES:
        if fence.path.startswith(f"{request.param}/"):
            path = tmp_path / fence.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(fence.text)
    folder = tmp_path / str(request.param)
    for template in _inventory(str(request.param)).templates.values():
        for source, package in _packages(template):
            vendor_package(folder, source, package)
    return folder


def _inventory(example: str) -> Inventory:
    texts = [fence.text for fence in _MANIFESTS if fence.path.startswith(f"{example}/")]
    return decode(documents(*texts))[0]


def _packages(template: AgentTemplate) -> Iterator[tuple[ArtifactSource, Package]]:
    for skill in template.skills:
        yield skill.source, Package({"SKILL.md": _skill(skill.name)})
    for plugin in template.plugins:
        schema = "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json"
        manifest = f'{{"$schema": "{schema}", "name": "practices", "version": "1.0.0", "description": "P."}}'
        files = {f"skills/{name}/SKILL.md": _skill(name) for name in plugin.skills}
        yield plugin.source, Package({"plugin.json": PackageFile(manifest.encode()), **files})


def _skill(name: str) -> PackageFile:
    return PackageFile(f"---\nname: {name}\ndescription: Says how.\n---\n\nDo it.\n".encode())


def test_a_whole_example_renders(root: Path) -> None:
    done = run("render", "--offline", "--output", "json", cwd=root)
    assert done.faults == []
    assert done.status == 0
    assert {found["reason"] for found in done.json["diagnostics"]} <= {"CapabilityUnproven"}
    assert [pair["template"] for pair in done.json["pairs"]] == ["coordinator", "researcher", "reviewer"]
    assert run("check", "--frozen", cwd=root).status == 0


def _inside(node: Node, prefix: str) -> Iterator[str]:
    inner = node.items or node
    if inner.block is not None:
        yield from _fields(inner.block, f"{prefix}.")


def _fields(model: type[Block], prefix: str = "") -> Iterator[str]:
    """Every field below a model, by its path without indexes."""
    for name, node in shape_of(model).fields.items():
        yield f"{prefix}{name}"
        yield from _inside(node, f"{prefix}{name}")


def _shown(value: Any, prefix: str = "") -> Iterator[str]:
    """Every field that a manifest has, by its path without indexes."""
    for item in value if isinstance(value, list) else [value]:
        for name, below in item.items() if isinstance(item, dict) else ():
            yield f"{prefix}{name}"
            yield from _shown(below, f"{prefix}{name}.")


def _documents(text: str) -> list[Document]:
    return documents(*(fence.text for fence in blocks(text, "yaml")))


@pytest.mark.parametrize(("api_version", "kind"), DIALECTS, ids=str)
def test_every_field_is_in_an_example_or_in_the_text(api_version: str, kind: str) -> None:
    """A field in the text is named in backquotes; the variants that are not prepared yet are there alone."""
    section = sections(_PAGE, 2)[_SECTIONS.get((api_version, kind), kind)]
    specs = [found.value["spec"] for found in _documents(section) if found.ref.kind == kind]
    shown = {path for spec in specs for path in _shown(spec)}
    shown |= {path.replace("skills.source", "plugins.source") for path in shown}  # one type, shown once
    prose = re.sub(r"^```.*?^```$", "", section, flags=re.MULTILINE | re.DOTALL)
    named = {word for code in re.findall(r"`([^`]+)`", prose) for word in code.split(".")}
    fields = set(_fields(DIALECTS[api_version, kind].model))
    assert {path for path in fields - shown if path.split(".")[-1] not in named} - _told_elsewhere(
        kind
    ) == set()


def _told_elsewhere(kind: str) -> set[str]:
    """The fields of `tls` in a ModelConfig, whose section refers to that of RemoteMCPServer."""
    return {f"tls.{name}" for name in _tls()} if kind == "ModelConfig" else set()


def _tls() -> Mapping[str, Node]:
    block = shape_of(DIALECTS["kagent.dev/v1alpha2", "RemoteMCPServer"].model).fields["tls"].block
    assert block is not None
    return shape_of(block).fields


def _models() -> dict[str, ModelConfig]:
    inventory, _ = decode(_documents(sections(_PAGE, 2)["ModelConfig"]))
    return {name: model for (_, name), model in inventory.model_configs.items()}


_ROW = re.compile(r"^\| `([a-z-]+)` \| (.+?) \| (http.+?) \|$", re.MULTILINE)
_BROUGHT = _ROW.findall(sections(_PAGE, 2)["ModelConfig"])


def _provider(model: ModelConfig) -> Provider:
    def no_config_map(reference: ConfigMapKeyRef, holder: ModelConfig) -> str:
        raise AssertionError(f"{holder.name} needs {reference}")

    secrets = decode(_documents(sections(_PAGE, 2)["ConfigMap and Secret"]))[0].secrets
    provider, faults = resolve_provider(
        model, no_config_map, lambda name: secrets.get((model.namespace, name))
    )
    assert faults == []
    assert provider is not None
    return provider


def test_every_provider_has_an_example_and_a_row() -> None:
    assert len({model.provider for model in _models().values()}) == 10
    assert [name for name, _, _ in _BROUGHT] == list(_models())


@pytest.mark.parametrize(("name", "variables", "egress"), _BROUGHT, ids=[row[0] for row in _BROUGHT])
def test_a_provider_brings_what_its_row_says(name: str, variables: str, egress: str) -> None:
    provider = _provider(_models()[name])
    brought = [it.name if isinstance(it.value, str) else f"*{it.name}*" for it in provider.env]
    assert sorted(variables.split(", ")) == sorted(brought)
    assert egress.split(", ") == list(provider.origins)


def test_the_document_in_use_names_actor_templates() -> None:
    (in_use,) = blocks(sections(_PAGE, 2)["In use"], "yaml")
    assert in_use.path.startswith(".kagent/in-use/")
    assert names_in_use(documents(in_use.text)) == {"agent-team": {"coordinator-python-runtime-0123456789ab"}}


def test_the_limits_are_those_of_the_program() -> None:
    prompt, archive = PromptLimits(), ArchiveLimits()
    rows = dict(re.findall(r"^\| (.+?) \| (.+) \|$", sections(_PAGE, 2)["Limits"], re.MULTILINE))
    assert f", {MAX_ENV} variables" in rows["`env` of a Harness"]
    assert f"{MAX_ENV_BYTES:,} bytes" in rows["one variable on `ate.dev/v1alpha1`, `NAME=value`"]
    newer = f"a value of {ateapi_resource.MAX_VALUE:,} characters, a name of {ateapi_resource.MAX_NAME}"
    assert rows["one variable on `ateapi/v0.4`"] == newer
    labels = rows["the names of a Harness and a root template on `ate.dev/v1alpha1`"]
    assert labels.startswith(f"{MAX_LABEL} characters")
    assert rows["agents in a tree, the root included"].startswith(f"{MAX_NODES},")
    steps = f"{prompt.output >> 20} MiB, {prompt.steps // 10**6} million steps, nesting of {prompt.depth:,}"
    assert rows["a rendered prompt"] == steps
    assert rows["an artifact"] == f"{archive.entries:,} entries, {archive.content >> 20} MiB"


def test_the_reserved_names_are_those_of_the_program() -> None:
    paragraphs = sections(_PAGE, 2)["Limits"].partition("`ReservedEnvName`")[2]
    of_all, _, newer = paragraphs.partition("On `ateapi/v0.4`")
    assert sorted(re.findall(r"`([A-Z_0-9]+)`", of_all)) == sorted(RESERVED_NAMES)
    assert sorted(re.findall(r"`([A-Z_0-9]+)`", newer)) == sorted(ateapi_v0_4.RESERVED)
