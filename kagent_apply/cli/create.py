"""`kagent-apply create`: a new instance, however often the answer is lost on the way."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

import click

from kagent_apply.cli.client.options import asking, in_namespace

if TYPE_CHECKING:
    from kagent_apply.api.v1alpha1 import agent_instances_pb2 as api
    from kagent_apply.cli.client.options import Asking
    from kagent_apply.cli.client.server import Server

_FIRST: Final = 0.25
_LONGEST: Final = 5.0

_AGAIN: Final = {"UNAVAILABLE", "CANCELLED"}
"""What is asked again; gRPC's servers cancel a call that comes in while they end."""


@click.command()
@in_namespace
@click.option("--harness", required=True, metavar="NAME", help="The Harness, as `revisions` lists it.")
@click.option("--template", required=True, metavar="NAME", help="The AgentTemplate, likewise.")
@click.option(
    "--request-id", metavar="ID", help="The same again means the same instance; default: a new one."
)
@asking
def command(asked: Asking, namespace: str, harness: str, template: str, request_id: str | None) -> None:
    """Create an instance of an agent, and wait until it takes messages.

    Its request id is printed: the same command with it goes on where this one stopped, and never makes a
    second instance. While the server cannot be reached it is asked again, until the time is over.
    """
    from kagent_apply.api.v1alpha1 import agent_instances_pb2 as api
    from kagent_apply.cli.client.connection import connected
    from kagent_apply.cli.client.printing import print_reply
    from kagent_apply.cli.client.shown import instance as shown

    request = api.CreateAgentInstanceRequest(
        namespace=namespace,
        harness=harness,
        agent_template=template,
        request_id=str(uuid.uuid4()) if request_id is None else request_id,
    )
    with connected(asked.connection) as server:
        if request_id is None:
            click.echo(f"request id: {request.request_id}", err=True)
        made = create(server, request, asked.timeout, time.monotonic, time.sleep)
    now = datetime.now(UTC)
    print_reply(made, asked, lambda: shown(made.agent_instance, now, asked.screen))


def create(
    server: Server,
    request: api.CreateAgentInstanceRequest,
    timeout: float,
    clock: Callable[[], float],
    sleep: Callable[[float], None],
) -> api.CreateAgentInstanceResponse:
    """The instance; asks again with the same request while the server is away, as long as there is time."""
    from kagent_apply.api.v1alpha1.agent_instances_pb2 import CreateAgentInstanceResponse
    from kagent_apply.cli.client.server import AnswerError, failure

    end, pause, told = clock() + timeout, _FIRST, ""
    while True:
        try:
            return server.call(request, CreateAgentInstanceResponse, max(0.001, end - clock()))
        except AnswerError as error:
            ending = failure(error.answer, server.address)
            again = error.answer.code in _AGAIN and not error.answer.is_lasting
            if not again or clock() + pause >= end:
                raise ending from None
        if (message := ending.message) != told:
            click.echo(f"{message}; asking again", err=True)
            told = message
        sleep(pause)
        pause = min(pause * 2, _LONGEST)
