"""`kagent-render init`: writes a small working example and its RenderConfig."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from kagent_render.cli.failure import EnvironmentFailure

TARGETS = {
    "ate.dev/v1alpha1": "the custom resource of June 2026: Substrate before v0.0.22",
    "ateapi/v0.4": "the resource of Substrate's own API, after the custom resource: Substrate v0.4.0",
    "ateapi/v0.4.0-alpha1": "the same, as kagent's own Substrate has it: the pre-release v0.4.0-alpha1",
}
"""Each target with the Substrate releases that have it."""

_ZEROS = "0" * 64

_CONFIG = """\
apiVersion: render.kagent.dev/v1alpha1
kind: RenderConfig
spec:
  target: {target}
  substrate:
{substrate}"""

_WITH_PAUSE_IMAGE = """\
    # Replace all three: a WorkerPool of your cluster, where its snapshots go, and the pause image of its
    # nodes. They are not looked up here, and no image has a digest of zeros.
    workerPool: default
    snapshotLocation: s3://agent-snapshots/{namespace}
    pauseImage: registry.k8s.io/pause@sha256:{zeros}
"""

_WITHOUT_PAUSE_IMAGE = """\
    # Replace both: a WorkerPool of your cluster, and where its snapshots go. They are not looked up here.
    workerPool: default
    snapshotLocation: s3://agent-snapshots/{namespace}
"""

_HARNESS = """\
# What runs agents: a reusable runtime. Replace the image and its digest of zeros with yours.
# `kagent-render explain PAIR capabilities` shows what its runtime was seen to do.
apiVersion: kagent.dev/v1alpha2
kind: Harness
metadata:
  namespace: {namespace}
  name: python-runtime
spec:
  python: {{}}
  workload:
    image: registry.example.com/agent-runtime@sha256:{zeros}
  allowedAgentTemplates:
    selector:
      matchLabels:
        example.com/runtime: python
"""

_TEMPLATE = """\
# What an agent is: its model, its prompt and its tools.
apiVersion: kagent.dev/v1alpha2
kind: AgentTemplate
metadata:
  namespace: {namespace}
  name: assistant
  labels:
    example.com/runtime: python
spec:
  description: Answers questions about the team's services.
  modelConfig:
    name: default-model
  systemPrompt: |
    You answer questions about the team's services.
    Say so when you do not know.
  harnesses:
    include:
    - name: python-runtime
---
# The Secret is made in the cluster; replace its name and key, which are all that is written here.
apiVersion: kagent.dev/v1alpha2
kind: ModelConfig
metadata:
  namespace: {namespace}
  name: default-model
spec:
  provider: OpenAI
  model: gpt-5-mini
  apiKeySecret: model-credentials
  apiKeySecretKey: token
"""

_FILES = {
    "kagent-render.yaml": _CONFIG,
    "agents/python-runtime.yaml": _HARNESS,
    "agents/assistant.yaml": _TEMPLATE,
}

_ATTRIBUTES = "rendered/.gitattributes"
"""What Git is told of the output folder: how to merge locks, and what is generated. `render` keeps it."""


@click.command()
@click.argument("path", default=".", type=click.Path(file_okay=False, path_type=Path), metavar="[PATH]")
@click.option("--target", type=click.Choice(list(TARGETS)), help="The Substrate generation to write for.")
@click.option("--namespace", default="agent-team", show_default=True, help="The example's namespace.")
def command(path: Path, target: str | None, namespace: str) -> None:
    """Write a small working example to PATH; nothing that exists is changed."""
    from kagent_render.api.names import is_dns_label
    from kagent_render.emit.plan import attributes_text
    from kagent_render.preparation.carrying import is_carried
    from kagent_render.preparation.completeness import needs_pause_image

    if not is_dns_label(namespace):
        raise click.UsageError(f"`{namespace}` cannot be the name of a namespace")
    existing = [name for name in (*_FILES, _ATTRIBUTES) if os.path.lexists(path / name)]
    if existing:
        raise EnvironmentFailure(
            f"`{path / existing[0]}` exists already", "choose an empty folder, or edit what is there"
        )
    chosen = target or _ask()
    values = {"target": chosen, "namespace": namespace, "zeros": _ZEROS}
    places = _WITH_PAUSE_IMAGE if needs_pause_image(chosen) else _WITHOUT_PAUSE_IMAGE
    values["substrate"] = places.format(**values)
    texts = {name: text.format(**values) for name, text in _FILES.items()}
    for name, text in {**texts, _ATTRIBUTES: attributes_text(carried=is_carried(chosen)).decode()}.items():
        _write(path / name, text)
        click.echo(f"wrote {path / name}", err=True)
    click.echo(f"\nfor {chosen}, {TARGETS[chosen]}", err=True)
    if target is None and not sys.stdin.isatty():
        click.echo("for another Substrate: edit spec.target of kagent-render.yaml", err=True)
    click.echo(f"next: kagent-render render {path}", err=True)
    if _in_git(path):
        click.echo("and once in each clone: kagent-render merge --install", err=True)


def _in_git(path: Path) -> bool:
    from kagent_render.source.repository import top_level

    return top_level(path) is not None


def _ask() -> str:
    """The target as the user chooses it; the first one where nobody can be asked."""
    names = list(TARGETS)
    if not sys.stdin.isatty():
        return names[0]
    click.echo("Which Substrate generation does your cluster run?", err=True)
    for name, meaning in TARGETS.items():
        told = click.wrap_text(meaning, 78, initial_indent="      ", subsequent_indent="      ")
        click.echo(f"  {name}\n{told}", err=True)
    answer: str = click.prompt("target", default=names[0], type=click.Choice(names), err=True)
    return answer


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except OSError as error:
        raise EnvironmentFailure(f"`{path}` cannot be written: {error.strerror}") from None
