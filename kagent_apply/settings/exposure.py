"""What has to be so before a server listens beyond this machine (DESIGN 15)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kagent_apply.network.loopback import is_loopback_address
from kagent_apply.settings.fault import SettingFault

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kagent_apply.settings.model import Settings

_STAY: Final = "or listen on `127.0.0.1`"


def exposure_faults(settings: Settings) -> Iterator[SettingFault]:
    """Why a server may not start that others can reach."""
    if is_loopback_address(settings.listen):
        return
    beyond = "`--listen` is beyond this machine"
    if not settings.tls_cert:
        yield SettingFault(f"{beyond}, and there is no TLS", f"give `--tls-cert` and `--tls-key`, {_STAY}")
    if not settings.authenticated:
        methods = "`--tokens`, `--oidc-issuer` or `--certificates`"
        yield SettingFault(f"{beyond}, and nobody is asked who calls", f"give {methods}, {_STAY}")
    if settings.embedded:
        hint = f"give the address of a Substrate in `--substrate`, {_STAY}"
        yield SettingFault(f"{beyond}, and actors of the embedded Substrate are not isolated", hint)
