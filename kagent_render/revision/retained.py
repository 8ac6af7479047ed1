"""An earlier revision as a lock retains it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RetainedRevision:
    """An earlier revision whose ActorTemplates stay for instances that are pinned to it, newest first."""

    revision: str
    actor_templates: tuple[str, ...]
