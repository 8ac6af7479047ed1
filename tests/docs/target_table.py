"""The tables in `docs/targets.md`, out of the golden directories; run as a module, it writes them.

Which rows there are is `tests/golden/differences.py`; what they show is what the recorded manifests have.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from typing import Any

from kagent_render.revision.canonical_json import compact
from tests.docs.markdown import page
from tests.golden.both_targets import AUTHORED, folder, pairs, read_manifests
from tests.golden.differences import CREDENTIAL, GIVEN, LITERAL, LOCK, MANIFEST, Row, at, environment
from tests.golden.test_golden import NEW, OLD
from tests.parts import REPOSITORY

PAGE = "docs/targets.md"
_MARKS = {name: (f"<!-- {name} -->\n", f"<!-- /{name} -->\n") for name in ("manifests", "locks")}


def tables() -> dict[str, str]:
    """The rows about ActorTemplates, and those about locks."""
    rows = (*MANIFEST, LITERAL, CREDENTIAL, GIVEN)
    return {"manifests": _table(_manifest(row) for row in rows), "locks": _table(map(_lock, LOCK))}


def placed() -> dict[str, str]:
    """What stands between the marks on the page."""
    text = page(PAGE)
    return {name: text.partition(begin)[2].partition(end)[0] for name, (begin, end) in _MARKS.items()}


def record() -> None:
    """Write the tables to their places."""
    text = page(PAGE)
    for name, (begin, end) in _MARKS.items():
        before, _, rest = text.partition(begin)
        text = f"{before}{begin}{tables()[name]}{end}{rest.partition(end)[2]}"
    (REPOSITORY / PAGE).write_text(text, encoding="utf-8")


def _table(rows: Iterable[tuple[str, str, str]]) -> str:
    head = f"| what | `{OLD}` | `{NEW}` |\n|---|---|---|\n"
    return head + "".join(f"| {what} | {old} | {new} |\n" for what, old, new in rows)


def _lock(row: Row) -> tuple[str, str, str]:
    return row.what, _cell(row.old, row.told[0]), _cell(row.new, row.told[1])


def _manifest(row: Row) -> tuple[str, str, str]:
    told = _TOLD[row.what]() if row.what in _TOLD else _constant(NEW, row.new)
    return (
        row.what,
        _cell(row.old, row.told[0] or _constant(OLD, row.old)),
        _cell(row.new, row.told[1] or told),
    )


def _cell(path: str, told: str) -> str:
    if not path:
        return told or "none"
    return f"`{path}`: {told}" if told else f"`{path}`"


def _constant(target: str, path: str) -> str:
    """The value at a path where every recorded manifest has the same."""
    if not path or "[]" in path:
        return ""
    found = {compact(at(manifest, path)) for manifest in _manifests(target)}
    if len(found) != 1:
        return ""
    (text,) = found
    return f"`{text.strip(chr(34))}`"


def _placeholder() -> str:
    """What stands for every credential."""
    old, new = (map(_environment, _manifests(target)) for target in (OLD, NEW))
    (found,) = {
        after[name]
        for before, after in zip(old, new, strict=True)
        for name, value in before.items()
        if not isinstance(value, str)
    }
    return f"`{found}`"


def _given() -> str:
    """The variables that every manifest of the newer target has and no one of the older, by their values."""
    old, new = (list(map(_environment, _manifests(target))) for target in (OLD, NEW))
    names = [name for name in new[0] if name not in old[0]]
    values = dict.fromkeys(new[0][name] for name in names)
    parts = (", ".join(f"`{name}`" for name in names if new[0][name] == value) for value in values)
    return "; ".join(f"{some} as `{value}`" for some, value in zip(parts, values, strict=True))


def _environment(manifest: Any) -> dict[str, Any]:
    return environment(manifest.get("spec", manifest)["containers"][0])


_TOLD = {CREDENTIAL.what: _placeholder, GIVEN.what: _given}


@functools.cache
def _manifests(target: str) -> tuple[Any, ...]:
    return tuple(_read(target))


def _read(target: str) -> Iterator[Any]:
    for name in AUTHORED:
        for pair in pairs(folder(name, target)):
            yield from read_manifests(folder(name, target), pair).values()


if __name__ == "__main__":
    record()
