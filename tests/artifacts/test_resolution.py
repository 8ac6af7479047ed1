"""Resolution: the store first, each origin once, every failure told, the same order at any parallelism."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pytest

from kagent_render.api.hub import ArtifactSource, Origin, S3Source
from kagent_render.artifacts.failure import ArtifactFailure
from kagent_render.artifacts.package import Package, PackageFile
from kagent_render.artifacts.port import FetchContext
from kagent_render.artifacts.resolution import Means, resolve
from kagent_render.diagnostics.reasons import Reason


def s3(key: str) -> S3Source:
    return S3Source("bucket", key, "v1")


def package(text: str) -> Package:
    return Package({"a/x": PackageFile(text.encode()), "b/x": PackageFile(b"b")})


@dataclass
class MemoryStore:
    held: dict[ArtifactSource, Package | ArtifactFailure] = field(default_factory=dict)

    def package(self, source: ArtifactSource) -> Package | None:
        found = self.held.get(source)
        if isinstance(found, ArtifactFailure):
            raise found
        return found


class UnsettledFetcher:
    """A fetcher on which no setting has an influence."""

    reads_paths = False

    def settings(self, origin: Origin) -> dict[str, str]:
        return {}


class MemoryFetcher(UnsettledFetcher):
    """Gives a package named for the key; keys that start with `missing` fail."""

    def __init__(self) -> None:
        self.fetched: Counter[Origin] = Counter()
        self._lock = threading.Lock()

    def fetch(self, origin: Origin, paths: Sequence[str], context: FetchContext) -> Package:
        assert isinstance(origin, S3Source)
        with self._lock:
            self.fetched[origin] += 1
        if origin.key.startswith("missing"):
            raise ArtifactFailure(Reason.ARTIFACT_NOT_FOUND, f"no {origin.key}")
        return package(origin.key)


def reasons(outcomes: dict[ArtifactSource, Package | ArtifactFailure]) -> list[Reason | None]:
    return [one.reason if isinstance(one, ArtifactFailure) else None for one in outcomes.values()]


@pytest.mark.parametrize("jobs", [1, 2, 16])
def test_outcomes_are_in_input_order_and_no_failure_hides_another(jobs: int) -> None:
    sources = [ArtifactSource(s3(key)) for key in ("missing1", "z", "missing2", "a", "missing3", "m")]
    outcomes = resolve(sources, Means(MemoryStore(), {S3Source: MemoryFetcher()}, jobs=jobs))
    missing = Reason.ARTIFACT_NOT_FOUND
    assert list(outcomes) == sources
    assert reasons(outcomes) == [missing, None, missing, None, missing, None]


def test_an_origin_is_fetched_once_for_all_its_paths() -> None:
    fetcher = MemoryFetcher()
    sources = [ArtifactSource(s3("k"), path) for path in ("a", "b", "", "a")]
    outcomes = resolve(sources, Means(MemoryStore(), {S3Source: fetcher}))
    assert fetcher.fetched == {s3("k"): 1}
    assert list(outcomes[sources[0]].files) == ["x"]  # type: ignore[union-attr]
    assert len(outcomes) == 3


def test_what_the_store_holds_is_not_fetched() -> None:
    fetcher = MemoryFetcher()
    held, other = ArtifactSource(s3("held"), "a"), ArtifactSource(s3("other"), "a")
    outcomes = resolve([held, other], Means(MemoryStore({held: package("store")}), {S3Source: fetcher}))
    assert outcomes[held] == package("store")
    assert fetcher.fetched == {s3("other"): 1}


def test_a_store_that_was_tampered_with_is_not_replaced_by_the_network() -> None:
    fetcher = MemoryFetcher()
    source = ArtifactSource(s3("held"))
    failure = ArtifactFailure(Reason.ARTIFACT_DIGEST_MISMATCH, "changed")
    outcomes = resolve([source], Means(MemoryStore({source: failure}), {S3Source: fetcher}))
    assert reasons(outcomes) == [Reason.ARTIFACT_DIGEST_MISMATCH]
    assert fetcher.fetched == {}


def test_offline_nothing_is_fetched() -> None:
    fetcher = MemoryFetcher()
    held = ArtifactSource(s3("held"))
    sources = [ArtifactSource(s3("k"), "a"), held, ArtifactSource(s3("k"), "b")]
    outcomes = resolve(
        sources, Means(MemoryStore({held: package("store")}), {S3Source: fetcher}, online=False)
    )
    offline = Reason.ARTIFACT_UNAVAILABLE_OFFLINE
    assert reasons(outcomes) == [offline, None, offline]
    assert "path `b`" in str(outcomes[sources[2]])
    assert fetcher.fetched == {}


def test_a_path_that_the_artifact_does_not_have_is_not_found() -> None:
    source = ArtifactSource(s3("k"), "c")
    outcomes = resolve([source], Means(MemoryStore(), {S3Source: MemoryFetcher()}))
    assert reasons(outcomes) == [Reason.ARTIFACT_NOT_FOUND]
    assert str(outcomes[source]) == "`s3://bucket/k` version `v1` has no directory `c`"


def test_fetches_run_at_the_same_time() -> None:
    together = threading.Barrier(3, timeout=10)

    class Meeting(UnsettledFetcher):
        def fetch(self, origin: Origin, paths: Sequence[str], context: FetchContext) -> Package:
            together.wait()
            return package("x")

    sources = [ArtifactSource(s3(key)) for key in "abc"]
    assert reasons(resolve(sources, Means(MemoryStore(), {S3Source: Meeting()}, jobs=3))) == [None] * 3


def test_a_bug_in_a_fetcher_is_not_taken_for_a_failure() -> None:
    class Broken(UnsettledFetcher):
        def fetch(self, origin: Origin, paths: Sequence[str], context: FetchContext) -> Package:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        resolve([ArtifactSource(s3("k"))], Means(MemoryStore(), {S3Source: Broken()}))


def test_nothing_to_resolve_is_nothing() -> None:
    assert resolve([], Means(MemoryStore(), {})) == {}


class MemoryCache:
    """The cache's twin: `kept` by source and settings."""

    def __init__(self) -> None:
        self.kept: dict[tuple[ArtifactSource, str], Package | ArtifactFailure] = {}

    def package(self, source: ArtifactSource, settings: Mapping[str, str]) -> Package | None:
        found = self.kept.get((source, str(settings)))
        if isinstance(found, ArtifactFailure):
            raise found
        return found

    def keep(self, source: ArtifactSource, settings: Mapping[str, str], package: Package) -> None:
        self.kept[source, str(settings)] = package


class SettledFetcher(MemoryFetcher):
    def __init__(self, endpoint: str) -> None:
        super().__init__()
        self.endpoint = endpoint

    def settings(self, origin: Origin) -> dict[str, str]:
        return {"endpoint": self.endpoint}


def test_what_was_fetched_once_is_not_fetched_again() -> None:
    cache, fetcher = MemoryCache(), MemoryFetcher()
    sources = [ArtifactSource(s3("k"), path) for path in ("a", "b")]
    first = resolve(sources, Means(MemoryStore(), {S3Source: fetcher}, cache))
    again = resolve(sources, Means(MemoryStore(), {S3Source: fetcher}, cache, online=False))
    assert first == again
    assert fetcher.fetched == {s3("k"): 1}


def test_failures_and_missing_paths_are_not_kept() -> None:
    cache = MemoryCache()
    sources = [ArtifactSource(s3("k"), "nowhere"), ArtifactSource(s3("missing"))]
    resolve(sources, Means(MemoryStore(), {S3Source: MemoryFetcher()}, cache))
    assert cache.kept == {}


def test_other_settings_are_other_content() -> None:
    cache = MemoryCache()
    one, other = SettledFetcher("https://one"), SettledFetcher("https://other")
    for fetcher in (one, other, one, other):
        resolve([ArtifactSource(s3("k"))], Means(MemoryStore(), {S3Source: fetcher}, cache))
    assert (one.fetched[s3("k")], other.fetched[s3("k")]) == (1, 1)


def test_a_damaged_cache_is_told_and_not_replaced() -> None:
    cache, fetcher = MemoryCache(), MemoryFetcher()
    source = ArtifactSource(s3("k"))
    failure = ArtifactFailure(Reason.ARTIFACT_DIGEST_MISMATCH, "damaged")
    cache.kept[source, "{}"] = failure
    outcomes = resolve([source], Means(MemoryStore(), {S3Source: fetcher}, cache))
    assert outcomes == {source: failure}
    assert (fetcher.fetched, cache.kept) == ({}, {(source, "{}"): failure})


def test_the_store_comes_before_the_cache() -> None:
    cache, source = MemoryCache(), ArtifactSource(s3("k"))
    cache.kept[source, "{}"] = package("cache")
    means = Means(MemoryStore({source: package("store")}), {S3Source: MemoryFetcher()}, cache)
    assert resolve([source], means) == {source: package("store")}


def test_the_wait_is_told() -> None:
    told: list[tuple[str, float]] = []
    means = Means(
        MemoryStore(),
        {S3Source: MemoryFetcher()},
        jobs=1,
        told=lambda text, share: told.append((text, share)),
    )
    resolve([ArtifactSource(s3(key)) for key in "ab"], means)
    assert told[-1] == ("Fetching artifacts: 2 of 2, 0 bytes", 1.0)


class PathFetcher(UnsettledFetcher):
    """Reads what is wanted; the path `bad` is unsafe."""

    reads_paths = True

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    def fetch(self, origin: Origin, paths: Sequence[str], context: FetchContext) -> Package:
        self.asked.append(list(paths))
        if "bad" in paths:
            raise ArtifactFailure(Reason.ARTIFACT_UNSAFE, "`bad/link` leads out")
        return package("x")


def test_a_fault_below_one_path_is_none_of_another() -> None:
    fetcher = PathFetcher()
    sources = [ArtifactSource(s3("k"), path) for path in ("a", "bad", "b")]
    outcomes = resolve(sources, Means(MemoryStore(), {S3Source: fetcher}))
    assert reasons(outcomes) == [None, Reason.ARTIFACT_UNSAFE, None]
    assert fetcher.asked == [["a", "bad", "b"], ["a"], ["bad"], ["b"]]


def test_a_fetcher_that_reads_everything_is_asked_once() -> None:
    class Whole(PathFetcher):
        reads_paths = False

    fetcher = Whole()
    sources = [ArtifactSource(s3("k"), path) for path in ("a", "bad")]
    assert (
        reasons(resolve(sources, Means(MemoryStore(), {S3Source: fetcher}))) == [Reason.ARTIFACT_UNSAFE] * 2
    )
    assert len(fetcher.asked) == 1
