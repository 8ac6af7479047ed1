"""One request per call of the newest generation: the messages, the bytes, what they say."""

from __future__ import annotations

from tests.target.parts import (
    GLOBAL,
    GLOBAL_SAYS,
    METADATA,
    METADATA_SAYS,
    OPTIONS,
    OPTIONS_SAY,
    PAGE,
    PAGE_SAYS,
    POLICY,
    POLICY_SAYS,
    REF,
    REF_SAYS,
    RULE,
    RULE_SAYS,
    Case,
)
from tests.target.template_message import TEMPLATE, TEMPLATE_SAYS
from tests.target.wire import entry, inner, number, text

NEWEST: dict[str, Case] = {
    "GetActor": ("GetActorRequest", "Actor", inner(1, REF), {"actor": REF_SAYS}),
    "CreateActor": (
        "CreateActorRequest",
        "Actor",
        inner(
            1, inner(1, REF), inner(4, REF), inner(5, entry(1, "pool", "small")), inner(6, text(2, "golden"))
        ),
        {
            "actor": {
                "metadata": REF_SAYS,
                "actor_template": REF_SAYS,
                "worker_selector": {"match_labels": {"pool": "small"}},
                "source_tag": {"name": "golden"},
            }
        },
    ),
    "UpdateActor": (
        "UpdateActorRequest",
        "Actor",
        inner(1, inner(1, METADATA), inner(7, number(1, 9), inner(9, text(1, "out of memory")))),
        {
            "actor": {
                "metadata": METADATA_SAYS,
                "status": {"state": "ACTOR_STATE_REVERTING", "crash": {"message": "out of memory"}},
            }
        },
    ),
    "SuspendActor": ("SuspendActorRequest", "SuspendActorResponse", inner(1, REF), {"actor": REF_SAYS}),
    "PauseActor": ("PauseActorRequest", "PauseActorResponse", inner(1, REF), {"actor": REF_SAYS}),
    "ResumeActor": ("ResumeActorRequest", "ResumeActorResponse", inner(1, REF), {"actor": REF_SAYS}),
    "RevertActor": ("RevertActorRequest", "RevertActorResponse", inner(1, REF), {"actor": REF_SAYS}),
    "DeleteActor": (
        "DeleteActorRequest",
        "Actor",
        inner(1, REF) + number(2, 1) + inner(3, OPTIONS),
        {"actor": REF_SAYS, "any_state": True, "options": OPTIONS_SAY},
    ),
    "ListActors": ("ListActorsRequest", "ListActorsResponse", PAGE, PAGE_SAYS),
    "GetActorEgressPolicy": (
        "GetActorEgressPolicyRequest",
        "EgressPolicy",
        inner(1, REF),
        {"actor": REF_SAYS},
    ),
    "CreateActorEgressPolicy": (
        "CreateActorEgressPolicyRequest",
        "EgressPolicy",
        inner(1, REF) + inner(2, inner(1, text(2, "default")), inner(2, RULE)),
        {"actor": REF_SAYS, "egress_policy": {"metadata": {"name": "default"}, "rules": [RULE_SAYS]}},
    ),
    "UpdateActorEgressPolicy": (
        "UpdateActorEgressPolicyRequest",
        "EgressPolicy",
        inner(1, REF)
        + inner(
            2,
            inner(
                2,
                inner(
                    2,
                    text(1, "*.a.dev"),
                    inner(3, inner(1, text(1, "a"), inner(4, text(1, "b"), number(2, 300)))),
                ),
            ),
            inner(2, inner(3, text(1, "b.dev"), inner(2, inner(1)))),
        ),
        {
            "actor": REF_SAYS,
            "egress_policy": {
                "rules": [
                    {
                        "https": {
                            "hostnames": ["*.a.dev"],
                            "effects": {
                                "replace_headers": [
                                    {
                                        "header": "a",
                                        "actor_jwt": {"audiences": ["b"], "expiration_seconds": "300"},
                                    }
                                ]
                            },
                        }
                    },
                    {"tls_passthrough": {"hostnames": ["b.dev"], "ports": {"all": {}}}},
                ]
            },
        },
    ),
    "DeleteActorEgressPolicy": (
        "DeleteActorEgressPolicyRequest",
        "EgressPolicy",
        inner(1, REF) + inner(2, OPTIONS),
        {"actor": REF_SAYS, "options": OPTIONS_SAY},
    ),
    "MintActorJWT": (
        "MintActorJWTRequest",
        "MintActorJWTResponse",
        text(1, "https://a") + inner(5, REF) + text(7, "c0ffee") + number(8, 600),
        {
            "audience": ["https://a"],
            "actor": REF_SAYS,
            "actor_uid": "c0ffee",
            "expiration_seconds": "600",
        },
    ),
    "MintActorCertificate": (
        "MintActorCertificateRequest",
        "MintActorCertificateResponse",
        text(2, b"\x30\x82") + inner(6, REF) + text(7, "c0ffee"),
        {"certificate_signing_request": "MII=", "actor": REF_SAYS, "actor_uid": "c0ffee"},
    ),
    "CreateTag": (
        "CreateTagRequest",
        "Tag",
        inner(1, inner(1, REF), number(3, 2), inner(4, REF)),
        {"tag": {"metadata": REF_SAYS, "scope": "TAG_SCOPE_PUBLISHED", "source_actor": REF_SAYS}},
    ),
    "GetTag": ("GetTagRequest", "Tag", inner(1, REF), {"tag": REF_SAYS}),
    "ListTags": ("ListTagsRequest", "ListTagsResponse", PAGE, PAGE_SAYS),
    "UpdateTag": (
        "UpdateTagRequest",
        "Tag",
        inner(
            1,
            inner(2, inner(1, text(1, "s3://a"), number(2, 2), text(3, "u")), text(2, "u"), text(3, "s3://")),
        ),
        {
            "tag": {
                "status": {
                    "snapshot": {
                        "snapshot_uri": "s3://a",
                        "content_scope": "SNAPSHOT_CONTENT_SCOPE_DATA",
                        "actor_template_uid": "u",
                    },
                    "actor_template_uid": "u",
                    "storage_location": "s3://",
                }
            }
        },
    ),
    "DeleteTag": (
        "DeleteTagRequest",
        "Tag",
        inner(1, REF) + inner(2, OPTIONS),
        {"tag": REF_SAYS, "options": OPTIONS_SAY},
    ),
    "ListWorkers": (
        "ListWorkersRequest",
        "ListWorkersResponse",
        number(1, 500) + text(2, "next"),
        {"page_size": 500, "page_token": "next"},
    ),
    "GetWorker": ("GetWorkerRequest", "Worker", inner(1, GLOBAL), {"worker": GLOBAL_SAYS}),
    "CreateWorker": (
        "CreateWorkerRequest",
        "Worker",
        inner(
            1,
            *(
                text(field, value)
                for field, value in enumerate(("n", "p", "q", "u", "o", "::1", "gvisor"), 2)
            ),
            entry(9, "a", "b"),
        ),
        {
            "worker": {
                "worker_namespace": "n",
                "worker_pool": "p",
                "worker_pod": "q",
                "worker_pod_uid": "u",
                "node_name": "o",
                "ips": ["::1"],
                "sandbox_class": "gvisor",
                "labels": {"a": "b"},
            }
        },
    ),
    "UpdateWorker": (
        "UpdateWorkerRequest",
        "Worker",
        inner(
            1,
            inner(
                11,
                number(1, 2),
                inner(2, number(2, 4)),
                inner(3, number(2, 1)),
                number(4, 3),
                inner(5, entry(1, "architecture", "arm64")),
            ),
            number(12, 3),
        ),
        {
            "worker": {
                "status": {
                    "state": "WORKER_STATE_DRAINING",
                    "capacity": {"actors": 4},
                    "allocated": {"actors": 1},
                    "observed_epoch": "3",
                    "hardware": {"attributes": {"architecture": "arm64"}},
                },
                "epoch": "3",
            }
        },
    ),
    "DeleteWorker": (
        "DeleteWorkerRequest",
        "Worker",
        inner(1, GLOBAL) + inner(2, OPTIONS),
        {"worker": GLOBAL_SAYS, "options": OPTIONS_SAY},
    ),
    "DrainWorker": ("DrainWorkerRequest", "Worker", inner(1, GLOBAL), {"worker": GLOBAL_SAYS}),
    "ListWorkerActorAssignments": (
        "ListWorkerActorAssignmentsRequest",
        "ListWorkerActorAssignmentsResponse",
        inner(1, GLOBAL) + number(2, 500) + text(3, "next"),
        {"worker": GLOBAL_SAYS, "page_size": 500, "page_token": "next"},
    ),
    "CreateAtespace": (
        "CreateAtespaceRequest",
        "Atespace",
        inner(1, inner(1, GLOBAL)),
        {"atespace": {"metadata": GLOBAL_SAYS}},
    ),
    "GetAtespace": ("GetAtespaceRequest", "Atespace", inner(1, GLOBAL), {"atespace": GLOBAL_SAYS}),
    "ListAtespaces": (
        "ListAtespacesRequest",
        "ListAtespacesResponse",
        number(1, 500) + text(2, "next"),
        {"page_size": 500, "page_token": "next"},
    ),
    "DeleteAtespace": (
        "DeleteAtespaceRequest",
        "Atespace",
        inner(1, GLOBAL) + inner(2, OPTIONS),
        {"atespace": GLOBAL_SAYS, "options": OPTIONS_SAY},
    ),
    "CreateActorTemplate": (
        "CreateActorTemplateRequest",
        "ActorTemplate",
        TEMPLATE,
        TEMPLATE_SAYS,
    ),
    "GetActorTemplate": (
        "GetActorTemplateRequest",
        "ActorTemplate",
        inner(1, REF),
        {"actor_template": REF_SAYS},
    ),
    "ListActorTemplates": ("ListActorTemplatesRequest", "ListActorTemplatesResponse", PAGE, PAGE_SAYS),
    "DeleteActorTemplate": (
        "DeleteActorTemplateRequest",
        "ActorTemplate",
        inner(1, REF) + inner(2, OPTIONS),
        {"actor_template": REF_SAYS, "options": OPTIONS_SAY},
    ),
    "GetGlobalAccessPolicy": ("GetGlobalAccessPolicyRequest", "AccessPolicy", b"", {}),
    "CreateGlobalAccessPolicy": (
        "CreateGlobalAccessPolicyRequest",
        "AccessPolicy",
        inner(1, POLICY),
        {"access_policy": POLICY_SAYS},
    ),
    "UpdateGlobalAccessPolicy": (
        "UpdateGlobalAccessPolicyRequest",
        "AccessPolicy",
        inner(1, POLICY),
        {"access_policy": POLICY_SAYS},
    ),
    "GetAtespaceAccessPolicy": (
        "GetAtespaceAccessPolicyRequest",
        "AccessPolicy",
        inner(1, GLOBAL),
        {"atespace": GLOBAL_SAYS},
    ),
    "CreateAtespaceAccessPolicy": (
        "CreateAtespaceAccessPolicyRequest",
        "AccessPolicy",
        inner(1, GLOBAL) + inner(2, POLICY),
        {"atespace": GLOBAL_SAYS, "access_policy": POLICY_SAYS},
    ),
    "UpdateAtespaceAccessPolicy": (
        "UpdateAtespaceAccessPolicyRequest",
        "AccessPolicy",
        inner(1, GLOBAL) + inner(2, POLICY),
        {"atespace": GLOBAL_SAYS, "access_policy": POLICY_SAYS},
    ),
    "DeleteAtespaceAccessPolicy": (
        "DeleteAtespaceAccessPolicyRequest",
        "AccessPolicy",
        inner(1, GLOBAL) + inner(2, OPTIONS),
        {"atespace": GLOBAL_SAYS, "options": OPTIONS_SAY},
    ),
}
