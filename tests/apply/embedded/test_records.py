"""Transactions that share a commit: each whole, none in another's way, all of them on disk."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kagent_apply.batching.batches import Turn
from kagent_apply.embedded.changes import Change, _look
from kagent_apply.embedded.records import Records, _Work
from kagent_apply.embedded.refusal import ControlError
from kagent_apply.embedded.views import Key


@pytest.fixture
def records(tmp_path: Path) -> Iterator[Records]:
    opened = Records(tmp_path / "records")
    yield opened
    opened.close()


def _key(name: str) -> Key:
    return Key("actor", "team", name)


def test_a_change_that_fails_leaves_nothing_and_those_beside_it_alone(records: Records) -> None:
    outcomes: dict[str, str] = {}
    begun = threading.Event()
    go_on = threading.Event()

    def hold(change: Change) -> None:
        begun.set()
        assert go_on.wait(10)

    def put(name: str, change: Change) -> None:
        change.put(_key(name), name.encode())
        if name.startswith("bad"):
            raise ControlError("ABORTED", name)

    def make(name: str) -> None:
        try:
            records.change(lambda change: put(name, change))
            outcomes[name] = "made"
        except ControlError as error:
            outcomes[name] = error.code

    names = ["a", "bad1", "b", "bad2", "c"]
    threads = [threading.Thread(target=lambda: records.change(hold))]
    threads[0].start()
    assert begun.wait(10)
    threads += [threading.Thread(target=make, args=(name,)) for name in names]
    for thread in threads[1:]:
        thread.start()
    while records._batches.waiting < len(names):
        begun.wait(0.01)
    go_on.set()
    for thread in threads:
        thread.join(10)
    assert outcomes == {name: "ABORTED" if name.startswith("bad") else "made" for name in names}
    kept = records.read(lambda view: [name for name in names if view.get(_key(name))])
    assert kept == ["a", "b", "c"]


def test_nothing_is_told_as_done_where_the_commit_failed(records: Records) -> None:
    records.change(lambda change: change.put(_key("a"), b"1"))

    def spoil(change: Change) -> None:
        change.put(_key("b"), b"1")
        change._batch._connection.execute("ROLLBACK")

    with pytest.raises(ControlError) as refused:
        records.change(spoil)
    assert refused.value.code == "UNAVAILABLE"
    assert records.read(lambda view: view.get(_key("b"))) is None
    records.change(lambda change: change.put(_key("c"), b"1"))


def test_what_another_version_wrote_is_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "records"
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 7")
    with pytest.raises(ControlError) as refused:
        Records(path)
    assert refused.value.code == "FAILED_PRECONDITION"


def test_what_is_no_database_is_told(tmp_path: Path) -> None:
    path = tmp_path / "records"
    path.write_bytes(b"not a database, however long the file may be" * 100)
    with pytest.raises(ControlError) as refused:
        Records(path)
    assert refused.value.code == "UNAVAILABLE"


def test_a_page_goes_on_behind_what_it_is_asked_for(records: Records) -> None:

    def fill(change: Change) -> None:
        for atespace, name in (("b", "a"), ("a", "b"), ("a", "a")):
            change.put(Key("actor", atespace, name), f"{atespace}{name}".encode(), "t")

    records.change(fill)
    assert records.read(lambda view: view.page("actor", "", ("a", "a"), 9)) == [b"ab", b"ba"]
    assert records.read(lambda view: view.page("actor", "a", ("", ""), 1)) == [b"aa"]
    assert records.read(lambda view: view.any_referring("actor", "a", "t"))
    assert not records.read(lambda view: view.any_referring("actor", "a", ""))


def _put(name: str, body: bytes) -> Callable[[Change], None]:
    return lambda change: change.put(_key(name), body)


def _drop_all(change: Change) -> None:
    change.drop_in("actor", "team")


@pytest.mark.parametrize("together", [False, True], ids=["one by one", "in one batch"])
@pytest.mark.parametrize(
    ("changes", "left"),
    [
        ([_put("a", b"1"), _put("a", b"2")], b"2"),
        ([_put("a", b"1"), lambda change: change.drop(_key("a"))], None),
        ([_put("a", b"1"), _drop_all], None),
        ([_put("a", b"1"), _drop_all, _put("a", b"3")], b"3"),
        ([_put("a", b"1"), lambda change: change.drop(_key("a")), _put("a", b"2")], b"2"),
    ],
)
def test_what_is_known_is_what_is_kept(
    records: Records, changes: list[Callable[[Change], None]], left: bytes | None, together: bool
) -> None:
    seen: list[bytes | None] = []

    def look(change: Change) -> None:
        seen.append(change.get(_key("a")))

    if together:
        records._commit([Turn(_Work(do, ())) for do in [*changes, look]])
    else:
        for do in [*changes, look]:
            records.change(do)
    assert seen == [left]
    assert records.read(lambda view: view.get(_key("a"))) == left
    records._known.clear()
    assert records.read(lambda view: view.get(_key("a"))) == left
    assert records.read(lambda view: view.page("actor", "team", ("", ""), 9)) == ([left] if left else [])


def test_what_failed_is_not_known(records: Records) -> None:
    records.change(_put("a", b"1"))

    def fail(change: Change) -> None:
        _put("a", b"2")(change)
        raise ControlError("ABORTED", "on purpose")

    with pytest.raises(ControlError):
        records.change(fail)
    assert records.read(lambda view: view.get(_key("a"))) == b"1"


def test_few_of_many_resources_are_known(records: Records, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kagent_apply.embedded.records._MOST_KNOWN", 10)
    for number in range(40):
        records.change(_put(f"a{number}", b"%d" % number))
        assert len(records._known) <= 11
    assert [records.read(lambda view, n=n: view.get(_key(f"a{n}"))) for n in range(40)] == [  # type: ignore[misc]
        b"%d" % number for number in range(40)
    ]


def test_a_batch_is_few_statements_however_many_changes_it_has(records: Records) -> None:
    records.change(_put("there", b"0"))
    records._known.clear()
    statements: list[str] = []
    records._write.set_trace_callback(statements.append)
    seen: list[bytes | None] = []

    def work(name: str) -> _Work:
        def do(change: Change) -> None:
            seen.append(change.get(_key(name)))
            change.put(_key(f"{name}-new"), b"1")

        return _Work(do, (_key(name),))

    records._commit([Turn(work(name)) for name in ("there", *(f"a{number}" for number in range(30)))])
    assert seen == [b"0", *[None] * 30]
    assert [statement.split()[0] for statement in statements] == ["BEGIN", "WITH", "INSERT", "COMMIT"]
    records._known.clear()
    assert len(records.read(lambda view: view.page("actor", "team", ("", ""), 99))) == 32


def test_a_page_within_a_change_has_what_others_of_the_batch_wrote(records: Records) -> None:
    seen: list[object] = []

    def look(change: Change) -> None:
        seen.append((change.any_in("actor", "team"), change.any_referring("actor", "team", "x")))

    def put(change: Change) -> None:
        change.put(_key("a"), b"1", "x")

    records._commit([Turn(_Work(do, ())) for do in (look, put, look, _drop_all, look)])
    assert seen == [(False, False), (True, True), (False, False)]


def test_what_is_asked_for_is_searched_for(records: Records) -> None:
    plan = records._write.execute(f"EXPLAIN QUERY PLAN {_look(3)}", ["a"] * 9).fetchall()
    assert any("SEARCH resource USING PRIMARY KEY" in step[3] for step in plan)
    assert not any("SCAN resource" in step[3] for step in plan)
