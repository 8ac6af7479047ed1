"""Every base and example is a kustomization that builds, and the plugin's sidecar may do nothing but work."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.bases.folders import COMPONENTS, build, build_component, kustomizations
from tests.parts import REPOSITORY
from tests.running import run

pytestmark = pytest.mark.server


@pytest.mark.parametrize("folder", kustomizations("Kustomization"))
def test_a_kustomization_builds(folder: str) -> None:
    objects = build(folder)
    identities = [
        (item["kind"], item["metadata"].get("namespace"), item["metadata"]["name"]) for item in objects
    ]
    assert identities
    assert len(set(identities)) == len(identities)


def test_every_component_has_an_object_to_change() -> None:
    own = [folder for folder in kustomizations("Component") if "/_agentplugins/" not in folder]
    assert own == sorted(COMPONENTS)


@pytest.mark.parametrize("example", ["incident", "variants/python", "variants/claude", "variants/codex"])
def test_generate_gives_what_kustomize_gives(example: str) -> None:
    done = run("generate", f"examples/{example}", cwd=REPOSITORY)
    assert done.status == 0, done.err
    built = build(f"examples/{example}/rendered")

    def by_name(item: Any) -> tuple[str, str]:
        return item["metadata"]["namespace"], item["metadata"]["name"]

    assert list(yaml.safe_load_all(done.out)) == sorted(built, key=by_name)


@pytest.fixture(scope="module")
def plugin(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The objects of Argo CD with the plugin, by kind."""
    built = build_component("kustomize/argocd-cmp", tmp_path_factory.mktemp("argocd"))
    return {item["kind"]: item for item in built}


@pytest.fixture(scope="module")
def sidecar(plugin: dict[str, Any]) -> Any:
    """The plugin's container."""
    containers = plugin["Deployment"]["spec"]["template"]["spec"]["containers"]
    return next(container for container in containers if container["name"] == "kagent-render")


def test_the_sidecar_stands_beside_argo_cds_own_container(plugin: dict[str, Any]) -> None:
    pod = plugin["Deployment"]["spec"]["template"]["spec"]
    assert {container["name"] for container in pod["containers"]} == {"argocd-repo-server", "kagent-render"}
    assert pod["automountServiceAccountToken"] is False


def test_the_sidecar_has_no_right_that_it_can_do_without(sidecar: Any) -> None:
    context = sidecar["securityContext"]
    assert (context["runAsNonRoot"], context["runAsUser"]) == (True, 999)
    assert context["readOnlyRootFilesystem"] is True
    assert context["allowPrivilegeEscalation"] is False
    assert context["capabilities"] == {"drop": ["ALL"]}
    assert context["seccompProfile"] == {"type": "RuntimeDefault"}
    assert "memory" in sidecar["resources"]["limits"]


def test_every_mount_has_a_volume_and_what_is_written_to_is_one(plugin: dict[str, Any], sidecar: Any) -> None:
    volumes = {volume["name"] for volume in plugin["Deployment"]["spec"]["template"]["spec"]["volumes"]}
    mounts = {mount["mountPath"]: mount for mount in sidecar["volumeMounts"]}
    assert {mount["name"] for mount in mounts.values()} <= volumes
    assert "/tmp" in mounts  # where Argo CD unpacks
    homes = [entry["value"] for entry in sidecar["env"]]
    assert all(value.startswith("/tmp/") for value in homes)


def test_the_plugins_file_is_that_of_the_folder_and_a_change_of_it_restarts_the_pod(
    plugin: dict[str, Any], sidecar: Any
) -> None:
    settings = plugin["ConfigMap"]
    assert settings["data"]["plugin.yaml"] == (REPOSITORY / "kustomize/argocd-cmp/plugin.yaml").read_text()
    name = settings["metadata"]["name"]
    assert re.fullmatch(r"kagent-render-plugin-[a-z0-9]{10}", name)
    volumes = plugin["Deployment"]["spec"]["template"]["spec"]["volumes"]
    assert {"name": "kagent-render-plugin", "configMap": {"name": name}} in volumes
    mount = next(found for found in sidecar["volumeMounts"] if found["name"] == "kagent-render-plugin")
    assert mount["mountPath"].endswith(f"/{mount['subPath']}")


def test_the_health_check_is_added_to_argo_cds_settings(tmp_path: Path) -> None:
    (settings,) = build_component("kustomize/argocd-health", tmp_path)
    assert settings["data"].keys() == {"url", "resource.customizations.health.ate.dev_ActorTemplate"}
