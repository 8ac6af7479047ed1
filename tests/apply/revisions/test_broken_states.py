"""Whatever is wrong with a commit: its own pairs go on with what they served, all others with what is new."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kagent_apply.instances.requests import AgentName
from kagent_apply.revisions import reading
from kagent_apply.revisions.port import NotServed
from kagent_render.revision.lock import Lock, LockedTemplate
from tests.apply.revisions.forging import forged, sealed
from tests.apply.revisions.memory import MemoryRepository
from tests.apply.revisions.world import (
    HARNESS,
    NAMESPACE,
    OUTPUT,
    PAIRS,
    Edit,
    Served,
    agent,
    edited,
    edition,
    folder,
    lock_of,
    read,
)
from tests.artifacts.git.repositories import Node, link, submodule

ALL = frozenset(PAIRS)
ONE = frozenset({"researcher"})
LOCK = lock_of("researcher")
CONFIG = "kagent-render.yaml"


def putting(path: str, content: bytes | Node) -> Edit:
    return lambda files: files.update({path: content})


def without(path: str) -> Edit:
    def edit(files: dict[str, Any]) -> None:
        del files[path]

    return edit


def replacing(path: str, old: bytes, new: bytes) -> Edit:
    def edit(files: dict[str, Any]) -> None:
        assert old in files[path]
        files[path] = files[path].replace(old, new, 1)

    return edit


def manifest_of(name: str, files: dict[str, Any]) -> str:
    return f"{folder(name)}/{read(name, files).boundaries[0].manifest}"


def manifest(change: Callable[[bytes], bytes | Node | None]) -> Edit:
    def edit(files: dict[str, Any]) -> None:
        path = manifest_of("researcher", files)
        content = change(files.pop(path))
        if content is not None:
            files[path] = content

    return edit


def everything_of(name: str, gone: str = "") -> Edit:
    """A pair's folder without the files whose names begin with `gone`."""

    def edit(files: dict[str, Any]) -> None:
        for path in [path for path in files if path.startswith(f"{folder(name)}/{gone}")]:
            del files[path]

    return edit


def both(*edits: Edit) -> Edit:
    def edit(files: dict[str, Any]) -> None:
        for each in edits:
            each(files)

    return edit


def labelled(lock: Lock, count: int) -> tuple[LockedTemplate, ...]:
    labels = {f"label-{number}": "" for number in range(count)}
    return tuple(dataclasses.replace(template, labels=labels) for template in lock.templates)


def another_root(files: dict[str, Any]) -> None:
    files |= {f"other/{path}": data for path, data in files.items()}
    for name in ("coordinator", "reviewer"):
        everything_of(name)(_Below(files, "other/"))
    files[f"other/{OUTPUT}/kustomization.yaml"] = kustomization(f"{HARNESS}/incident-researcher")


class _Below(dict[str, Any]):
    """A copy's files as if it were the root, to take some away."""

    def __init__(self, files: dict[str, Any], prefix: str) -> None:
        super().__init__(
            {path.removeprefix(prefix): d for path, d in files.items() if path.startswith(prefix)}
        )
        self._files, self._prefix = files, prefix

    def __delitem__(self, path: str) -> None:
        super().__delitem__(path)
        del self._files[self._prefix + path]


def kustomization(*resources: str) -> bytes:
    listed = "".join(f"- {name}\n" for name in resources)
    head = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n"
    return f"{head}{listed}".encode()


def with_boundaries(change: Callable[[Lock], Any]) -> Edit:
    return sealed("researcher", lambda lock: dataclasses.replace(lock, boundaries=change(lock)))


def big(spec: dict[str, Any]) -> None:
    spec["pauseImage"] = "registry.example.com/pause:latest"


BROKEN: dict[str, tuple[Edit, frozenset[str], str]] = {
    "conflict markers": (putting(LOCK, b"<<<<<<< ours\nspec: {}\n"), ONE, "conflict markers"),
    "hand edit": (replacing(LOCK, b"name: incident", b"name: accident"), ONE, "does not name"),
    "edited prompt": (replacing(LOCK, b"    text: Inv", b"    text: Dev"), ONE, "the lock was edited"),
    "newer schema": (replacing(LOCK, b"version: 1", b"version: 2"), ONE, "newer kagent-render"),
    "not YAML": (putting(LOCK, b"\0{"), ONE, "not YAML"),
    "deep YAML": (putting(LOCK, b"[" * 100_000), ONE, "the lock is not YAML"),
    "huge lock": (putting(LOCK, b" " * (9 << 20)), ONE, "is larger than 8 MiB"),
    "lock is a link": (
        putting(LOCK, link("../incident-reviewer/revision.lock.yaml")),
        ONE,
        "no regular file",
    ),
    "lock is a submodule": (putting(LOCK, submodule()), ONE, "no regular file"),
    "lock of another pair": (
        lambda files: files.update({LOCK: files[lock_of("reviewer")]}),
        ONE,
        "is that of",
    ),
    "carriage returns": (replacing(LOCK, b"\n", b"\r\n"), ONE, "carriage returns"),
    "manifest missing": (manifest(lambda _: None), ONE, "is missing"),
    "manifest of another spec": (manifest(lambda data: data.replace(b":80", b":81", 1)), ONE, "another spec"),
    "manifest with other labels": (
        manifest(lambda data: data.replace(b"managed-by: kagent", b"managed-by: nobody")),
        ONE,
        "not as kagent-render writes it",
    ),
    "manifest with a comment": (
        manifest(lambda data: b"# mine\n" + data),
        ONE,
        "not as kagent-render writes",
    ),
    "manifest is a link": (manifest(lambda _: link("/etc/passwd")), ONE, "no regular file"),
    "manifest is a submodule": (manifest(lambda _: submodule()), ONE, "no regular file"),
    "manifests are a submodule": (
        both(
            everything_of("researcher", "actortemplates"),
            putting(f"{folder('researcher')}/actortemplates", submodule()),
        ),
        ONE,
        "is missing",
    ),
    "forged: no pinned image": (forged("researcher", big), ONE, "`spec.pauseImage`"),
    "forged: unknown field": (
        forged("researcher", lambda spec: spec.update(hostPath="/")),
        ONE,
        "`hostPath`",
    ),
    "forged: no containers": (
        forged("researcher", lambda spec: spec.update(containers=[])),
        ONE,
        "containers",
    ),
    "forged: no boundary": (with_boundaries(lambda _: ()), ONE, "boundaries"),
    "forged: a boundary twice": (with_boundaries(lambda lock: lock.boundaries * 2), ONE, "boundaries"),
    "more labels than instances can have": (
        sealed("researcher", lambda lock: dataclasses.replace(lock, templates=labelled(lock, 257))),
        ONE,
        "an AgentTemplate has more than 256 labels",
    ),
    "forged: target": (
        sealed("researcher", lambda lock: dataclasses.replace(lock, target="ateapi/v9")),
        ONE,
        "newer kagent-apply",
    ),
    "pair's folder missing": (everything_of("researcher"), ONE, "no folder"),
    "pair's folder is a link": (
        both(everything_of("researcher"), putting(folder("researcher"), link("incident-reviewer"))),
        ONE,
        "no folder",
    ),
    "two roots": (another_root, ONE, "`.` and `other`"),
    "namespace's kustomization in conflict": (
        putting(f"{OUTPUT}/kustomization.yaml", b"<<<<<<< ours\n"),
        ALL,
        "does not hold one object",
    ),
    "namespace's kustomization missing": (without(f"{OUTPUT}/kustomization.yaml"), ALL, "has no"),
    "kustomization is a list": (putting(f"{OUTPUT}/kustomization.yaml", b"- a\n"), ALL, "one object"),
    "output's kustomization missing": (without("rendered/kustomization.yaml"), ALL, "has locks and no"),
    "output's kustomization is a link": (
        putting("rendered/kustomization.yaml", link("x")),
        ALL,
        "no regular file",
    ),
    "RenderConfig in conflict": (putting(CONFIG, b"=======\n>>>>>>> theirs\n"), ALL, CONFIG),
    "RenderConfig of another kind": (putting(CONFIG, b"kind: Other\n"), ALL, "is no `RenderConfig`"),
    "RenderConfig's output leads out": (
        putting(
            CONFIG, b"apiVersion: render.kagent.dev/v1alpha1\nkind: RenderConfig\nspec: {output: ../x}\n"
        ),
        ALL,
        "inside the root",
    ),
}


@pytest.mark.parametrize("case", BROKEN)
def test_what_is_broken_stays_with_what_served_until_it_is_mended_and_stops_no_other(
    case: str, tmp_path: Path
) -> None:
    edit, broken, said = BROKEN[case]
    first, second = edition(1), edition(2)
    upstream = MemoryRepository()
    upstream.commit(first)
    running = Served(upstream, tmp_path / "kept").refresh()
    upstream.commit(edited(second, edit))
    expected = {name: 0 if name in broken else 1 for name in PAIRS}
    assert running.refresh().serving(first, second) == expected
    assert running.index.problem() == ""
    for name in PAIRS:
        told = running.problem(name)
        assert (said in told) if name in broken else not told
        assert told.isprintable()
    fresh = Served(upstream, tmp_path / "another").refresh()
    assert fresh.serving(first, second) == expected
    assert {fresh.problem(name) for name in broken} == {running.problem(name) for name in broken}
    upstream.commit({**second, "note": b""})
    assert running.refresh().serving(first, second) == dict.fromkeys(PAIRS, 1)
    assert {running.problem(name) for name in PAIRS} == {""}


def without_output(files: dict[str, Any]) -> None:
    for path in [path for path in files if path.startswith("rendered/")]:
        del files[path]


WITHDRAWN: dict[str, tuple[Edit, frozenset[str]]] = {
    "not listed in its namespace": (
        putting(
            f"{OUTPUT}/kustomization.yaml",
            kustomization(f"{HARNESS}/incident-coordinator", f"{HARNESS}/incident-reviewer"),
        ),
        ONE,
    ),
    "namespace not listed": (putting("rendered/kustomization.yaml", kustomization("other")), ALL),
    "only what retention keeps": (without(LOCK), ONE),
    "no output": (without_output, ALL),
    "no RenderConfig": (without(CONFIG), ALL),
}


@pytest.mark.parametrize("case", WITHDRAWN)
def test_a_pair_that_is_no_longer_listed_is_not_served(case: str, tmp_path: Path) -> None:
    edit, gone = WITHDRAWN[case]
    first, second = edition(1), edition(2)
    upstream = MemoryRepository()
    upstream.commit(first)
    running = Served(upstream, tmp_path / "kept").refresh()
    upstream.commit(edited(second, edit))
    expected = {name: None if name in gone else 1 for name in PAIRS}
    assert running.refresh().serving(first, second) == expected
    assert {running.problem(name) for name in gone} == {"not listed"}
    assert running.restart().serving(first, second) == expected
    answer = running.index.serving(agent("researcher"))
    assert isinstance(answer, NotServed)
    assert "is committed at the ref that is served" in answer.message


def test_a_folder_is_listed_in_every_spelling_that_kustomize_takes(tmp_path: Path) -> None:
    upstream = MemoryRepository()
    listed = putting(f"{OUTPUT}/kustomization.yaml", kustomization(f"./{HARNESS}/incident-researcher/"))
    upstream.commit(edited(edition(1), listed))
    running = Served(upstream, tmp_path / "kept").refresh()
    assert running.serving(edition(1)) == {"coordinator": None, "researcher": 0, "reviewer": None}


def test_other_names_than_a_pair_can_have_are_no_pairs(tmp_path: Path) -> None:
    names = ("../x/y", "a/b/c", "A/b", "kustomization.yaml/x", ".", "", "x/" + "y" * 300)
    listed = putting(f"{OUTPUT}/kustomization.yaml", kustomization(*(f'"{name}"' for name in names)))
    upstream = MemoryRepository()
    files = edited(edition(1), listed)
    upstream.commit({**files, "rendered/\udcff/x": b"", "docs/\udcfe.md": b""})
    running = Served(upstream, tmp_path / "kept").refresh()
    assert not running.index.pairs()
    assert not running.index.problem()


def test_all_revisions_of_a_commit_together_are_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = edition(1)
    monkeypatch.setattr(reading, "MOST_BYTES", len(files[lock_of("coordinator")]))
    upstream = MemoryRepository()
    upstream.commit(files)
    running = Served(upstream, tmp_path / "kept").refresh()
    assert running.serving(files) == {"coordinator": 0, "researcher": None, "reviewer": None}
    assert "the revisions of the commit together take more than" in running.problem("reviewer")


def test_what_a_lock_says_is_what_is_served(tmp_path: Path) -> None:
    for example in ("incident", "substrate-v0.4"):
        files = edition(1, example)
        upstream = MemoryRepository()
        upstream.commit(files)
        served = Served(upstream, tmp_path / f"kept-{example}").refresh().index.serving(agent("coordinator"))
        assert not isinstance(served, NotServed)
        lock = read("coordinator", files)
        assert served.agent == AgentName(NAMESPACE, HARNESS, "incident-coordinator")
        assert (served.revision, served.target) == (lock.revision, lock.target)
        assert served.labels == lock.templates[0].labels
        assert [member.path for member in served.members] == ["", "reviewer"]
        for member, boundary in zip(served.members, lock.boundaries, strict=True):
            assert member.manifest == files[f"{folder('coordinator')}/{boundary.manifest}"]
            assert (member.actor_template, member.spec_digest) == (
                boundary.actor_template,
                boundary.spec_digest,
            )
        assert [member.egress for member in served.members] == [entry.rules for entry in lock.egress]


def with_rules(change: Callable[[Any], Any]) -> Edit:
    def edit(lock: Lock) -> Lock:
        changed = (dataclasses.replace(entry, rules=change(entry.rules)) for entry in lock.egress)
        return dataclasses.replace(lock, egress=tuple(changed))

    return sealed("researcher", edit)


def naming(place: str) -> Edit:
    """Egress rules whose credentials are elsewhere."""

    def change(rules: Any) -> Any:
        text = json.dumps(rules).replace("/default/agent-team/", f"/default/{place}/")
        assert place in text
        return tuple(json.loads(text))

    return with_rules(change)


FORGED: dict[str, tuple[Edit, str]] = {
    "a variable that is none": (
        forged(
            "researcher", lambda spec: spec["containers"][0]["env"].append({"name": "A", "valueFrom": {}})
        ),
        "valueFrom",
    ),
    "an image that is not pinned": (
        forged(
            "researcher", lambda spec: spec["containers"][0].update(image="registry.example.com/x:latest")
        ),
        "containers[0].image",
    ),
    "credentials of another namespace": (naming("payments"), "credential of another namespace"),
    "credentials by a detour": (naming("agent-team/../payments"), "credential of another namespace"),
    "no rules": (with_rules(lambda _: None), "has no rules"),
    "rules that are none": (with_rules(lambda _: ({"allow": "all"},)), "is no policy"),
}


@pytest.mark.parametrize("case", FORGED)
def test_what_substrate_would_not_know_is_refused_though_its_digests_fit(case: str, tmp_path: Path) -> None:
    edit, said = FORGED[case]
    upstream = MemoryRepository()
    files = edition(1, "substrate-v0.4")
    upstream.commit(edited(files, edit))
    running = Served(upstream, tmp_path / "kept").refresh()
    assert running.serving(files) == {name: None if name == "researcher" else 0 for name in PAIRS}
    assert said in running.problem("researcher")
