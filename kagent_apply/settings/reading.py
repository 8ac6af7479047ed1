"""Settings out of all their sources, or every fault of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from pydantic import ValidationError

from kagent_apply.settings.exposure import exposure_faults
from kagent_apply.settings.fault import SettingFault, SettingsError
from kagent_apply.settings.model import Settings
from kagent_apply.settings.sources import flag, from_environment, from_file, from_flags, strays

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kagent_apply.settings.sources import Given, Layer

NAMES: Final = tuple(Settings.model_fields)
"""Every setting."""


@dataclass(frozen=True, slots=True)
class File:
    """A configuration file: its path as it was named, and its text."""

    path: str
    text: str


def read_settings(
    flags: Mapping[str, Any], environment: Mapping[str, str], file: File | None
) -> tuple[Settings, tuple[SettingFault, ...]]:
    """The settings, and what is only odd; raises SettingsError."""
    layer, faults = from_file(file.text, file.path, NAMES) if file else ({}, [])
    given: Layer = {**layer, **from_environment(environment, NAMES), **from_flags(flags)}
    try:
        settings = Settings.model_validate({name: found.value for name, found in given.items()})
    except ValidationError as error:
        raise SettingsError((*faults, *_faults(error, given))) from None
    faults += [*_missing(settings), *exposure_faults(settings)]
    if faults:
        raise SettingsError(tuple(faults))
    return settings, tuple(strays(environment, (*NAMES, "config", "server", "token_file", "traceback")))


def _faults(error: ValidationError, given: Mapping[str, Given]) -> Iterator[SettingFault]:
    """One for each setting; what pydantic says of a value shows none."""
    for name in dict.fromkeys(str(found["loc"][0]) for found in error.errors(include_input=False)):
        first = next(
            found for found in error.errors(include_input=False, include_url=False) if found["loc"][0] == name
        )
        told = str(first["msg"]).removeprefix("Value error, ")
        if first["type"] != "value_error":
            told = "is not right: " + told[:1].lower() + told[1:]
        field = Settings.model_fields[name]
        hint = f"give {field.description}" if field.description else "leave it out"
        yield SettingFault(f"{given[name].place} {told}".rstrip("."), hint)


def _missing(settings: Settings) -> Iterator[SettingFault]:
    """Settings that need others, or go with others only."""
    for name, other in (
        ("tls_cert", "tls_key"),
        ("tls_key", "tls_cert"),
        ("tls_client_ca", "tls_cert"),
        ("substrate_key", "substrate_cert"),
        ("oidc_issuer", "oidc_audiences"),
        ("oidc_audiences", "oidc_issuer"),
        ("oidc_jwks", "oidc_issuer"),
        ("certificates", "tls_client_ca"),
        ("kubeconfig", "cluster"),
        ("kube_context", "cluster"),
        ("cluster_everywhere", "cluster"),
        ("cluster_own", "cluster"),
        ("cluster_lease", "cluster"),
    ):
        if getattr(settings, name) and not getattr(settings, other):
            yield SettingFault(f"`{flag(name)}` needs `{flag(other)}`", f"give `{flag(other)}`, too")
    for name in ("substrate_ca", "substrate_cert", "substrate_plaintext"):
        if getattr(settings, name) and settings.embedded:
            yield SettingFault(f"`{flag(name)}` is of a Substrate that is not embedded", "give `--substrate`")
    for name in ("commands", "echo"):
        if getattr(settings, name) and not settings.embedded:
            yield SettingFault(f"`{flag(name)}` is of the embedded Substrate", f"leave `{flag(name)}` out")
    if settings.echo and settings.commands:
        yield SettingFault("`--echo` runs none of the commands of `--commands`", "leave one of them out")
    if settings.substrate_plaintext and settings.substrate_ca:
        yield SettingFault("`--substrate-plaintext` and `--substrate-ca` exclude each other", "keep one")
