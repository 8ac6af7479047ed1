"""Three sides of a kustomization that lists pairs or manifests, merged as what it is: a set."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from kagent_render.diagnostics.diagnostic import PairRef
from kagent_render.emit.config_map import PAIR, generator
from kagent_render.emit.plan import carrier_text, kustomization_text

_RESOURCE: Final = "- "
_FILE: Final = "  - "
_PAIR_LINE: Final = f"      {PAIR}: "


@dataclass(frozen=True, slots=True)
class _Side:
    """What a kustomization lists: resources, or the files that the ConfigMap of a `pair` carries."""

    listed: frozenset[str]
    pair: PairRef | None = None
    substitution: bool = True


def merge_kustomizations(base: bytes, ours: bytes, theirs: bytes) -> bytes | None:
    """What both sides added and neither removed, sorted; None where a side is not as this program writes it.

    An empty `base` stands for a file that both sides added. Sides that list resources and sides that list
    what a ConfigMap carries have nothing in common, and neither have those of two pairs.
    """
    second, third = _read(ours), _read(theirs)
    first = _read(base) if base or second is None else _Side(frozenset(), second.pair)
    if first is None or second is None or third is None:
        return None
    if not first.pair == second.pair == third.pair:
        return None
    kept = first.listed & second.listed & third.listed
    merged = kept | (second.listed - first.listed) | (third.listed - first.listed)
    if second.pair and not merged:
        return None
    substitution = second.substitution and third.substitution
    return _written(_Side(merged, second.pair, substitution)).encode()


def _read(text: bytes) -> _Side | None:
    """What a kustomization of ours lists; None for any other text."""
    try:
        lines = text.decode().split("\n")
    except UnicodeDecodeError:
        return None
    pair = next((_pair(line) for line in lines if line.startswith(_PAIR_LINE)), None)
    item = _FILE if pair else _RESOURCE
    listed = frozenset(line.removeprefix(item) for line in lines if line.startswith(item))
    sides = (_Side(listed, pair, substitution) for substitution in (True, False))
    return next((side for side in sides if _written(side).encode() == text), None)


def _pair(line: str) -> PairRef | None:
    parts = line.removeprefix(_PAIR_LINE).split("/")
    return PairRef(*parts) if len(parts) == 3 else None


def _written(side: _Side) -> str:
    if side.pair is None:
        return kustomization_text(side.listed)
    made = generator(side.pair, side.listed, substitution=side.substitution)
    return carrier_text(made)
