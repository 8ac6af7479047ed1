"""`cache info` and `cache prune`: what is there is told, what is old goes, and nothing else is touched."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from kagent_render.cli.cache_folder import open_artifact_cache
from tests.artifacts.cache.caches import (
    OTHER,
    OTHER_PACKAGE,
    PACKAGE,
    SETTINGS,
    SOURCE,
    age,
    content_of,
    entry_of,
    snapshot,
)
from tests.running import Run, run

_DAY = 24 * 60 * 60
_LEFTOVER = ".partial-0123456789abcdef"


@pytest.fixture
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What `XDG_CACHE_HOME` names: a folder without anything of ours in it."""
    folder = tmp_path / "cache"
    folder.mkdir()
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    return folder


@pytest.fixture
def artifacts(base: Path) -> Path:
    """The folder of a cache with two artifacts."""
    cache = open_artifact_cache(wanted=True)
    cache.keep(SOURCE, SETTINGS, PACKAGE)
    cache.keep(OTHER, SETTINGS, OTHER_PACKAGE)
    return base / "kagent-render" / "artifacts"


def cache(*args: str) -> Run:
    return run("cache", *args, cwd=Path.cwd())


def files(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir()}


def sizes(folder: Path) -> int:
    return sum(path.lstat().st_size for path in folder.rglob("*") if not path.is_dir())


def test_a_cache_that_is_not_wanted_makes_nothing(base: Path) -> None:
    unwanted = open_artifact_cache(wanted=False)
    unwanted.keep(SOURCE, SETTINGS, PACKAGE)
    assert unwanted.package(SOURCE, SETTINGS) is None
    assert list(base.iterdir()) == []


def test_of_nothing_everything_is_told_and_nothing_is_made(base: Path) -> None:
    assert cache("info", "-o", "json").json == {
        "folder": str(base / "kagent-render"),
        "artifacts": 0,
        "bytes": 0,
        "oldestUse": None,
        "newestUse": None,
        "memoBytes": 0,
    }
    for arguments in (["prune"], ["prune", "--all"], ["prune", "--all", "--dry-run"]):
        assert cache(*arguments) == Run(0, "", "nothing to remove\n")
    assert list(base.iterdir()) == []


def test_info_counts_artifacts_and_bytes_and_says_when_they_were_used(artifacts: Path) -> None:
    os.utime(entry_of(artifacts), (0, 0))
    os.utime(entry_of(artifacts, OTHER), (_DAY, _DAY))
    (artifacts.parent / "memo.sqlite").write_bytes(b"a" * 2048)
    assert cache("info", "-o", "json").json == {
        "folder": str(artifacts.parent),
        "artifacts": 2,
        "bytes": sizes(artifacts),
        "oldestUse": "1970-01-01T00:00:00Z",
        "newestUse": "1970-01-02T00:00:00Z",
        "memoBytes": 2048,
    }
    kib = f"{sizes(artifacts) / 1024:.1f}"
    assert cache("info").out.splitlines() == [
        f"folder     {artifacts.parent}",
        f"artifacts  2, {kib} KiB",
        "last used  1970-01-01T00:00:00Z to 1970-01-02T00:00:00Z",
        "memo       2.0 KiB",
    ]


def test_info_counts_what_runs_left_as_bytes_and_not_as_artifacts(artifacts: Path) -> None:
    (artifacts / "sources" / _LEFTOVER).write_bytes(b"a" * 1000)
    (artifacts / "contents" / _LEFTOVER).write_bytes(b"a" * 1000)
    document = cache("info", "-o", "json").json
    assert (document["artifacts"], document["bytes"]) == (2, sizes(artifacts))


@pytest.mark.parametrize(
    ("arguments", "days", "goes"),
    [
        ([], 29, False),
        ([], 31, True),
        (["--older-than", "7"], 6, False),
        (["--older-than", "7"], 8, True),
        (["--older-than", "0"], 0, True),
    ],
)
def test_an_artifact_goes_when_it_was_not_used_for_that_many_days(
    artifacts: Path, arguments: list[str], days: int, goes: bool
) -> None:
    if arguments[-1:] == ["0"]:
        age(entry_of(artifacts, OTHER), -_DAY)
    size = sum(path.stat().st_size for path in (entry_of(artifacts), content_of(artifacts)))
    age(entry_of(artifacts), days * _DAY)
    others = {f"sources/{entry_of(artifacts, OTHER).name}", f"contents/{content_of(artifacts, OTHER).name}"}
    done = cache("prune", *arguments)
    assert done.status == 0
    if goes:
        assert files(artifacts) == others
        assert done.out == "removed `s3://agent-content/plugins/a.zip` version `3HL4kq`, path `a`\n"
        assert done.err == f"removed 1 artifact: {size} bytes\n"
    else:
        assert len(files(artifacts)) == 4
        assert (done.out, done.err) == ("", "nothing to remove\n")


def test_a_use_keeps_an_artifact(artifacts: Path) -> None:
    age(entry_of(artifacts), 40 * _DAY)
    assert open_artifact_cache(wanted=True).package(SOURCE, SETTINGS)
    assert cache("prune").err == "nothing to remove\n"


def test_a_dry_run_says_the_same_and_removes_nothing(artifacts: Path) -> None:
    (artifacts.parent / "memo.sqlite").write_bytes(b"a" * 2048)
    before = snapshot(artifacts.parent)
    planned = cache("prune", "--all", "--dry-run")
    assert snapshot(artifacts.parent) == before
    done = cache("prune", "--all")
    assert planned.out == done.out.replace("removed", "would remove")
    assert planned.err == done.err.replace("removed", "would remove")
    assert re.fullmatch(r"removed 2 artifacts, the memo: [\d.]+ KiB\n", done.err)


def test_all_is_every_artifact_every_leftover_and_the_memo(artifacts: Path) -> None:
    for folder in ("sources", "contents"):
        (artifacts / folder / _LEFTOVER).write_bytes(b"a")
    (artifacts / "contents" / ("0" * 64)).write_bytes(b"a")
    for name in ("memo.sqlite", "memo.sqlite-wal", "memo.sqlite-shm"):
        (artifacts.parent / name).write_bytes(b"a")
    done = cache("prune", "--all")
    assert "removed 2 artifacts, 3 leftover files, the memo: " in done.err
    assert files(artifacts.parent) == set()


def leave_partial_entry(artifacts: Path) -> Path:
    return artifacts / "sources" / _LEFTOVER


def leave_partial_content(artifacts: Path) -> Path:
    return artifacts / "contents" / _LEFTOVER


def place_content_that_nobody_names(artifacts: Path) -> Path:
    return artifacts / "contents" / ("0" * 64)


@pytest.mark.parametrize(
    "leave",
    [leave_partial_entry, leave_partial_content, place_content_that_nobody_names],
    ids=lambda leave: leave.__name__,
)
def test_a_leftover_goes_after_an_hour(artifacts: Path, leave: Callable[[Path], Path]) -> None:
    leftover = leave(artifacts)
    leftover.write_bytes(b"a" * 10)
    age(leftover, 3000)
    assert cache("prune", "--older-than", "1").err == "nothing to remove\n"
    age(leftover, 1000)
    assert cache("prune", "--older-than", "1").err == "removed 1 leftover file: 10 bytes\n"
    assert len(files(artifacts)) == 4


def test_an_entry_goes_with_its_content(artifacts: Path) -> None:
    content_of(artifacts).unlink()
    assert "removed 1 artifact: " in cache("prune").err
    assert len(files(artifacts)) == 2


def test_an_entry_that_cannot_be_read_stays_until_it_is_old(artifacts: Path) -> None:
    entry = entry_of(artifacts)
    entry.write_bytes(b"damaged")
    cache("prune")
    assert entry.exists()
    age(entry, 31 * _DAY)
    assert cache("prune").out == f"removed an entry that cannot be read: `sources/{entry.name}`\n"


def test_nothing_but_files_of_its_own_naming_goes_and_no_link_is_followed(artifacts: Path) -> None:
    outside = artifacts.parent.parent / "outside"
    outside.mkdir()
    (outside / "file").write_bytes(b"kept")
    for folder in (artifacts / "sources", artifacts / "contents"):
        (folder / "notes").write_bytes(b"")
        (folder / ("a" * 63)).write_bytes(b"")
        (folder / ("A" * 64)).write_bytes(b"")
        (folder / ".partial-other").write_bytes(b"")
        (folder / ("b" * 64)).symlink_to(outside / "file")
        (folder / ("c" * 64)).symlink_to(outside)
        (folder / ("d" * 64)).mkdir()
        (folder / ("d" * 64) / ("e" * 64)).write_bytes(b"")
    (artifacts / ("f" * 64)).write_bytes(b"")
    before = snapshot(outside)
    assert cache("prune", "--all").status == 0
    assert snapshot(outside) == before
    kept = {"notes", "a" * 63, "A" * 64, ".partial-other", f"{'d' * 64}/{'e' * 64}"}
    assert files(artifacts) == {f"{folder}/{name}" for folder in ("sources", "contents") for name in kept} | {
        "f" * 64
    }


def open_for_others(folder: Path) -> None:
    folder.chmod(0o770)


def open_artifacts_for_others(folder: Path) -> None:
    (folder / "artifacts").chmod(0o770)


def open_contents_for_others(folder: Path) -> None:
    (folder / "artifacts" / "contents").chmod(0o770)


def link(folder: Path) -> None:
    _link(folder)


def link_artifacts(folder: Path) -> None:
    _link(folder / "artifacts")


def link_sources(folder: Path) -> None:
    _link(folder / "artifacts" / "sources")


def _link(path: Path) -> None:
    moved = path.rename(path.with_name("moved"))
    path.symlink_to(moved)


@pytest.mark.parametrize(
    "change",
    [
        open_for_others,
        open_artifacts_for_others,
        open_contents_for_others,
        link,
        link_artifacts,
        link_sources,
    ],
    ids=lambda change: change.__name__,
)
@pytest.mark.parametrize("command", ["info", "prune"])
def test_a_folder_that_is_not_the_users_alone_is_refused(
    artifacts: Path, command: str, change: Callable[[Path], None]
) -> None:
    folder = artifacts.parent
    change(folder)
    before = snapshot(folder.parent)
    done = cache(command, *(["--all"] if command == "prune" else []))
    assert done.status == 2
    assert done.err.startswith(f"error: the cache in `{folder}` is not touched: ")
    assert "\n  hint: " in done.err
    assert snapshot(folder.parent) == before


@pytest.mark.parametrize("command", ["info", "prune"])
def test_a_folder_of_another_user_is_refused(
    artifacts: Path, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = os.geteuid() + 1
    monkeypatch.setattr(os, "geteuid", lambda: other)
    done = cache(command)
    assert done.status == 2
    assert "it is not a folder of this user alone" in done.err
    assert len(files(artifacts)) == 4


def test_without_a_home_there_is_no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> Path:
        raise RuntimeError

    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setattr(Path, "home", fail)
    done = cache("info")
    assert (done.status, done.err.splitlines()[0]) == (2, "error: no home folder is known")


@pytest.mark.parametrize(
    "arguments",
    [
        ["prune", "--all", "--older-than", "3"],
        ["prune", "--older-than", "-1"],
        ["prune", "--older-than", "many"],
        ["info", "-o", "yaml"],
        ["clean"],
    ],
    ids=" ".join,
)
def test_what_makes_no_sense_is_a_usage_error(base: Path, arguments: list[str]) -> None:
    assert cache(*arguments).status == 2
    assert list(base.iterdir()) == []
