"""Merges config as `merge` does, and tells what a later writer takes from an earlier one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kagent_render.agentplugin.merge import typed_key

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kagent_render.diagnostics.diagnostic import FieldPath


@dataclass(slots=True)
class Written:
    """A value and the plugin that wrote it last, empty for the operator; a mapping's entries are Written."""

    writer: str
    value: Any


@dataclass(frozen=True, slots=True)
class Replacement:
    """A value that another one takes the place of, at `path`."""

    path: FieldPath
    earlier: Written

    @property
    def erases(self) -> bool:
        """Whether entries or items are lost, rather than one value."""
        return isinstance(self.earlier.value, dict | list) and bool(self.earlier.value)

    @property
    def writers(self) -> list[str]:
        """Who wrote what is lost, in the order of its entries."""
        lost = self.earlier.value
        entries = list(lost.values()) if isinstance(lost, dict) else []
        return list(dict.fromkeys(entry.writer for entry in entries or [self.earlier]))


def written(value: Any, writer: str) -> Written:
    """A value that `writer` writes where nothing is."""
    if isinstance(value, dict):
        return Written(writer, {key: written(entry, writer) for key, entry in value.items()})
    return Written(writer, list(value) if isinstance(value, list) else value)


def overwrite(
    base: dict[str, Written], extra: Mapping[str, Any], writer: str, path: FieldPath = ()
) -> Iterator[Replacement]:
    """Merge `extra` into `base`, which changes as the replacements are taken."""
    for key, value in extra.items():
        present = base.get(key)
        if present is not None and isinstance(present.value, dict) and isinstance(value, dict):
            yield from overwrite(present.value, value, writer, (*path, key))
        elif present is not None and isinstance(present.value, list) and isinstance(value, list):
            present.value.extend(value)
        else:
            if present is not None and not _is_same(present, value):
                yield Replacement((*path, key), present)
            base[key] = written(value, writer)


def _is_same(present: Written, value: Any) -> bool:
    return not isinstance(present.value, dict | list) and typed_key(present.value) == typed_key(value)
