"""The facts of a root's RenderConfig; most are told again by the pairs that they reach."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kagent_render.review import topics
from kagent_render.review.fact import Fact, leaves, literal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kagent_render.source.config import RenderConfig


def config_facts(config: RenderConfig) -> Iterator[Fact]:
    """Every fact of a configuration."""
    yield Fact(topics.OUTPUT, "", "output", config.output)
    yield Fact(topics.LIMIT, "", "retention.revisions", str(config.retention.revisions))
    yield Fact(topics.PROTECTION, "", "retention.protect", "true" if config.retention.protect else "false")
    spec = config.document.value.get("spec")
    for field, value in leaves(spec if isinstance(spec, dict) else {}):
        if field == "target":  # one of a few names, which is no credential however it looks
            yield Fact(topics.CONFIGURATION, "", field, value)
        elif field != "output" and not field.startswith("retention."):
            yield literal(topics.CONFIGURATION, "", field, value)
