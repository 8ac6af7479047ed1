"""What a server says before anything else: what it serves, where, to whom, and what it stands on."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

import click

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from kagent_apply.settings.model import Settings

_LOGGER: Final = logging.getLogger(__name__)

_CLUSTER: Final = {
    "all": "watched; status is written, and ActorTemplates that nothing needs are deleted",
    "status": "watched; status is written",
    "nothing": "watched",
}


def announce(settings: Settings, folder: Path, *, people: bool) -> None:
    """Say what will be served: to people in lines of their own, else as one line of the log."""
    told = facts(settings, folder)
    if not people:
        _LOGGER.info("serving", extra=dict(told))
        return
    click.echo(f"kagent-apply serves `{told['ref']}` of `{told['repository']}`", err=True)
    for name in ("commits", "calls", "callers", "actors", "store", "cluster"):
        if name in told:
            click.echo(f"  {name:<7}  {told[name]}", err=True)


def facts(settings: Settings, folder: Path) -> Mapping[str, str]:
    """What there is to know of a server, without a value that may be secret."""
    from kagent_render.diagnostics.text import printable

    told = {
        "repository": _public(settings.repo),
        "ref": settings.ref,
        "commits": f"read every {settings.poll:g} s, and at SIGHUP",
        "calls": f"{settings.listen}, {_calls(settings)}",
        "callers": "known by what they show" if settings.authenticated else "everybody is `local`",
        "actors": _actors(settings),
        "store": _store(settings, folder),
    }
    if settings.cluster:
        told["cluster"] = _CLUSTER[settings.cluster_writes]
    return {name: printable(text) for name, text in told.items()}


def _calls(settings: Settings) -> str:
    return "with TLS" if settings.tls_cert else "without TLS: this machine alone"


def _actors(settings: Settings) -> str:
    if not settings.embedded:
        return settings.substrate
    if settings.echo:
        return "echoes in this process"
    if settings.commands is None:
        return "none: neither `--commands` nor `--echo` is given"
    return f"processes of this machine, by `{settings.commands}`"


def _store(settings: Settings, folder: Path) -> str:
    if settings.store.startswith("postgresql:"):
        return "PostgreSQL"
    return settings.store or f"{folder}/store.sqlite"


def _public(repo: str) -> str:
    from kagent_render.artifacts.failure import public_url

    return public_url(repo) if "://" in repo else repo
