"""Where each value of a pair's output comes from: the field of a manifest, or a rule of the program."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kagent_render.compile.environment import Provenance

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kagent_render.compile.boundary import CompiledBoundary

_ENV_INDEX = re.compile(r"env\[(\d+)\]")


@dataclass(frozen=True, slots=True)
class Explanation:
    """One value: the boundary and field where it stands, what it is, and what it comes from.

    The boundary is None, and `manifest` a file, in the Component of a PlatformAgent. `sources` are fields of
    documents; `note` names the rule where no document decides. `credential` is set where the value is a
    Secret's, or stands for one.
    """

    boundary: str | None
    manifest: str
    field: str
    value: str
    sources: tuple[Provenance, ...]
    note: str = ""
    credential: bool = False


CREDENTIALS: Final = "credentials"
"""Asks for what a boundary has of Secrets, wherever its target has that; so is the lock's field called."""


def select(explanations: Sequence[Explanation], fields: Mapping[str | None, str]) -> list[Explanation]:
    """Those at or below a boundary's field; else what it is a part of; else those whose field mentions it.

    `fields` has the wanted field by the boundary's path, with environment entries by name; `CREDENTIALS`
    names no field.
    """
    wanted = {path: field.strip().strip(".") for path, field in fields.items()}
    if CREDENTIALS in wanted.values() and (secret := [e for e in explanations if e.credential]):
        return secret
    exact = [e for e in explanations if _is_within(e.field, wanted[e.boundary])]
    around = [e for e in explanations if _is_within(wanted[e.boundary], e.field)]
    longest = max((len(e.field) for e in around), default=0)
    mentioned = (e for e in explanations if wanted[e.boundary].lower() in e.field.lower())
    return exact or [e for e in around if len(e.field) == longest] or list(mentioned)


def _is_within(field: str, outer: str) -> bool:
    return field == outer or field.startswith((f"{outer}.", f"{outer}["))


def env_names(boundary: CompiledBoundary, field: str) -> str:
    """`env[3]` as `env[NAME]`, which is how explanations write it."""

    def name(match: re.Match[str]) -> str:
        index = int(match[1])
        return f"env[{boundary.env[index].name}]" if index < len(boundary.env) else match[0]

    return _ENV_INDEX.sub(name, field)
