"""Which adapter serves which runtime variant; each is loaded when a Harness asks for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kagent_render.api.hub import Variant
from kagent_render.diagnostics.reasons import Reason

if TYPE_CHECKING:
    from kagent_render.api.hub import Harness
    from kagent_render.compile.adapters.adapter import Adapter
    from kagent_render.diagnostics.diagnostic import Diagnostic

SERVED = frozenset({Variant.PYTHON, Variant.KAGENT, Variant.CLAUDE, Variant.CODEX})
"""The variants that have an adapter."""


def adapter_of(variant: Variant) -> Adapter:
    """The adapter of a variant; `python` and `kagent` read the same configuration (DESIGN 9)."""
    from kagent_render.compile.adapters import python

    match variant:
        case Variant.PYTHON | Variant.KAGENT:
            return python
        case Variant.CLAUDE:
            from kagent_render.compile.adapters import claude

            return claude
        case Variant.CODEX:
            from kagent_render.compile.adapters import codex

            return codex
        case _:
            raise LookupError(f"no adapter for {variant}")


def check_variant(harness: Harness) -> list[Diagnostic]:
    """The fault of a Harness whose variant has no adapter yet."""
    if harness.variant in SERVED:
        return []
    return [
        harness.document.fault(
            Reason.CAPABILITY_UNSUPPORTED,
            ("spec", harness.variant.value),
            f"this release has no adapter for the runtime variant `{harness.variant.value}`",
            hint="attach the template to a `python` or `kagent` Harness",
        )
    ]
