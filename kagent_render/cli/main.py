"""The program."""

from __future__ import annotations

import gc
import os
import sys

import click

from kagent_render import __version__
from kagent_render.cli.commands import Commands
from kagent_render.cli.failure import reporting_failures

COMMANDS = {
    "init": "Write a small working example and its RenderConfig",
    "render": "Prepare pairs and platform agents and write locks and manifests",
    "check": "Prepare the same and say what is stale, without writing",
    "diff": "Say what changed between two revisions, and what widens",
    "explain": "Show where a value in the output comes from",
    "graph": "Draw agents with what they use, or what an object reaches",
    "watch": "Render or check again whenever a file changes",
    "verify": "Prepare again from what the sources serve now and compare",
    "vendor": "Put the artifacts that the manifests name into the repository",
    "prune": "Drop retained ActorTemplates that are neither recent nor in use",
    "commit": "Render a revision onto a branch of its own, past the work tree",
    "merge": "Merge the output of two branches, as a Git merge driver",
    "migrate": "Move v1alpha2 manifests to v1alpha3 in place",
    "generate": "Print the committed manifests, verified, for Argo CD",
    "krm": "Prepare the items of a ResourceList, as a KRM function",
    "schema": "Print or write JSON Schemas and CustomResourceDefinitions",
    "cache": "Show or prune what earlier runs fetched and prepared",
    "completion": "Print the completion script of a shell",
}
"""Each command with its line of help."""


@click.group(
    cls=Commands,
    package="kagent_render.cli",
    summaries=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, "--version", prog_name="kagent-render", message="%(prog)s %(version)s")
def program() -> None:
    """Prepare kagent agents and plugins of kube-agents offline: from manifests to locks and what is applied.

    \b
    Exit status: 0 clean, 1 findings or drift, 2 usage or environment, 3 a bug.
    """


def main() -> None:
    """Run the program; the exit status is that of DESIGN 14."""
    # Nearly everything that a run makes lives until its end, so looking for garbage often finds none.
    gc.set_threshold(50_000, 20, 20)
    # What is valid must not depend on plugins that happen to be installed; looking for them takes time, too.
    os.environ["PYDANTIC_DISABLE_PLUGINS"] = "__all__"
    with reporting_failures("kagent-render", "nothing half-written"):
        sys.exit(program(prog_name="kagent-render", standalone_mode=False))


if __name__ == "__main__":
    main()
