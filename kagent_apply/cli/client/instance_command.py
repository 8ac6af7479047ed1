"""Commands about one instance, which differ in the request alone."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from kagent_apply.cli.client.options import asking, in_namespace

if TYPE_CHECKING:
    from kagent_apply.cli.client.options import Asking

Messages = Callable[[], tuple[Any, Any]]
"""The types of a request and its reply, which take a while to import."""


def instance_command(told: str, messages: Messages) -> click.Command:
    """A command that asks for something to be done to an instance, and shows it."""

    def ask(asked: Asking, namespace: str, instance: str) -> None:
        from kagent_apply.cli.client.connection import connected
        from kagent_apply.cli.client.printing import print_reply
        from kagent_apply.cli.client.shown import instance as shown

        request, reply = messages()
        with connected(asked.connection) as server:
            found = server.ask(request(namespace=namespace, agent_instance_id=instance), reply, asked.timeout)
        now = datetime.now(UTC)
        print_reply(found, asked, lambda: shown(found.agent_instance, now, asked.screen))

    command = asking(in_namespace(ask))
    return click.command(help=told)(click.argument("instance", metavar="ID")(command))
