"""`kagent-apply share`: who else may read or write the conversation of an instance."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from kagent_apply.cli.client.options import asking, in_namespace

if TYPE_CHECKING:
    from kagent_apply.cli.client.options import Asking


@click.group()
def command() -> None:
    """Let others read or write an instance's conversation."""


@command.command("create", short_help="Share an instance, and print the token")
@in_namespace
@click.argument("instance", metavar="ID")
@click.option(
    "--permission",
    type=click.Choice(["read-only", "read-write"]),
    default="read-only",
    show_default=True,
    help="Whether its bearer may send and cancel, too.",
)
@asking
def create(asked: Asking, namespace: str, instance: str, permission: str) -> None:
    """Make a share of the instance ID, and print its token, which nobody can print again."""
    from kagent_apply.api.v1alpha1 import agent_instances_pb2 as api
    from kagent_apply.cli.client.connection import connected
    from kagent_apply.cli.client.printing import print_reply
    from kagent_apply.cli.client.shown import share

    value = f"AGENT_INSTANCE_SHARE_PERMISSION_{permission.replace('-', '_').upper()}"
    request = api.CreateAgentInstanceShareRequest(
        namespace=namespace, agent_instance_id=instance, permission=value
    )
    with connected(asked.connection) as server:
        made = server.ask(request, api.CreateAgentInstanceShareResponse, asked.timeout)
    now = datetime.now(UTC)
    print_reply(made, asked, lambda: share(made.share, made.token, now, asked.screen))


@command.command("list", short_help="List the shares of an instance")
@in_namespace
@click.argument("instance", metavar="ID")
@click.option(
    "--limit", type=click.IntRange(0), default=0, metavar="NUMBER", help="At most so many; 0 is all."
)
@asking
def list_(asked: Asking, namespace: str, instance: str, limit: int) -> None:
    """List the shares of the instance ID."""
    from kagent_apply.api.v1alpha1 import agent_instances_pb2 as api
    from kagent_apply.cli.client.connection import connected
    from kagent_apply.cli.client.pages import read_pages
    from kagent_apply.cli.client.printing import print_reply
    from kagent_apply.cli.client.shown import shares

    with connected(asked.connection) as server:
        found = read_pages(
            lambda page: server.ask(
                api.ListAgentInstanceSharesRequest(
                    namespace=namespace, agent_instance_id=instance, page=page
                ),
                api.ListAgentInstanceSharesResponse,
                asked.timeout,
            ),
            "shares",
            limit,
        )
    now = datetime.now(UTC)
    print_reply(found, asked, lambda: shares(found.shares, now, asked.screen))
    if not found.shares and asked.output == "table":
        click.echo("there are none", err=True)
    if found.page.next_page_token:
        click.echo("there are more than `--limit`", err=True)


@command.command("revoke", short_help="End a share")
@in_namespace
@click.argument("share", metavar="SHARE")
@asking
def revoke(asked: Asking, namespace: str, share: str) -> None:
    """Revoke the share SHARE: its token counts no more."""
    from kagent_apply.api.v1alpha1 import agent_instances_pb2 as api
    from kagent_apply.cli.client.connection import connected
    from kagent_apply.cli.client.printing import print_reply

    request = api.RevokeAgentInstanceShareRequest(namespace=namespace, share_id=share)
    with connected(asked.connection) as server:
        reply = server.ask(request, api.RevokeAgentInstanceShareResponse, asked.timeout)
    print_reply(reply, asked, lambda: f"revoked {share}")
