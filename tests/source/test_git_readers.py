from pathlib import Path

import pytest
from dulwich.objects import Blob, Commit, Tree
from dulwich.repo import Repo

from kagent_render.source.index import GitIndex
from kagent_render.source.reader import ReadError
from kagent_render.source.repository import RepositoryError, top_level
from kagent_render.source.revision import GitRevision
from tests.source.git_repositories import commit_files, git, stage_files


@pytest.fixture
def history(tmp_path: Path) -> dict[str, str]:
    """Three commits with a branch, tags, and a merge of the first into the third."""
    names = {"first": commit_files(tmp_path, {"f": b"1"})}
    git(tmp_path, "tag", "--annotate", "--message", "one", "v1")
    git(tmp_path, "branch", "old")
    names["second"] = commit_files(tmp_path, {"f": b"2"})
    git(tmp_path, "tag", "light")
    git(tmp_path, "checkout", "--quiet", "-b", "side", "old")
    names["side"] = commit_files(tmp_path, {"g": b"s"})
    git(tmp_path, "checkout", "--quiet", "main")
    git(tmp_path, "merge", "--quiet", "--no-ff", "--message", "merge", "side")
    names["merge"] = git(tmp_path, "rev-parse", "HEAD")
    return names


@pytest.mark.parametrize(
    ("revision", "commit"),
    [
        ("HEAD", "merge"),
        ("@", "merge"),
        ("main", "merge"),
        ("refs/heads/main", "merge"),
        ("old", "first"),
        ("v1", "first"),
        ("light", "second"),
        ("HEAD~1", "second"),
        ("HEAD~2", "first"),
        ("HEAD^", "second"),
        ("HEAD^2", "side"),
        ("HEAD^2~1", "first"),
        ("main^0", "merge"),
        ("v1~0", "first"),
    ],
)
def test_a_revision_names_a_commit(
    tmp_path: Path, history: dict[str, str], revision: str, commit: str
) -> None:
    assert GitRevision(tmp_path, revision).commit == history[commit]


def test_a_commit_is_named_by_its_id_whole_or_cut_short(tmp_path: Path, history: dict[str, str]) -> None:
    second = history["second"]
    assert GitRevision(tmp_path, second).read("f") == b"2"
    assert GitRevision(tmp_path, second[:8]).commit == second


@pytest.mark.parametrize(
    "revision",
    ["", "absent", "HEAD~99", "HEAD^9", "0" * 40, "deadbeef", "HEAD:f", "HEAD^{tree}", "../HEAD", "-x"],
)
def test_what_names_no_commit_is_told(tmp_path: Path, history: dict[str, str], revision: str) -> None:
    with pytest.raises(RepositoryError):
        GitRevision(tmp_path, revision)


def test_a_tree_or_blob_is_no_commit(tmp_path: Path, history: dict[str, str]) -> None:
    for name in ("HEAD^{tree}", "HEAD:f"):
        with pytest.raises(RepositoryError):
            GitRevision(tmp_path, git(tmp_path, "rev-parse", name))


def test_packed_objects_and_refs_are_read(tmp_path: Path, history: dict[str, str]) -> None:
    git(tmp_path, "gc", "--quiet", "--aggressive")
    assert GitRevision(tmp_path, "old").read("f") == b"1"
    assert GitRevision(tmp_path, history["second"][:7]).read("f") == b"2"


def test_a_bare_repository_has_revisions_and_no_index(tmp_path: Path) -> None:
    commit_files(tmp_path, {"a/f": b"1"})
    git(tmp_path, "clone", "--quiet", "--bare", ".", "bare.git")
    assert GitRevision(tmp_path / "bare.git", "main").read("a/f") == b"1"
    with pytest.raises(RepositoryError, match="no index"):
        GitIndex(tmp_path / "bare.git")


def test_a_linked_work_tree_has_a_head_and_an_index_of_its_own(tmp_path: Path) -> None:
    main = tmp_path / "main"
    main.mkdir()
    commit_files(main, {"f": b"1"})
    git(main, "worktree", "add", "--quiet", "-b", "topic", "../linked")
    linked = tmp_path / "linked"
    commit_files(linked, {"f": b"2"})
    stage_files(linked, {"g": b"3"})
    assert GitRevision(linked, "HEAD").read("f") == b"2"
    assert GitRevision(linked, "main").read("f") == b"1"
    assert GitIndex(linked).files().paths == ("f", "g")
    assert GitIndex(main).files().paths == ("f",)
    assert top_level(linked) == linked.resolve()


def test_a_folder_outside_of_git_has_no_repository(tmp_path: Path) -> None:
    with pytest.raises(RepositoryError, match="not in a Git repository"):
        GitRevision(tmp_path, "HEAD")
    assert top_level(tmp_path) is None


def test_a_repository_without_commits_has_an_empty_index(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", ".")
    assert GitIndex(tmp_path).files().paths == ()
    with pytest.raises(RepositoryError):
        GitRevision(tmp_path, "HEAD")


def test_a_file_in_a_merge_conflict_is_listed_and_cannot_be_read(tmp_path: Path) -> None:
    commit_files(tmp_path, {"f": b"base\n", "g": b"g"})
    git(tmp_path, "branch", "other")
    commit_files(tmp_path, {"f": b"ours\n"})
    git(tmp_path, "checkout", "--quiet", "other")
    commit_files(tmp_path, {"f": b"theirs\n"})
    with pytest.raises(AssertionError):
        git(tmp_path, "merge", "main")
    reader = GitIndex(tmp_path)
    assert reader.files().paths == ("f", "g")
    with pytest.raises(ReadError, match="unresolved merge conflict"):
        reader.read("f")


def test_a_file_that_is_only_intended_to_be_added_is_not_staged(tmp_path: Path) -> None:
    commit_files(tmp_path, {"f": b"1"})
    (tmp_path / "later").write_bytes(b"2")
    git(tmp_path, "add", "--intent-to-add", "later")
    assert GitIndex(tmp_path).files().paths == ("f",)


@pytest.mark.parametrize("version", [2, 3, 4])
def test_every_index_version_is_read(tmp_path: Path, version: int) -> None:
    commit_files(tmp_path, {"a/f": b"1", "a/g": b"2"})
    git(tmp_path, "update-index", f"--index-version={version}", "--force-write-index")
    assert GitIndex(tmp_path).files().paths == ("a/f", "a/g")


def test_a_damaged_index_is_told(tmp_path: Path) -> None:
    commit_files(tmp_path, {"f": b"1"})
    (tmp_path / ".git" / "index").write_bytes(b"DIRC\0\0\0\x02\0\0\xff\xffrubbish")
    with pytest.raises(RepositoryError, match="index cannot be read"):
        GitIndex(tmp_path)


def test_a_submodule_is_no_folder(tmp_path: Path) -> None:
    commit = commit_files(tmp_path, {"f": b"1"})
    git(tmp_path, "update-index", "--add", "--cacheinfo", f"160000,{commit},sub")
    git(tmp_path, "commit", "--quiet", "--message", "submodule")
    assert GitRevision(tmp_path, "HEAD").files().paths == ("f",)
    assert GitRevision(tmp_path, "HEAD").files("sub").paths == ()


def test_a_missing_or_damaged_object_is_told(tmp_path: Path) -> None:
    commit_files(tmp_path, {"f": b"1", "g": b"2"})
    for name, damage in (("f", None), ("g", b"rubbish")):
        identifier = git(tmp_path, "rev-parse", f"HEAD:{name}")
        path = tmp_path / ".git" / "objects" / identifier[:2] / identifier[2:]
        path.chmod(0o644)
        path.unlink() if damage is None else path.write_bytes(damage)
    reader = GitRevision(tmp_path, "HEAD")
    for name, words in (("f", "the repository lacks"), ("g", "damaged")):
        with pytest.raises(ReadError, match=words):
            reader.read(name)


def test_names_that_could_lead_out_are_left_out_of_a_hostile_tree(tmp_path: Path) -> None:
    repository = Repo.init(tmp_path)
    blob = Blob.from_string(b"x")
    tree = Tree()
    for name in (b"..", b".", b"a\\b", b"\xff", b"fine"):
        tree.add(name, 0o100644, blob.id)
    commit = Commit()
    commit.tree = tree.id
    commit.author = commit.committer = b"A <a@example.com>"
    commit.author_time = commit.commit_time = commit.author_timezone = commit.commit_timezone = 0
    commit.message = b"hostile"
    for found in (blob, tree, commit):
        repository.object_store.add_object(found)
    assert GitRevision(tmp_path, commit.id.decode()).files().paths == ("a\\b", "fine")
