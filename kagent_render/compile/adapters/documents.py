"""A boundary's JSON documents as variables of its container."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kagent_render.compile.adapters.adapter import CARD_VARIABLE
from kagent_render.compile.environment import EnvVar
from kagent_render.compile.longest_text import description_of, longest_text, prompt_of
from kagent_render.revision.canonical_json import compact

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kagent_render.compile.bundle import Bundle


_ALWAYS_FITS = 32_000
"""Characters of a document that no target refuses, so that nobody asks what takes most of it."""


def document_variables(bundle: Bundle, documents: Mapping[str, Mapping[str, Any]]) -> tuple[EnvVar, ...]:
    """The documents by the names of their variables, each from the field that takes most of it."""
    texts = {name: compact(value) for name, value in documents.items()}
    fits = all(len(text) <= _ALWAYS_FITS for text in texts.values())
    longest = prompt_of(bundle.agent) if fits else longest_text(bundle)
    origins = {CARD_VARIABLE: description_of(bundle.agent)}
    return tuple(EnvVar(name, text, origins.get(name, longest)) for name, text in texts.items())
