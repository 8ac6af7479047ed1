"""Reads names and prints those that google-adk lets an agent have. Run by the environment's own Python."""

from __future__ import annotations

import json
import sys

from google.adk.agents import LlmAgent


def is_taken(name: str) -> bool:
    """Whether an agent of that name can be made."""
    try:
        LlmAgent(name=name, model="any")
    except ValueError:
        return False
    return True


if __name__ == "__main__":
    json.dump([name for name in json.load(sys.stdin) if is_taken(name)], sys.stdout)
