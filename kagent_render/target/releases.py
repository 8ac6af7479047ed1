"""The releases of Substrate's own API that a template can be read for: what each names otherwise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kagent_render.target.former_names import FORMER_NAMES
from kagent_render.target.template_rules import FREE, RULES, Rule

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True, eq=False)
class Release:
    """What one release has not: `refused` says, by message and field, why and what to do.

    `rules` are about the fields that it has.
    """

    name: str
    refused: Mapping[str, tuple[str, str]]
    rules: Mapping[str, Rule]


RELEASED: Final = Release("v0.4.0", FORMER_NAMES, RULES)

_ONE_BUNDLE: Final = ("v0.4.0-alpha1 takes one", "write `name`")
_AGAIN: Final = ("SnapshotConfig.onPause", "SnapshotConfig.onResume", "TrustBundleDataSource.name")
"""Fields that v0.4.0-alpha1 still has."""

ALPHA: Final = Release(
    "v0.4.0-alpha1",
    {
        **{name: told for name, told in FORMER_NAMES.items() if name not in _AGAIN},
        "TrustBundleDataSource.names": _ONE_BUNDLE,
    },
    {
        **RULES,
        "TrustBundleDataSource.names": FREE,
        "TrustBundleDataSource.name": Rule(needed=True, characters=253),
    },
)
