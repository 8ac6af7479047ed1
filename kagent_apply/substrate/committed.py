"""What was committed of a member, as messages of Substrate's newest generation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NoReturn

from kagent_apply.substrate.port import ComputeRefusedError
from kagent_render.source.failure import YAMLInvalidError
from kagent_render.source.yaml import read_yaml
from kagent_render.target.messages import ateapi_pb2
from kagent_render.target.releases import ALPHA, RELEASED
from kagent_render.target.template_reading import read_rules, read_template

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from kagent_apply.instances.prepared import PreparedMember, PreparedRevision

RELEASES: Final = {"ateapi/v0.4": RELEASED, "ateapi/v0.4.0-alpha1": ALPHA}
"""Targets whose revisions the newest generation takes, and the release that names their fields."""

_AGAIN: Final = "render the agent again, and commit it"


def committed_template(revision: PreparedRevision, member: PreparedMember) -> ateapi_pb2.ActorTemplate:
    """The ActorTemplate of a member, without anything that is the server's; raises ComputeRefusedError."""
    release = RELEASES.get(revision.target)
    if release is None:
        raise ComputeRefusedError(
            f"a revision for `{revision.target}` cannot run on Substrate v0.4.0",
            "render it for `ateapi/v0.4`, or give the address of a Substrate of its generation",
        )
    template = read_template(committed_document(member), release)
    if isinstance(template, list):
        _refuse(member, f"`{template[0].path}`: {template[0].message}" if template else "it is none")
    place = (template.metadata.atespace, template.metadata.name)
    if place != (revision.agent.namespace, member.actor_template):
        _refuse(member, "it has another name or atespace")
    template.metadata.CopyFrom(ateapi_pb2.ResourceMetadata(atespace=place[0], name=place[1]))
    template.ClearField("status")
    return template


def committed_rules(
    rules: Sequence[Mapping[str, Any]], member: PreparedMember
) -> ateapi_pb2.EgressPolicyTemplate:
    """The rules of a member's egress policy; raises ComputeRefusedError."""
    read = read_rules(rules)
    if isinstance(read, list):
        fault = read[0]
        told = (
            f"the egress rules for `{member.actor_template}` cannot be used: `{fault.path}`: {fault.message}"
        )
        raise ComputeRefusedError(told, _AGAIN)
    return read


def committed_document(member: PreparedMember) -> Mapping[str, Any]:
    """A member's manifest as plain data, of whatever target; raises ComputeRefusedError."""
    try:
        documents = read_yaml(member.manifest)
    except YAMLInvalidError:
        _refuse(member, "it is no YAML")
    if len(documents) != 1 or not isinstance(documents[0].value, dict):
        _refuse(member, "it is not one document with fields")
    value: Mapping[str, Any] = documents[0].value
    return value


def _refuse(member: PreparedMember, why: str) -> NoReturn:
    raise ComputeRefusedError(
        f"the committed ActorTemplate `{member.actor_template}` cannot be used: {why}", _AGAIN
    )
