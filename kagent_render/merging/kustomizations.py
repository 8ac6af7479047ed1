"""Three sides of a kustomization that lists pairs or manifests, merged as what it is: a set."""

from __future__ import annotations

from typing import Final

from kagent_render.emit.plan import kustomization_text

_ITEM: Final = "- "


def merge_kustomizations(base: bytes, ours: bytes, theirs: bytes) -> bytes | None:
    """What both sides added and neither removed, sorted; None where a side is not as this program writes it.

    An empty `base` stands for a file that both sides added.
    """
    sides = [_listed(text) if text else frozenset() for text in (base, ours, theirs)]
    first, second, third = sides
    if first is None or second is None or third is None:
        return None
    merged = (first & second & third) | (second - first) | (third - first)
    return kustomization_text(merged).encode()


def _listed(text: bytes) -> frozenset[str] | None:
    """The resources of a kustomization of ours; None for any other text."""
    try:
        lines = text.decode().splitlines()
    except UnicodeDecodeError:
        return None
    listed = frozenset(line.strip().removeprefix(_ITEM) for line in lines if line.lstrip().startswith(_ITEM))
    return listed if kustomization_text(listed).encode() == text else None
