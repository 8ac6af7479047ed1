"""What an API server refuses and what reads the object takes for absent: told, and the object decoded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kagent_render.api.examination import SPEC
from kagent_render.api.findings import Finding
from kagent_render.api.shape import shape_of
from kagent_render.diagnostics.reasons import Reason

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kagent_render.api.schema import Block


def without_empty(model: type[Block], spec: Mapping[str, Any]) -> tuple[Mapping[str, Any], list[Finding]]:
    """The `spec` without the empty strings that count as absent, and what is to be told of each."""
    found = [
        Finding((*SPEC, key), Reason.INVALID_SPEC, node.empty.message, node.empty.hint)
        for key, node in shape_of(model).fields.items()
        if node.empty is not None and spec.get(key) == ""
    ]
    told = {finding.field[-1] for finding in found}
    return ({key: value for key, value in spec.items() if key not in told} if told else spec), found
