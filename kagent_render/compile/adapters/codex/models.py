"""The models of a boundary as Codex lists them, which decides most of the tools that it offers.

A catalog of our own replaces the one that Codex brings. Only so is a known model not given a shell, a patch
tool, code that calls tools by itself or a search for tools, none of which has a switch of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kagent_render.revision.canonical_json import compact

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kagent_render.compile.bundle import AgentConfiguration

_CONTEXT_WINDOW = 272_000
"""Tokens: what Codex assumes of a model that it does not know, and nothing tells better."""


def reasoning_effort(agent: AgentConfiguration) -> str | None:
    """How much an agent's model is to think, where its ModelConfig says so."""
    effort = agent.provider.block.get("reasoningEffort")
    return str(effort) if effort else None


def model_catalog(agent: AgentConfiguration) -> str:
    """The JSON catalog of every model that an agent of the boundary has, with the efforts asked of each."""
    efforts: dict[str, dict[str, None]] = {}
    for member in agent.members():
        known = efforts.setdefault(member.provider.model.model, {})
        if effort := reasoning_effort(member):
            known[effort] = None
    return compact({"models": [_entry(model, known) for model, known in efforts.items()]})


def _entry(model: str, efforts: Iterable[str]) -> dict[str, Any]:
    """One model without tools, images or instructions of its own; `v1` does not encrypt what agents say."""
    return {
        "slug": model,
        "display_name": model,
        "supported_reasoning_levels": [{"effort": effort, "description": effort} for effort in efforts],
        "shell_type": "disabled",
        "visibility": "hide",
        "supported_in_api": True,
        "priority": 0,
        "base_instructions": "",
        "support_verbosity": False,
        "multi_agent_version": "v1",
        "truncation_policy": {"mode": "tokens", "limit": 10_000},
        "context_window": _CONTEXT_WINDOW,
        "input_modalities": ["text"],
        "experimental_supported_tools": [],
    }
