"""The objects that the operator makes of an agent without plugins, as far as their shape goes."""

from __future__ import annotations

from typing import Any

from tests.agentplugin.builders import AGENT, NAMESPACE

ENV: list[dict[str, Any]] = [
    {"name": "PLATFORM_AGENT_HOME", "value": "/opt/data"},
    {"name": "HOME", "value": "/opt/data/home"},
    {"name": "PLATFORM_AGENT_PLUGINS_DEBUG", "value": "0"},
    {"name": "API_SERVER_ENABLED", "value": "true"},
    {"name": "API_SERVER_HOST", "value": "127.0.0.1"},
    {"name": "API_SERVER_KEY", "value": "local"},
    {"name": "SESSION_KV_DB_PATH", "value": "/var/lib/kube-agents/session/kv.db"},
    *(
        {
            "name": name,
            "valueFrom": {"secretKeyRef": {"name": "platform-agent-secrets", "key": name, "optional": True}},
        }
        for name in ("SESSION_KV_API_KEY", "SESSION_KV_SALT")
    ),
    {"name": "OTEL_SERVICE_NAME", "value": AGENT},
    {"name": "OTEL_EXPORTER_OTLP_ENDPOINT", "value": "http://collector.example.svc.cluster.local:4318"},
    {"name": "OTEL_EXPORTER_OTLP_PROTOCOL", "value": "http/protobuf"},
    {"name": "OTEL_RESOURCE_ATTRIBUTES", "value": "service.namespace=kube-agents"},
    {"name": "KUBE_CONTEXT_NAME", "value": "gke_project_location_cluster"},
    {"name": "KUBE_DEFAULT_NAMESPACE", "value": "default"},
    {"name": "HERMES_MANAGED_DIR", "value": "/etc/hermes"},
    {"name": "CREDENTIAL_PROXY_URL", "value": "http://127.0.0.1:8765"},
    {"name": "PATH", "value": "/opt/bin:/usr/bin"},
    {"name": "PYTHONPATH", "value": "/opt/defaults/scripts"},
    {"name": "HINDSIGHT_API_URL", "value": f"http://hindsight.{NAMESPACE}.svc.cluster.local:8888"},
    {"name": "MEMORY_PROVIDER", "value": "multiuser_memory"},
    {"name": "AGENT_SHARED_STATE_SETUP", "value": "owner"},
    {"name": "API_SERVER_MODEL_NAME", "value": "model-default"},
    {"name": "HERMES_GATEWAY_PROFILE"},
]

_MOUNTS = [
    {"name": "platform-agent-data-vol", "mountPath": "/opt/data"},
    {
        "name": "platform-agent-config-vol",
        "mountPath": "/opt/data/leader_elect.py",
        "subPath": "leader_elect.py",
    },
    {"name": "platform-agent-managed-vol", "mountPath": "/etc/hermes", "readOnly": True},
    {"name": "platform-agent-config-vol", "mountPath": "/opt/agent-config", "readOnly": True},
    {"name": "settings-volume", "mountPath": "/opt/data/SETTINGS.md", "subPath": "SETTINGS.md"},
    {"name": "platform-agent-data-vol", "mountPath": "/var/lib/kube-agents/session", "subPath": "session"},
]


def _volumes(agent: str) -> list[dict[str, Any]]:
    config = {"name": f"{agent}-config"}
    items = [
        {"key": "managed-config.yaml", "path": "config.yaml"},
        {"key": "managed.env", "path": ".env"},
    ]
    return [
        {"name": "platform-agent-data-vol", "persistentVolumeClaim": {"claimName": f"{agent}-data"}},
        {"name": "platform-agent-config-vol", "configMap": {**config, "defaultMode": 0o755}},
        {"name": "platform-agent-managed-vol", "configMap": {**config, "items": items}},
        {"name": "fluent-bit-config", "configMap": {"name": f"{agent}-fluent-bit"}},
        {"name": "fluent-bit-state", "emptyDir": {}},
        {"name": "system-metadata", "downwardAPI": {"items": []}},
        {"name": "settings-volume", "configMap": {"name": f"{agent}-settings", "optional": True}},
        {"name": "credential-proxy-config", "configMap": {"name": f"{agent}-credential-proxy"}},
        {"name": "credential-proxy-token", "projected": {"sources": []}},
    ]


def _containers() -> list[dict[str, Any]]:
    shared = [{"name": "platform-agent-data-vol", "mountPath": "/opt/data"}]
    return [
        {
            "name": "platform-agent",
            "image": "registry.example.com/platform-agent:v1",
            "args": ["gateway", "run"],
            "env": ENV,
            "volumeMounts": _MOUNTS,
            "ports": [{"name": "api", "containerPort": 8642}],
        },
        {
            "name": "platform-agent-dashboard",
            "image": "registry.example.com/platform-agent:v1",
            "args": ["dashboard"],
            "env": [{"name": "HOME", "value": "/opt/data/home"}],
            "volumeMounts": shared,
        },
        {"name": "fluent-bit", "image": "registry.example.com/fluent-bit:v3", "volumeMounts": shared},
        {
            "name": "envoy-credential-proxy",
            "image": "registry.example.com/credential-proxy:v1",
            "env": [{"name": "SLACK_API_TOKEN", "value": "inert"}],
        },
    ]


def workload(kind: str = "Deployment", agent: str = AGENT, namespace: str | None = NAMESPACE) -> Any:
    """The gateway that runs an agent."""
    labels = {"app": f"{agent}-gateway"}
    cleanup = {"name": "sandbox-credential-cleanup", "image": "registry.example.com/platform-agent:v1"}
    service = {"serviceName": f"{agent}-gateway"} if kind == "StatefulSet" else {}
    return {
        "apiVersion": "apps/v1",
        "kind": kind,
        "metadata": _metadata(f"{agent}-gateway", namespace),
        "spec": {
            "replicas": 1,
            "selector": {"matchLabels": labels},
            **service,
            "template": {
                "metadata": {
                    "labels": labels,
                    "annotations": {
                        "kubeagents.x-k8s.io/config-hash": "f" * 64,
                        "kubeagents.x-k8s.io/settings-config-hash": "e" * 64,
                    },
                },
                "spec": {
                    "serviceAccountName": agent,
                    "initContainers": [{**cleanup, "env": [{"name": "HOME", "value": "/tmp"}]}],
                    "containers": _containers(),
                    "volumes": _volumes(agent),
                },
            },
        },
    }


def config_map(agent: str = AGENT, namespace: str | None = NAMESPACE) -> Any:
    """The ConfigMap of an agent."""
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": _metadata(f"{agent}-config", namespace),
        "data": {
            "leader_elect.py": "import os\nprint('elect', os.environ['HOME'])\n",
            "managed-config.yaml": "approvals: {}\n",
            "managed.env": "GATEWAY_ALLOW_ALL_USERS=false\n",
            "profile-platform.overlay.yaml": 'memory:\n  provider: ""\n',
        },
    }


def _metadata(name: str, namespace: str | None) -> dict[str, str]:
    return {"name": name} if namespace is None else {"name": name, "namespace": namespace}
