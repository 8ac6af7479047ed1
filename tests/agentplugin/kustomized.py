"""What the real kustomize makes of objects and a Component, as values whose order does not count."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, Any

import yaml

from kagent_render.agentplugin.component import agent_files, component_files
from kagent_render.agentplugin.pinning import pin_agent
from tests.agentplugin.builders import spec_digests
from tests.parts import program

if TYPE_CHECKING:
    from pathlib import Path

    from kagent_render.agentplugin.compiled import CompiledAgent


def files_of(compiled: CompiledAgent) -> dict[str, bytes]:
    """The files of an agent's folder with the lock that belongs to them."""
    digests = spec_digests(compiled.agent, *compiled.selected)
    files = component_files(compiled)
    return agent_files(compiled, files, pin_agent(compiled, digests, "1.35", files))


def kustomize(
    folder: Path, objects: list[Any], *agents: CompiledAgent, namespace: str | None = None
) -> dict[tuple[str, str, str], Any]:
    """Every object by kind, namespace and name after the agents' Components were applied."""
    folder.mkdir(exist_ok=True)
    components = []
    for number, compiled in enumerate(agents):
        component = folder / f"component-{number}"
        component.mkdir(exist_ok=True)
        components.append(component.name)
        for name, content in files_of(compiled).items():
            (component / name).write_bytes(content)
    (folder / "objects.yaml").write_text(yaml.safe_dump_all(objects))
    kustomization: dict[str, Any] = {"resources": ["objects.yaml"], "components": components}
    if namespace is not None:
        kustomization["namespace"] = namespace
    (folder / "kustomization.yaml").write_text(yaml.safe_dump(kustomization))
    command = [program("kubectl"), "kustomize", str(folder)]
    done = subprocess.run(command, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return by_identity(yaml.safe_load_all(done.stdout))


def by_identity(objects: Any) -> dict[tuple[str, str, str], Any]:
    """Objects in a form that is equal whatever the order of their lists."""
    return {
        (found["kind"], found["metadata"].get("namespace", ""), found["metadata"]["name"]): unordered(found)
        for found in objects
    }


def unordered(value: Any) -> Any:
    """The same value with every list sorted."""
    if isinstance(value, dict):
        return {key: unordered(item) for key, item in value.items()}
    if isinstance(value, list):
        return sorted(map(unordered, value), key=lambda item: json.dumps(item, sort_keys=True))
    return value
