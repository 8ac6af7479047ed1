"""A reference for runtimes: builds google-adk agents from `KAGENT_CONFIG_JSON` and runs one turn.

Run by the environment's own Python. Reads `[{"env": {...}, "task": "..."}]`, prints for each what came of it.
A Shared agent becomes a tool of its parent, so that its answer comes back to the parent's model. The tools of
Dedicated agents are all `invoke`: each is offered with the name of its binding before it.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
from typing import Any

from google.adk.agents import LlmAgent
from google.adk.runners import InMemoryRunner
from google.adk.tools.agent_tool import AgentTool
from google.adk.tools.mcp_tool import McpToolset, SseConnectionParams, StreamableHTTPConnectionParams
from google.genai import types
from kagent.adk.models import OpenAI

_PLACEHOLDER = re.compile(r"__KAGENT_ENV\[([A-Z0-9_]+)\]__")
_DEDICATED = "http://127.0.0.1:8082/mcp/"
_TRANSPORTS = {"http_tools": StreamableHTTPConnectionParams, "sse_tools": SseConnectionParams}


def build_agent(config: dict[str, Any]) -> LlmAgent:
    """One agent with its sub-agents."""
    toolsets = [_toolset(kind, tool) for key, kind in _TRANSPORTS.items() for tool in config.get(key, ())]
    children = [AgentTool(build_agent(child)) for child in config.get("sub_agents", ())]
    return LlmAgent(
        name=config["name"],
        description=config["description"],
        static_instruction=config["instruction"],
        model=_model(config["model"]),
        tools=[*toolsets, *children],
    )


def _model(settings: dict[str, Any]) -> OpenAI:
    known = {**settings, "default_headers": settings.get("headers")}
    return OpenAI(**{name: value for name, value in known.items() if name in OpenAI.model_fields})


def _toolset(kind: Any, tool: dict[str, Any]) -> McpToolset:
    params = {**tool["params"], "headers": _expand(tool["params"]["headers"])}
    binding = params["url"].removeprefix(_DEDICATED) if params["url"].startswith(_DEDICATED) else ""
    prefix = binding.rpartition("/")[2].replace("-", "_") or None
    return McpToolset(connection_params=kind(**params), tool_filter=tool["tools"], tool_name_prefix=prefix)


def _expand(headers: dict[str, str]) -> dict[str, str]:
    """Placeholders that are a whole value, as variables of the environment; a missing one is an error."""
    matched = {name: _PLACEHOLDER.fullmatch(value) for name, value in headers.items()}
    return {name: os.environ[match[1]] if match else headers[name] for name, match in matched.items()}


async def run_turn(task: str) -> dict[str, Any]:
    """Send one message to the agent of this process's environment; its texts, or the error that ended it."""
    runner = InMemoryRunner(build_agent(json.loads(os.environ["KAGENT_CONFIG_JSON"])), app_name="app")
    session = await runner.session_service.create_session(app_name="app", user_id="user")
    message = types.Content(role="user", parts=[types.Part.from_text(text=task)])
    texts, error = [], None
    try:
        async for event in runner.run_async(user_id="user", session_id=session.id, new_message=message):
            texts += [part.text for part in (event.content and event.content.parts) or () if part.text]
            error = error or event.error_message
    except Exception as failure:
        error = f"{type(failure).__name__}: {failure}"
    await runner.close()
    return {"texts": texts, "error": error}


def main() -> None:
    """Run each turn in the environment that it says."""
    answers = []
    for turn in json.load(sys.stdin):
        os.environ.update(turn["env"])
        answers.append(asyncio.run(run_turn(turn["task"])))
    json.dump(answers, sys.stdout)


if __name__ == "__main__":
    main()
