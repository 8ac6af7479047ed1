"""The service as `kagent-apply serve` puts it together, with something of a test's around its outer parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from unittest.mock import patch

from kagent_apply.cli.server import assembly, computes
from kagent_apply.cli.server.computes import open_served
from kagent_apply.cli.server.embedded import open_control
from kagent_apply.operations.limits import Limits
from kagent_apply.operations.operations import Operations
from kagent_apply.service.server import build_server
from kagent_apply.settings.model import Settings
from kagent_apply.store.opening import open_store

if TYPE_CHECKING:
    from kagent_apply.cli.server.serving import Assembly
    from kagent_apply.embedded.control import Control
    from kagent_apply.service.server import Server
    from kagent_apply.store.port import Store
    from kagent_apply.substrate.transport import Transport

T = TypeVar("T")

QUICK = Limits(lease=0.8, call=0.55, interval=0.2, backoff=0.4)
"""So short that what a killed process held is taken over soon, whichever store holds it."""


def as_it_is(part: T) -> T:
    """Nothing around a part."""
    return part


@contextmanager
def composed(
    settings: Settings,
    folder: Path,
    *,
    store: Callable[[Store], Store] = as_it_is,
    transport: Callable[[Transport], Transport] = as_it_is,
    control: Callable[[Control], Control] = as_it_is,
) -> Iterator[tuple[Server, Assembly]]:
    """A server that takes calls."""

    def served(given: Settings, place: Path, measured: Callable[[Transport], Transport], headers: Any) -> Any:
        return open_served(given, place, lambda own: transport(measured(own)), headers)

    with (
        patch.object(assembly, "open_store", lambda url: store(open_store(url))),
        patch.object(assembly, "open_served", served),
        patch.object(assembly, "Operations", partial(Operations, limits=QUICK)),
        patch.object(computes, "open_control", lambda given, place: control(open_control(given, place))),
        assembly.assemble(settings, folder) as assembled,
    ):
        server = build_server(assembled.parts, settings.listen, None, None, assembled.extra)
        server.start()
        assembled.start()
        try:
            yield server, assembled
        finally:
            server.drain(5)
            assembled.rest(5)
