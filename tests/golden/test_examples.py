"""The examples are rendered as the program renders them, and are what their comments say."""

from __future__ import annotations

import copy
import json
import subprocess
from typing import Any

import pytest
import yaml

from kagent_render.agentplugin.compilation import compile_agent
from kagent_render.api.decoding import decode
from tests.agentplugin.kustomized import by_identity
from tests.golden import both_targets
from tests.golden.test_golden import NEW, OLD
from tests.manifests import documents
from tests.parts import REPOSITORY, program
from tests.running import run, tree

EXAMPLES = REPOSITORY / "examples"
VARIANTS = EXAMPLES / "variants"
NEWER = EXAMPLES / "substrate-v0.4"
PLUGINS = EXAMPLES / "plugins"
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


def test_the_example_for_the_newer_target_has_the_same_agents_and_skills() -> None:
    for name in ("agents", ".kagent"):
        assert tree(NEWER / name) == tree(EXAMPLES / "incident" / name)


def test_the_example_for_the_newer_target_is_configured_as_the_other_but_for_what_it_must() -> None:
    old, new = ((root / "kagent-render.yaml").read_text() for root in (EXAMPLES / "incident", NEWER))
    kept = "".join(line for line in old.splitlines(keepends=True) if "pauseImage" not in line)
    assert new == kept.replace("target: ate.dev/v1alpha1", "target: ateapi/v0.4") != kept


def test_a_pause_image_that_no_target_needs_changes_no_byte_of_the_output() -> None:
    """The recorded output is that of the older example's RenderConfig, which has one."""
    assert tree(NEWER / "rendered") == tree(both_targets.folder("incident", NEW))
    assert tree(EXAMPLES / "incident" / "rendered") == tree(both_targets.folder("incident", OLD))


def variables(variant: str, template: str) -> dict[str, Any]:
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
    found = variables(variant, "release-manager")
    config = found["KAGENT_CONFIG_JSON"]
    if variant == "python":
        assert {agent["name"] for agent in config["sub_agents"]} == SHARED
        urls = [tool["params"]["url"] for tool in config["http_tools"]]
    else:
        assert set(config["agents"]) == SHARED
        urls = [server["url"] for server in config["mcp_servers"].values()]
    assert "http://127.0.0.1:8082/mcp/reviewer" in urls
    assert len(tree(VARIANTS / variant / "rendered/release-team/runtime/release-manager/actortemplates")) == 2


MOUNTS = [
    "/opt/agent-plugins/platform/pubsubadapter",
    "/opt/data/plugins/runbooks",
    "/opt/agent-plugins/platform/stockoutinvestigator",
]


def manifest(*path: str) -> Any:
    """The one object of a file of the example with plugins."""
    return yaml.safe_load(PLUGINS.joinpath(*path).read_text())


def gateway_with_plugins() -> Any:
    """The operator's Deployment with what the three plugins add to it, written out by hand."""
    deployment = copy.deepcopy(manifest("gateway", "deployment.yaml"))
    template = deployment["spec"]["template"]
    container = template["spec"]["containers"][0]
    for folder in MOUNTS:
        name = folder.rpartition("/")[2]
        plugin = manifest("plugins", f"{name}.yaml")["spec"]
        container["volumeMounts"].append({"name": f"plugin-{name}", "mountPath": folder})
        container["env"] += plugin.get("env", [])
        image = {"reference": plugin["image"], "pullPolicy": "IfNotPresent"}
        template["spec"]["volumes"].append({"name": f"plugin-{name}", "image": image})
    return deployment


def test_a_kustomization_over_the_component_gives_the_operator_s_objects_with_the_plugins() -> None:
    command = [program("kubectl"), "kustomize", str(PLUGINS / "gateway")]
    done = subprocess.run(command, capture_output=True, check=True)
    built = {found["kind"]: found for found in yaml.safe_load_all(done.stdout)}
    component = "rendered/kubeagents-system/_agentplugins/platform-agent"
    trigger = "kubeagents.x-k8s.io/config-hash"
    patch = manifest(component, "gateway.yaml")["spec"]["template"]["metadata"]["annotations"]
    expected = gateway_with_plugins()
    expected["spec"]["template"]["metadata"]["annotations"][trigger] = patch[trigger]
    assert by_identity([built["Deployment"]]) == by_identity([expected])
    before = manifest("gateway", "configmap.yaml")["data"]
    assert built["ConfigMap"]["data"] == {**before, **manifest(component, "configmap.yaml")["data"]}


def test_the_config_map_of_the_example_is_the_operator_s_without_plugins() -> None:
    text = (PLUGINS / "agents" / "platform-agent.yaml").read_text()
    (agent,) = decode(documents(text))[0].platform_agents.values()
    shown = manifest("gateway", "configmap.yaml")["data"]
    assert shown.pop("leader_elect.py").startswith("#")
    assert shown == compile_agent(agent, [], "1.35", {}).data
