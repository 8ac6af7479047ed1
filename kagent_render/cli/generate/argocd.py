"""What Argo CD asks of a plugin beside manifests: whether it applies, and which parameters it has."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from kagent_render.diagnostics.text import printable

if TYPE_CHECKING:
    from collections.abc import Mapping

VARIABLE: Final = "ARGOCD_APP_PARAMETERS"
"""The one variable of Argo CD that is read, and only with `--argocd`."""

_OTHER_TOOLS: Final = ("kustomization.yaml", "kustomization.yml", "Kustomization", "Chart.yaml")
"""What Argo CD itself knows a folder by, unless a plugin claims it first."""

_LONGEST: Final = 64 * 1024
_SHOWN_ROOTS: Final = 20
_VALUES: Final = ("string", "array", "map")


@dataclass(frozen=True, slots=True)
class Parameters:
    """The parameters of an application; `path` leads from its folder to one that means roots."""

    path: str = "."
    strict: bool = False
    allow_empty: bool = False


def claimed_roots(path: Path) -> list[str]:
    """The roots that make an application at `path` one of ours, as paths from it.

    A folder that is no root itself is left to Argo CD where it has a kustomization, a chart, or manifests of
    which none is ours, and where it is in a root and has no manifest of ours: there is another application,
    whose objects would be pruned for those of the root.
    """
    from kagent_render.cli.roots import root_places

    places = root_places(path)
    if not places or "." in places:
        return places
    if any(os.path.lexists(path / name) for name in _OTHER_TOOLS):
        return []
    from kagent_render.cli.generate.contents import holds_foreign_alone, holds_own

    if not _are_below(places):
        return places if holds_own(path) else []
    return [] if holds_foreign_alone(path) else places


def _are_below(places: list[str]) -> bool:
    return not any(place == ".." or place.startswith("../") for place in places)


def announcements(path: Path) -> str:
    """The parameters that depend on the repository, as Argo CD's user interface reads them."""
    from kagent_render.cli.roots import root_places

    places = root_places(path)
    below = [place for place in places if place != ".." and not place.startswith("../")]
    named = ", ".join(printable(place) for place in below[:_SHOWN_ROOTS])
    more = f" and {len(below) - _SHOWN_ROOTS} more" if len(below) > _SHOWN_ROOTS else ""
    announced = {
        "name": "path",
        "title": "Folder",
        "tooltip": f"A folder below the application's path; roots here: {named or 'none'}{more}",
        "itemType": "string",
        "collectionType": "string",
        "string": ".",
    }
    return json.dumps([announced])


def read_parameters(environment: Mapping[str, str]) -> Parameters:
    """The parameters that Argo CD passes; raises UsageError at any that is not known or not well formed."""
    text = environment.get(VARIABLE, "")
    if not text.strip():
        return Parameters()
    values = _strings(_parse(text))
    return Parameters(
        _path(values.pop("path", ".")),
        _switch("strict", values.pop("strict", "false")),
        _switch("allow-empty", values.pop("allow-empty", "false")),
    )


def _parse(text: str) -> list[Any]:
    if len(text) > _LONGEST:
        raise click.UsageError(f"`{VARIABLE}` is longer than {_LONGEST:,} characters")
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise click.UsageError(f"`{VARIABLE}` is not JSON") from None
    if found is None:  # what Argo CD writes for an application without parameters
        return []
    if not isinstance(found, list):
        raise click.UsageError(f"`{VARIABLE}` is not a list of parameters")
    return found


def _strings(parameters: list[Any]) -> dict[str, str]:
    """The value of each parameter by its name, all of which are strings."""
    values: dict[str, str] = {}
    for number, parameter in enumerate(parameters):
        name = parameter.get("name") if isinstance(parameter, dict) else None
        if not isinstance(name, str):
            raise click.UsageError(f"`{VARIABLE}` has no `name` at parameter {number + 1}")
        if name not in ("path", "strict", "allow-empty"):
            raise click.UsageError(
                f"the plugin has no parameter `{printable(name[:64])}`: there are `path`, `strict` and"
                " `allow-empty`"
            )
        if name in values:
            raise click.UsageError(f"the parameter `{name}` is set twice")
        given = {kind: parameter[kind] for kind in _VALUES if parameter.get(kind) is not None}
        if given.keys() != {"string"} or not isinstance(given["string"], str):
            raise click.UsageError(f"the parameter `{name}` takes a `string`")
        values[name] = given["string"]
    return values


def _switch(name: str, value: str) -> bool:
    if value not in ("true", "false", ""):
        raise click.UsageError(f"the parameter `{name}` is neither `true` nor `false`")
    return value == "true"


def _path(value: str) -> str:
    """A folder that is below the application's path, links included."""
    path = Path(value or ".")
    if "\0" in value or path.is_absolute() or ".." in path.parts:
        raise click.UsageError("the parameter `path` leads out of the application's folder")
    return value or "."


def folder_of(path: Path, parameters: Parameters) -> Path:
    """The folder that the parameters mean; raises UsageError where there is none below `path`."""
    try:
        folder = (path / parameters.path).resolve()
        inside = folder.is_relative_to(path.resolve()) and folder.is_dir()
    except (OSError, RuntimeError, ValueError):  # the last: half a surrogate pair is no name
        folder, inside = path, False
    if not inside:
        raise click.UsageError(
            f"the parameter `path` names no folder of the application: `{printable(parameters.path[:200])}`"
        )
    return folder
