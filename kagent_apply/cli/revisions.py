"""`kagent-apply revisions`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kagent_apply.cli.client.options import asking

if TYPE_CHECKING:
    from kagent_apply.cli.client.options import Asking


@click.command()
@click.option("-n", "--namespace", default="", metavar="NAME", help="Of one namespace; default: of all.")
@click.option(
    "--limit", type=click.IntRange(0), default=0, metavar="NUMBER", help="At most so many; 0 is all."
)
@asking
def command(asked: Asking, namespace: str, limit: int) -> None:
    """List committed agents: which revision serves, which is committed, and why they differ."""
    from kagent_apply.api.gitops.v1alpha1 import revisions_pb2 as api
    from kagent_apply.cli.client.connection import connected
    from kagent_apply.cli.client.pages import read_pages
    from kagent_apply.cli.client.printing import print_reply
    from kagent_apply.cli.client.shown import pairs
    from kagent_render.diagnostics.text import printable

    with connected(asked.connection) as server:
        found = read_pages(
            lambda page: server.ask(
                api.ListRevisionsRequest(namespace=namespace, page=page),
                api.ListRevisionsResponse,
                asked.timeout,
            ),
            "pairs",
            limit,
        )
    print_reply(found, asked, lambda: pairs(found.pairs, asked.screen))
    if not found.pairs and asked.output == "table":
        where = f" in the namespace `{printable(namespace)}`" if namespace else ""
        click.echo(f"no agent is committed{where}", err=True)
    if found.problem:
        click.echo(f"warning: {printable(found.problem)}", err=True)
    if found.page.next_page_token:
        click.echo("there are more than `--limit`", err=True)
