"""What Flux reads in the objects that it applies, and must not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

NO_SUBSTITUTION: Final = "kustomize.toolkit.fluxcd.io/substitute"
"""The annotation that keeps Flux from reading `${` in an object as a variable of its own."""


def without_substitution(texts: Iterable[str]) -> dict[str, str]:
    """The annotation for an object that holds the texts; none where no text has a variable."""
    return {NO_SUBSTITUTION: "disabled"} if any("${" in text for text in texts) else {}
