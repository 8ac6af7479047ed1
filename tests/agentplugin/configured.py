"""Plugins of one agent with a config, read from manifests as text."""

from __future__ import annotations

import textwrap

from kagent_render.api.kubeagents import AgentPlugin
from kagent_render.source.objects import read_objects

HEAD = """\
apiVersion: kubeagents.x-k8s.io/v1alpha1
kind: AgentPlugin
metadata: {{namespace: team, name: {name}}}
spec:
  agentRef: agent
  image: registry.example.com/plugin:v1
"""
CONFIG_LINE = HEAD.count("\n") + 1
"""The line of `config:` in a manifest of this module."""


def plugins(manifest: str, path: str = "plugins.yaml") -> list[AgentPlugin]:
    """The AgentPlugins of a file."""
    return [
        AgentPlugin(
            document.ref,
            document.value["spec"],
            document,
            agent="agent",
            image="registry.example.com/plugin:v1",
            config=document.value["spec"].get("config", ""),
            profile=document.value["spec"].get("targetProfile", ""),
        )
        for document in read_objects(path, manifest.encode())
        if document.ref.kind == "AgentPlugin"
    ]


def written(field: str, name: str = "plugin") -> AgentPlugin:
    """The plugin whose manifest holds `field`, the entry `config` with its value, as it stands."""
    return plugins(HEAD.format(name=name) + textwrap.indent(field, "  "), f"{name}.yaml")[0]


def configured(config: str, name: str = "plugin", profile: str = "") -> AgentPlugin:
    """The plugin with a config in a literal block, whose first line is the one after CONFIG_LINE."""
    block = "config: |\n" + textwrap.indent(config, "  ") + "\n"
    return written(block + (f"targetProfile: {profile}\n" if profile else ""), name)
