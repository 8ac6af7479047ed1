"""The port over a Control service, by the target that revisions are rendered for."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kagent_apply.substrate.port import Compute
    from kagent_apply.substrate.transport import Transport


def open_compute(target: str, transport: Transport) -> Compute:
    """The driver of the generation that a target is of; it owns `transport`, and closes it."""
    from kagent_apply.substrate.june import TARGET, JuneCompute
    from kagent_apply.substrate.newest import NewestCompute

    return JuneCompute(transport) if target == TARGET else NewestCompute(transport)
