"""The cache on disk: what was kept is read, what was touched is told, and nothing stops a run."""

from __future__ import annotations

import errno
import os
import resource
import shutil
import signal
import socket
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from kagent_render.api.hub import ArtifactSource
from kagent_render.artifacts.archive.limits import Limits
from kagent_render.artifacts.cache.disk import DiskCache, NoCache
from kagent_render.artifacts.failure import ArtifactFailure
from kagent_render.artifacts.package import Package, PackageFile
from kagent_render.artifacts.source_identity import source_identity
from kagent_render.artifacts.tree_digest import tree_digest
from kagent_render.diagnostics.reasons import Reason
from tests.artifacts.cache.caches import (
    OTHER,
    OTHER_PACKAGE,
    PACKAGE,
    SETTINGS,
    SOURCE,
    age,
    content_of,
    document_of,
    entry_of,
    reseal,
    snapshot,
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where a cache with two packages is."""
    cache = DiskCache(tmp_path / "artifacts")
    cache.keep(SOURCE, SETTINGS, PACKAGE)
    cache.keep(OTHER, SETTINGS, OTHER_PACKAGE)
    return tmp_path / "artifacts"


def held(folder: Path, source: ArtifactSource = SOURCE) -> Package | None:
    return DiskCache(folder).package(source, SETTINGS)


def failure_of(folder: Path) -> ArtifactFailure:
    with pytest.raises(ArtifactFailure) as failure:
        held(folder)
    return failure.value


def test_what_was_kept_is_read(folder: Path) -> None:
    assert held(folder) == PACKAGE
    assert held(folder, OTHER) == OTHER_PACKAGE


@pytest.mark.parametrize(
    ("source", "settings"),
    [
        (ArtifactSource(SOURCE.origin), SETTINGS),
        (ArtifactSource(SOURCE.origin, "a/skills"), SETTINGS),
        (ArtifactSource(OTHER.origin, SOURCE.path), SETTINGS),
        (SOURCE, {**SETTINGS, "region": "eu-west-2"}),
        (SOURCE, {}),
    ],
    ids=["the root", "another path", "another origin", "other settings", "no settings"],
)
def test_only_the_same_source_with_the_same_settings_is_held(
    folder: Path, source: ArtifactSource, settings: dict[str, str]
) -> None:
    assert DiskCache(folder).package(source, settings) is None


def test_no_cache_holds_nothing() -> None:
    NoCache().keep(SOURCE, SETTINGS, PACKAGE)
    assert NoCache().package(SOURCE, SETTINGS) is None


def test_a_cache_that_is_only_read_makes_nothing(tmp_path: Path) -> None:
    assert held(tmp_path / "artifacts") is None
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("mask", [0o000, 0o077])
def test_files_and_folders_are_the_users_alone_under_any_umask(tmp_path: Path, mask: int) -> None:
    before = os.umask(mask)
    try:
        DiskCache(tmp_path / "artifacts").keep(SOURCE, SETTINGS, PACKAGE)
    finally:
        os.umask(before)
    found = [(path.is_dir(), stat.S_IMODE(path.stat().st_mode)) for path in tmp_path.rglob("*")]
    assert sorted(found) == [(False, 0o600)] * 2 + [(True, 0o700)] * 3


def test_reading_tells_that_it_was_used(folder: Path) -> None:
    age(entry_of(folder), 10_000)
    before = entry_of(folder).stat().st_mtime
    assert held(folder)
    assert entry_of(folder).stat().st_mtime > before + 5000


def test_two_sources_of_one_content_are_two_artifacts(folder: Path) -> None:
    same = ArtifactSource(OTHER.origin, "b")
    DiskCache(folder).keep(same, SETTINGS, PACKAGE)
    content_of(folder).unlink()
    assert held(folder) is None
    assert held(folder, same) == PACKAGE


def flip_in_header(folder: Path) -> Path:
    return _flip(content_of(folder), 20)


def flip_in_bytes(folder: Path) -> Path:
    return _flip(content_of(folder), -1)


def flip_in_entry(folder: Path) -> Path:
    return _flip(entry_of(folder), -3)


def flip_in_seal(folder: Path) -> Path:
    return _flip(entry_of(folder), 0)


def _flip(path: Path, at: int) -> Path:
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(data)
    return path


def cut_content(folder: Path) -> Path:
    return _resized(content_of(folder), -1)


def cut_entry(folder: Path) -> Path:
    return _resized(entry_of(folder), -1)


def lengthen_content(folder: Path) -> Path:
    return _resized(content_of(folder), 1)


def empty_content(folder: Path) -> Path:
    os.truncate(content_of(folder), 0)
    return content_of(folder)


def empty_entry(folder: Path) -> Path:
    os.truncate(entry_of(folder), 0)
    return entry_of(folder)


def swell_content(folder: Path) -> Path:
    return _resized(content_of(folder), 1 << 40)


def swell_entry(folder: Path) -> Path:
    return _resized(entry_of(folder), 1 << 40)


def _resized(path: Path, by: int) -> Path:
    os.truncate(path, path.stat().st_size + by)
    return path


def rename_content(folder: Path) -> Path:
    """Another name for the content, and an entry that agrees with that."""
    target = folder / "contents" / ("0" * 64)
    content_of(folder).rename(target)
    reseal(entry_of(folder), content=target.name)
    return target


def name_other_content(folder: Path) -> Path:
    reseal(entry_of(folder), content=content_of(folder, OTHER).name)
    return content_of(folder)


def name_other_content_with_its_tree_digest(folder: Path) -> Path:
    other = document_of(entry_of(folder, OTHER))
    reseal(entry_of(folder), content=other["content"], treeDigest=other["treeDigest"])
    return content_of(folder)


def name_other_tree_digest(folder: Path) -> Path:
    reseal(entry_of(folder), treeDigest=f"sha256:{'0' * 64}")
    return content_of(folder)


def exchange_entries(folder: Path) -> Path:
    return _exchange(entry_of(folder), entry_of(folder, OTHER))


def exchange_contents(folder: Path) -> Path:
    return _exchange(content_of(folder), content_of(folder, OTHER))


def _exchange(one: Path, other: Path) -> Path:
    aside = one.with_name("aside")
    one.rename(aside)
    other.rename(one)
    aside.rename(other)
    return one


def copy_entry_of_other_settings(folder: Path) -> Path:
    other = folder / "sources"
    before = set(other.iterdir())
    DiskCache(folder).keep(SOURCE, {}, PACKAGE)
    (added,) = set(other.iterdir()) - before
    shutil.copy(added, entry_of(folder))
    return entry_of(folder)


def link_content(folder: Path) -> Path:
    return _link(content_of(folder), folder.parent)


def link_entry(folder: Path) -> Path:
    return _link(entry_of(folder), folder.parent)


def _link(path: Path, outside: Path) -> Path:
    path.rename(outside / "moved")
    path.symlink_to(outside / "moved")
    return path


def pipe_for_content(folder: Path) -> Path:
    return _replaced(content_of(folder), os.mkfifo)


def pipe_for_entry(folder: Path) -> Path:
    return _replaced(entry_of(folder), os.mkfifo)


def folder_for_content(folder: Path) -> Path:
    return _replaced(content_of(folder), Path.mkdir)


def folder_for_entry(folder: Path) -> Path:
    return _replaced(entry_of(folder), Path.mkdir)


def socket_for_content(folder: Path) -> Path:
    return _replaced(content_of(folder), _listen)


def _replaced(path: Path, make: Callable[[Path], object]) -> Path:
    path.unlink()
    make(path)
    return path


def _listen(path: Path) -> None:
    """Make a socket; its path has to be short, so it is made from within its folder."""
    before = Path.cwd()
    os.chdir(path.parent)
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path.name)
    finally:
        os.chdir(before)


TAMPERING: list[Callable[[Path], Path]] = [
    flip_in_header,
    flip_in_bytes,
    flip_in_entry,
    flip_in_seal,
    cut_content,
    cut_entry,
    lengthen_content,
    empty_content,
    empty_entry,
    swell_content,
    swell_entry,
    rename_content,
    name_other_content,
    name_other_content_with_its_tree_digest,
    name_other_tree_digest,
    exchange_entries,
    exchange_contents,
    copy_entry_of_other_settings,
    link_content,
    link_entry,
    pipe_for_content,
    pipe_for_entry,
    folder_for_content,
    folder_for_entry,
    socket_for_content,
]


@pytest.mark.parametrize("tamper", TAMPERING, ids=lambda tamper: tamper.__name__)
def test_tampering_is_told_with_its_place_and_left_as_it_is(
    folder: Path, tamper: Callable[[Path], Path]
) -> None:
    place = tamper(folder)
    before = snapshot(folder)
    failure = failure_of(folder)
    assert failure.reason is Reason.ARTIFACT_DIGEST_MISMATCH
    assert f"`{place}` is not what was kept: expected " in failure.message
    assert ", got " in failure.message
    assert "the disk damaged the file, or somebody tampered with it" in (failure.hint or "")
    DiskCache(folder).keep(SOURCE, SETTINGS, PACKAGE)
    DiskCache(folder).keep(SOURCE, SETTINGS, OTHER_PACKAGE)
    assert failure_of(folder).message == failure.message
    assert snapshot(folder) == before


def test_what_a_digest_should_be_and_what_it_is_are_both_told(folder: Path) -> None:
    digest = content_of(folder).name
    flip_in_bytes(folder)
    assert f"expected sha256 `{digest}`, got `" in failure_of(folder).message
    exchange_contents(folder)
    exchange_entries(folder)
    assert (
        "expected `s3://agent-content/plugins/a.zip` version `3HL4kq`, path `a`, "
        f"got `https://git.example.com/skills.git` at `{'9' * 40}`" in failure_of(folder).message
    )


def test_a_damaged_artifact_leaves_the_others_usable(folder: Path) -> None:
    flip_in_bytes(folder)
    assert held(folder, OTHER) == OTHER_PACKAGE


def test_an_artifact_beyond_the_limits_of_a_run_is_told(folder: Path) -> None:
    with pytest.raises(ArtifactFailure, match="expected what an archive may hold"):
        DiskCache(folder, Limits(content=5)).package(SOURCE, SETTINGS)


def remove_content(folder: Path) -> None:
    content_of(folder).unlink()


def remove_entry(folder: Path) -> None:
    entry_of(folder).unlink()


def remove_contents(folder: Path) -> None:
    shutil.rmtree(folder / "contents")


def leave_partial_files(folder: Path) -> None:
    for path in (content_of(folder), entry_of(folder)):
        path.rename(path.with_name(".partial-0123456789abcdef"))


@pytest.mark.parametrize(
    "lose", [remove_content, remove_entry, remove_contents, leave_partial_files], ids=lambda it: it.__name__
)
def test_what_is_gone_is_not_held_and_kept_again(folder: Path, lose: Callable[[Path], None]) -> None:
    lose(folder)
    assert held(folder) is None
    DiskCache(folder).keep(SOURCE, SETTINGS, PACKAGE)
    assert held(folder) == PACKAGE


def test_an_entry_is_not_replaced_when_its_content_is_gone_and_another_came(folder: Path) -> None:
    remove_content(folder)
    before = snapshot(folder)
    DiskCache(folder).keep(SOURCE, SETTINGS, OTHER_PACKAGE)
    assert snapshot(folder) == before
    assert held(folder) is None


def open_for_others(folder: Path) -> None:
    folder.chmod(0o770)


def open_sources_for_others(folder: Path) -> None:
    (folder / "sources").chmod(0o702)


def link_sources(folder: Path) -> None:
    _link(folder / "sources", folder.parent)


def link_contents(folder: Path) -> None:
    _link(folder / "contents", folder.parent)


def link_folder(folder: Path) -> None:
    _link(folder, folder.parent)


def file_for_folder(folder: Path) -> None:
    shutil.rmtree(folder)
    folder.write_bytes(b"")


@pytest.mark.parametrize(
    "change",
    [open_for_others, open_sources_for_others, link_sources, link_contents, link_folder, file_for_folder],
    ids=lambda it: it.__name__,
)
def test_a_folder_that_is_not_the_users_alone_is_not_used(
    folder: Path, change: Callable[[Path], None]
) -> None:
    change(folder)
    before = snapshot(folder.parent)
    assert held(folder) is None
    DiskCache(folder).keep(ArtifactSource(OTHER.origin, "new"), SETTINGS, PACKAGE)
    assert snapshot(folder.parent) == before


def test_a_folder_of_another_user_is_not_used(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = os.geteuid() + 1
    monkeypatch.setattr(os, "geteuid", lambda: other)
    assert held(folder) is None


def test_a_folder_that_cannot_be_made_holds_nothing() -> None:
    cache = DiskCache(Path("/proc/nowhere/artifacts"))
    cache.keep(SOURCE, SETTINGS, PACKAGE)
    assert cache.package(SOURCE, SETTINGS) is None


@contextmanager
def small_files(size: int) -> Iterator[None]:
    """Let the system refuse every byte beyond `size` of a file, as a full disk does."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)


def test_what_does_not_fit_on_the_disk_is_not_kept_and_leaves_nothing(folder: Path) -> None:
    new = ArtifactSource(OTHER.origin, "new")
    before = snapshot(folder)
    with small_files(100_000):
        DiskCache(folder).keep(new, SETTINGS, Package({"large": PackageFile(b"a" * 200_000)}))
    assert snapshot(folder) == before
    assert held(folder, new) is None


@pytest.mark.parametrize("name", ["open", "mkdir", "fchmod", "write", "fsync", "rename", "utime", "stat"])
def test_a_system_that_refuses_does_not_fail_a_run(
    folder: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*arguments: object, **named: object) -> None:
        raise OSError(errno.EROFS, "read-only")

    before = snapshot(folder)
    with monkeypatch.context() as patch:
        patch.setattr(os, name, refuse)
        DiskCache(folder).keep(ArtifactSource(OTHER.origin, "new"), SETTINGS, PACKAGE)
        found = held(folder)
    assert found == (None if name == "open" else PACKAGE)
    assert name == "utime" or snapshot(folder) == before


def test_an_entry_says_nothing_but_source_settings_and_digests(folder: Path) -> None:
    assert document_of(entry_of(folder)) == {
        "content": content_of(folder).name,
        "settings": SETTINGS,
        "source": source_identity(SOURCE),
        "treeDigest": tree_digest(PACKAGE),
    }


def test_a_damaged_content_is_never_named_again(tmp_path: Path) -> None:
    """Somebody removed the entry of a damaged content, and not the content."""
    cache = DiskCache(tmp_path / "cache")
    cache.keep(SOURCE, {}, PACKAGE)
    (content,) = (tmp_path / "cache" / "contents").iterdir()
    (entry,) = (tmp_path / "cache" / "sources").iterdir()
    content.write_bytes(content.read_bytes()[:-1] + b"!")
    entry.unlink()
    cache.keep(SOURCE, {}, PACKAGE)
    assert cache.package(SOURCE, {}) is None
    assert content.read_bytes().endswith(b"!")
