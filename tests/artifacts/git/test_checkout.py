"""The files of a commit: as an archive of the same tree would have them, or refused for the same reason."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kagent_render.artifacts.archive.formats import read_archive
from kagent_render.artifacts.archive.limits import Limits
from kagent_render.artifacts.archive.refusal import ArchiveRefused, Refusal
from kagent_render.artifacts.failure import ArtifactFailure
from kagent_render.artifacts.package import Package
from kagent_render.diagnostics.reasons import Reason
from tests.artifacts.archive.archives import tar_entry, tar_of
from tests.artifacts.git.fetching import failure, fetch
from tests.artifacts.git.packs import BLOB, Objects, capabilities, packfile, speaking
from tests.artifacts.git.repositories import Files, Node, executable, link, submodule
from tests.servers import Answer, ScriptedServer, serving


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedServer]:
    """A server whose answer each test sets."""
    with serving(speaking(b"")) as running:
        yield running


def fetched(server: ScriptedServer, files: Files, *paths: str, limits: Limits | None = None) -> Package:
    objects = Objects()
    commit = objects.add_files(files)
    server.answer = speaking(packfile(objects.pack))
    return fetch(server.url, commit, *paths, limits=limits)


def refused(server: ScriptedServer, objects: Objects, tree: str, *paths: str) -> ArtifactFailure:
    commit = objects.add_commit(tree)
    server.answer = speaking(packfile(objects.pack))
    return failure(server.url, commit, *paths)


def archived(files: Files) -> Package:
    """What the archive reader makes of the same files."""
    blocks = []
    for path, content in files.items():
        node = content if isinstance(content, Node) else Node(content)
        if node.kind == "link":
            blocks.append(tar_entry(path.encode(), kind=b"2", link=node.data, mode=0o777))
        else:
            mode = 0o755 if node.kind == "program" else 0o644
            blocks.append(tar_entry(path.encode(), node.data, mode=mode))
    return read_archive(tar_of(*blocks), "a.tar")


LINKS: dict[str, Files] = {
    "file": {"p/a": b"1", "p/l": link("a")},
    "program": {"p/a": executable(b"1"), "p/l": link("a")},
    "directory": {"p/d/a": b"1", "p/d/e/b": b"2", "p/l": link("d")},
    "chain": {"p/a": b"1", "p/l": link("m"), "p/m": link("./a")},
    "out-of-the-path": {"o/a": b"1", "p/l": link("../o/a"), "p/b": b"2"},
    "directory-out-of-the-path": {"o/a": b"1", "o/e/b": b"2", "p/l": link("../o")},
    "chain-out-of-the-path": {"o/a": b"1", "n/l": link("../o"), "p/l": link("../n/l/a")},
    "dots-through-a-directory": {"o/a": b"1", "e/x": b"", "p/l": link("../e/../o/a")},
    "dots-after-a-link": {"d/e/a": b"1", "d/b": b"2", "p/k": link("../d/e"), "p/l": link("k/../b")},
    "the-path-is-a-link": {"o/a": b"1", "o/l": link("../n"), "n": b"2", "p": link("o")},
    "the-path-goes-through-a-link": {"o/q/a": b"1", "o/b": b"2", "p": link("o"), "o/q/l": link("../b")},
    "normalized": {"p/\u00e9": b"1", "p/l": link("e\u0301")},
    "twice": {"o/a": b"1", "p/l": link("../o/a"), "p/m": link("../o/a")},
    "long-chain-out-of-the-path": {
        "p/l": link("../n/0"), "n/20": b"1", **{f"n/{at}": link(f"{at + 1}") for at in range(20)}
    },
}  # fmt: skip


@pytest.mark.parametrize("filtering", [False, True])
@pytest.mark.parametrize("path", ["p", "p/q", "o", ""])
@pytest.mark.parametrize("files", LINKS.values(), ids=LINKS)
def test_links_are_as_in_an_archive(files: Files, path: str, filtering: bool, server: ScriptedServer) -> None:
    objects = Objects()
    commit = objects.add_files(files)
    server.answer = honest(objects) if filtering else speaking(packfile(objects.pack))
    assert fetch(server.url, commit, path).subtree(path) == archived(files).subtree(path)


def honest(objects: Objects) -> Answer:
    """A server that leaves blobs out when it is told to, and gives those that are asked for."""

    def answer(request: bytes) -> bytes:
        chosen = Objects()
        for name, (kind, data) in objects.held.items():
            if f"want {name}\n".encode() in request or (b"blob:none" in request and kind != BLOB):
                chosen.add(kind, data)
        everything = b"deepen" in request and b"blob:none" not in request
        return packfile((objects if everything else chosen).pack)

    return speaking(answer, capabilities(b"filter"))


BROKEN: dict[str, tuple[Files, Refusal]] = {
    "leaves": ({"p/l": link("../../x")}, Refusal.LINK_OUT),
    "absolute": ({"p/l": link("/etc/passwd")}, Refusal.LINK_OUT),
    "dangling": ({"p/l": link("nothing")}, Refusal.LINK_DANGLING),
    "through-a-file": ({"p/a": b"1", "p/l": link("a/b")}, Refusal.LINK_DANGLING),
    "to-itself": ({"p/l": link("l")}, Refusal.LINK_CYCLE),
    "to-its-directory": ({"p/a": b"1", "p/l": link(".")}, Refusal.LINK_CYCLE),
    "to-each-other": ({"p/l": link("m"), "p/m": link("l")}, Refusal.LINK_CYCLE),
    "empty": ({"p/l": link("")}, Refusal.LINK_DANGLING),
    "case": ({"p/a": b"1", "p/A": b"2"}, Refusal.SAME_WHEN_FOLDED),
    "normalization": ({"p/\u00e9": b"1", "p/e\u0301": b"2"}, Refusal.SAME_WHEN_FOLDED),
    "git": ({"p/.git/config": b"1"}, Refusal.GIT_DIRECTORY),
    "git-on-windows": ({"p/GIT~1": b"1"}, Refusal.GIT_DIRECTORY),
    "dots": ({"p/../x": b"1"}, Refusal.DOT_SEGMENT),
    "backslash": ({"p/a\\b": b"1"}, Refusal.BACKSLASH),
    "control": ({"p/a\nb": b"1"}, Refusal.CONTROL_CHARACTER),
    "drive": ({"p/c:": b"1"}, Refusal.DRIVE),
    "long": ({"p/" + "x" * 300: b"1"}, Refusal.OVERLONG),
    "deep": ({"p/" + f"{'x' * 40}/" * 40 + "x": b"1"}, Refusal.OVERLONG),
}


@pytest.mark.parametrize(("files", "why"), BROKEN.values(), ids=BROKEN)
def test_what_an_archive_is_refused_for_a_commit_is_too(
    files: Files, why: Refusal, server: ScriptedServer
) -> None:
    objects = Objects()
    commit = objects.add_files({**files, "good/a": b"1"})
    server.answer = speaking(packfile(objects.pack))
    for path in ("", "p"):
        told = failure(server.url, commit, path)
        assert told.reason is why.reason
        assert why.text.replace("the archive", "the commit") in told.message
        assert "archive" not in told.message + (told.hint or "")
    assert list(fetch(server.url, commit, "good").files) == ["good/a"]


@pytest.mark.parametrize("left_out", [False, True])
def test_directories_are_bounded_together(
    server: ScriptedServer, monkeypatch: pytest.MonkeyPatch, left_out: bool
) -> None:
    monkeypatch.setattr("kagent_render.artifacts.git.objects._TREES_BYTES", 120)
    objects = Objects()
    commit = objects.add_files({"d/d/d/d/a": b"1"} if not left_out else {"a": b"1"})
    if left_out:
        objects.held = {name: held for name, held in objects.held.items() if held[0] != BLOB}
        for letter in "bcdef":
            objects.add_files({letter: b"1"})
            del objects.held[next(name for name, held in objects.held.items() if held[0] == BLOB)]
    server.answer = speaking(packfile(objects.pack))
    told = failure(server.url, commit)
    assert told.reason is Reason.ARTIFACT_TOO_LARGE
    assert "its directories have more than" in told.message


def test_a_directory_named_by_a_dot_is_not_the_root(server: ScriptedServer) -> None:
    objects = Objects()
    commit = objects.add_files({"./a": b"1", "a": b"2"})
    server.answer = speaking(packfile(objects.pack))
    assert Refusal.DOT_SEGMENT.text in failure(server.url, commit).message


def test_names_that_are_not_utf8_are_refused_where_they_are_wanted(server: ScriptedServer) -> None:
    objects = Objects()
    name = objects.add(BLOB, b"x")
    tree = objects.add_tree([(b"100644", b"\xff", name)])
    assert "not UTF-8" in refused(server, objects, objects.add_tree([(b"40000", b"p", tree)])).message


@pytest.mark.parametrize(
    ("entries", "text"),
    [
        ([(b"100644", b"a"), (b"100644", b"a")], "`a` is in the commit twice"),
        ([(b"100644", b"a/b")], "a name that is none"),
        ([(b"100644", b"")], "a name that is none"),
        ([(b"10064x", b"a")], "a malformed directory"),
        ([(b"060000", b"a")], "not a file, a directory or a link"),
        ([(b"40000", b"a")], "a blob in the place of a tree"),
    ],
)
def test_a_directory_that_no_git_program_writes_is_refused(
    entries: list[tuple[bytes, bytes]], text: str, server: ScriptedServer
) -> None:
    objects = Objects()
    name = objects.add(BLOB, b"x")
    told = refused(server, objects, objects.add_tree([(mode, path, name) for mode, path in entries]))
    assert text in told.message


def test_a_directory_that_breaks_off_is_refused(server: ScriptedServer) -> None:
    objects = Objects()
    told = refused(server, objects, objects.add(2, b"100644 a\0short"))
    assert "a malformed directory" in told.message


def test_directories_that_multiply_are_refused(server: ScriptedServer) -> None:
    objects = Objects()
    below = objects.add_tree([(b"100644", b"x", objects.add(BLOB, b"x"))])
    for _ in range(20):
        below = objects.add_tree([(b"40000", b"%02d" % number, below) for number in range(10)])
    assert refused(server, objects, below).reason is Reason.ARTIFACT_TOO_LARGE


def test_links_that_take_too_long_to_follow_are_refused(
    server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kagent_render.artifacts.git.selection._STEPS", 10_000)
    files: Files = {"d/a": b"1"} | {f"l{number}": link("d/../" * 200 + "d/a") for number in range(100)}
    with pytest.raises(ArtifactFailure) as told:
        fetched(server, files)
    assert told.value.reason is Reason.ARTIFACT_TOO_LARGE


def test_content_is_bounded_below_the_wanted_paths_only(server: ScriptedServer) -> None:
    files: Files = {f"p/{number}": b"x" * 100 for number in range(5)} | {
        f"o/{number}": b"y" * 1_000 for number in range(20)
    }
    limits = Limits(entries=10, content=2_000)
    assert len(fetched(server, files, "p", limits=limits).files) == 5
    for path in ("o", ""):
        with pytest.raises(ArtifactFailure) as told:
            fetched(server, files, path, limits=limits)
        assert told.value.reason is Reason.ARTIFACT_TOO_LARGE
    with pytest.raises(ArtifactFailure) as told:
        fetched(server, files, "p", limits=Limits(content=400))
    assert told.value.reason is Reason.ARTIFACT_TOO_LARGE


def test_a_link_that_reaches_a_submodule_is_refused(server: ScriptedServer) -> None:
    with pytest.raises(ArtifactFailure, match="submodules are not followed"):
        fetched(server, {"p/l": link("../sub"), "sub": submodule()}, "p")


NAMES = st.sampled_from(["a", "b", "c"])
PATHS = st.lists(NAMES, min_size=1, max_size=3).map("/".join)
TARGETS = st.lists(st.sampled_from(["a", "b", "c", "..", "."]), min_size=1, max_size=4).map("/".join)
CONTENTS = st.one_of(
    st.binary(max_size=3), st.binary(max_size=2).map(executable), TARGETS.map(link), TARGETS.map(link)
)


def archived_or_refused(files: Files) -> Package | ArchiveRefused:
    try:
        return archived(files)
    except ArchiveRefused as refusal:
        return refusal


def without_conflicts(files: dict[str, bytes | Node]) -> Files:
    return {
        path: content
        for path, content in files.items()
        if not any(other.startswith(f"{path}/") for other in files)
    }


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.dictionaries(PATHS, CONTENTS, min_size=1, max_size=8).map(without_conflicts), PATHS)
def test_any_tree_is_read_as_its_archive_is(server: ScriptedServer, files: Files, path: str) -> None:
    objects = Objects()
    commit = objects.add_files(files)
    server.answer = honest(objects)
    whole = archived_or_refused(files)
    if isinstance(whole, ArchiveRefused):
        assert failure(server.url, commit).reason is whole.reason
        return
    assert fetch(server.url, commit) == whole
    assert fetch(server.url, commit, path).subtree(path) == whole.subtree(path)
