"""What the Control service keeps, as it is looked at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Kind = Literal["atespace", "template", "actor", "policy"]


@dataclass(frozen=True, slots=True)
class Key:
    """What a resource is found by; `atespace` is empty for atespaces themselves."""

    kind: Kind
    atespace: str
    name: str


Ask = Callable[[str, "tuple[object, ...]"], list[Any]]
"""The first column of what a statement finds."""


class View:
    """The resources as they are committed, each the bytes of its message; some are known without asking."""

    def __init__(self, ask: Ask, known: Mapping[Key, bytes]) -> None:
        self._ask = ask
        self._known = known

    def get(self, key: Key) -> bytes | None:
        """One resource; None where there is none."""
        if (body := self._known.get(key)) is not None:
            return body
        found = self._ask(
            "SELECT body FROM resource WHERE kind = ? AND atespace = ? AND name = ?",
            (key.kind, key.atespace, key.name),
        )
        return found[0] if found else None

    def page(self, kind: Kind, atespace: str, after: tuple[str, str], limit: int) -> Sequence[bytes]:
        """The next of a kind behind `after`, by atespace and name; of every atespace where that is empty."""
        where, values = ("AND atespace = ?", (atespace,)) if atespace else ("", ())
        return self._ask(
            f"SELECT body FROM resource WHERE kind = ? {where} AND (atespace, name) > (?, ?)"  # noqa: S608
            " ORDER BY atespace, name LIMIT ?",
            (kind, *values, *after, limit),
        )

    def any_in(self, kind: Kind, atespace: str) -> bool:
        """Whether an atespace has something of a kind."""
        return bool(self.page(kind, atespace, ("", ""), 1))

    def any_referring(self, kind: Kind, atespace: str, name: str) -> bool:
        """Whether something of a kind refers to `name`."""
        found = self._ask(
            "SELECT 1 FROM resource WHERE kind = ? AND atespace = ? AND refers = ? AND refers <> '' LIMIT 1",
            (kind, atespace, name),
        )
        return bool(found)
