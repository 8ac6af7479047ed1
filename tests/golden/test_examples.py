"""The examples are rendered as the program renders them, and the variants differ in their runtime alone."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml

from tests.parts import REPOSITORY
from tests.running import run, tree

EXAMPLES = REPOSITORY / "examples"
VARIANTS = EXAMPLES / "variants"
ROOTS = sorted(path.parent for path in EXAMPLES.rglob("kagent-render.yaml"))
SHARED = {"summarizer", "assessor"}


@pytest.mark.parametrize("root", ROOTS, ids=lambda root: root.relative_to(EXAMPLES).as_posix())
def test_an_example_is_current(root: Any) -> None:
    done = run("check", "--frozen", cwd=root)
    assert done.status == 0, done.err


def test_the_same_templates_are_attached_to_all_three_runtimes() -> None:
    found = {path.name: (path / "agents.yaml").read_bytes() for path in VARIANTS.iterdir() if path.is_dir()}
    assert set(found) == {"python", "claude", "codex"}
    assert len(set(found.values())) == 1


def documents(variant: str, template: str) -> dict[str, Any]:
    """The JSON documents of a root boundary's ActorTemplate by variable."""
    folder = VARIANTS / variant / "rendered/release-team/runtime" / template / "actortemplates"
    for path in sorted(folder.iterdir()):
        manifest = yaml.safe_load(path.read_text())
        if "render.kagent.dev/binding-path" not in manifest["metadata"].get("annotations", {}):
            env = manifest["spec"]["containers"][0]["env"]
            return {
                entry["name"]: json.loads(entry["value"]) for entry in env if entry["name"].endswith("_JSON")
            }
    raise LookupError(template)


@pytest.mark.parametrize("variant", ["python", "claude", "codex"])
def test_a_variant_s_root_has_two_shared_agents_and_one_dedicated_one(variant: str) -> None:
    found = documents(variant, "release-manager")
    config = found["KAGENT_CONFIG_JSON"]
    if variant == "python":
        assert {agent["name"] for agent in config["sub_agents"]} == SHARED
        urls = [tool["params"]["url"] for tool in config["http_tools"]]
    else:
        assert set(config["agents"]) == SHARED
        urls = [server["url"] for server in config["mcp_servers"].values()]
    assert "http://127.0.0.1:8082/mcp/reviewer" in urls
    assert len(tree(VARIANTS / variant / "rendered/release-team/runtime/release-manager/actortemplates")) == 2
