"""The Hermes profiles of an agent's pod, and the ConfigMap keys of their overlays."""

from __future__ import annotations

from typing import Final

DEFAULT: Final = "default"
"""The profile of a plugin that names none; its home is the agent's home itself."""

PLATFORM: Final = "platform"
"""The specialist that the agent's image scaffolds when it starts."""

CLUSTER_CLASS_KEY: Final = "profileclass-cluster.overlay.yaml"
"""The overlay of every `cluster-*` profile, outside the names that a profile's own overlay can have."""

SCAFFOLDED: Final = (PLATFORM,)
"""The named profiles that exist without anything being onboarded."""


def overlay_key(profile: str) -> str:
    """The ConfigMap key of a profile's overlay."""
    return f"profile-{profile}.overlay.yaml"


def is_of_a_cluster(profile: str) -> bool:
    """Whether the profile appears when its cluster is onboarded."""
    return profile.startswith("cluster-")
