"""The life of a server: it begins, refreshes at SIGHUP, and drains at SIGTERM or SIGINT."""

from __future__ import annotations

import logging
import resource
import signal
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TextIO

from kagent_apply.cli.failure import EnvironmentFailure
from kagent_apply.service.server import Bounds, Extra, ListenError, Server, build_server
from kagent_apply.service.tls import CertificateError, ServerTls

if TYPE_CHECKING:
    from pathlib import Path

    from kagent_apply.cli.server.signals import Signals
    from kagent_apply.service.parts import Parts
    from kagent_apply.settings.model import Settings

_LOGGER: Final = logging.getLogger(__name__)

_MANY: Final = 1 << 20
"""As many files as anybody needs, where there is no limit."""


def _nothing() -> None:
    pass


def _no_rest(_seconds: float) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Assembly:
    """What a server stands on, put together.

    `start` begins what goes on beside calls, once calls are taken; `refresh` reads everything again that may
    have changed; `rest` lets operations come to rest within some seconds, False where some did not.
    """

    parts: Parts
    extra: Extra = field(default_factory=Extra)
    start: Callable[[], None] = _nothing
    refresh: Callable[[], None] = _nothing
    rest: Callable[[float], bool] = _no_rest


Assemble = Callable[["Settings", "Path"], AbstractContextManager[Assembly]]
"""Puts a server's parts together out of its settings and the folder of its state, and lets go of them."""


def serve(settings: Settings, folder: Path, assemble: Assemble, signals: Signals) -> bool:
    """Serve until a signal says to end; raises EnvironmentFailure where that cannot begin.

    False where calls were cut off, whose threads may still wait for something.
    """
    at_terminal = sys.stderr.isatty()
    with assemble(settings, folder) as assembly:
        server = _listening(settings, assembly)
        signals.serve()
        server.start()
        assembly.start()
        _say(f"ready on {settings.listen.rpartition(':')[0]}:{server.port}")
        while (number := signals.next()) == signal.SIGHUP and not (at_terminal and _is_closed(sys.stderr)):
            _say("SIGHUP: reading everything again")
            assembly.refresh()
        return _drain(server, assembly, settings.drain, signal.Signals(number).name)


def _is_closed(terminal: TextIO) -> bool:
    """Whether a terminal is gone, of which a process hears by SIGHUP, too."""
    return not terminal.isatty()


def _listening(settings: Settings, assembly: Assembly) -> Server:
    tls = None
    if settings.tls_cert and settings.tls_key:
        tls = ServerTls(settings.tls_cert, settings.tls_key, settings.tls_client_ca)
    bounds = Bounds(
        waiting=settings.operations,
        calls=settings.calls,
        connections=_most_connections(),
        request=settings.largest_request,
        longest=settings.longest_call,
    )
    try:
        return build_server(assembly.parts, settings.listen, tls, bounds, assembly.extra)
    except ListenError as error:
        hint = "see whether another program listens there, or give another address in `--listen`"
        raise EnvironmentFailure(str(error), hint) from None
    except CertificateError as error:
        hint = "give a chain in `--tls-cert`, its key without a password in `--tls-key`, and PEM in all files"
        raise EnvironmentFailure(str(error), hint) from None
    except OSError as error:
        cause = (error.strerror or "it failed").lower()
        raise EnvironmentFailure(
            f"`{error.filename}` cannot be read: {cause}", "see to its path and mode"
        ) from None


def _most_connections() -> int:
    """Half of the files that this process can have open."""
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return (files if 0 < files < _MANY else _MANY) // 2


def _drain(server: Server, assembly: Assembly, seconds: float, name: str) -> bool:
    _say(f"{name}: taking no more calls, and letting those under way end; once more ends at once")
    began = time.monotonic()
    ended = server.drain(seconds)
    rested = assembly.rest(max(0.0, seconds - (time.monotonic() - began)))
    if ended and rested:
        _say("ended: every call had its reply")
    else:
        _say("ended: some operations were under way, and go on when a server starts again")
    return ended and rested


def _say(text: str) -> None:
    _LOGGER.info(text)
