"""What runs kagent-apply in a cluster: objects that Kubernetes takes, and that may do nothing else."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from kubernetes.client import ApiClient

from tests.bases.folders import build, build_component
from tests.parts import REPOSITORY

pytestmark = pytest.mark.server

_FOLDER = REPOSITORY / "kustomize/apply"
_CLUSTER = "kustomize/apply/cluster"
_POD = {"app.kubernetes.io/name": "kagent-apply"}
_MODELS = {
    "ClusterRole": "V1ClusterRole",
    "ClusterRoleBinding": "V1ClusterRoleBinding",
    "ConfigMap": "V1ConfigMap",
    "Deployment": "V1Deployment",
    "NetworkPolicy": "V1NetworkPolicy",
    "PodDisruptionBudget": "V1PodDisruptionBudget",
    "Role": "V1Role",
    "RoleBinding": "V1RoleBinding",
    "Service": "V1Service",
    "ServiceAccount": "V1ServiceAccount",
}


@pytest.fixture(scope="module")
def base() -> list[Any]:
    """What the folder gives."""
    return build("kustomize/apply")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    """The Component, beside the Deployment that it changes."""
    return build_component(_CLUSTER, tmp_path_factory.mktemp("cluster"), namespace="kagent")


def _one(objects: list[Any], kind: str) -> Any:
    (found,) = [item for item in objects if item["kind"] == kind]
    return found


@pytest.fixture(scope="module")
def pod(base: list[Any]) -> Any:
    """The Pod that the Deployment makes."""
    return _one(base, "Deployment")["spec"]["template"]


@pytest.fixture(scope="module")
def container(pod: Any) -> Any:
    """Its one container."""
    (only,) = pod["spec"]["containers"]
    assert "initContainers" not in pod["spec"]
    return only


@pytest.fixture(scope="module")
def settings() -> dict[str, Any]:
    """The settings that the server is given."""
    found: dict[str, Any] = yaml.safe_load((_FOLDER / "settings.yaml").read_text())
    return found


def test_kubernetes_own_client_knows_every_field(base: list[Any], cluster: list[Any]) -> None:
    client = ApiClient()
    for item in (*base, *cluster):
        model = client.deserialize(json.dumps(item), _MODELS[item["kind"]], "application/json")
        known = client.sanitize_for_serialization(model)  # type: ignore[no-untyped-call]
        assert known == item, item["kind"]


def test_all_of_it_is_in_one_namespace_and_has_our_label(base: list[Any]) -> None:
    for item in base:
        assert item["metadata"]["namespace"] == "kagent"
        assert item["metadata"]["labels"].items() >= _POD.items()


def test_the_container_has_every_probe_and_each_asks_what_is_served(container: Any) -> None:
    paths = {
        name: container[f"{name}Probe"]["httpGet"]["path"] for name in ("startup", "liveness", "readiness")
    }
    assert paths == {"startup": "/livez", "liveness": "/livez", "readiness": "/readyz"}
    ports = {port["name"] for port in container["ports"]}
    for name in paths:
        probe = container[f"{name}Probe"]
        assert probe["httpGet"]["port"] in ports
        assert probe["timeoutSeconds"] > 2  # as long as all checks together


def test_the_container_may_do_nothing_but_its_work(pod: Any, container: Any) -> None:
    context = container["securityContext"]
    assert context["readOnlyRootFilesystem"] is True
    assert context["allowPrivilegeEscalation"] is False
    assert context["privileged"] is False
    assert context["capabilities"] == {"drop": ["ALL"]}
    assert (
        pod["spec"]["securityContext"].items()
        >= {
            "runAsNonRoot": True,
            "seccompProfile": {"type": "RuntimeDefault"},
        }.items()
    )
    assert pod["spec"]["securityContext"]["runAsUser"] > 0
    assert not {"hostNetwork", "hostPID", "hostIPC"} & set(pod["spec"])
    assert not [volume for volume in pod["spec"]["volumes"] if "hostPath" in volume]


def test_the_container_asks_for_what_it_needs_and_has_limits(container: Any) -> None:
    assert {"cpu", "memory", "ephemeral-storage"} <= set(container["resources"]["requests"])
    assert {"memory", "ephemeral-storage"} <= set(container["resources"]["limits"])


def test_without_the_component_the_pod_has_no_token(base: list[Any], cluster: list[Any], pod: Any) -> None:
    assert pod["spec"]["automountServiceAccountToken"] is False
    assert _one(base, "ServiceAccount")["automountServiceAccountToken"] is False
    assert not [item for item in base if "Role" in item["kind"]]
    assert _one(cluster, "Deployment")["spec"]["template"]["spec"]["automountServiceAccountToken"] is True


def test_the_image_is_named_by_digest_alone(container: Any) -> None:
    assert re.fullmatch(r"[^:@]+@sha256:[0-9a-f]{64}", container["image"])


def test_selectors_find_the_pod(base: list[Any], pod: Any) -> None:
    labels = pod["metadata"]["labels"].items()
    selectors = [
        _one(base, "Service")["spec"]["selector"],
        _one(base, "Deployment")["spec"]["selector"]["matchLabels"],
        _one(base, "PodDisruptionBudget")["spec"]["selector"]["matchLabels"],
        _one(base, "NetworkPolicy")["spec"]["podSelector"]["matchLabels"],
        *(each["labelSelector"]["matchLabels"] for each in pod["spec"]["topologySpreadConstraints"]),
    ]
    assert all(selector and selector.items() <= labels for selector in selectors)


def test_one_replica_may_go_while_another_stays(base: list[Any]) -> None:
    deployment = _one(base, "Deployment")["spec"]
    assert deployment["replicas"] >= 2
    assert deployment["strategy"]["rollingUpdate"]["maxUnavailable"] == 0
    assert _one(base, "PodDisruptionBudget")["spec"]["maxUnavailable"] < deployment["replicas"]


def test_the_ports_are_the_same_everywhere(base: list[Any], container: Any, settings: dict[str, Any]) -> None:
    of_container = {port["name"]: port["containerPort"] for port in container["ports"]}
    service = _one(base, "Service")["spec"]["ports"]
    assert {port["targetPort"]: port["port"] for port in service} == of_container
    allowed = _one(base, "NetworkPolicy")["spec"]["ingress"]
    assert sorted(port["port"] for rule in allowed for port in rule["ports"]) == sorted(of_container.values())
    assert {
        "grpc": int(settings["listen"].rpartition(":")[2]),
        "metrics": int(settings["metrics-listen"].rpartition(":")[2]),
    } == of_container


def test_metrics_are_for_one_namespace_and_what_is_let_out_is_listed(base: list[Any]) -> None:
    policy = _one(base, "NetworkPolicy")["spec"]
    assert sorted(policy["policyTypes"]) == ["Egress", "Ingress"]
    (metrics,) = [rule for rule in policy["ingress"] if rule["ports"][0]["port"] == 8086]
    assert metrics["from"] == [
        {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "monitoring"}}}
    ]
    ports = {port["port"] for rule in policy["egress"] for port in rule.get("ports", [])}
    assert ports == {53, 443, 5432}
    assert all(rule.get("ports") or rule.get("to") for rule in policy["egress"])


def test_the_end_leaves_time_for_the_pause_and_the_drain(
    pod: Any, container: Any, settings: dict[str, Any]
) -> None:
    pause = container["lifecycle"]["preStop"]["sleep"]["seconds"]
    assert pod["spec"]["terminationGracePeriodSeconds"] >= pause + settings["drain"] + 5


def test_every_mount_has_a_volume_and_every_file_of_the_settings_a_mount(
    pod: Any, container: Any, settings: dict[str, Any]
) -> None:
    volumes = {volume["name"]: volume for volume in pod["spec"]["volumes"]}
    mounts = {mount["mountPath"]: mount for mount in container["volumeMounts"]}
    assert sorted(mount["name"] for mount in mounts.values()) == sorted(volumes)
    paths = [text for text in settings.values() if isinstance(text, str) and text.startswith("/")]
    paths += [entry["value"] for entry in container["env"] if entry.get("value", "").startswith("/")]
    paths += [argument for argument in container["args"] if argument.startswith("/")]
    for path in paths:
        assert path in mounts or str(Path(path).parent) in mounts
    for mount in mounts.values():
        source = volumes[mount["name"]]
        assert mount.get("readOnly", False) is ("emptyDir" not in source)
        assert "sizeLimit" in source.get("emptyDir", {"sizeLimit": ""})


def test_another_setting_is_another_roll_out(base: list[Any], pod: Any) -> None:
    name = _one(base, "ConfigMap")["metadata"]["name"]
    assert re.fullmatch(r"kagent-apply-[a-z0-9]{10}", name)
    assert {"name": "settings", "configMap": {"name": name}} in pod["spec"]["volumes"]


def test_the_password_of_the_store_is_in_no_file_of_ours(container: Any, settings: dict[str, Any]) -> None:
    assert "store" not in settings
    (entry,) = [entry for entry in container["env"] if entry["name"] == "KAGENT_APPLY_STORE"]
    assert set(entry["valueFrom"]) == {"secretKeyRef"}


def test_the_server_takes_its_settings(container: Any, settings: dict[str, Any]) -> None:
    reading = pytest.importorskip("kagent_apply.settings.reading")
    assert container["args"][:2] == ["serve", "--config"]
    file = reading.File("settings.yaml", (_FOLDER / "settings.yaml").read_text())
    environment = {entry["name"]: entry.get("value", "postgresql://db/kagent") for entry in container["env"]}
    read, odd = reading.read_settings({}, environment, file)
    assert (read.listen, read.store, odd) == (settings["listen"], "postgresql://db/kagent", ())


def _rules(rules: list[Any]) -> set[tuple[str, str, str]]:
    """Group, resource and verb of everything that is granted."""
    return {
        (group, resource, verb)
        for rule in rules
        for group in rule["apiGroups"]
        for resource in rule["resources"]
        for verb in rule["verbs"]
    }


def test_the_component_grants_what_the_page_says_and_no_more(cluster: list[Any]) -> None:
    text = (REPOSITORY / "docs/cluster.md").read_text()
    role = yaml.safe_load(
        text.partition("## What the service account")[2].split("```yaml\n")[1].split("```")[0]
    )
    roles = [item for item in cluster if item["kind"] in ("ClusterRole", "Role")]
    assert _rules([rule for item in roles for rule in item["rules"]]) == _rules(role["rules"])
    assert {group for group, *_ in _rules(_one(cluster, "Role")["rules"])} == {"coordination.k8s.io"}
    assert "coordination.k8s.io" not in {group for group, *_ in _rules(_one(cluster, "ClusterRole")["rules"])}
    leases = [rule for rule in _one(cluster, "Role")["rules"] if rule["verbs"] != ["create"]]
    assert [rule["resourceNames"] for rule in leases] == [["kagent-apply"]]
    assert "*" not in json.dumps([item["rules"] for item in cluster if "rules" in item])
    for kind in ("ClusterRoleBinding", "RoleBinding"):
        binding = _one(cluster, kind)
        assert [(subject["name"], subject["namespace"]) for subject in binding["subjects"]] == [
            ("kagent-apply", "kagent")
        ]
        assert binding["roleRef"]["name"] == _one(cluster, kind.removesuffix("Binding"))["metadata"]["name"]


def test_the_component_has_the_server_watch_the_cluster(
    cluster: list[Any],
) -> None:
    from kagent_apply.settings.reading import File, read_settings

    (container,) = _one(cluster, "Deployment")["spec"]["template"]["spec"]["containers"]
    environment = {entry["name"]: entry["value"] for entry in container["env"]}
    text = (_FOLDER / "settings.yaml").read_text()
    assert not read_settings({}, {}, File("settings.yaml", text))[0].cluster
    read, odd = read_settings({}, environment, File("settings.yaml", text))
    assert (read.cluster, odd) == (True, ())


def test_the_component_lets_the_server_ask_the_api_server_and_nobody_in(cluster: list[Any]) -> None:
    policy = _one(cluster, "NetworkPolicy")["spec"]
    assert policy["podSelector"]["matchLabels"] == _POD
    assert policy["policyTypes"] == ["Egress"]
    assert {port["port"] for rule in policy["egress"] for port in rule["ports"]} == {443, 6443}


def test_the_image_holds_what_is_locked_and_runs_as_the_pods_user(pod: Any) -> None:
    text = re.sub(r"\\\n", " ", (_FOLDER / "Containerfile").read_text())
    steps = [line for line in text.splitlines() if line and not line.startswith("#")]
    last = steps[[line.startswith("FROM") for line in steps].index(True, 2) :]
    user, group = (pod["spec"]["securityContext"][name] for name in ("runAsUser", "runAsGroup"))
    assert f"USER {user}:{group}" in last
    assert not [line for line in last if line.startswith(("RUN", "ADD"))]
    for command in re.findall(r"pip (?:install|wheel|download)[^&\n]*", "\n".join(steps)):
        assert "--no-index" in command or "--require-hashes" in command
    copied = [
        name
        for line in steps
        if line.startswith("COPY") and "--from" not in line
        for name in line.split()[1:-1]
    ]
    assert [name for name in copied if not (REPOSITORY / name).exists()] == []
