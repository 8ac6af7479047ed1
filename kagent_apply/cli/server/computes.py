"""What makes actors, by the settings: this process, or a Substrate of one generation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kagent_apply.cli.server.embedded import EmbeddedCompute, open_control
from kagent_apply.substrate.credentials import TLS
from kagent_apply.substrate.driver import open_compute
from kagent_apply.substrate.grpc_transport import GrpcTransport
from kagent_apply.substrate.port import ComputeRefusedError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from kagent_apply.instances.prepared import PreparedRevision
    from kagent_apply.operations.work import Computes
    from kagent_apply.settings.model import Settings
    from kagent_apply.substrate.grpc_transport import Headers
    from kagent_apply.substrate.port import Compute
    from kagent_apply.substrate.transport import Transport

    Measured = Callable[[Transport], Transport]
    """Puts what measures calls in front of a transport."""


def open_served(
    settings: Settings, folder: Path, measured: Measured, headers: Headers
) -> tuple[Compute, Computes]:
    """The compute to close at the end, and which target gets it; raises EnvironmentFailure, ComputeError."""
    if settings.embedded:
        control = open_control(settings, folder)
        embedded: Compute = EmbeddedCompute(control, measured(control))
        return embedded, lambda _target: embedded
    remote = open_compute(settings.target, measured(_remote(settings, headers)))
    return remote, lambda target: _of_target(settings.target, target, remote)


def _remote(settings: Settings, headers: Headers) -> Transport:
    if settings.substrate_plaintext:
        return GrpcTransport(settings.substrate, insecure=True, headers=headers)
    tls = TLS(settings.substrate_ca, settings.substrate_cert, settings.substrate_key)
    return GrpcTransport(settings.substrate, tls, headers=headers)


def _of_target(served: str, target: str, compute: Compute) -> Compute:
    if target.partition("/")[0] != served.partition("/")[0]:
        told = f"the revision is for `{target}`, and Substrate is of `{served}`"
        raise ComputeRefusedError(told, "render it for that target, or give another `--target`")
    return compute


@dataclass(frozen=True, slots=True)
class Preparing:
    """Has a revision's ActorTemplates made ready by what its target asks for."""

    computes: Computes

    def prepare(self, revision: PreparedRevision, timeout: float) -> bool:
        """As `Compute.prepare`."""
        return self.computes(revision.target).prepare(revision, timeout)
