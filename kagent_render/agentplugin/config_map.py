"""The data of the agent's ConfigMap, and the digest by which a change of it restarts the pod."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any, Final

from kagent_render.agentplugin import managed_config, managed_env
from kagent_render.agentplugin.config_text import config_text
from kagent_render.agentplugin.overlays import overlays
from kagent_render.api.kubeagents import GROUP

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kagent_render.agentplugin.overlays import Configured
    from kagent_render.api.kubeagents import PlatformAgent

CONFIG_HASH_ANNOTATION: Final = f"{GROUP}/config-hash"
"""The pod's annotation whose change makes the agent start anew with its changed configuration."""

_ESCAPED_BY_GO: Final = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}


def config_map_data(agent: PlatformAgent, plugins: Sequence[Configured]) -> dict[str, str]:
    """The ConfigMap's data by key, keys sorted; the operator's own `leader_elect.py` is not among them."""
    texts = {key: config_text(value) for key, value in config_map_values(agent, plugins).items()}
    texts[managed_env.KEY] = managed_env.managed_env(agent)
    return dict(sorted(texts.items()))


def config_map_values(agent: PlatformAgent, plugins: Sequence[Configured]) -> dict[str, dict[str, Any]]:
    """What those of the ConfigMap's texts mean that are YAML, by key."""
    managed = managed_config.managed_config(agent, (config for _, config in plugins))
    return {**overlays(agent, plugins), managed_config.KEY: managed}


def config_hash(data: Mapping[str, str]) -> str:
    """The hex sha256 of the data as Go's `json.Marshal` writes it: what the pod's annotation says."""
    text = json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.translate(_ESCAPED_BY_GO).encode()).hexdigest()
