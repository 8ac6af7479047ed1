"""Where each value of a PlatformAgent's Component comes from, to the line of a plugin's config."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.running import run

CONFIG = """\
apiVersion: render.kagent.dev/v1alpha1
kind: RenderConfig
spec: {kubeVersion: "1.35"}
"""
AGENT = """\
apiVersion: kubeagents.x-k8s.io/v1alpha1
kind: PlatformAgent
metadata: {name: ops, namespace: team}
spec:
  harness:
    clusterName: c
    location: l
    projectId: p
    tuning:
      platform: {maxTurns: 9}
    experimental: {platformFrontDoor: true}
  integration:
    slack: {enabled: true}
"""
PLUGINS = """\
apiVersion: kubeagents.x-k8s.io/v1alpha1
kind: AgentPlugin
metadata: {name: first, namespace: team}
spec:
  agentRef: ops
  image: "registry.example.com/first@sha256:%(digest)s"
  targetProfile: platform
  config: |
    platforms:
      slack:
        extra: {threads: true}
    platform_toolsets:
      slack: [one]
---
apiVersion: kubeagents.x-k8s.io/v1alpha1
kind: AgentPlugin
metadata: {name: second, namespace: team}
spec:
  agentRef: ops
  image: "registry.example.com/second@sha256:%(digest)s"
  targetProfile: platform
  env:
  - {name: TOKEN, value: ghp_%(digest)s}
  config: |
    # both
    platforms: {slack: {extra: {threads: false, api_key: ghp_%(digest)s}}}
    platform_toolsets:
      slack: [two]
""" % {"digest": "a" * 64}  # noqa: UP031  (braces stand in the text)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, text in {"kagent-render": CONFIG, "agent": AGENT, "plugins": PLUGINS}.items():
        (tmp_path / f"{name}.yaml").write_text(text)
    return tmp_path


def explained(root: Path, field: str) -> list[tuple[str, list[str]]]:
    """The values of a field with the places that they come from."""
    done = run("explain", "team/ops", field, "--offline", "-o", "json", cwd=root)
    assert "ghp_" not in done.out + done.err
    return [
        (
            entry["value"],
            [f"{source['source']['path']}:{source['source']['line']}" for source in entry["sources"]],
        )
        for entry in json.loads(done.out)
    ]


MANAGED, PLATFORM = "data[managed-config.yaml]", "data[profile-platform.overlay.yaml]"


@pytest.mark.parametrize(
    ("field", "value", "places"),
    [
        (f"{MANAGED}.platforms.slack.extra.threads", "false", ["plugins.yaml:26"]),
        (f"{MANAGED}.platforms.slack.extra.rich_blocks", "true", ["agent.yaml:13"]),
        (f"{MANAGED}.platforms.slack.extra.api_key", "a literal, not shown here", ["plugins.yaml:26"]),
        (f"{MANAGED}.model.provider", "custom", []),
        (f"{PLATFORM}.agent.max_turns", "9", ["agent.yaml:10"]),
        (f"{PLATFORM}.memory.provider", "", []),
        ("data[managed.env].SLACK_RELAY_URL", "http://127.0.0.1:8765", ["agent.yaml:13"]),
        ("data[managed.env].GATEWAY_ALLOWED_USERS", "", []),
        ("spec.template.spec.volumes[plugin-first].image.pullPolicy", "IfNotPresent", []),
        (
            "spec.template.spec.containers[platform-agent].volumeMounts[plugin-first]",
            "/opt/agent-plugins/platform/first",
            ["plugins.yaml:3", "plugins.yaml:7"],
        ),
        (
            "spec.template.spec.containers[platform-agent].env[TOKEN]",
            "a literal, not shown here",
            ["plugins.yaml:23"],
        ),
        ("spec.imageVolumes", "supported", ["kagent-render.yaml:3"]),
    ],
)
def test_a_value_comes_from_the_line_that_decides_it(
    root: Path, field: str, value: str, places: list[str]
) -> None:
    assert explained(root, field) == [(value, places)]


def test_a_list_comes_from_all_who_add_to_it(root: Path) -> None:
    [(value, places)] = explained(root, f"{PLATFORM}.platform_toolsets.slack")
    assert json.loads(value)[-2:] == ["one", "two"]
    assert places == ["agent.yaml:11", "plugins.yaml:13", "plugins.yaml:28"]


def test_enablement_comes_from_the_front_door_and_from_every_plugin(root: Path) -> None:
    [(_, places)] = explained(root, f"{PLATFORM}.plugins.enabled")
    assert places == ["agent.yaml:11", "plugins.yaml:3", "plugins.yaml:17"]


def test_every_field_of_the_component_is_explained_in_text(root: Path) -> None:
    done = run("explain", "team/ops", "--offline", cwd=root)
    headings = [line for line in done.out.splitlines() if not line.startswith(" ")]
    assert headings == ["configmap.yaml", "gateway.yaml", "revision.lock.yaml", "status.yaml"]
    assert "ghp_" not in done.out + done.err


def test_what_no_reader_would_take_back_is_explained(root: Path) -> None:
    tags = "".join(f"      t{number}: '%TAG'\n" for number in range(60))
    for name in ("one", "two"):
        config = f"  config: |\n    platforms:\n      {name}:\n{tags.replace('      ', '        ')}"
        head = PLUGINS.partition("  targetProfile")[0].replace("first", name)
        (root / f"{name}.yaml").write_text(head + config)
    (root / "agent.yaml").write_text(
        AGENT.replace("{enabled: true}", '{enabled: true, allowedUsers: ["a\\nb"]}')
    )
    done = run("explain", "team/ops", "--offline", cwd=root)
    assert done.status == 0, done.err
    assert "data[managed-config.yaml].platforms.two.t59 = %TAG" in done.out
    assert "data[managed.env].SLACK_ALLOWED_USERS" in done.out
