"""An ActorTemplate to be created, with each of its messages: the bytes, and what they say."""

from __future__ import annotations

from typing import Any

from tests.target.parts import REF, REF_SAYS, RULE, RULE_SAYS
from tests.target.wire import entry, inner, number, text

TEMPLATE = inner(
    1,
    inner(1, REF),
    inner(2, entry(1, "pool", "small")),
    inner(
        3,
        text(1, "kagent"),
        text(2, "img@sha256:0"),
        text(3, "run"),
        text(4, "-v"),
        inner(5, text(1, "PORT"), text(2, "80")),
        inner(6, inner(1, text(1, "/readyz"), number(2, 8081)), number(2, 30)),
        inner(7, text(1, "data"), text(2, "/data")),
        inner(8, inner(1, text(1, "NET_ADMIN"), text(2, "ALL"))),
        inner(9, inner(1, text(1, "cpu"), text(2, "2"))),
    ),
    inner(4, text(1, "data"), inner(2)),
    inner(4, text(1, "more"), inner(3, text(1, "1Gi"), text(2, "fast"))),
    inner(
        4,
        text(1, "info"),
        inner(
            5,
            inner(1, inner(1, inner(1, number(1, 3), text(2, "uid")))),
            inner(1, inner(2, text(2, "ca.pem"), text(3, "egress-mitm.ate.dev"))),
        ),
    ),
    inner(4, text(1, "tools"), inner(6, text(1, "img@sha256:1"))),
    inner(5, number(2, 2), text(4, "s3://a")),
    inner(6, number(1, 1), text(2, "gvisor-default")),
    inner(7, inner(1, text(1, "memory"), text(2, "1Gi"))),
    inner(8, inner(1, inner(1, REF), text(3, "never"))),
    inner(9, inner(1, RULE)),
)

TEMPLATE_SAYS: dict[str, Any] = {
    "actor_template": {
        "metadata": REF_SAYS,
        "worker_selector": {"match_labels": {"pool": "small"}},
        "containers": [
            {
                "name": "kagent",
                "image": "img@sha256:0",
                "command": ["run"],
                "args": ["-v"],
                "env": [{"name": "PORT", "value": "80"}],
                "wakeup_probe": {
                    "http_get": {"path": "/readyz", "port": 8081},
                    "timeout_seconds": 30,
                },
                "volume_mounts": [{"name": "data", "mount_path": "/data"}],
                "security_context": {"capabilities": {"add": ["NET_ADMIN"], "drop": ["ALL"]}},
                "resources": {"limits": [{"name": "cpu", "quantity": "2"}]},
            }
        ],
        "volumes": [
            {"name": "data", "durable_dir": {}},
            {
                "name": "more",
                "external_volume_template": {"capacity": "1Gi", "storage_class_name": "fast"},
            },
            {
                "name": "info",
                "system_info": {
                    "data_sources": [
                        {"actor_metadata": {"items": [{"field": "ACTOR_METADATA_FIELD_UID", "path": "uid"}]}},
                        {"trust_bundle": {"path": "ca.pem", "names": ["egress-mitm.ate.dev"]}},
                    ]
                },
            },
            {"name": "tools", "image": {"reference": "img@sha256:1"}},
        ],
        "snapshot_config": {
            "on_commit": "SNAPSHOT_CONTENT_SCOPE_DATA",
            "storage_location": "s3://a",
        },
        "sandbox_config": {
            "sandbox_class": "SANDBOX_CLASS_GVISOR",
            "config_name": "gvisor-default",
        },
        "resources": {"limits": [{"name": "memory", "quantity": "1Gi"}]},
        "status": {"golden_snapshot_status": {"golden_tag": REF_SAYS, "error_message": "never"}},
        "default_egress_policy": {"rules": [RULE_SAYS]},
    }
}
