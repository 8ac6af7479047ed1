"""Which manifests a ConfigMap has to carry, and whether those of a pair fit into one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kagent_render.diagnostics.reasons import Reason
from kagent_render.emit.config_map import MAX_DATA, carried_size
from kagent_render.target.generations import generation_of, target_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kagent_render.diagnostics.diagnostic import Diagnostic
    from kagent_render.emit.plan import PairOutput
    from kagent_render.source.document import Document

_HINT: Final = "shorten the prompts, or let a pair of its own run a part of the tree"


def is_carried(target: str | None) -> bool:
    """Whether the manifests of a target are no Kubernetes objects, so that no GitOps tool can apply them."""
    return not generation_of(target or "").IS_RESOURCE


def carried_size_problem(output: PairOutput, root_template: Document) -> Iterator[Diagnostic]:
    """The fault of a carried pair whose lock and current manifests no ConfigMap can hold, at its template.

    Retained manifests are none of it: those that do not fit are not carried.
    """
    size = carried_size(output.lock, output.manifests)
    if output.carried and size > MAX_DATA:
        yield root_template.fault(
            Reason.REVISION_TOO_LARGE,
            ("metadata", "name"),
            f"lock and manifests of the revision take {size:,} bytes, and a ConfigMap holds {MAX_DATA:,}",
            hint=_HINT,
        ).of(output.pair)


def foreign_names(retained: Mapping[str, bytes], target: str | None) -> frozenset[str]:
    """The retained manifests of another generation, which no cluster of the target could take."""
    own = generation_of(target or "").TARGET
    return frozenset(name for name, content in retained.items() if target_of(content) != own)
