"""A committed resource of `ateapi`, read: protojson as a YAML document, in the names of one release.

Loading this loads protobuf.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from google.protobuf import json_format

from kagent_render.target.messages import ateapi_pb2
from kagent_render.target.protojson import shape_faults
from kagent_render.target.releases import RELEASED
from kagent_render.target.template_fault import TemplateFault
from kagent_render.target.template_limits import limit_faults

if TYPE_CHECKING:
    from collections.abc import Sequence

    from google.protobuf.descriptor import Descriptor
    from google.protobuf.message import Message

    from kagent_render.target.releases import Release


_Read = TypeVar("_Read", bound="Message")


def read_template(
    value: Mapping[str, Any], release: Release = RELEASED
) -> ateapi_pb2.ActorTemplate | list[TemplateFault]:
    """The ActorTemplate, or everything that keeps the document from being one."""
    if isinstance(value, Mapping) and "spec" in value:
        return [_kubernetes_object(value)]
    return _read(value, ateapi_pb2.ActorTemplate(), release)


def read_rules(value: Sequence[Any]) -> ateapi_pb2.EgressPolicyTemplate | list[TemplateFault]:
    """The rules of an EgressPolicy, or everything that keeps the list from being some.

    The paths of faults begin at the list: `[0].https.hostnames[1]`.
    """
    read = _read({"rules": value}, ateapi_pb2.EgressPolicyTemplate(), RELEASED)
    if isinstance(read, list):
        return [dataclasses.replace(fault, field=fault.field[1:]) for fault in read]
    return read


def _read(value: Mapping[str, Any], message: _Read, release: Release) -> _Read | list[TemplateFault]:
    if faults := list(shape_faults(value, cast("Descriptor", message.DESCRIPTOR), release)):
        return faults
    json_format.ParseDict(_plain(value), message)
    return list(limit_faults(message, release)) or message


def _kubernetes_object(value: Mapping[str, Any]) -> TemplateFault:
    """Of the custom resources that ActorTemplates were, June's has a pause image, and must have one."""
    kind, spec = "a Kubernetes object", value["spec"]
    if str(value.get("apiVersion")).startswith("ate.dev/") and isinstance(spec, Mapping):
        kind = f"the custom resource of {'June' if 'pauseImage' in spec else 'August'} 2026"
    return TemplateFault(
        ("spec",),
        f"this is {kind}, not a resource of `ateapi`",
        "render for the target `ateapi/v0.4`, whose files have neither `apiVersion`, `kind` nor `spec`",
    )


def _plain(value: Any) -> Any:
    """The same in the dictionaries and lists that protobuf's reader asks for."""
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    return [_plain(inner) for inner in value] if isinstance(value, list | tuple) else value
