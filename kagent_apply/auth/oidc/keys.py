"""Where the keys of an issuer come from, as those see it that verify with them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kagent_apply.auth.oidc.key_set import VerificationKey
    from kagent_apply.auth.watched_file import WatchedFile


class Keys(Protocol):
    """The keys of one issuer."""

    def matching(self, key_id: str) -> Sequence[VerificationKey]:
        """The keys of that id; raises AuthenticationUnavailableError where they may be unknown for now."""
        ...


@dataclass(frozen=True, slots=True)
class FileKeys:
    """Keys in a file, as it is now or was when it was last understood."""

    file: WatchedFile[tuple[VerificationKey, ...]]

    def matching(self, key_id: str) -> Sequence[VerificationKey]:
        """The keys of that id."""
        return select(self.file.current(), key_id)


def select(keys: Sequence[VerificationKey], key_id: str) -> Sequence[VerificationKey]:
    """Those of an id; for a token that names none, the only key if there is but one."""
    if not key_id:
        return keys if len(keys) == 1 else ()
    return [key for key in keys if key.id == key_id]
