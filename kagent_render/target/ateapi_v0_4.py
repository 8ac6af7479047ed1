"""Target `ateapi/v0.4`: Substrate's own API as v0.4.0 has it (facts 10.2, 4.2, 4.1).

It has neither `onPause` nor `onResume`, and joins several trust bundles in one file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kagent_render.compile.environment import EnvVar
from kagent_render.target import ateapi_resource, environment_limits
from kagent_render.target.ateapi_resource import (
    CONTAINER,
    INJECTS_CREDENTIALS,
    IS_RESOURCE,
    SETTINGS,
    check_names,
    identity_fields,
    is_intact,
    otherwise_protected,
)
from kagent_render.target.releases import RELEASED

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kagent_render.compile.policy import Policy
    from kagent_render.diagnostics.diagnostic import Diagnostic
    from kagent_render.target.actor_template import ActorTemplate, BuiltManifest
    from kagent_render.target.generation import Setting

__all__ = [
    "CONTAINER",
    "FIXED",
    "INJECTS_CREDENTIALS",
    "IS_RESOURCE",
    "RESERVED",
    "SETTINGS",
    "TARGET",
    "build_manifest",
    "check_environment",
    "check_names",
    "identity_fields",
    "is_intact",
    "otherwise_protected",
    "setting_problem",
    "variables",
]

TARGET = "ateapi/v0.4"

TRUST_MOUNT = "/run/kagent/egress"
"""The folder with the certificates that a runtime trusts."""

TRUST_FILE = "trust-bundle.pem"
_TRUST_VARIABLES = (
    "SSL_CERT_FILE",
    "REQUESTS_CA_BUNDLE",
    "AWS_CA_BUNDLE",
    "NODE_EXTRA_CA_CERTS",
    "CURL_CA_BUNDLE",
    "GIT_SSL_CAINFO",
)
_API_VARIABLES = ("KAGENT_API_URL", "KAGENT_GATEWAY_URL", "KAGENT_PORT")
_TRUSTED = "decides which certificates the runtime trusts, which have to be those of the egress gateway"

RESERVED: Mapping[str, str] = {
    **dict.fromkeys(_API_VARIABLES, "is set for every runtime and cannot be set by a Harness"),
    # Substrate #2044: it would replace the image's own certificates, so that it is not set either.
    **dict.fromkeys((*_TRUST_VARIABLES, "SSL_CERT_DIR"), _TRUSTED),
}

FIXED: Mapping[str, Any] = {
    "sandboxConfig": {"sandboxClass": "SANDBOX_CLASS_GVISOR", "configName": "gvisor-default"},
    "volumes": [
        {"name": "data", "durableDir": {}},
        {
            "name": "egress-trust",
            "systemInfo": {
                "dataSources": [
                    {
                        "trustBundle": {
                            "path": TRUST_FILE,
                            "names": ["egress-mitm.ate.dev", "system-roots.ate.dev"],
                        }
                    }
                ]
            },
        },
        {
            "name": "actor-identity",
            "systemInfo": {
                "dataSources": [
                    {
                        "actorMetadata": {
                            "items": [
                                {"field": f"ACTOR_METADATA_FIELD_{field.upper()}", "path": field}
                                for field in ("name", "atespace", "uid")
                            ]
                        }
                    }
                ]
            },
        },
    ],
    f"{CONTAINER}.name": "kagent",
    f"{CONTAINER}.wakeupProbe": {"httpGet": {"path": "/readyz", "port": 8081}, "timeoutSeconds": 30},
    f"{CONTAINER}.volumeMounts": [
        {"name": "data", "mountPath": "/data"},
        {"name": "egress-trust", "mountPath": TRUST_MOUNT},
        {"name": "actor-identity", "mountPath": "/run/kagent/identity"},
    ],
    "snapshotConfig.onCommit": "SNAPSHOT_CONTENT_SCOPE_DATA",
}


def variables(policy: Policy) -> tuple[EnvVar, ...]:
    """The addresses by the names of newer runtimes, and what makes each client trust the egress gateway."""
    addresses = (policy.controller_url, policy.controller_url, "80")
    return (
        *(EnvVar(name, value) for name, value in zip(_API_VARIABLES, addresses, strict=True)),
        *(EnvVar(name, f"{TRUST_MOUNT}/{TRUST_FILE}") for name in _TRUST_VARIABLES),
    )


def build_manifest(actor: ActorTemplate, *, protect: bool) -> BuiltManifest:  # noqa: ARG001 - nothing prunes it
    """The resource in the names of v0.4.0."""
    return ateapi_resource.build_resource(actor, FIXED, RELEASED)


def check_environment(env: tuple[EnvVar, ...], documents: tuple[EnvVar, ...]) -> Iterator[Diagnostic]:
    """What does not fit the generation, at the field that brought it; `documents` are the last of `env`."""
    return environment_limits.check_environment(ateapi_resource.limits_of(TARGET), env, documents)


def setting_problem(setting: Setting, text: str) -> str | None:
    """Why a manifest cannot hold what somebody chose; None where it can."""
    return ateapi_resource.setting_problem(TARGET, setting, text)
