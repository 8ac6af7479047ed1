"""What served last, kept in a folder: a restart without the repository goes on with it."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from kagent_apply.instances.requests import AgentName
from kagent_apply.revisions.pair_reading import CommittedRevision, UnusableError, read_pair
from kagent_render.diagnostics.diagnostic import PairRef
from kagent_render.emit.layout import is_representable
from kagent_render.target.actor_template import manifest_path

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

_VERSION: Final = 1
_SUFFIX: Final = ".json"
_LARGEST: Final = 256 << 20
"""A lock and 64 manifests of the largest size, half of it: what is larger was not written by this program."""


@dataclass(frozen=True, slots=True)
class Served:
    """A revision that served a pair, and the folder of the root that listed it."""

    root: str
    committed: CommittedRevision


class LastServed:
    """One file for each pair; several processes may use one folder. It is made when it is first needed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def load(self) -> Mapping[AgentName, Served]:
        """Every pair's last revision that still verifies, as strictly as one that was just committed."""
        return dict(found for path in sorted(self._files()) if (found := _read(path)) is not None)

    def keep(self, agent: AgentName, served: Served) -> None:
        """Put a revision in the place of the pair's last; raises OSError."""
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, draft = tempfile.mkstemp(prefix=".", suffix=".partial", dir=self._folder)
        try:
            with open(handle, "wb") as file:
                file.write(_encoded(agent, served))
                file.flush()
                os.fsync(file.fileno())
            os.replace(draft, self._path(agent))  # noqa: PTH105  (a name that mkstemp gave)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(draft)  # noqa: PTH108
            raise

    def drop(self, agent: AgentName) -> None:
        """Forget a pair that is withdrawn; raises OSError."""
        self._path(agent).unlink(missing_ok=True)

    def _path(self, agent: AgentName) -> Path:
        return self._folder / (hashlib.sha256(_identity(agent).encode()).hexdigest() + _SUFFIX)

    def _files(self) -> Iterator[Path]:
        with contextlib.suppress(OSError):
            yield from (path for path in self._folder.iterdir() if path.suffix == _SUFFIX)


def _identity(agent: AgentName) -> str:
    return f"{agent.namespace}/{agent.harness}/{agent.agent_template}"


def _encoded(agent: AgentName, served: Served) -> bytes:
    committed = served.committed
    document = {
        "version": _VERSION,
        "pair": [agent.namespace, agent.harness, agent.agent_template],
        "root": served.root,
        "lock": committed.lock.decode(),
        "manifests": {
            manifest_path(member.actor_template): member.manifest.decode()
            for member in committed.revision.members
        },
    }
    return json.dumps(document, ensure_ascii=False).encode()


def _read(path: Path) -> tuple[AgentName, Served] | None:
    """What a file holds; None where it does not verify, or another version of this program wrote it."""
    try:
        if path.is_symlink() or path.stat().st_size > _LARGEST:
            return None
        document: Any = json.loads(path.read_bytes())
        if document["version"] != _VERSION:
            return None
        agent = AgentName(*map(str, document["pair"]))
        if not is_representable(PairRef(agent.namespace, agent.harness, agent.agent_template)):
            return None
        manifests = {str(name): text.encode() for name, text in document["manifests"].items()}
        committed = read_pair(agent, document["lock"].encode(), manifests.get)
        return agent, Served(str(document["root"]), committed)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError, UnusableError):
        return None
