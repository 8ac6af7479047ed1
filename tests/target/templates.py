"""An ActorTemplate of `ateapi` as a document, and documents that differ from it in one place."""

from __future__ import annotations

import copy
from typing import Any

DIGEST = "sha256:" + "0" * 64
IMAGE = f"registry.example.com/agent@{DIGEST}"
ABSENT = object()
"""Stands for a field that is taken away."""

TEMPLATE: dict[str, Any] = {
    "metadata": {"atespace": "payments", "name": "triage-ops-0123456789ab"},
    "workerSelector": {"matchLabels": {"kagent.dev/worker-pool": "small"}},
    "containers": [
        {
            "name": "kagent",
            "image": IMAGE,
            "command": ["/bin/agent"],
            "args": ["--verbose"],
            "env": [{"name": "PORT", "value": "80"}],
            "wakeupProbe": {"httpGet": {"path": "/readyz", "port": 8081}, "timeoutSeconds": 30},
            "volumeMounts": [
                {"name": "data", "mountPath": "/data"},
                {"name": "trust", "mountPath": "/run/kagent/egress"},
                {"name": "identity", "mountPath": "/run/kagent/identity"},
            ],
            "securityContext": {"capabilities": {"drop": ["ALL"]}},
            "resources": {"limits": [{"name": "cpu", "quantity": "2"}]},
        }
    ],
    "volumes": [
        {"name": "data", "durableDir": {}},
        {
            "name": "trust",
            "systemInfo": {
                "dataSources": [
                    {
                        "trustBundle": {
                            "names": ["egress-mitm.ate.dev", "system-roots.ate.dev"],
                            "path": "trust-bundle.pem",
                        }
                    }
                ]
            },
        },
        {
            "name": "identity",
            "systemInfo": {
                "dataSources": [
                    {
                        "actorMetadata": {
                            "items": [
                                {"field": "ACTOR_METADATA_FIELD_NAME", "path": "name"},
                                {"field": "ACTOR_METADATA_FIELD_UID", "path": "uid"},
                            ]
                        }
                    }
                ]
            },
        },
        {"name": "tools", "image": {"reference": IMAGE}},
        {"name": "more", "externalVolumeTemplate": {"capacity": "1Gi", "storageClassName": "fast"}},
    ],
    "snapshotConfig": {"onCommit": "SNAPSHOT_CONTENT_SCOPE_DATA", "storageLocation": "s3://snapshots/a"},
    "sandboxConfig": {"sandboxClass": "SANDBOX_CLASS_GVISOR", "configName": "gvisor-default"},
    "resources": {"limits": [{"name": "memory", "quantity": "1Gi"}]},
}

RULES: list[dict[str, Any]] = [
    {
        "https": {
            "hostnames": ["api.example.com", "*.tools.example.com"],
            "effects": {
                "replaceHeaders": [
                    {
                        "header": "authorization",
                        "prefix": "Bearer ",
                        "credentialUri": "ate-secret://k8s.io/default/payments/keys/token",
                    },
                    {"header": "x-actor", "actorJwt": {"audiences": ["tools"], "expirationSeconds": "300"}},
                ]
            },
        }
    },
    {"http": {"hostnames": ["api.example.com"], "ports": {"numbers": [80, 8080]}}},
    {"tlsPassthrough": {"hostnames": ["*"], "ports": {"all": {}}}},
]


def changed(document: Any, path: str, value: Any) -> Any:
    """A copy with one field set, at a path such as `containers.0.image`, or taken away."""
    document = copy.deepcopy(document)
    if not path:
        return value
    *steps, last = (int(step) if step.isdecimal() else step for step in path.split("."))
    holder = document
    for step in steps:
        holder = holder[step]
    if value is ABSENT:
        del holder[last]
    elif isinstance(holder, list) and last == len(holder):
        holder.append(value)
    else:
        holder[last] = value
    return document
