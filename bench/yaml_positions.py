"""What YAML with positions costs, as a ratio to PyYAML's CSafeLoader: `python -m bench.yaml_positions`."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import yaml

from kagent_render.source.yaml import read_yaml

if TYPE_CHECKING:
    from collections.abc import Callable

DOCUMENTS = 1000
ROUNDS = 7
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


def main() -> None:
    """Print the times of both readers and their ratios, positions asked for or not."""
    documents = [MANIFEST.format(number=number).encode() for number in range(DOCUMENTS)]
    readers = {"CSafeLoader": _load, "read_yaml": _read, "read_yaml, every position": _locate}
    best = dict.fromkeys(readers, float("inf"))
    for _ in range(ROUNDS):
        # Taking turns spreads what else the machine does over all of them.
        for name, read in readers.items():
            best[name] = min(best[name], _seconds(read, documents))
    print(f"{DOCUMENTS} documents, {sum(map(len, documents)):,} bytes, best of {ROUNDS}, budget {BUDGET}")
    for name, seconds in best.items():
        print(f"{name:28} {seconds:7.3f} s  {seconds / best['CSafeLoader']:5.2f}")


def _load(document: bytes) -> object:
    return list(yaml.load_all(document, Loader=yaml.CSafeLoader))


def _read(document: bytes) -> object:
    return read_yaml(document)


def _locate(document: bytes) -> object:
    return [read.locator.locate(("spec",)) for read in read_yaml(document)]


def _seconds(read: Callable[[bytes], object], documents: list[bytes]) -> float:
    start = time.process_time()
    for document in documents:
        read(document)
    return time.process_time() - start


if __name__ == "__main__":
    main()
