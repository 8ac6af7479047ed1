"""Real repositories on this machine, whole, damaged and hostile, and every way to name a commit."""

from __future__ import annotations

import shutil
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from kagent_apply.revisions.events import PartProblem
from kagent_apply.revisions.local_repository import LocalRepository
from kagent_apply.revisions.location import repository_at
from tests.apply.revisions.world import PAIRS, Served, Upstream, edition, folder, local, lock_of
from tests.artifacts.git.repositories import git

pytestmark = pytest.mark.server

EVERY = dict.fromkeys(PAIRS, 0)
NONE = dict.fromkeys(PAIRS)


def pack(upstream: Upstream) -> None:
    upstream.git("repack", "-adq")
    upstream.git("pack-refs", "--all")


def annotated(upstream: Upstream) -> None:
    upstream.git("-c", "user.name=t", "-c", "user.email=t@example.com", "tag", "-am", "x", "release", "main")
    upstream.git("-c", "user.name=t", "-c", "user.email=t@example.com", "tag", "-am", "x", "again", "release")


def packed_tag(upstream: Upstream) -> None:
    annotated(upstream)
    pack(upstream)


REFS: dict[str, tuple[str, Callable[[Upstream], object]]] = {
    "branch": ("main", lambda _: None),
    "full name": ("refs/heads/main", lambda _: None),
    "HEAD": ("HEAD", lambda _: None),
    "detached HEAD": ("HEAD", lambda upstream: upstream.git("update-ref", "--no-deref", "HEAD", "main")),
    "tag": ("v1", lambda upstream: upstream.git("tag", "v1", "main")),
    "annotated tag of a tag": ("again", annotated),
    "packed": ("main", pack),
    "packed tag": ("release", packed_tag),
    "branch before tag": ("main", lambda upstream: upstream.git("tag", "main", "main~1")),
    "any ref": ("refs/deployed/x", lambda upstream: upstream.git("update-ref", "refs/deployed/x", "main")),
}


@pytest.mark.parametrize(
    ("case", "object_format"),
    [*((case, "sha1") for case in REFS), ("branch", "sha256"), ("packed tag", "sha256")],
)
def test_a_ref_leads_to_its_commit(case: str, object_format: str, tmp_path: Path) -> None:
    ref, prepare = REFS[case]
    upstream = Upstream.make(tmp_path / "r", object_format)
    upstream.commit({"README": b"nothing yet"})
    newest = upstream.commit(edition(1))
    prepare(upstream)
    running = local(upstream, tmp_path / "kept", ref).refresh()
    assert (running.index.problem(), running.serving(edition(1))) == ("", EVERY)
    assert running.index.commit == newest


@pytest.mark.parametrize(
    "ref", ["", "a b", "..", "a..b", "refs/", "@{1}", "-x", "/x", "a\nb", "a~1", "x:y", ".", "a/"]
)
def test_what_no_ref_can_be_called_is_refused_at_once(ref: str) -> None:
    with pytest.raises(ValueError, match="the ref is not the name"):
        LocalRepository(Path(), ref)


@pytest.mark.parametrize(
    ("location", "said"),
    [
        ("ssh://git@example.com/x", "not fetched from"),
        ("git://example.com/x", "not fetched from"),
        ("ext::sh -c 'touch x'://", "neither a folder"),
        ("file://elsewhere/x", "not fetched from"),
        ("git@example.com:x/y", "neither a folder"),
        ("example.com:x", "neither a folder"),
        ("https://reader:secret@example.com/x", "without credentials"),
        ("https://", "no URL"),
    ],
)
def test_what_is_no_place_to_read_from_is_refused_at_once(location: str, said: str) -> None:
    with pytest.raises(ValueError, match=said) as raised:
        repository_at(location, "main")
    assert "secret" not in str(raised.value)


def test_a_file_url_is_a_folder(tmp_path: Path) -> None:
    upstream = Upstream.make(tmp_path / "a repository")
    upstream.commit(edition(1))
    location = f"file://{str(upstream.folder).replace(' ', '%20')}"
    assert Served(repository_at(location, "main"), tmp_path / "kept").refresh().serving(edition(1)) == EVERY


def test_a_work_tree_is_never_read(tmp_path: Path) -> None:
    upstream = Upstream.make(tmp_path / "r")
    upstream.commit(edition(1))
    for name, arguments in {"clone": ("clone", "-q"), "linked": ("worktree", "add", "-q", "-b", "x")}.items():
        place = tmp_path / name
        end = (str(place), "main") if name == "linked" else (str(upstream.folder), str(place))
        git(upstream.folder, *arguments, *end)
        (place / lock_of("researcher")).write_text("edited")
        git(place, "add", ".")
        served = Served(LocalRepository(place / "agents", "HEAD"), tmp_path / f"kept-{name}").refresh()
        assert (served.index.problem(), served.serving(edition(1))) == ("", EVERY)


def test_a_folder_that_is_not_there_is_no_part_of_the_repository_above_it(tmp_path: Path) -> None:
    upstream = Upstream.make(tmp_path / "r")
    upstream.commit(edition(1))
    git(upstream.folder, "clone", "-q", ".", str(tmp_path / "clone"))
    served = Served(LocalRepository(tmp_path / "clone/nothing", "main"), tmp_path / "kept").refresh()
    assert served.index.problem().startswith("there is no folder")
    assert not served.index.pairs()


def test_alternates_are_read(tmp_path: Path) -> None:
    upstream = Upstream.make(tmp_path / "r")
    upstream.commit(edition(1))
    git(upstream.folder, "clone", "-q", "--shared", "--bare", ".", str(tmp_path / "shared"))
    served = Served(LocalRepository(tmp_path / "shared", "main"), tmp_path / "kept").refresh()
    assert served.serving(edition(1)) == EVERY


def test_a_shallow_repository_serves_what_it_has(tmp_path: Path) -> None:
    upstream = Upstream.make(tmp_path / "r")
    upstream.commit(edition(1))
    upstream.commit({**edition(2), lock_of("researcher"): b"broken"})
    url = f"file://{upstream.folder}"
    git(upstream.folder, "clone", "-q", "--bare", "--depth=1", url, str(tmp_path / "shallow"))
    shallow = Served(LocalRepository(tmp_path / "shallow", "main"), tmp_path / "kept").refresh()
    assert shallow.serving(edition(1), edition(2)) == {"coordinator": 1, "researcher": None, "reviewer": 1}
    whole = local(upstream, tmp_path / "whole").refresh()
    assert whole.serving(edition(1), edition(2)) == {"coordinator": 1, "researcher": 0, "reviewer": 1}


def gone(upstream: Upstream) -> None:
    upstream.git("update-ref", "-d", "refs/heads/main")


def unreadable(upstream: Upstream) -> None:
    shutil.rmtree(upstream.folder)


def to_nothing(upstream: Upstream) -> None:
    (upstream.folder / "refs/heads/main").write_text("1" * 40 + "\n")


def to_a_blob(upstream: Upstream) -> None:
    blob = upstream.git("hash-object", "-w", "--stdin", stdin=b"x")
    (upstream.folder / "refs/heads/main").write_text(f"{blob}\n")


def in_circles(upstream: Upstream) -> None:
    (upstream.folder / "refs/heads/main").write_text("ref: refs/heads/main\n")


def of_the_future(upstream: Upstream) -> None:
    upstream.git("config", "core.repositoryformatversion", "9")


@pytest.mark.parametrize("lose", [gone, unreadable, to_nothing, to_a_blob, in_circles, of_the_future])
def test_without_a_ref_everything_goes_on(lose: Callable[[Upstream], None], tmp_path: Path) -> None:
    upstream = Upstream.make(tmp_path / "r")
    upstream.commit(edition(1))
    running = local(upstream, tmp_path / "kept").refresh()
    lose(upstream)
    assert running.refresh().serving(edition(1)) == EVERY
    assert running.index.problem()
    assert {running.problem(name) for name in PAIRS} == {""}
    restarted = running.restart().refresh()
    assert restarted.serving(edition(1)) == EVERY
    assert restarted.index.problem() == running.index.problem()


def blob_of(upstream: Upstream, path: str) -> Path:
    name = upstream.git("rev-parse", f"main:{path}")
    return upstream.folder / "objects" / name[:2] / name[2:]


def missing(place: Path) -> None:
    place.unlink()


def garbage(place: Path) -> None:
    place.write_bytes(b"garbage")


def another(place: Path) -> None:
    place.write_bytes(zlib.compress(b"blob 3\0abc"))


def without_end(place: Path) -> None:
    place.write_bytes(zlib.compress(b"blob 99999999999\0" + b"\0" * (64 << 20)))


def of_another_kind(place: Path) -> None:
    place.write_bytes(zlib.compress(b"tree 0\0"))


@pytest.mark.parametrize(
    ("what", "damage"),
    [
        *(
            (lock_of("researcher"), each)
            for each in (missing, garbage, another, without_end, of_another_kind)
        ),
        *((folder("researcher"), each) for each in (missing, another, without_end)),
    ],
)
def test_a_damaged_object_keeps_only_its_own_pair(
    what: str, damage: Callable[[Path], None], tmp_path: Path
) -> None:
    upstream = Upstream.make(tmp_path / "r")
    first, second = edition(1), edition(2)
    upstream.commit(first)
    running = local(upstream, tmp_path / "kept").refresh()
    upstream.git("config", "fastimport.unpackLimit", "1000")
    upstream.commit(second)
    place = blob_of(upstream, what)
    whole = place.read_bytes()
    place.chmod(0o644)
    damage(place)
    assert running.refresh().serving(first, second) == {"coordinator": 1, "researcher": 0, "reviewer": 1}
    place.unlink(missing_ok=True)
    place.write_bytes(whole)
    if damage is without_end and what != folder("researcher"):
        return  # what is too large by its own word is not read again
    assert running.refresh().serving(first, second) == dict.fromkeys(PAIRS, 1)


def test_a_damaged_pack_keeps_what_served(tmp_path: Path) -> None:
    upstream = Upstream.make(tmp_path / "r")
    upstream.commit(edition(1))
    running = local(upstream, tmp_path / "kept").refresh()
    upstream.commit(edition(2))
    pack(upstream)
    (place,) = (upstream.folder / "objects/pack").glob("*.pack")
    data = bytearray(place.read_bytes())
    data[12:] = bytes(byte ^ 0x5A for byte in data[12:])
    place.chmod(0o644)
    place.write_bytes(data)
    assert running.refresh().serving(edition(1)) == EVERY
    assert "damaged" in running.index.problem()


def test_a_tree_that_holds_itself_again_and_again_ends(tmp_path: Path) -> None:
    upstream = Upstream.make(tmp_path / "r")
    upstream.commit(edition(1))
    running = local(upstream, tmp_path / "kept").refresh()
    tree = upstream.git("mktree", stdin=b"")
    for _ in range(12):
        lines = "".join(f"040000 tree {tree}\td{number}\n" for number in range(10))
        tree = upstream.git("mktree", stdin=lines.encode())
    top = upstream.git("ls-tree", "main") + f"\n040000 tree {tree}\tzz\n"
    bomb = upstream.git("mktree", stdin=top.encode())
    author = ("-c", "user.name=t", "-c", "user.email=t@example.com")
    made = upstream.git(*author, "commit-tree", "-m", "x", "-p", "main", bomb)
    upstream.git("update-ref", "refs/heads/main", made)
    assert running.refresh().serving(edition(1)) == EVERY
    assert PartProblem("the commit has more than 200,000 folders", made) in running.events


def test_a_forced_push_is_followed(tmp_path: Path) -> None:
    editions = [edition(number) for number in (1, 2, 3)]
    upstream = Upstream.make(tmp_path / "r")
    first = upstream.commit(editions[0])
    upstream.commit(editions[1])
    running = local(upstream, tmp_path / "kept").refresh()
    assert running.serving(*editions) == dict.fromkeys(PAIRS, 1)
    upstream.git("update-ref", "refs/heads/main", first)
    assert running.refresh().serving(*editions) == dict.fromkeys(PAIRS, 0)
    upstream.commit({**editions[2], lock_of("reviewer"): b"broken"}, parent=None)
    assert running.refresh().serving(*editions) == {"coordinator": 2, "researcher": 2, "reviewer": 0}
    assert running.restart().refresh().serving(*editions)["reviewer"] == 0
