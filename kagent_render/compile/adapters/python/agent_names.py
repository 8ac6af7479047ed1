"""The name of an agent as the ADK takes it: an identifier, and not the one of its caller."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kagent_render.compile.adapters.agent_card import runtime_name
from kagent_render.diagnostics.reasons import Reason

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kagent_render.compile.bundle import Bundle
    from kagent_render.diagnostics.diagnostic import Diagnostic

_CALLER = "user"


def check_agent_name(bundle: Bundle) -> Iterator[Diagnostic]:
    """A fault where the pair's root has a name with which the runtime does not start.

    Every other agent is named by its binding, which the tree has checked already (DESIGN 6).
    """
    if bundle.path:
        return
    name = runtime_name(bundle.agent.name)
    if name != _CALLER and name.isidentifier():
        return
    why = "keeps that name for its caller" if name == _CALLER else "takes no name that begins with a digit"
    yield bundle.agent.template.document.fault(
        Reason.NAME_INVALID,
        ("metadata", "name"),
        f"the `python` runtime does not start an agent `{name}`: it {why}",
        hint="rename the AgentTemplate",
    )
