"""Target `ateapi/v0.4`: the ActorTemplate of Substrate's own API in protojson form (facts 10.2, 4.2, 4.1).

Its names are those of Substrate v0.4.0, which has neither `onPause` nor `onResume` and joins several trust
bundles in one file.
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, Any

from kagent_render.api.names import is_label_value
from kagent_render.api.user_information import has_user_information
from kagent_render.compile.environment import EnvVar
from kagent_render.revision.canonical_json import canonical
from kagent_render.revision.canonical_yaml import dump
from kagent_render.target import environment_limits
from kagent_render.target.actor_template import (
    ActorTemplate,
    BuiltManifest,
    actor_template_name,
    identity_hash,
)
from kagent_render.target.environment_limits import Limits
from kagent_render.target.generation import Setting

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kagent_render.api.hub import AgentTemplate, Harness
    from kagent_render.compile.policy import Policy
    from kagent_render.diagnostics.diagnostic import Diagnostic

TARGET = "ateapi/v0.4"
IS_RESOURCE = False
INJECTS_CREDENTIALS = True

PLACEHOLDER = "kagent-credential-injected"
"""What a container has where a credential belongs; the egress gateway puts the credential there."""

MAX_VALUE = 32_768
MAX_NAME = 256
"""Characters of a variable's value and of its name."""

_LONGEST = {Setting.SNAPSHOT_LOCATION: 1024, Setting.IMAGE: 512}

_TRUST_MOUNT = "/run/kagent/egress"
_TRUST_FILE = "trust-bundle.pem"
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

CONTAINER = "containers[0]"
SETTINGS: Mapping[Setting, str] = {
    Setting.IMAGE: f"{CONTAINER}.image",
    Setting.WORKER_POOL: "workerSelector.matchLabels",
    Setting.SNAPSHOT_LOCATION: "snapshotConfig.storageLocation",
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
                            "path": _TRUST_FILE,
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
        {"name": "egress-trust", "mountPath": _TRUST_MOUNT},
        {"name": "actor-identity", "mountPath": "/run/kagent/identity"},
    ],
    "snapshotConfig.onCommit": "SNAPSHOT_CONTENT_SCOPE_DATA",
}

_HEADING = "# binding path: "
_LOCATION = re.compile(r"[a-z][a-z0-9+.-]*://[!-.0-~][!-~]*")
_LIMITS = Limits(
    TARGET,
    lambda variable: len(variable.value) if isinstance(variable.value, str) else 0,
    MAX_VALUE,
    "characters",
    MAX_NAME,
)


def variables(policy: Policy) -> tuple[EnvVar, ...]:
    """The addresses by the names of newer runtimes, and what makes each client trust the egress gateway."""
    addresses = (policy.controller_url, policy.controller_url, "80")
    return (
        *(EnvVar(name, value) for name, value in zip(_API_VARIABLES, addresses, strict=True)),
        *(EnvVar(name, f"{_TRUST_MOUNT}/{_TRUST_FILE}") for name in _TRUST_VARIABLES),
    )


def build_manifest(actor: ActorTemplate, *, protect: bool) -> BuiltManifest:  # noqa: ARG001 - nothing prunes it
    """The resource; it has no labels, so that a comment says which Dedicated boundary it is."""
    spec = _spec(actor)
    form = canonical(spec)
    name = actor_template_name(actor, form).replace(".", "-")  # a resource is named as a label of DNS is
    value = _resource(name, actor.namespace, spec)
    _assert_readable(value)
    digest = f"sha256:{hashlib.sha256(form).hexdigest()}"
    return BuiltManifest(name, digest, value, _heading(actor.path))


def _assert_readable(value: dict[str, Any]) -> None:
    """That the manifest is the message that it stands for: what is wrong with it here is a fault of ours."""
    from kagent_render.target.template_reading import read_template

    read = read_template(value)
    faults = read if isinstance(read, list) else []
    if faults:
        raise AssertionError("; ".join(f"`{fault.path}`: {fault.message}" for fault in faults))


def _resource(name: str, namespace: str, spec: dict[str, Any]) -> dict[str, Any]:
    return {"metadata": {"atespace": namespace, "name": name}, **spec}


def _heading(path: str) -> str:
    return f"{_HEADING}{path}\n" if path else ""


def _spec(actor: ActorTemplate) -> dict[str, Any]:
    return {
        "workerSelector": {"matchLabels": {"kagent.dev/worker-pool": actor.worker_pool}},
        "containers": [
            {
                "name": FIXED[f"{CONTAINER}.name"],
                "image": actor.image,
                "env": [_env_entry(variable) for variable in actor.env],
                "wakeupProbe": FIXED[f"{CONTAINER}.wakeupProbe"],
                "volumeMounts": FIXED[f"{CONTAINER}.volumeMounts"],
            }
        ],
        "volumes": FIXED["volumes"],
        "snapshotConfig": {
            "onCommit": FIXED["snapshotConfig.onCommit"],
            "storageLocation": actor.snapshot_location,
        },
        "sandboxConfig": FIXED["sandboxConfig"],
    }


def _env_entry(variable: EnvVar) -> dict[str, str]:
    """A variable; protojson leaves out what is empty."""
    value = variable.value if isinstance(variable.value, str) else PLACEHOLDER
    return {"name": variable.name, **({"value": value} if value else {})}


def identity_fields(value: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Name and atespace."""
    for name in ("name", "atespace"):
        yield f"metadata.{name}", value["metadata"][name]


def is_intact(content: bytes, value: Any, name: str, namespace: str, harness: str, template: str) -> bool:
    """Whether a manifest is one that was built for a pair: its name is made of its content and its path."""
    try:
        path = _path_in(content.decode())
        spec = {field: part for field, part in value.items() if field != "metadata"}
        if not name.endswith(f"-{identity_hash(namespace, harness, template, path, canonical(spec))}"):
            return False
        return (_heading(path) + dump(_resource(name, namespace, spec))).encode() == content
    except (KeyError, TypeError, AttributeError, ValueError):
        return False


def _path_in(text: str) -> str:
    line = text.partition("\n")[0]
    return line.removeprefix(_HEADING) if line.startswith(_HEADING) else ""


def otherwise_protected(value: dict[str, Any]) -> None:
    """Nothing: a manifest says nothing of pruning."""


def check_names(template: AgentTemplate, harness: Harness) -> Iterator[Diagnostic]:  # noqa: ARG001 - no labels
    """Nothing: no label of a manifest carries a name."""
    return iter(())


def check_environment(env: tuple[EnvVar, ...], documents: tuple[EnvVar, ...]) -> Iterator[Diagnostic]:
    """What does not fit the generation, at the field that brought it; `documents` are the last of `env`."""
    return environment_limits.check_environment(_LIMITS, env, documents)


def setting_problem(setting: Setting, text: str) -> str | None:
    """Why a manifest cannot hold what somebody chose; None where it can."""
    what, longest = f"the {setting}", _LONGEST.get(setting)
    if longest is not None and len(text) > longest:
        return f"{what} has {len(text)} characters, and `{TARGET}` allows {longest}"
    if setting is Setting.SNAPSHOT_LOCATION and not _is_location(text):
        return f"`{TARGET}` takes {what} as a URI without user information, such as `gs://bucket/agents`"
    if setting is Setting.WORKER_POOL and not is_label_value(text):
        return f"`{TARGET}` looks for {what} by a label, which cannot have this value"
    return None


def _is_location(text: str) -> bool:
    return _LOCATION.fullmatch(text) is not None and not has_user_information(text)
