"""Which adapter serves which runtime variant; each is loaded when a Harness asks for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kagent_render.api.hub import Variant

if TYPE_CHECKING:
    from kagent_render.compile.adapters.adapter import Adapter


def adapter_of(variant: Variant) -> Adapter:
    """The adapter of a variant; `python` and `kagent` read the same configuration (DESIGN 9)."""
    match variant:
        case Variant.PYTHON | Variant.KAGENT:
            from kagent_render.compile.adapters.python import configuration as python

            return python
        case Variant.CLAUDE:
            from kagent_render.compile.adapters.claude import configuration as claude

            return claude
        case Variant.CODEX:
            from kagent_render.compile.adapters.codex import configuration as codex

            return codex
