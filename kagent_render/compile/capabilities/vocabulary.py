"""The names that a capability record may use, and what kind of value each has."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from kagent_render.api.providers import PROVIDER_BLOCKS

FLAG: Final = "flag"
COUNT: Final = "count"
MEMBERS: Final = "members"

VOCABULARY: Mapping[str, str] = {
    # The Harness status (facts 1.1)
    "nativeAgentTools": FLAG,
    "maxNativeAgentDepth": COUNT,
    "dedicatedAgentTools": FLAG,
    "mcpInjection": FLAG,
    "streaming": FLAG,
    "interruption": FLAG,
    "inputRequired": FLAG,
    "approvals": FLAG,
    "inputModalities": MEMBERS,
    "outputModalities": MEMBERS,
    "resume": FLAG,
    "checkpoint": FLAG,
    # What a boundary can need beyond that (decision 25)
    "skills": FLAG,
    "childSkills": FLAG,
    "childTools": MEMBERS,
    "privateDedicatedTools": FLAG,
    "childModels": FLAG,
    "mcpTransports": MEMBERS,
    "mcpCredentials": FLAG,
    "modelProviders": MEMBERS,
    "modelOptions": MEMBERS,
}
"""`true`, `false` or `unproven`; a count may be a number, and members the list of those that are there."""

_MEMBERS: Mapping[str, tuple[str, ...]] = {
    "childTools": ("own", "fewer"),
    "mcpTransports": ("streamable-http", "sse"),
    "modelProviders": tuple(PROVIDER_BLOCKS),
}
_OPTION = re.compile(rf"(?:{'|'.join(PROVIDER_BLOCKS)})\.[A-Za-z][A-Za-z.]{{0,62}}")
_WORD = re.compile("[a-z][a-z0-9./+-]{0,62}")


def is_member(capability: str, text: str) -> bool:
    """Whether a capability can hold a member: another one would deny, or prove, what nothing can need."""
    if capability in _MEMBERS:
        return text in _MEMBERS[capability]
    return (_OPTION if capability == "modelOptions" else _WORD).fullmatch(text) is not None


def members_text(capability: str) -> str:
    """What the members of a capability look like, for a hint."""
    if capability in _MEMBERS:
        return f"one of {', '.join(f'`{member}`' for member in _MEMBERS[capability])}"
    return "`PROVIDER.option`, such as `OpenAI.seed`" if capability == "modelOptions" else "`text`"


MEANINGS: Mapping[str, str] = {
    "nativeAgentTools": "Shared agents run in the runtime of their parent",
    "maxNativeAgentDepth": "how many Shared levels may follow each other",
    "dedicatedAgentTools": "Dedicated agents are called through one MCP tool each",
    "mcpInjection": "MCP servers of a template are configured with exactly the selected tools",
    "streaming": "a turn is streamed as it comes",
    "interruption": "a turn can be stopped",
    "inputRequired": "a turn can wait for the caller",
    "approvals": "a tool can wait for approval",
    "inputModalities": "what a caller may send",
    "outputModalities": "what an agent may answer",
    "resume": "a conversation goes on after its runtime was suspended",
    "checkpoint": "a checkpoint holds everything of a conversation",
    "skills": "the root's skills are loaded, and no others",
    "childSkills": "the skills of a Shared agent are loaded for that agent",
    "childTools": "a Shared agent may have `own` tools that its parent lacks, or `fewer` than its parent",
    "privateDedicatedTools": "Dedicated agents of a parent are out of reach of its Shared agents",
    "childModels": "a Shared agent may have another model than its parent",
    "mcpTransports": "how MCP servers may be reached",
    "mcpCredentials": "a header of an MCP server may be a Secret's value",
    "modelProviders": "whose models an agent may have",
    "modelOptions": "the options of a ModelConfig that reach the model",
}
"""One line for each name, for the documentation."""
