"""The difference of two texts, line by line, in time that no text can make long."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import Final

from kagent_render.review.anchors import anchors
from kagent_render.review.fact import masked

_CONTEXT: Final = 3
_MOST_COMPARED: Final = 1_000_000
"""Lines of one side times lines of the other that are compared, in texts that are not very long."""
_MOST_PER_LINE: Final = 100
"""The same for each line of longer ones; beyond it, all are replaced."""
_SHORT: Final = 200
"""Lines from which on `SequenceMatcher` takes no notice of those that are there often."""

Opcode = tuple[str, int, int, int, int]


def unified(
    before: str,
    after: str,
    hide: Callable[[list[str], list[str]], tuple[list[str], list[str]]] = lambda old, new: (old, new),
) -> tuple[str, ...]:
    """Hunks as `diff -u` writes them, without a head; lines that look like credentials are masked.

    `hide` gives what is shown of the lines of both sides.

    Where one text alone ends in a line feed it has an empty last line, so that no end of line gets lost.
    """
    old, new = before.split("\n") if before else [], after.split("\n") if after else []
    if before.endswith("\n") and after.endswith("\n"):
        del old[-1], new[-1]
    shown_old, shown_new = hide(old, new)
    return tuple(_hunks(old, new, masked(shown_old), masked(shown_new)))


def _hunks(old: list[str], new: list[str], shown_old: list[str], shown_new: list[str]) -> Iterator[str]:
    for group in _groups(_opcodes(old, new)):
        (_, old_start, _, new_start, _), (_, _, old_end, _, new_end) = group[0], group[-1]
        yield f"@@ -{_range(old_start, old_end)} +{_range(new_start, new_end)} @@"
        for kind, start, end, new_from, new_to in group:
            if kind == "equal":
                yield from (f" {line}" for line in shown_old[start:end])
                continue
            yield from (f"-{line}" for line in shown_old[start:end])
            yield from (f"+{line}" for line in shown_new[new_from:new_to])


def _opcodes(old: Sequence[str], new: Sequence[str]) -> list[Opcode]:
    """What is equal at both ends is found first: most edits leave little between."""
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    old_end, new_end = len(old) - tail, len(new) - tail
    inner = _inner(old[head:old_end], new[head:new_end])
    moved = [(kind, a + head, b + head, c + head, d + head) for kind, a, b, c, d in inner]
    ends: list[Opcode] = [
        ("equal", 0, head, 0, head),
        *moved,
        ("equal", old_end, len(old), new_end, len(new)),
    ]
    return _joined(found for found in ends if found[1] < found[2] or found[3] < found[4])


def _inner(old: Sequence[str], new: Sequence[str]) -> Iterator[Opcode]:
    """Texts that are not short are compared between the lines that are once in both."""
    left = max(_MOST_COMPARED, (len(old) + len(new)) * _MOST_PER_LINE)
    shared = anchors(old, new) if len(new) >= _SHORT else []
    a = c = 0
    for b, d in [*shared, (len(old), len(new))]:
        left -= (cost := (b - a) * (d - c))
        if left < 0:
            left += cost
            yield "replace", a, b, c, d
        else:
            for kind, *places in SequenceMatcher(None, old[a:b], new[c:d]).get_opcodes():
                yield kind, places[0] + a, places[1] + a, places[2] + c, places[3] + c
        yield "equal", b, min(b + 1, len(old)), d, min(d + 1, len(new))
        a, c = b + 1, d + 1


def _joined(opcodes: Iterable[Opcode]) -> list[Opcode]:
    """Neighbours that are equal as one."""
    joined: list[Opcode] = []
    for found in opcodes:
        if joined and found[0] == "equal" == joined[-1][0]:
            _, old_start, _, new_start, _ = joined.pop()
            joined.append(("equal", old_start, found[2], new_start, found[4]))
        else:
            joined.append(found)
    return joined


def _common(old: Sequence[str], new: Sequence[str]) -> int:
    pairs = enumerate(zip(old, new, strict=False))
    return next((index for index, (ours, theirs) in pairs if ours != theirs), min(len(old), len(new)))


def _groups(opcodes: list[Opcode]) -> Iterator[list[Opcode]]:
    """Neighbouring changes with the lines around them."""
    group: list[Opcode] = []
    for index, (kind, a, b, c, d) in enumerate(opcodes):
        if kind != "equal":
            group.append((kind, a, b, c, d))
            continue
        before, after = _CONTEXT if index else 0, _CONTEXT if index < len(opcodes) - 1 else 0
        if b - a <= before + after:
            group.append((kind, a, b, c, d))
            continue
        if index:
            group.append((kind, a, a + before, c, c + before))
            yield group
        group = [(kind, b - after, b, d - after, d)] if after else []
    if any(kind != "equal" for kind, *_ in group):
        yield group


def _range(start: int, end: int) -> str:
    """A range of lines as `diff -u` counts them."""
    length = end - start
    begin = start + 1 if length else start
    return str(begin) if length == 1 else f"{begin},{length}"
