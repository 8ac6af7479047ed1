"""Writes a tree that differs from another one in some files, as loose objects.

Nothing refers to them before a reference moves, so that a kill at any point leaves nothing that can be seen.
Objects are written under a name of their own and renamed: a lock file that a killed run left behind would
keep every later run from writing that object.
"""

from __future__ import annotations

import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from kagent_render.emit.folder import OutputBlockedError, OutputError
from kagent_render.source.reader import ReadError
from kagent_render.source.repository import object_faults

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dulwich.objects import ObjectID, ShaFile, Tree
    from dulwich.repo import Repo

_FILE: Final = 0o100644
_FOLDER: Final = 0o040000
_OBJECT_MODE: Final = 0o444
_NEW_FILE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC

_Changes = dict[str, "bytes | _Changes | None"]


def write_tree(repository: Repo, base: ObjectID | None, changes: Mapping[str, bytes | None]) -> ObjectID:
    """The id of `base` with files written, or removed where their content is None; empty folders go.

    Raises OutputBlockedError where a link or something else stands where a file or a folder has to be, and
    OutputError where an object cannot be read or written.
    """
    nested: _Changes = {}
    for path, content in changes.items():
        _nest(nested, path.split("/"), content)
    found = _write(repository, base, nested, "")
    return found if found is not None else _store(repository, _new_tree(repository))


def _nest(changes: _Changes, parts: list[str], content: bytes | None) -> None:
    *folders, name = parts
    for folder in folders:
        inner = changes.setdefault(folder, {})
        assert isinstance(inner, dict)
        changes = inner
    changes[name] = content


def _write(repository: Repo, base: ObjectID | None, changes: _Changes, path: str) -> ObjectID | None:
    """The id of a changed folder; None where nothing is left in it."""
    tree = _read(repository, base, path)
    entries = {item.path: item for item in tree.items()}
    for name, change in changes.items():
        below, key = f"{path}/{name}" if path else name, name.encode()
        entry = entries.get(key)
        if isinstance(change, dict):
            if entry is not None and not stat.S_ISDIR(entry.mode):
                raise OutputBlockedError(below, "is no folder on the branch", "remove it there")
            inner = _write(repository, entry.sha if entry is not None else None, change, below)
            _set(tree, key, _FOLDER, inner)
        elif entry is not None and not stat.S_ISREG(entry.mode):
            raise OutputBlockedError(below, "is no file on the branch", "remove it there")
        else:
            _set(tree, key, _FILE, _store_blob(repository, change) if change is not None else None)
    return _store(repository, tree) if len(tree) else None


def _set(tree: Tree, name: bytes, mode: int, identifier: ObjectID | None) -> None:
    if identifier is not None:
        tree[name] = (mode, identifier)
    elif name in tree:
        del tree[name]


def _read(repository: Repo, identifier: ObjectID | None, path: str) -> Tree:
    from dulwich.objects import Tree

    if identifier is None:
        return _new_tree(repository)
    try:
        with object_faults(path or "."):
            found = repository.object_store[identifier]
            if not isinstance(found, Tree):
                raise KeyError(identifier)
    except ReadError as error:
        raise OutputError(error.path, error.problem) from None
    copy = _new_tree(repository)
    for item in found.items():
        copy[item.path] = (item.mode, item.sha)
    return copy


def _new_tree(repository: Repo) -> Tree:
    from dulwich.objects import Tree

    tree = Tree()
    tree.object_format = repository.object_format
    return tree


def _store_blob(repository: Repo, content: bytes) -> ObjectID:
    from dulwich.objects import Blob

    blob = Blob.from_string(content)
    blob.object_format = repository.object_format
    return _store(repository, blob)


def _store(repository: Repo, stored: ShaFile) -> ObjectID:
    """Write one object where it is not there yet."""
    from dulwich.file import adjust_shared_perm
    from dulwich.objects import ObjectID

    identifier = ObjectID(stored.get_id(repository.object_format))
    name = identifier.decode("ascii")
    folder = Path(os.fsdecode(repository.object_store.path)) / name[:2]
    path = folder / name[2:]
    try:
        if path.exists():
            os.utime(path)  # so that `git gc` does not take it for garbage before a reference leads to it
        elif identifier not in repository.object_store:
            folder.mkdir(exist_ok=True)
            _write_file(folder, path, stored.as_legacy_object())
            # Several users may share the store, as `core.sharedRepository` says.
            for made in (folder, path):
                adjust_shared_perm(made, repository.object_store.shared_perm)
    except OSError as error:
        problem = f"cannot be written: {(error.strerror or 'it vanished').lower()}"
        raise OutputError("the object store of the repository", problem) from None
    return identifier


def _write_file(folder: Path, path: Path, data: bytes) -> None:
    # Git's own name for an unfinished object, which `git gc` removes.
    temporary = folder / f"tmp_obj_{secrets.token_hex(8)}"
    try:
        with open(os.open(temporary, _NEW_FILE, _OBJECT_MODE), "wb") as file:
            file.write(data)
        temporary.replace(path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
