"""Target `ateapi/v0.4.0-alpha1`: the pre-release that kagent pins (facts 4.2).

It says when snapshots hold what, and from where an actor resumes; it takes one trust bundle, so that a folder
of certificates has to stand in for the image's own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kagent_render.compile.environment import EnvVar
from kagent_render.target import ateapi_resource, ateapi_v0_4, environment_limits
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
from kagent_render.target.ateapi_v0_4 import RESERVED, TRUST_FILE, TRUST_MOUNT
from kagent_render.target.releases import ALPHA

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

TARGET = "ateapi/v0.4.0-alpha1"

_BUNDLE = {"trustBundle": {"path": TRUST_FILE, "name": "egress-mitm.ate.dev"}}
FIXED: Mapping[str, Any] = {
    **ateapi_v0_4.FIXED,
    "volumes": [
        {**volume, "systemInfo": {"dataSources": [_BUNDLE]}} if volume["name"] == "egress-trust" else volume
        for volume in ateapi_v0_4.FIXED["volumes"]
    ],
    "snapshotConfig.onPause": "SNAPSHOT_CONTENT_SCOPE_FULL",
    "snapshotConfig.onResume": {"fromData": "RESUME_SOURCE_GOLDEN"},
}


def variables(policy: Policy) -> tuple[EnvVar, ...]:
    """Those of v0.4.0, and the folder of certificates."""
    return (*ateapi_v0_4.variables(policy), EnvVar("SSL_CERT_DIR", TRUST_MOUNT))


def build_manifest(actor: ActorTemplate, *, protect: bool) -> BuiltManifest:  # noqa: ARG001 - nothing prunes it
    """The resource in the names of v0.4.0-alpha1."""
    return ateapi_resource.build_resource(actor, FIXED, ALPHA)


def check_environment(env: tuple[EnvVar, ...], documents: tuple[EnvVar, ...]) -> Iterator[Diagnostic]:
    """What does not fit the generation, at the field that brought it; `documents` are the last of `env`."""
    return environment_limits.check_environment(ateapi_resource.limits_of(TARGET), env, documents)


def setting_problem(setting: Setting, text: str) -> str | None:
    """Why a manifest cannot hold what somebody chose; None where it can."""
    return ateapi_resource.setting_problem(TARGET, setting, text)
