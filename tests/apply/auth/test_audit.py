"""The audit log: a line for a call, nothing secret, and no way to forge one."""

from __future__ import annotations

import hashlib
import json
import os
import stat
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kagent_apply.auth.audit_log import AuditFileError, AuditLog, open_audit_file
from kagent_apply.auth.audit_record import AuditRecord, audit_line, request_digest
from kagent_apply.auth.port import Caller, Verb
from tests.apply.auth.files import Heard

BEGUN = datetime(2026, 11, 30, 12, 0, 0, 123456, UTC)


def _record(target: str = "7e0c", **given: Any) -> AuditRecord:
    values: dict[str, Any] = {
        "time": BEGUN,
        "caller": Caller("alice", ("sre",), "oidc"),
        "call": "CreateAgentInstance",
        "verb": Verb.CREATE,
        "namespace": "payments",
        "target": target,
        "status": "OK",
        "duration": 0.25,
        "peer": "ipv4:192.0.2.1:5000",
        "request": request_digest("r-1"),
    }
    return AuditRecord(**{**values, **given})


def _lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "audit.log"


@pytest.fixture
def heard() -> Heard:
    return Heard()


@pytest.fixture
def log(path: Path, heard: Heard) -> Iterator[AuditLog]:
    log = AuditLog(lambda: open_audit_file(str(path)), heard)
    yield log
    log.close()


def test_a_record_is_one_line_of_json() -> None:
    line = audit_line(_record(time=BEGUN.astimezone(timezone(timedelta(hours=2)))))
    assert line.endswith(b"\n")
    assert json.loads(line) == {
        "time": "2026-11-30T12:00:00.123+00:00",
        "subject": "alice",
        "method": "oidc",
        "call": "CreateAgentInstance",
        "verb": "create",
        "namespace": "payments",
        "target": "7e0c",
        "request": hashlib.sha256(b"r-1").hexdigest()[:16],
        "status": "OK",
        "duration": 0.25,
        "peer": "ipv4:192.0.2.1:5000",
    }


def test_a_call_without_a_caller_is_recorded_as_well() -> None:
    told = json.loads(audit_line(_record(caller=None, verb=None, status="UNAUTHENTICATED")))
    assert (told["subject"], told["method"], told["verb"]) == ("", "", "")


@example("\x7f\x1b[2J\r\n\u2028\ud800", "payments")
@given(st.text(st.characters(codec=None), max_size=40), st.text(max_size=20))
def test_no_value_can_end_its_line_or_reach_a_terminal(value: str, namespace: str) -> None:
    line = audit_line(_record(value, namespace=namespace, peer=value, caller=Caller(value)))
    assert line.count(b"\n") == 1
    assert all(32 <= byte < 127 for byte in line[:-1])
    assert json.loads(line)["namespace"] == namespace


def test_a_value_that_is_too_long_is_cut() -> None:
    assert len(audit_line(_record("\x00" * 100_000, peer="\U0001f600" * 100_000))) < 10_000


def test_a_request_id_is_not_told() -> None:
    assert b"hunter2" not in audit_line(_record(request=request_digest("hunter2")))
    assert request_digest("hunter2") == request_digest("hunter2") != request_digest("hunter3")


def test_records_are_appended_to_a_file_of_its_owners(path: Path, log: AuditLog) -> None:
    log.write(_record("1"))
    log.write(_record("2"))
    assert [line["target"] for line in _lines(path)] == ["1", "2"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_restart_keeps_what_is_there(path: Path, log: AuditLog) -> None:
    log.write(_record("1"))
    other = AuditLog(lambda: open_audit_file(str(path)), Heard())
    other.write(_record("2"))
    other.close()
    assert [line["target"] for line in _lines(path)] == ["1", "2"]


def test_a_rotated_file_is_followed_when_told(path: Path, log: AuditLog) -> None:
    log.write(_record("1"))
    path.rename(path.with_suffix(".1"))
    log.write(_record("2"))
    log.reopen()
    log.write(_record("3"))
    assert [line["target"] for line in _lines(path.with_suffix(".1"))] == ["1", "2"]
    assert [line["target"] for line in _lines(path)] == ["3"]


def test_a_new_file_that_cannot_be_opened_leaves_the_old_one(path: Path, log: AuditLog, heard: Heard) -> None:
    path.rename(path.with_suffix(".1"))
    path.mkdir()
    log.reopen()
    log.write(_record("1"))
    assert [line["target"] for line in _lines(path.with_suffix(".1"))] == ["1"]
    assert len(heard.lines) == 1
    assert "goes on in its old file" in heard.lines[0]


@pytest.mark.parametrize("kind", ["link", "folder", "pipe", "readable", "nowhere", "nul"])
def test_what_is_no_file_of_its_own_is_refused(path: Path, kind: str) -> None:
    if kind == "link":
        path.symlink_to(path.with_suffix(".target"))
    elif kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "readable":
        path.touch()
        path.chmod(0o644)
    name = {"nowhere": f"{path}/x/y", "nul": "a\0b"}.get(kind, str(path))
    with pytest.raises(AuditFileError):
        open_audit_file(name)
    assert not path.with_suffix(".target").exists()


def test_a_file_that_its_group_reads_stays_so(path: Path) -> None:
    path.touch()
    path.chmod(0o640)
    os.close(open_audit_file(str(path)))
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_full_disk_stops_no_call_and_the_log_says_what_is_missing(
    path: Path, log: AuditLog, heard: Heard, monkeypatch: pytest.MonkeyPatch
) -> None:
    write, room = os.write, [20]

    def nearly_full(descriptor: int, data: bytes) -> int:
        if not room[0]:
            raise OSError(28, "No space left on device")
        taken, room[0] = data[: room[0]], max(0, room[0] - len(data))
        return write(descriptor, taken)

    monkeypatch.setattr(os, "write", nearly_full)
    for target in "123":
        log.write(_record(target))
    assert log.lost == 3
    assert len(heard.lines) == 1
    room[0] = 10_000
    log.write(_record("4"))
    log.write(_record("5"))
    torn, *rest = path.read_text().splitlines()
    assert torn == audit_line(_record("1"))[:20].decode()
    assert [line.get("lost", line.get("target")) for line in map(json.loads, rest)] == [3, "4", "5"]
    assert heard.lines[1:] == ["the audit log is written to again; 3 records are missing"]


def test_a_line_that_an_earlier_process_left_torn_is_ended(path: Path) -> None:
    path.write_bytes(b'{"time":"2026')
    path.chmod(0o600)
    log = AuditLog(lambda: open_audit_file(str(path)), Heard())
    log.write(_record("1"))
    log.close()
    assert json.loads(path.read_text().splitlines()[1])["target"] == "1"


def test_a_real_full_device_stops_no_call() -> None:
    heard = Heard()
    log = AuditLog(lambda: os.open("/dev/full", os.O_WRONLY), heard)
    log.write(_record())
    log.close()
    assert log.lost == 1
    assert "calls go on without it" in heard.lines[0]


def test_lines_of_many_threads_are_whole(path: Path, log: AuditLog) -> None:
    def write(name: str) -> None:
        for at in range(50):
            log.write(_record(f"{name}-{at}"))

    threads = [threading.Thread(target=write, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(line["target"] for line in _lines(path)) == sorted(
        f"{a}-{n}" for a in "abcd" for n in range(50)
    )


def test_a_stream_may_be_the_log() -> None:
    read, write = os.pipe()
    log = AuditLog(lambda: os.dup(write), Heard())
    log.write(_record("1"))
    log.reopen()
    log.write(_record("2"))
    log.close()
    os.close(write)
    with os.fdopen(read) as stream:
        assert [json.loads(line)["target"] for line in stream] == ["1", "2"]
