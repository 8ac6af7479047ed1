"""The folders of actors: one that is worked in, or one that is kept, and logs beside them.

```
actors/UID/live/data      working folder and home: what is durable
actors/UID/live/scratch   temporary files
actors/UID/snapshot/      `live` as it was when the actor was suspended
actors/UID/log/           what the process wrote
```

Folders are moved, never copied, so that there is one of the two at any time; whoever is killed in between
leaves what the next call can tell from the other.
"""

from __future__ import annotations

import contextlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kagent_apply.embedded.refusal import ControlError
from kagent_apply.embedded.removal import remove_folder

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_UID: Final = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@dataclass(frozen=True, slots=True)
class Folders:
    """Those of all actors, by uid, which the server itself chose; all have mode 0700."""

    root: Path

    def prepare(self) -> None:
        """Make the folder that the others are in."""
        self.root.mkdir(mode=0o700, parents=True, exist_ok=True)

    def live(self, uid: str) -> Path:
        """What an actor works in while it runs."""
        return self._of(uid) / "live"

    def data(self, uid: str) -> Path:
        """What an actor keeps."""
        return self.live(uid) / "data"

    def scratch(self, uid: str) -> Path:
        """What an actor does not need again, unless its snapshots are of everything."""
        return self.live(uid) / "scratch"

    def log(self, uid: str) -> Path:
        """What an actor's process wrote to its streams."""
        return self._of(uid) / "log"

    def restore(self, uid: str) -> None:
        """Have the snapshot, if there is one, be what is worked in."""
        if self._snapshot(uid).exists() and not self.live(uid).exists():
            self._snapshot(uid).rename(self.live(uid))

    def make(self, uid: str) -> None:
        """Make what a process needs that is not there yet."""
        for folder in (self._of(uid), self.live(uid), self.data(uid), self.scratch(uid), self.log(uid)):
            folder.mkdir(mode=0o700, exist_ok=True)

    def keep(self, uid: str, *, everything: bool) -> None:
        """Turn what was worked in into the snapshot, without the scratch folder unless with `everything`."""
        live, snapshot = self.live(uid), self._snapshot(uid)
        if not live.exists():
            return
        if not everything:
            remove_folder(live / "scratch")
        remove_folder(snapshot)
        live.rename(snapshot)

    def remove(self, uid: str) -> None:
        """Remove all of an actor's."""
        remove_folder(self._of(uid))

    def sweep(self, is_known: Callable[[str], bool]) -> None:
        """Remove the folders of actors that are no more; what cannot be removed stays for the next time."""
        for folder in self.root.iterdir():
            if _UID.fullmatch(folder.name) and not is_known(folder.name):
                with contextlib.suppress(OSError):
                    remove_folder(folder)

    def _of(self, uid: str) -> Path:
        if not _UID.fullmatch(uid):
            raise ControlError("INTERNAL", "an actor has no uid")
        return self.root / uid

    def _snapshot(self, uid: str) -> Path:
        return self._of(uid) / "snapshot"
