"""What a server says first: lines for people at a terminal, else one line of the log."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest

from kagent_apply.cli.server.announcement import announce, facts
from kagent_apply.settings.reading import read_settings

TLS = {"tls_cert": "/c", "tls_key": "/k", "tokens": "/t", "listen": "0.0.0.0:8084"}
STATE = Path("/state")


def told(**flags: Any) -> dict[str, str]:
    settings, _ = read_settings(flags, {}, None)
    return dict(facts(settings, STATE))


@pytest.mark.parametrize(
    ("flags", "name", "text"),
    [
        ({}, "calls", "127.0.0.1:8084, without TLS: this machine alone"),
        ({}, "callers", "everybody is `local`"),
        ({}, "store", "/state/store.sqlite"),
        ({"poll": "2.5"}, "commits", "read every 2.5 s, and at SIGHUP"),
        ({}, "actors", "none: neither `--commands` nor `--echo` is given"),
        ({"commands": "c.yaml"}, "actors", "processes of this machine, by `c.yaml`"),
        ({"echo": True}, "actors", "echoes in this process"),
        ({"substrate": "dns:///s:1", **TLS}, "actors", "dns:///s:1"),
        ({"substrate": "dns:///s:1", **TLS}, "calls", "0.0.0.0:8084, with TLS"),
        ({"substrate": "dns:///s:1", **TLS}, "callers", "known by what they show"),
        ({"store": "postgresql://ann:hunter2@db/kagent"}, "store", "PostgreSQL"),
        ({"repo": "https://ann:hunter2@git.example.com/a"}, "repository", "https://git.example.com/a"),
        ({"ref": "a\x1b[2Jb"}, "ref", "a�[2Jb"),
    ],
)
def test_what_is_told_shows_no_credential_and_moves_no_cursor(
    flags: dict[str, Any], name: str, text: str
) -> None:
    assert told(**flags)[name] == text


def test_people_get_lines_that_fit_a_narrow_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    announce(read_settings({"echo": True}, {}, None)[0], STATE, people=True)
    assert capsys.readouterr().err.splitlines() == [
        "kagent-apply serves `HEAD` of `.`",
        "  commits  read every 30 s, and at SIGHUP",
        "  calls    127.0.0.1:8084, without TLS: this machine alone",
        "  callers  everybody is `local`",
        "  actors   echoes in this process",
        "  store    /state/store.sqlite",
    ]


def test_programs_get_one_line_of_the_log(
    caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    with caplog.at_level(logging.INFO, "kagent_apply"):
        announce(read_settings({}, {}, None)[0], STATE, people=False)
    (record,) = caplog.records
    assert (record.getMessage(), vars(record)["ref"]) == ("serving", "HEAD")
    assert capsys.readouterr().err == ""
