"""Files of a hostile committer: every digest fits, and kagent-render never wrote them."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable
from typing import Any

from kagent_render.revision.canonical_json import canonical, digest
from kagent_render.revision.canonical_yaml import dump
from kagent_render.revision.lock import Lock
from kagent_render.revision.lock_document import dump_lock, seal
from kagent_render.source.yaml import read_yaml
from kagent_render.target import ate_v1alpha1
from kagent_render.target.actor_template import identity_hash
from kagent_render.target.ateapi_resource import _heading, _resource
from tests.apply.revisions.world import HARNESS, NAMESPACE, Edit, folder, lock_of, read


def sealed(name: str, change: Callable[[Lock], Lock]) -> Edit:
    """Another lock with the digest that it has to have."""

    def edit(files: dict[str, Any]) -> None:
        files[lock_of(name)] = dump_lock(seal(change(read(name, files)))).encode()

    return edit


def forged(name: str, change: Callable[[dict[str, Any]], None]) -> Edit:
    """Another spec of the root's manifest, with the file name and the lock that belong to it."""

    def edit(files: dict[str, Any]) -> None:
        lock = read(name, files)
        root = lock.boundaries[0]
        value = copy.deepcopy(read_yaml(files.pop(f"{folder(name)}/{root.manifest}"))[0].value)
        spec = value["spec"] if "spec" in value else {k: v for k, v in value.items() if k != "metadata"}
        change(spec)
        template = f"incident-{name}"
        made = (
            f"{root.actor_template[:-12]}{identity_hash(NAMESPACE, HARNESS, template, '', canonical(spec))}"
        )
        if "spec" in value:
            value = ate_v1alpha1._object(made, (NAMESPACE, HARNESS, template, ""), spec, protect=True)
            text = dump(value)
        else:
            text = _heading("") + dump(_resource(made, NAMESPACE, spec))
        boundary = dataclasses.replace(root, actor_template=made, spec_digest=digest(spec))
        files[f"{folder(name)}/{boundary.manifest}"] = text.encode()
        lock = dataclasses.replace(lock, boundaries=(boundary, *lock.boundaries[1:]))
        files[lock_of(name)] = dump_lock(seal(lock)).encode()

    return edit
