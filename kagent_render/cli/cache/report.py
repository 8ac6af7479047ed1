"""Says what is in the cache folder, and what went from it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import click

from kagent_render.artifacts.source_identity import source_text
from kagent_render.diagnostics.size import size_text
from kagent_render.diagnostics.text import printable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from kagent_render.artifacts.cache.pruning import Removal, Survey


def info_document(folder: Path, held: Survey, memo: int) -> dict[str, Any]:
    """What `-o json` of `cache info` prints; sizes in bytes, times in UTC or null."""
    return {
        "folder": str(folder),
        "artifacts": held.artifacts,
        "bytes": held.size,
        "oldestUse": _moment(held.oldest_use),
        "newestUse": _moment(held.newest_use),
        "memoBytes": memo,
    }


def info_text(document: Mapping[str, Any]) -> str:
    """The same for people."""
    used = f"{document['oldestUse']} to {document['newestUse']}" if document["artifacts"] else "never"
    rows = {
        "folder": printable(document["folder"]),
        "artifacts": f"{document['artifacts']:,}, {size_text(document['bytes'])}",
        "last used": used,
        "memo": size_text(document["memoBytes"]),
    }
    return "\n".join(f"{name:<11}{value}" for name, value in rows.items())


def print_removals(removals: Sequence[Removal], memo: int, *, dry_run: bool) -> None:
    """Each artifact that went on stdout; on stderr how much that is, with `memo` bytes of the memo."""
    done = "would remove" if dry_run else "removed"
    entries = [removal for removal in removals if removal.is_entry]
    for removal in entries:
        click.echo(f"{done} {_artifact(removal)}")
    counted = {"artifact": len(entries), "leftover file": sum(removal.is_leftover for removal in removals)}
    parts = [f"{number:,} {noun}{'s' if number > 1 else ''}" for noun, number in counted.items() if number]
    size = sum(removal.file.size for removal in removals) + memo
    told = ", ".join([*parts, *(["the memo"] if memo else [])])
    click.echo(f"{done} {told}: {size_text(size)}" if told else "nothing to remove", err=True)


def _artifact(removal: Removal) -> str:
    if removal.entry is None:
        return f"an entry that cannot be read: `{removal.folder}/{removal.file.name}`"
    return source_text(removal.entry.subject.source)


def _moment(seconds: float | None) -> str | None:
    return None if seconds is None else time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
