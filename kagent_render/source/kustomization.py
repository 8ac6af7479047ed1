"""Which files kustomize uses as patches, so that they are not taken for whole objects."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Any, Final

from kagent_render.source.failure import YAMLInvalidError
from kagent_render.source.reader import Reader, ReadError
from kagent_render.source.yaml import read_yaml

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_NAMES: Final = frozenset(("kustomization.yaml", "kustomization.yml", "Kustomization"))


def is_kustomization(path: str) -> bool:
    """Whether kustomize reads this file as a kustomization."""
    return path.rpartition("/")[2] in _NAMES


def patch_files(reader: Reader, paths: Iterable[str]) -> frozenset[str]:
    """The files that the kustomizations among `paths` list as patches; one that cannot be read lists none."""
    return frozenset(patch for path in paths if is_kustomization(path) for patch in _patches(reader, path))


def _patches(reader: Reader, path: str) -> Iterator[str]:
    folder = path.rpartition("/")[0]
    try:
        data = reader.read(path)
        documents = read_yaml(data, strict=False) if b"patches" in data else []
    except (ReadError, YAMLInvalidError):
        return
    for document in documents:
        if isinstance(document.value, dict):
            for name in _names(document.value):
                yield posixpath.normpath(posixpath.join(folder, name))


def _names(kustomization: dict[str, Any]) -> Iterator[str]:
    for field in ("patches", "patchesJson6902"):
        for patch in _list(kustomization.get(field)):
            if isinstance(patch, dict) and isinstance(patch.get("path"), str):
                yield patch["path"]
    # A strategic merge patch that is written inline names no file, and matches none.
    yield from (
        patch for patch in _list(kustomization.get("patchesStrategicMerge")) if isinstance(patch, str)
    )


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
