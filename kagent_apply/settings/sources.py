"""Where settings come from: flags, then the environment, then a file; each value with its place."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Final

import yaml

from kagent_apply.settings.fault import SettingFault

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

PREFIX: Final = "KAGENT_APPLY_"
"""What the name of every variable begins with."""

_LONGEST: Final = 60
_SERVICE_LINK: Final = re.compile(r"PORT(?:_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?)?|SERVICE_.*")
"""What Kubernetes sets in every container for a Service of the name `kagent-apply`."""


@dataclass(frozen=True, slots=True)
class Given:
    """A value as it was given, and where: `--listen`, `KAGENT_APPLY_LISTEN` or `serve.yaml:3`."""

    value: Any
    place: str


Layer = dict[str, Given]
"""Settings of one source by their names."""


def flag(name: str) -> str:
    """A setting as a flag: `tls_cert` is `--tls-cert`."""
    return f"--{key(name)}"


def key(name: str) -> str:
    """A setting as a key of the file: `tls_cert` is `tls-cert`."""
    return name.replace("_", "-")


def from_flags(values: Mapping[str, Any]) -> Layer:
    """The flags that were given."""
    return {name: Given(value, f"`{flag(name)}`") for name, value in values.items() if value is not None}


def from_environment(environment: Mapping[str, str], names: Collection[str]) -> Layer:
    """The variables that are set and not empty, which is how charts leave one out."""
    variables = {name: f"{PREFIX}{name.upper()}" for name in names}
    return {
        name: Given(environment[variable], f"`{variable}`")
        for name, variable in variables.items()
        if environment.get(variable)
    }


def strays(environment: Mapping[str, str], names: Collection[str]) -> Iterator[SettingFault]:
    """Variables that are nearly a setting; others are somebody else's, such as those of Kubernetes."""
    known = {name.upper() for name in names}
    for variable in sorted(environment):
        rest = variable.removeprefix(PREFIX)
        if rest == variable or rest in known or _SERVICE_LINK.fullmatch(rest):
            continue
        if near := get_close_matches(rest[:_LONGEST], known, n=1, cutoff=0.8):
            message = f"`{PREFIX}{rest[:_LONGEST]}` is no setting"
            yield SettingFault(message, f"write `{PREFIX}{near[0]}`, or remove it")


def from_file(text: str, path: str, names: Collection[str]) -> tuple[Layer, list[SettingFault]]:
    """The settings of a YAML file, and what is wrong with its keys."""
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f"`{path}:{mark.line + 1}`" if mark else f"`{path}`"
        return {}, [SettingFault(f"{place} is no YAML", "write a mapping of settings")]
    if root is None:
        return {}, []
    if not isinstance(root, yaml.MappingNode):
        return {}, [SettingFault(f"`{path}` is no mapping of settings", "write lines like `ref: main`")]
    return _entries(root, path, names)


def _entries(root: yaml.MappingNode, path: str, names: Collection[str]) -> tuple[Layer, list[SettingFault]]:
    layer: Layer = {}
    faults = []
    by_key = {key(name): name for name in names}
    for written, value in root.value:
        place = f"`{path}:{written.start_mark.line + 1}`"
        name = by_key.get(str(written.value)) if isinstance(written, yaml.ScalarNode) else None
        if name is None:
            faults.append(_unknown(written, place, by_key))
        elif name in layer:
            faults.append(
                SettingFault(f"`{key(name)}` is at {place} for the second time", "keep one of them")
            )
        elif (given := _value(value)) is not None:
            layer[name] = Given(given, f"`{key(name)}` at {place}")
    return layer, faults


def _unknown(written: yaml.Node, place: str, by_key: Mapping[str, str]) -> SettingFault:
    text = str(written.value)[:_LONGEST] if isinstance(written, yaml.ScalarNode) else ""
    shown = f"`{text}`" if text.isascii() and text.isprintable() and text else "a key"
    near = get_close_matches(text.replace("_", "-"), by_key, n=1)
    hint = f"write `{near[0]}`" if near else "`kagent-apply serve --help` lists the settings"
    return SettingFault(f"{shown} at {place} is no setting", hint)


def _value(node: yaml.Node) -> Any:
    """What a node says; a list of it is no deeper than one level in any setting."""
    if isinstance(node, yaml.SequenceNode):
        return [_value(item) for item in node.value if isinstance(item, yaml.ScalarNode)]
    if isinstance(node, yaml.ScalarNode):
        return None if node.tag == "tag:yaml.org,2002:null" else str(node.value)
    return node
