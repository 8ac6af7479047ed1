"""What of an environment fits into a manifest, whichever generation's: its limits are given."""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kagent_render.api.names import is_dns_subdomain
from kagent_render.compile.environment import EnvVar, Provenance
from kagent_render.diagnostics.reasons import Reason

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kagent_render.diagnostics.diagnostic import Diagnostic

MAX_ENV = 32

_ENV_NAME = re.compile("[ -<>-~]+")
_NO_TEXT = re.compile("[\0\x7f-\x84\x86-\x9f\ufffe\uffff]")
_SECRET_KEY = re.compile("[-._a-zA-Z0-9]+")
_LITERALS = frozenset({"defaultHeaders", "env", "headersFrom"})
"""Fields whose texts may be credentials, so that no excerpt shows them."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one generation allows: `measure` gives a variable's size in `unit`, `longest` bounds it.

    `longest_name` is in characters.
    """

    target: str
    measure: Callable[[EnvVar], int]
    longest: int
    unit: str
    longest_name: int | None = None


def check_environment(
    limits: Limits, env: tuple[EnvVar, ...], documents: tuple[EnvVar, ...]
) -> Iterator[Diagnostic]:
    """What does not fit, at the field that brought it; `documents` are the last of `env`."""
    own = [variable for variable in env[: len(env) - len(documents)] if variable.origin is not None]
    room = MAX_ENV - (len(env) - len(own))
    if len(env) > MAX_ENV:
        yield _misfit(
            own[room],
            Reason.ENV_LIMIT_EXCEEDED,
            f"the boundary needs {len(env)} environment variables, and `{limits.target}` allows {MAX_ENV}",
            "remove variables from the Harness, or bind a Shared agent as Dedicated",
        )
    for variable in (*own, *documents):
        size = limits.measure(variable)
        if size > limits.longest:
            allowed = f"`{limits.target}` allows {limits.longest}"
            yield _misfit(
                _at_value(variable),
                Reason.ENV_VALUE_TOO_LONG,
                f"`{variable.name}` takes {size} {limits.unit}, and {allowed}",
                "shorten the text that it carries, or bind a Shared agent as Dedicated",
            )
    for variable in own:
        yield from _check_entry(variable, limits)


def _check_entry(variable: EnvVar, limits: Limits) -> Iterator[Diagnostic]:
    """Names that an ActorTemplate cannot hold although the input kinds can."""
    if not _ENV_NAME.fullmatch(variable.name):
        yield _misfit(
            variable,
            Reason.NAME_INVALID,
            "the name of an environment variable must be printable ASCII without `=`",
            "rename the variable",
        )
    elif limits.longest_name is not None and len(variable.name) > limits.longest_name:
        yield _misfit(
            variable,
            Reason.NAME_INVALID,
            f"the name of an environment variable has {len(variable.name)} characters, and"
            f" `{limits.target}` allows {limits.longest_name}",
            "shorten the name",
        )
    value = variable.value
    if isinstance(value, str):
        if _NO_TEXT.search(value):
            message = f"the value of `{variable.name}` holds a character that no manifest can"
            yield _misfit(_at_value(variable), Reason.INVALID_SPEC, message, "remove its control characters")
    elif not is_dns_subdomain(value.name) or not _SECRET_KEY.fullmatch(value.key):
        message = f"`{variable.name}` refers to a Secret name or key that no Secret can have"
        yield _misfit(_at_value(variable), Reason.CREDENTIAL_UNSUPPORTED, message, "correct the reference")


def _at_value(variable: EnvVar) -> EnvVar:
    """The variable with the field of its value where it is an entry of a Harness's `env`."""
    origin = variable.origin
    if origin is None or origin.field[:2] != ("spec", "env"):
        return variable
    field = (*origin.field[:-1], "value" if isinstance(variable.value, str) else "credentialRef")
    return dataclasses.replace(variable, origin=Provenance(origin.document, field))


def _misfit(variable: EnvVar, reason: Reason, message: str, hint: str) -> Diagnostic:
    assert variable.origin is not None
    document, field = variable.origin.document, variable.origin.field
    return document.fault(reason, field, message, hint=hint, sensitive=not _LITERALS.isdisjoint(field))
