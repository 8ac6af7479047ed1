"""Prints replies: tables for people, protojson and YAML of it for programs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Callable

    from google.protobuf.message import Message

    from kagent_apply.cli.client.options import Asking


def print_reply(reply: Message, asked: Asking, shown: Callable[[], str]) -> None:
    """A reply as it was asked for; `shown` makes the table."""
    # Without being told, click takes colours out of what goes into a pipe.
    click.echo(
        shown() if asked.output == "table" else as_text(reply, asked.output), color=asked.screen.colour
    )


def as_text(reply: Message, output: str) -> str:
    """A reply in protojson, or that as YAML."""
    from google.protobuf.json_format import MessageToDict

    values = MessageToDict(reply)
    if output == "json":
        return json.dumps(values, indent=2, ensure_ascii=True)
    import yaml

    return yaml.safe_dump(values, sort_keys=False, allow_unicode=False).rstrip("\n")
