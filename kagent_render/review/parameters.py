"""Which row of the table a parameter belongs to, by the name of its field."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kagent_render.review import topics

if TYPE_CHECKING:
    from kagent_render.review.topics import Topic

LIMITS: Final = frozenset(
    {
        *("maxTokens", "maxCompletionTokens", "maxOutputTokens", "n", "timeout"),
        *("maxTurns", "apiMaxRetries", "maxInProgress", "replicas"),
    }
)
"""Numbers of which more is more."""

TUNINGS: Final = frozenset(
    {
        *("temperature", "topP", "topK", "seed", "reasoningEffort"),
        *("frequencyPenalty", "presencePenalty"),
    }
)
"""What changes answers and neither reach nor amount."""


def topic_of(field: str) -> Topic:
    """The topic of a field's last name; what has no rule is a setting, which widens."""
    if field in LIMITS:
        return topics.LIMIT
    return topics.TUNING if field in TUNINGS else topics.SETTING
