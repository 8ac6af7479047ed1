"""Repositories made of manifests: generated ones, ways to lay them out in files, and their rendering."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any, Final

import yaml
from hypothesis import strategies as st

from tests.properties import manifests as make
from tests.running import EXAMPLE, Run, run, tree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from tests.properties.manifests import Manifest

    Files = Mapping[str, bytes]

CONFIG: Final[dict[str, Any]] = {
    "apiVersion": "render.kagent.dev/v1alpha1",
    "kind": "RenderConfig",
    "spec": {
        "target": "ate.dev/v1alpha1",
        "substrate": {
            "workerPool": "pool",
            "snapshotLocation": "s3://snapshots/team",
            "pauseImage": f"registry.example.com/pause@sha256:{make.ZEROS}",
        },
        "artifacts": {"s3": {"region": "eu-central-1"}},
        "retention": {"revisions": 1},
    },
}
_STORE: Final = ".kagent/artifacts"


def text_of(manifests: Iterable[Manifest]) -> bytes:
    """Manifests as one YAML stream in block style."""
    return yaml.dump_all(manifests, Dumper=yaml.CSafeDumper, sort_keys=False, allow_unicode=True).encode()


def one_file_each(manifests: Sequence[Manifest]) -> dict[str, bytes]:
    """Every manifest in a file that is named for it."""
    return {
        f"{m['metadata']['namespace']}/{m['kind']}-{m['metadata']['name']}.yaml": text_of([m])
        for m in manifests
    }


def write(folder: Path, files: Files, config: Mapping[str, Any] = CONFIG) -> Path:
    """A root with these sources in place of what it had; the plugin of the example is vendored."""
    for path in source_paths(folder):
        path.unlink()
    for name, content in {"kagent-render.yaml": text_of([dict(config)]), **files}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    if not (folder / _STORE).exists():
        _vendor(folder / _STORE)
    return folder


def source_paths(folder: Path) -> list[Path]:
    """Every source file of a root."""
    kept = {"rendered", ".git", ".kagent"}
    return [
        path for path in folder.rglob("*") if path.is_file() and path.relative_to(folder).parts[0] not in kept
    ]


def _vendor(store: Path) -> None:
    content = next((EXAMPLE / _STORE).glob("sha256-*"))
    shutil.copytree(content, store / content.name)
    shutil.copy(EXAMPLE / _STORE / ".gitattributes", store)
    digest = content.name.replace("-", ":")
    entries = [
        {"source": {"s3": make.plugin_object(version)}, "treeDigest": digest}
        for version in ("v1alpha3", "v1alpha2")
    ]
    index = {"apiVersion": "render.kagent.dev/v1alpha1", "kind": "ArtifactIndex", "artifacts": entries}
    (store / "index.yaml").write_bytes(text_of([index]))


def render(folder: Path, *flags: str, stdin: bytes | None = None) -> dict[str, bytes]:
    """Render a root that is expected to be valid, and give its whole output."""
    done = run("render", "--offline", "--allow-empty", *flags, cwd=folder, stdin=stdin)
    assert done.status == 0, done.err
    return tree(folder / "rendered")


def check(folder: Path, *flags: str) -> Run:
    """Check a root without a network."""
    return run("check", "--offline", *flags, cwd=folder)


def pair_of(path: str) -> tuple[str, ...] | None:
    """The pair that a path of the output belongs to."""
    parts = path.split("/")
    return tuple(parts[:3]) if len(parts) > 3 else None


PROMPTS: Final[tuple[dict[str, Any], ...]] = (
    {"systemPrompt": "Do one thing."},
    {"systemPrompt": "  Two lines,\n\tindented: ${A}\n"},
    {"systemPrompt": "{{ not a template }} – äöü 漢字 \u2028 'quoted' \"twice\"\r\n"},
    {"systemPromptFrom": {"name": "texts", "key": "prompt"}},
    {
        "systemPrompt": 'You are {{ .AgentTemplateName }}. {{ include "r/rules" }} {{ len .ToolNames }}',
        "promptTemplate": {"dataSources": [{"name": "texts", "alias": "r"}]},
    },
    {},
)


@st.composite
def namespaces(draw: Callable[..., Any], namespace: str = "team") -> list[Manifest]:
    """Every object of one namespace that prepares: each template is a root with every Harness."""
    version = draw(st.sampled_from(["v1alpha2", "v1alpha3"]))
    names = draw(st.sampled_from([["runtime"], ["runtime", "other.runtime"]]))
    env = draw(st.lists(st.sampled_from(make.ENV), unique_by=lambda entry: entry["name"]))
    provider = draw(st.sampled_from(sorted(make.PROVIDERS)))
    models = [make.model(version, provider, name, namespace) for name in ("model", "model-b")]
    servers = [
        make.server(version, "plain", namespace),
        make.server(version, "events", namespace, protocol="SSE", sseReadTimeout="1m30s"),
        make.server(version, "headers", namespace, headersFrom=make.HEADERS, timeout="5s"),
    ]
    templates = draw(_templates(version, names, namespace))
    found = [make.harness(version, name, namespace, env) for name in names]
    return [*found, *models, *servers, *templates, *make.supporting(namespace)]


@st.composite
def _templates(
    draw: Callable[..., Any], version: str, harnesses: list[str], namespace: str
) -> list[Manifest]:
    """Up to four templates; each binds only later ones, Shared where those hold nothing Shared."""
    count = draw(st.integers(1, 4))
    made: list[Manifest] = []
    holds_shared: dict[int, bool] = {}
    for number in reversed(range(count)):
        later = list(range(number + 1, count))
        targets = draw(st.lists(st.sampled_from(later), unique=True, max_size=2)) if later else []
        tools, shares = [], False
        for target in targets:
            isolations = ["Dedicated"] if holds_shared[target] else ["Dedicated", "Shared", None]
            isolation = draw(st.sampled_from(isolations))
            shares |= isolation != "Dedicated"
            tools.append(make.agent(f"ask-{number}-{target}", f"agent-{target}", isolation))
        holds_shared[number] = shares
        spec = draw(_behaviour(version))
        spec["tools"] = [*spec["tools"], *tools]
        made.append(make.template(version, f"agent-{number}", harnesses, namespace, **spec))
    return made


@st.composite
def _behaviour(draw: Callable[..., Any], version: str) -> dict[str, Any]:
    spec: dict[str, Any] = {**draw(st.sampled_from(PROMPTS))}
    spec["modelConfig"] = {"name": draw(st.sampled_from(["model", "model-b"]))}
    if draw(st.booleans()):
        spec["description"] = draw(st.sampled_from(["An agent.", "", "no: 'plain' – text\n"]))
    bindings = (make.mcp("plain", "b", "a"), make.mcp("events", "watch"), make.mcp("headers", "whoami"))
    spec["tools"] = draw(st.lists(st.sampled_from(bindings), unique_by=json.dumps, max_size=2))
    if draw(st.integers(0, 3)) == 0:
        spec["plugins"] = [make.plugin(version)]
    return spec


@st.composite
def repositories(draw: Callable[..., Any]) -> list[Manifest]:
    """The objects of one or two namespaces."""
    count = draw(st.sampled_from([1, 1, 2]))
    return [one for name in ["team", "other"][:count] for one in draw(namespaces(name))]
