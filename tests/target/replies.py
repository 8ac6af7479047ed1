"""Replies of both generations, and what earlier and later releases send: the bytes, what they say."""

from __future__ import annotations

from typing import Any

from google.protobuf.message import Message

from kagent_render.target.messages import ateapi_june_pb2, ateapi_pb2
from tests.target.parts import GLOBAL, GLOBAL_SAYS, REF, REF_SAYS
from tests.target.wire import entry, inner, number, text

REPLIES: dict[str, tuple[type[Message], bytes, dict[str, Any]]] = {
    "newest, an Actor that runs": (
        ateapi_pb2.ResumeActorResponse,
        inner(
            1,
            inner(
                7,
                number(1, 2),
                inner(
                    2,
                    *(text(field, value) for field, value in enumerate(("n", "p", "q", "u", "::1"), 1)),
                    inner(6, GLOBAL),
                    text(7, "node"),
                    number(8, 2),
                ),
                text(3, "s3://a"),
                inner(4, text(1, "s3://b"), number(2, 1)),
                inner(5, text(1, "s")),
                inner(7, text(1, "more"), text(2, "vol-1"), text(3, "csi"), number(4, 2), entry(5, "a", "b")),
                text(8, "local"),
                text(10, "node"),
            ),
        )
        + number(2, 1),
        {
            "actor": {
                "status": {
                    "state": "ACTOR_STATE_RUNNING",
                    "worker_assignment": {
                        "worker_namespace": "n",
                        "worker_pool": "p",
                        "worker_pod": "q",
                        "worker_pod_uid": "u",
                        "worker_pod_ips": ["::1"],
                        "worker": GLOBAL_SAYS,
                        "node_name": "node",
                        "worker_epoch": "2",
                    },
                    "in_progress_snapshot_uri": "s3://a",
                    "external_snapshot": {
                        "snapshot_uri": "s3://b",
                        "content_scope": "SNAPSHOT_CONTENT_SCOPE_FULL",
                    },
                    "local_snapshot": {"snapshot_name": "s"},
                    "actor_volumes": [
                        {
                            "volume_name": "more",
                            "storage_volume_id": "vol-1",
                            "volume_type": "csi",
                            "status": "STATUS_CREATED",
                            "volume_context": {"a": "b"},
                        }
                    ],
                    "in_progress_local_snapshot_name": "local",
                    "assigned_node": "node",
                }
            },
            "resumed": True,
        },
    ),
    "newest, a template as v0.4.0-alpha1 has it": (
        ateapi_pb2.ActorTemplate,
        inner(4, text(1, "info"), inner(5, inner(1, inner(2, text(1, "egress-mitm.ate.dev"), text(2, "a")))))
        + inner(5, number(1, 1), number(2, 2), inner(3, number(1, 2)), text(4, "s3://a")),
        {
            "volumes": [
                {
                    "name": "info",
                    "system_info": {
                        "data_sources": [{"trust_bundle": {"name": "egress-mitm.ate.dev", "path": "a"}}]
                    },
                }
            ],
            "snapshot_config": {
                "on_pause": "SNAPSHOT_CONTENT_SCOPE_FULL",
                "on_commit": "SNAPSHOT_CONTENT_SCOPE_DATA",
                "on_resume": {"from_data": "RESUME_SOURCE_GOLDEN"},
                "storage_location": "s3://a",
            },
        },
    ),
    "newest, a worker's Actors": (
        ateapi_pb2.ListWorkerActorAssignmentsResponse,
        inner(
            1,
            inner(2, REF),
            text(3, "u"),
            inner(4, REF),
            inner(5, inner(1, text(1, "cpu"), text(2, "2"))),
            inner(6, GLOBAL),
            number(7, 2),
        )
        + text(2, "next"),
        {
            "actor_assignments": [
                {
                    "actor": REF_SAYS,
                    "actor_uid": "u",
                    "actor_template_ref": REF_SAYS,
                    "resources": {"limits": [{"name": "cpu", "quantity": "2"}]},
                    "metadata": GLOBAL_SAYS,
                    "worker_epoch": "2",
                }
            ],
            "next_page_token": "next",
        },
    ),
    "newest, a token": (
        ateapi_pb2.MintActorJWTResponse,
        text(1, "a.b.c") + inner(2, number(1, 1_790_000_000)),
        {"actor_jwt": "a.b.c", "expires_at": "2026-09-21T14:13:20Z"},
    ),
    "newest, a certificate": (
        ateapi_pb2.MintActorCertificateResponse,
        text(1, b"\x30\x82"),
        {"actor_certificates": ["MII="]},
    ),
    "June, an Actor that is suspended": (
        ateapi_june_pb2.GetActorResponse,
        inner(
            1,
            text(1, "triage"),
            number(2, 7),
            text(3, "payments"),
            text(4, "tmpl"),
            number(5, 4),
            text(6, "n"),
            text(7, "q"),
            text(8, "::1"),
            text(10, "s3://a"),
            text(11, "u"),
            inner(12, number(1, 2), inner(2, text(1, "s3://b"))),
            inner(13, entry(1, "pool", "small")),
            text(14, "p"),
            text(15, "payments"),
        ),
        {
            "actor": {
                "actor_id": "triage",
                "version": "7",
                "actor_template_namespace": "payments",
                "actor_template_name": "tmpl",
                "status": "STATUS_SUSPENDED",
                "ateom_pod_namespace": "n",
                "ateom_pod_name": "q",
                "ateom_pod_ip": "::1",
                "in_progress_snapshot": "s3://a",
                "ateom_pod_uid": "u",
                "latest_snapshot_info": {
                    "type": "SNAPSHOT_TYPE_EXTERNAL",
                    "external": {"snapshot_uri_prefix": "s3://b"},
                },
                "worker_selector": {"match_labels": {"pool": "small"}},
                "worker_pool_name": "p",
                "atespace": "payments",
            }
        },
    ),
    "June, a status of July": (
        ateapi_june_pb2.PauseActorResponse,
        inner(1, number(5, 7), inner(12, inner(3, text(1, "s"), text(2, "node")))),
        {
            "actor": {
                "status": 7,
                "latest_snapshot_info": {
                    "local": {"snapshot_prefix": "s", "node_vms_with_local_snapshots": ["node"]}
                },
            }
        },
    ),
    "June, workers": (
        ateapi_june_pb2.ListWorkersResponse,
        inner(
            1,
            text(1, "n"),
            text(2, "p"),
            text(3, "q"),
            inner(4, inner(1, text(1, "payments"), text(2, "tmpl")), inner(2, REF)),
            text(5, "::1"),
            number(6, 7),
            text(7, "u"),
            text(8, "node"),
        ),
        {
            "workers": [
                {
                    "worker_namespace": "n",
                    "worker_pool": "p",
                    "worker_pod": "q",
                    "assignment": {
                        "actor_template": {"namespace": "payments", "name": "tmpl"},
                        "actor": REF_SAYS,
                    },
                    "ip": "::1",
                    "version": "7",
                    "worker_pod_uid": "u",
                    "node_name": "node",
                }
            ]
        },
    ),
}
