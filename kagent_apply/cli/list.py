"""`kagent-apply list`."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from kagent_apply.cli.client.options import asking, in_namespace

if TYPE_CHECKING:
    from kagent_apply.cli.client.options import Asking


@click.command()
@in_namespace
@click.option(
    "-l", "--label", "labels", multiple=True, metavar="KEY=VALUE,…", help="Only those with these labels."
)
@click.option("--all-creators", is_flag=True, help="Those of others, too.")
@click.option(
    "--limit", type=click.IntRange(0), default=0, metavar="NUMBER", help="At most so many; 0 is all."
)
@asking
def command(asked: Asking, namespace: str, labels: tuple[str, ...], all_creators: bool, limit: int) -> None:
    """List the instances of a namespace in the order of their ids."""
    from kagent_apply.api.v1alpha1 import agent_instances_pb2 as api
    from kagent_apply.cli.client.connection import connected
    from kagent_apply.cli.client.pages import read_pages
    from kagent_apply.cli.client.printing import print_reply
    from kagent_apply.cli.client.shown import instances

    wanted = _labels(labels)
    with connected(asked.connection) as server:
        found = read_pages(
            lambda page: server.ask(
                api.ListAgentInstancesRequest(
                    namespace=namespace, match_labels=wanted, all_creators=all_creators, page=page
                ),
                api.ListAgentInstancesResponse,
                asked.timeout,
            ),
            "agent_instances",
            limit,
        )
    now, made = datetime.now(UTC), found.agent_instances
    print_reply(found, asked, lambda: instances(made, now, asked.screen, creators=all_creators))
    if not made and asked.output == "table":
        click.echo("there are none" if all_creators else "none of yours", err=True)
    if found.page.next_page_token:
        click.echo("there are more than `--limit`", err=True)


def _labels(labels: tuple[str, ...]) -> dict[str, str]:
    found: dict[str, str] = {}
    for label in (part for given in labels for part in given.split(",")):
        key, equals, value = label.partition("=")
        if not key or not equals:
            raise click.UsageError(f"`{label}` in `--label` is not `KEY=VALUE`")
        if key in found:
            raise click.UsageError(f"`--label` has the key `{key}` twice")
        found[key] = value
    return found
