"""What YAML with positions costs: our reader and PyYAML's C loader over the same documents."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from yaml import CSafeLoader, load_all

from kagent_render.source.yaml import read_yaml

if TYPE_CHECKING:
    from collections.abc import Callable

BUDGET = 1.3

MANIFEST = """\
apiVersion: kagent.dev/v1alpha2
kind: AgentTemplate
metadata:
  name: template-{number}
  namespace: agents
  labels:
    example.com/runtime: python
spec:
  description: Answers questions about service {number}
  harnesses:
    include:
    - python-runtime
  modelConfigRef:
    name: default-model
  systemPrompt: |
    You answer questions about service {number}.
    Use the tools, cite sources, and say so when you do not know.
  tools:
  - mcp:
      server: {{kind: RemoteMCPServer, name: search}}
      tools: [find, read]
"""


def documents(count: int) -> list[bytes]:
    """As many streams of one document each."""
    return [MANIFEST.format(number=number).encode() for number in range(count)]


def load(document: bytes) -> object:
    """Read with PyYAML's C loader, which gives no positions."""
    return list(load_all(document, Loader=CSafeLoader))


def read(document: bytes) -> object:
    """Read with ours, which can tell every position."""
    return read_yaml(document)


def locate(document: bytes) -> object:
    """Read with ours, and ask each document for a position."""
    return [found.locator.locate(("spec",)) for found in read_yaml(document)]


def seconds(reader: Callable[[bytes], object], streams: list[bytes]) -> float:
    """The processor's time for all streams."""
    start = time.process_time()
    for stream in streams:
        reader(stream)
    return time.process_time() - start
