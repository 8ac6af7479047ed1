"""Which row of the table a parameter belongs to, by the path of its field."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from kagent_render.review import topics

if TYPE_CHECKING:
    from kagent_render.review.topics import Topic

LIMITS: Final = frozenset({"maxTokens", "maxCompletionTokens", "maxOutputTokens", "n", "timeout"})
"""Numbers of a model of which more is more."""

TUNINGS: Final = frozenset(
    {
        *("temperature", "topP", "topK", "seed", "reasoningEffort"),
        *("frequencyPenalty", "presencePenalty"),
    }
)
"""What changes answers and neither reach nor amount."""

_OF_PROVIDER: Final = re.compile(r"(?!defaultHeaders\.)\w+\.(\w+)")
"""A field of a provider's block; the names of headers are anyone's to choose."""

_OF_AGENT: Final = re.compile(
    r"harness\.tuning\.(?:(?:default|platform|cluster)\.(?:apiMaxRetries|maxTurns)|maxInProgress)"
    r"|deployment\.availability\.replicas"
)


def model_topic(path: str) -> Topic:
    """The topic of a field of a ModelConfig; what has no rule is a setting, which widens."""
    found = _OF_PROVIDER.fullmatch(path)
    name = found[1] if found else ""
    if name in LIMITS:
        return topics.LIMIT
    return topics.TUNING if name in TUNINGS else topics.SETTING


def agent_topic(path: str) -> Topic:
    """The topic of a field of a PlatformAgent, likewise."""
    return topics.LIMIT if _OF_AGENT.fullmatch(path) else topics.SETTING
