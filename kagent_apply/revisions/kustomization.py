"""The two small files that say where pairs are: RenderConfig, and the kustomizations of the output."""

from __future__ import annotations

import posixpath
from typing import Any, Final

from kagent_render.source import config_rules
from kagent_render.source.config import CONFIG_API_VERSION, CONFIG_KIND
from kagent_render.source.failure import YAMLInvalidError
from kagent_render.source.yaml import read_yaml

_DEFAULT_OUTPUT: Final = "rendered"
_LONGEST_NAME: Final = 1024
_KINDS: Final = ("Kustomization", None)


def output_folder(place: str, data: bytes) -> str:
    """Where a RenderConfig has the output, from its own folder; raises ValueError that names `place`.

    Nothing else of it is looked at: a newer kagent-render may know more fields than this program does.
    """
    value = _mapping(place, data)
    if (value.get("apiVersion"), value.get("kind")) != (CONFIG_API_VERSION, CONFIG_KIND):
        raise ValueError(f"`{place}` is no `{CONFIG_KIND}` of `{CONFIG_API_VERSION}`")
    spec = value.get("spec")
    output = spec.get("output") if isinstance(spec, dict) else None
    if output is None:
        return _DEFAULT_OUTPUT
    if not isinstance(output, str) or (complaint := config_rules.output_folder(output)):
        raise ValueError(f"`{place}`: {complaint[0] if isinstance(output, str) and complaint else _NO_TEXT}")
    return output.removeprefix("./").rstrip("/")


_NO_TEXT: Final = "the output folder must be text"


def listed_folders(place: str, data: bytes) -> tuple[str, ...]:
    """What a kustomization lists as `resources`; raises ValueError that names `place`."""
    value = _mapping(place, data)
    names = value.get("resources") or []
    if value.get("kind") not in _KINDS or not isinstance(names, list):
        raise ValueError(f"`{place}` is no kustomization")
    texts = (name for name in names if isinstance(name, str) and len(name) <= _LONGEST_NAME)
    return tuple(posixpath.normpath(name) for name in texts)


def _mapping(place: str, data: bytes) -> dict[str, Any]:
    try:
        documents = [found.value for found in read_yaml(data) if found.value is not None]
    except YAMLInvalidError as error:
        raise ValueError(f"`{place}` is not YAML: {error.message}") from None
    if len(documents) != 1 or not isinstance(documents[0], dict):
        raise ValueError(f"`{place}` does not hold one object")
    return documents[0]
