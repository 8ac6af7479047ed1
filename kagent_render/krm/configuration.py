"""What a function is told: RenderConfig itself, or the root whose RenderConfig and locks count."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from kagent_render.krm.objects import ROOT_KIND, file_of
from kagent_render.source.config import CONFIG_API_VERSION, CONFIG_KIND

if TYPE_CHECKING:
    from kagent_render.krm.resource_list import Item

_FIELDS: Final = {"root": str, "strict": bool}


class FunctionConfigError(Exception):
    """A functionConfig that says nothing that can be done; the hint is an action."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


@dataclass(frozen=True, slots=True)
class FunctionConfig:
    """`render_config` is the text of a RenderConfig, None where a committed `root` has one."""

    render_config: bytes | None
    root: str = ""
    strict: bool = False


def read_function_config(config: Item | None) -> FunctionConfig:
    """The configuration of one call; raises FunctionConfigError."""
    value: Any = config.value if config is not None else None
    kind = value.get("kind") if isinstance(value, dict) else None
    if config is None or kind not in (CONFIG_KIND, ROOT_KIND):
        raise FunctionConfigError(
            f"`functionConfig` is neither a `{CONFIG_KIND}` nor a `{ROOT_KIND}`",
            f"pass a `{CONFIG_KIND}` as `kagent-render.yaml` holds it, or a `{ROOT_KIND}` with `spec.root`",
        )
    if kind == CONFIG_KIND:
        return FunctionConfig(file_of(config))
    if value.get("apiVersion") != CONFIG_API_VERSION:
        raise FunctionConfigError(
            f"`functionConfig` is a `{ROOT_KIND}` of another version",
            f"set `apiVersion: {CONFIG_API_VERSION}`",
        )
    return _of_root(value.get("spec"))


def _of_root(spec: object) -> FunctionConfig:
    spec = spec if isinstance(spec, dict) else {}
    for name, found in spec.items():
        expected = _FIELDS.get(name)
        if expected is None or not isinstance(found, expected):
            raise FunctionConfigError(
                f"`functionConfig` has a field in `spec` that is unknown, or not of its type: `{name[:64]}`",
                "set `spec.root` to a folder, and `spec.strict` to true or false",
            )
    if not spec.get("root"):
        raise FunctionConfigError(
            "`functionConfig` names no `spec.root`",
            "set it to the folder with `kagent-render.yaml`, relative to where the function runs",
        )
    return FunctionConfig(None, spec["root"], spec.get("strict", False))
