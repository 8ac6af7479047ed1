"""What kagent-adk makes of an AgentConfig, and which of its values it takes no notice of.

Run by the environment's own Python. Reads `[{"config": {...}, "card": {...}}]`. Each value of a configuration
is changed by itself: one that leaves the parsed configuration as it was is not read, one that leaves the
agent that is built of it as it was is not used.
"""

from __future__ import annotations

import copy
import json
import sys
from collections.abc import Iterator
from typing import Any

from a2a.types import AgentCard
from kagent.adk import AgentConfig
from pydantic import ValidationError


def places(value: Any, path: str = "") -> Iterator[str]:
    """Every value that is no mapping and no list of mappings, as dotted steps."""
    if isinstance(value, dict) and value:
        for key, below in value.items():
            yield from places(below, f"{path}.{key}" if path else key)
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        for index, below in enumerate(value):
            yield from places(below, f"{path}.{index}")
    else:
        yield path


def with_another(config: Any, path: str) -> Any:
    """The configuration with another value of the same type at one place."""
    changed = copy.deepcopy(config)
    *above, last = path.split(".")
    holder = changed
    for step in above:
        holder = holder[int(step) if isinstance(holder, list) else step]
    holder[last] = _another(holder[last])
    return changed


def _another(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return value + 1
    if isinstance(value, list):
        return [*value, "another"]
    return {"another": "another"} if isinstance(value, dict) else f"{value}-another"


def parsed(config: Any) -> str:
    """The configuration as kagent-adk holds it."""
    try:
        return repr(_validated(config))
    except ValidationError as error:
        return f"refused: {error}"


def built(config: Any) -> str:
    """The agent that kagent-adk builds of the configuration, with what its server takes of it."""
    try:
        known = _validated(config)
        agent = known.to_agent("agent")
    except ValueError as error:
        return f"refused: {error}"
    toolsets = [_attributes(tool) for tool in agent.tools]
    instruction = agent.static_instruction, agent.description, known.stream, known.session_db_url
    return repr((_attributes(agent.model), toolsets, instruction))


def _validated(config: Any) -> AgentConfig:
    return AgentConfig.model_validate(copy.deepcopy(config))  # it writes into what it is given


def _attributes(value: Any) -> Any:
    if callable(value) and getattr(value, "__closure__", None):
        return [_attributes(cell.cell_contents) for cell in value.__closure__]
    if hasattr(value, "verify_mode"):
        return value.verify_mode, value.check_hostname
    if not hasattr(value, "__dict__") or callable(value):
        return repr(value)
    kept = {"_connection_params", "tool_filter", "header_provider"}
    own = {name: below for name, below in vars(value).items() if name in kept or name[0] != "_"}
    return type(value).__name__, {name: _attributes(below) for name, below in own.items()}


def look(config: Any, card: Any) -> dict[str, Any]:
    """What of one configuration and its card is refused, not read, and read but not used."""
    before, agent = parsed(config), built(config)
    if before.startswith("refused"):
        return {"refused": before, "unread": [], "unused": [], "card": _refusal(card)}
    unread = [path for path in places(config) if parsed(with_another(config, path)) == before]
    unused = [path for path in places(config) if built(with_another(config, path)) == agent]
    return {
        "refused": "",
        "unread": unread,
        "unused": sorted(set(unused) - set(unread)),
        "card": _refusal(card),
    }


def _refusal(card: Any) -> list[str]:
    """The fields of an agent card that A2A 0.3 cannot do without, or cannot read."""
    try:
        # The environment that this runs in has the SDK of A2A 0.3.
        AgentCard.model_validate(card)  # type: ignore[attr-defined]
    except ValidationError as error:
        return [".".join(str(step) for step in one["loc"]) for one in error.errors()]
    return []


def main() -> None:
    """Look at each configuration of the input."""
    json.dump([look(one["config"], one["card"]) for one in json.load(sys.stdin)], sys.stdout)


if __name__ == "__main__":
    main()
