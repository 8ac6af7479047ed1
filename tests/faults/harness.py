"""Faults in a Harness: the proposal's section of that name, both dialects, and what DESIGN 5 and 9 add."""

from __future__ import annotations

from typing import Any

from tests.faults.repository import ALONE, CONFIG, EXTRA, HARNESS, UPSTREAM, Edit, Fault

_NAME = "Harness/python-runtime"
_VARIANT = "  python: {}\n"
_IMAGE = (
    "    image: registry.example.com/agent-runtime@sha256:"
    "0000000000000000000000000000000000000000000000000000000000000000\n"
)
_ADMISSION = "    selector:\n      matchLabels:\n        example.com/runtime: python\n"


def _fault(field: str, at: str, old: str, new: str, reason: str = "InvalidSpec", **more: Any) -> Fault:
    return Fault(reason, _NAME, field, at, (Edit(HARNESS, old, new),), **more)


def _env(field: str, at: str, entries: str, reason: str = "InvalidSpec", **more: Any) -> Fault:
    return _fault(field, at, _VARIANT, f"{_VARIANT}  env:\n{entries}", reason, **more)


VARIANTS = {
    "no variant": _fault("spec", "spec:", _VARIANT, "", hint="set `python`, `claude` or `codex`"),
    "two variants": _fault("spec", "spec:", _VARIANT, f"{_VARIANT}  claude: {{}}\n", hint="keep one of"),
    "a misspelt variant": _fault("spec", "spec:", "python: {}", "pyhton: {}", hint="instead of `pyhton`"),
    "the variant of the other dialect": _fault("spec", "spec:", "python: {}", "kagent: {}"),
    "a variant that is no object": _fault("spec.python", "python: on", "python: {}", "python: on"),
    "a variant with settings": _fault(
        "spec.python.debug", "debug: true", "python: {}", "python: {debug: true}", "UnknownField"
    ),
    "capabilities claimed by the author": _fault(
        "spec.capabilities", "capabilities:", _VARIANT, f"{_VARIANT}  capabilities: {{streaming: true}}\n",
        "UnknownField", hint="remove the field",
    ),
    "native profiles of several hosts": _fault(
        "spec.profiles", "profiles:", _VARIANT, f"{_VARIANT}  profiles: []\n", "UnknownField"
    ),
}  # fmt: skip

WORKLOAD = {
    "an image by tag": _fault(
        "spec.workload.image", "image:", _IMAGE, "    image: registry.example.com/agent-runtime:1.0\n",
        hint="pin by digest",
    ),
    "an image with a cut digest": _fault("spec.workload.image", "image:", "0" * 64, "0" * 63),
    "an image with an upper-case digest": _fault("spec.workload.image", "image:", "0" * 64, "A" * 64),
    "no image anywhere": _fault(
        "spec.workload.image", "spec:", f"  workload:\n{_IMAGE}", "", hint="`spec.images.python`"
    ),
    "an image pull policy, which no target has": _fault(
        "spec.workload.imagePullPolicy", "imagePullPolicy:", _IMAGE, f"{_IMAGE}    imagePullPolicy: Always\n",
        "UnknownField",
    ),
    "no worker pool anywhere": Fault(
        "InvalidSpec", _NAME, "spec.substrate.workerPoolRef.name", "spec:",
        (Edit(CONFIG, "    workerPool: shared-pool\n", ""),), file=HARNESS,
        hint="`spec.substrate.workerPool` in `kagent-render.yaml`",
    ),
    "no snapshot location anywhere": Fault(
        "InvalidSpec", _NAME, "spec.substrate.snapshotPolicy.location", "spec:",
        (Edit(CONFIG, "    snapshotLocation: s3://agent-snapshots/agent-team\n", ""),), file=HARNESS,
    ),
    "a worker pool without a name": _fault(
        "spec.substrate.workerPoolRef.name", "workerPoolRef:", _VARIANT,
        f"{_VARIANT}  substrate:\n    workerPoolRef: {{}}\n    snapshotPolicy: {{location: s3://a/b}}\n",
    ),
    "a snapshot location with a space": _fault(
        "spec.substrate.snapshotPolicy.location", "location:", _VARIANT,
        f"{_VARIANT}  substrate:\n    workerPoolRef: {{name: pool}}\n"
        "    snapshotPolicy: {location: s3://a/b c}\n",
    ),
    "a snapshot location with a password": _fault(
        "spec.substrate.snapshotPolicy.location", "location:", _VARIANT,
        f"{_VARIANT}  substrate:\n    workerPoolRef: {{name: pool}}\n"
        "    snapshotPolicy: {location: 'https://user:hunter2@store/b'}\n",
    ),
    "a worker pool of another namespace": _fault(
        "spec.substrate.workerPoolRef.namespace", "namespace: other", _VARIANT,
        f"{_VARIANT}  substrate:\n    workerPoolRef: {{name: pool, namespace: other}}\n"
        "    snapshotPolicy: {location: s3://a/b}\n",
        "CrossNamespaceReference", hint="remove `namespace`",
    ),
}  # fmt: skip

ENVIRONMENT = {
    "a variable with neither literal nor reference": _env("spec.env[0]", "name: MODE", "  - name: MODE\n"),
    "a variable with both literal and reference": _env(
        "spec.env[0]", "name: MODE",
        "  - name: MODE\n    value: fast\n    credentialRef: {name: settings, key: mode}\n",
    ),
    "a variable twice": _env(
        "spec.env[1].name", "name: MODE\n    value: slow",
        "  - name: MODE\n    value: fast\n  - name: MODE\n    value: slow\n",
    ),
    "a number as a literal": _env(
        "spec.env[0].value", "value: 3", "  - name: RETRIES\n    value: 3\n", hint="in quotes"
    ),
    "a variable without a name": _env("spec.env[0].name", "value: fast", "  - value: fast\n"),
    "a credential reference without a key": _env(
        "spec.env[0].credentialRef.key", "credentialRef:",
        "  - name: MODE\n    credentialRef: {name: settings}\n",
    ),
    "a credential of another namespace": _env(
        "spec.env[0].credentialRef.namespace", "namespace: other",
        "  - name: MODE\n    credentialRef: {name: settings, key: mode, namespace: other}\n",
        "CrossNamespaceReference",
    ),
    "a credential by the field of a Pod": _env(
        "spec.env[0]", "name: MODE",
        "  - name: MODE\n    valueFrom: {secretKeyRef: {name: settings, key: mode}}\n",
        hint="instead of `valueFrom`",
    ),
    "a variable that every runtime sets": _env(
        "spec.env[0].name", "name: PORT", "  - name: PORT\n    value: '8080'\n", "ReservedEnvName"
    ),
    "the variable that holds the configuration": _env(
        "spec.env[0].name", "name: KAGENT_CONFIG_JSON",
        "  - name: KAGENT_CONFIG_JSON\n    value: '{}'\n", "ReservedEnvName",
    ),
    "the variable that names the tools server": _env(
        "spec.env[0].name", "name: KAGENT_TOOLS_URL",
        "  - name: KAGENT_TOOLS_URL\n    value: 'http://elsewhere'\n", "ReservedEnvName",
    ),
    "a variable with `=` in its name": _env(
        "spec.env[0].name", "name: A=B", "  - name: A=B\n    value: x\n", "NameInvalid"
    ),
    "one variable too many": _env(
        "spec.env[22].name", "name: V22",
        "".join(f"  - name: V{number}\n    value: x\n" for number in range(23)),
        "EnvLimitExceeded", base=ALONE, says="33",
    ),
    "a value that is one byte too long": _env(
        "spec.env[0].value", "value: x", f"  - name: LONG\n    value: {'x' * 131_067}\n",
        "EnvValueTooLong", base=ALONE, says="131072",
    ),
    "a value that is too long in bytes alone": _env(
        "spec.env[0].value", "value: é", f"  - name: LONG\n    value: {'é' * 65_534}\n",
        "EnvValueTooLong", base=ALONE,
    ),
    "a literal that is a credential, under --strict": _env(
        "spec.env[0].value", "value: ghp_",
        "  - name: GITHUB_TOKEN\n    value: ghp_x7Kq2LmZ9pRt4VwY1bNc8DfG3hJs6A0eU5iO\n",
        "CredentialLiteral", base=ALONE, args=("--strict",),
    ),
}  # fmt: skip

ADMISSION = {
    "admission without a selector": _fault(
        "spec.allowedAgentTemplates.selector", "allowedAgentTemplates:",
        f"  allowedAgentTemplates:\n{_ADMISSION}", "  allowedAgentTemplates: {}\n",
    ),
    "an unknown operator": _fault(
        "spec.allowedAgentTemplates.selector.matchExpressions[0].operator", "operator: Equals", _ADMISSION,
        "    selector:\n      matchExpressions:\n      - {key: a, operator: Equals, values: [b]}\n",
    ),
    "an operator without its values": _fault(
        "spec.allowedAgentTemplates.selector.matchExpressions[0].values", "{key: a", _ADMISSION,
        "    selector:\n      matchExpressions:\n      - {key: a, operator: In}\n",
    ),
    "an operator with values that it does not take": _fault(
        "spec.allowedAgentTemplates.selector.matchExpressions[0].values", "values: [b]", _ADMISSION,
        "    selector:\n      matchExpressions:\n      - {key: a, operator: Exists, values: [b]}\n",
    ),
    "a label value that no label can have": _fault(
        "spec.allowedAgentTemplates.selector.matchLabels[example.com/runtime]", "example.com/runtime:",
        "example.com/runtime: python", "example.com/runtime: 'any python'",
    ),
    "a label value that is a number": _fault(
        "spec.allowedAgentTemplates.selector.matchLabels[example.com/runtime]", "example.com/runtime:",
        "example.com/runtime: python", "example.com/runtime: 3", hint="in quotes",
    ),
    "templates admitted from other namespaces": _fault(
        "spec.allowedAgentTemplates.namespaces", "namespaces:", "  allowedAgentTemplates:\n",
        "  allowedAgentTemplates:\n    namespaces: {from: All}\n", "UnknownField",
    ),
    "no admission": Fault(
        "NotAdmitted", "AgentTemplate/incident-researcher", "metadata.labels", "labels:",
        (Edit(HARNESS, f"  allowedAgentTemplates:\n{_ADMISSION}", ""),), ALONE, file=EXTRA,
        hint="`spec.allowedAgentTemplates.selector`",
    ),
}  # fmt: skip

IN_V1ALPHA3 = {
    "v1alpha3: the variant of the other dialect": _fault(
        "spec", "spec:", "kagent: {}", "python: {}", base=UPSTREAM, hint="set `kagent`, `codex` or `claude`"
    ),
    "v1alpha3: no workload": _fault(
        "spec.workload", "spec:", f"  workload:\n{_IMAGE}", "", base=UPSTREAM
    ),
    "v1alpha3: no image": _fault(
        "spec.workload.image", "workload:", f"  workload:\n{_IMAGE}", "  workload: {}\n", base=UPSTREAM
    ),
    "v1alpha3: no substrate": _fault(
        "spec.substrate", "spec:",
        "  substrate:\n    workerPoolRef:\n      name: pool\n    snapshotPolicy:\n"
        "      location: s3://snapshots/team\n",
        "", base=UPSTREAM,
    ),
    "v1alpha3: no snapshot policy": _fault(
        "spec.substrate.snapshotPolicy", "substrate:",
        "    snapshotPolicy:\n      location: s3://snapshots/team\n", "", base=UPSTREAM,
    ),
}  # fmt: skip

CASES = VARIANTS | WORKLOAD | ENVIRONMENT | ADMISSION | IN_V1ALPHA3
