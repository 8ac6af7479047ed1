"""What an API server with upstream's CRDs refuses we refuse, what it stores we store."""

from __future__ import annotations

import copy
import json
import random
import re
from typing import TYPE_CHECKING, Any, Final

import pytest
import yaml

from kagent_render.api.addresses import NoUserInformation, NoUserInReference
from kagent_render.api.artifact_source import BUCKET_NAME, REGION_NAME
from kagent_render.diagnostics.reasons import Reason
from tests.api.generation import mutate, valid_value
from tests.api.manifests import decode_value, manifest
from tests.oracle_crd import CrdOracle
from tests.parts import oracle_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kagent_render.diagnostics.diagnostic import Diagnostic

pytestmark = pytest.mark.oracle

CASES: Final = 600
KINDS: Final = {
    "Harness v1alpha3": ("kagent.dev_harnesses.yaml", "v1alpha3", "Harness"),
    "AgentTemplate v1alpha3": ("kagent.dev_agenttemplates.yaml", "v1alpha3", "AgentTemplate"),
    "ModelConfig v1alpha2": ("kagent.dev_modelconfigs.yaml", "v1alpha2", "ModelConfig"),
    "ModelConfig v1alpha3": ("kagent.dev_modelconfigs.yaml", "v1alpha3", "ModelConfig"),
    "RemoteMCPServer v1alpha2": ("kagent.dev_remotemcpservers.yaml", "v1alpha2", "RemoteMCPServer"),
    "RemoteMCPServer v1alpha3": ("kagent.dev_remotemcpservers.yaml", "v1alpha3", "RemoteMCPServer"),
    "AgentPlugin v1alpha1": ("kubeagents.x-k8s.io_agentplugins.yaml", "v1alpha1", "AgentPlugin"),
}

STRICTER: Final[dict[str, Callable[[Diagnostic], bool]]] = {
    "user information in an address": lambda fault: (
        fault.message in (NoUserInformation.message, NoUserInReference.message)
    ),
    "the null version of an S3 object": lambda fault: (
        fault.reason is Reason.SOURCE_NOT_IMMUTABLE and str(fault.field).endswith(".versionId")
    ),
    "a bucket or region whose host the output could not name": lambda fault: (
        fault.message in (BUCKET_NAME, REGION_NAME)
    ),
    "a selector that the controller cannot evaluate": lambda fault: str(fault.field).startswith(
        "spec.allowedAgentTemplates.selector"
    ),
    "a duration that the API's own type cannot hold": lambda fault: (
        fault.field in ("spec.timeout", "spec.sseReadTimeout")
    ),
    "a variable whose source a pod cannot have": lambda fault: (
        re.fullmatch(r"spec\.env\[\d+\]\.valueFrom", str(fault.field)) is not None
    ),
    "a variable whose name a pod cannot have": lambda fault: "printable ASCII" in fault.message,
    "an integer that cannot be hashed": lambda fault: (
        "beyond 2^53" in fault.message or "9007199254740991" in fault.message
    ),
}
"""Where we refuse on purpose what the schema alone would let pass."""


@pytest.fixture(scope="module")
def oracle() -> Iterator[CrdOracle]:
    with CrdOracle() as running:
        yield running


def spec_schema(crd: str, version: str) -> dict[str, Any]:
    text = oracle_file(crd).read_text()
    versions = yaml.load(text, yaml.CSafeLoader)["spec"]["versions"]
    schema = next(item["schema"]["openAPIV3Schema"] for item in versions if item["name"] == version)
    return {**schema["properties"]["spec"]}


def hub_spec(inventory: Any) -> Any:
    tables = (
        *(inventory.harnesses, inventory.templates, inventory.model_configs, inventory.mcp_servers),
        inventory.agent_plugins,
    )
    return next((value.spec for table in tables for value in table.values()), None)


@pytest.mark.parametrize(("crd", "version", "kind"), KINDS.values(), ids=KINDS)
def test_decoding_agrees_with_the_api_server(oracle: CrdOracle, crd: str, version: str, kind: str) -> None:
    schema = spec_schema(crd, version)
    dice = random.Random(f"{kind} {version}")
    stored = refused = 0
    for number in range(CASES):
        spec = valid_value(schema, dice)
        for _ in range(number % 3):
            if spec:
                mutate(spec, schema, dice)
        subject = manifest(version, kind, spec)
        inventory, told = decode_value(copy.deepcopy(subject))
        errors = [fault for fault in told if fault.is_error]
        verdict = oracle.validate(crd, version, subject)
        context = f"{json.dumps(subject)}\n{verdict}\n{errors}"
        if verdict.refused:
            assert errors, context
            refused += 1
        elif errors:
            assert all(any(known(fault) for known in STRICTER.values()) for fault in errors), context
        else:
            assert hub_spec(inventory) == verdict.defaulted["spec"], context
            stored += 1
    assert stored > CASES // 8, "too few of the generated objects are valid"
    assert refused > CASES // 8, "too few of the generated objects are invalid"
