"""What to do where a runtime lacks a capability, by its name."""

from __future__ import annotations

from collections.abc import Mapping

_ELSEWHERE = "attach the template to another Harness"
_DEDICATED = "set `isolation: Dedicated` on the agent's binding"

_REMEDIES: Mapping[str, str] = {
    "nativeAgentTools": f"{_DEDICATED}, or {_ELSEWHERE}",
    "maxNativeAgentDepth": f"{_DEDICATED}, or {_ELSEWHERE}",
    "dedicatedAgentTools": f"set `isolation: Shared` on the binding, or {_ELSEWHERE}",
    "mcpInjection": _ELSEWHERE,
    "inputModalities": f"name it in the record if the runtime has it, or {_ELSEWHERE}",
    "outputModalities": f"name it in the record if the runtime has it, or {_ELSEWHERE}",
    "skills": f"remove the skill, or {_ELSEWHERE}",
    "childSkills": f"remove the skill, {_DEDICATED}, or {_ELSEWHERE}",
    "childTools": f"select the same tools in parent and child, or {_DEDICATED}",
    "privateDedicatedTools": f"{_DEDICATED}, or {_ELSEWHERE}",
    "childModels": f"choose the parent's ModelConfig, or {_DEDICATED}",
    "mcpTransports": f"bind a server that speaks another protocol, or {_ELSEWHERE}",
    "mcpCredentials": f"bind a server that needs no Secret, or {_ELSEWHERE}",
    "modelProviders": f"choose a ModelConfig of another provider, or {_ELSEWHERE}",
    "modelOptions": f"remove the option, or {_ELSEWHERE}",
}


def remedy(capability: str) -> str:
    """An action that does without a capability, or finds it elsewhere."""
    return _REMEDIES.get(capability, f"{_ELSEWHERE}, or remove the field")
