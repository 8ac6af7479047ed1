"""A log line is one line, parses, and says no more than it should."""

from __future__ import annotations

import io
import json
import logging
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kagent_apply.observability.log_formats import JsonFormat
from kagent_apply.observability.log_setup import LogFormat, logging_to
from kagent_apply.observability.trace_context import TraceContext, inside, read_headers

LOGGER = logging.getLogger("kagent_apply.test")
_ANYTHING = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary() | st.lists(st.text())
)


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


class Unspeakable:
    """A value that cannot be shown."""

    def __str__(self) -> str:
        raise RuntimeError("no")


@contextmanager
def written(
    style: LogFormat = LogFormat.JSON, level: str = "info", stream: io.StringIO | None = None
) -> Iterator[Any]:
    """Collects what is logged."""
    stream = stream or io.StringIO()
    with logging_to(stream, level, style):
        yield stream.getvalue


def logged(
    message: object, *arguments: object, level: int = logging.INFO, **fields: object
) -> dict[str, Any]:
    """The JSON of one record."""
    with written() as text:
        LOGGER.log(level, message, *arguments, extra=fields)
        (line,) = text().splitlines()
    document: dict[str, Any] = json.loads(line)
    return document


def test_a_line_has_what_the_page_lists() -> None:
    with inside(TraceContext("ab" * 16, "cd" * 8, sampled=True)):
        found = logged(
            "began to serve `%s`", "x", level=logging.WARNING, namespace="agent-team", pairs=3, ok=None
        )
    at = datetime.fromisoformat(found.pop("time"))
    assert at.tzinfo == UTC
    assert found == {
        "level": "warning",
        "logger": "kagent_apply.test",
        "message": "began to serve `x`",
        "trace_id": "ab" * 16,
        "span_id": "cd" * 8,
        "fields": {"namespace": "agent-team", "pairs": 3, "ok": None},
    }


@given(st.text(), st.text(), _ANYTHING)
def test_whatever_is_logged_is_one_line_of_json_in_ascii(message: str, name: str, value: object) -> None:
    line = JsonFormat().format(logging.makeLogRecord({"msg": message, f"x{name}": value}))
    assert line.isascii()
    assert line.isprintable()
    found = json.loads(line, parse_constant=lambda constant: pytest.fail(f"{constant} is not JSON"))
    assert set(found) == {"time", "level", "logger", "message", "fields"}
    assert isinstance(found["message"], str)


@given(st.text(), _ANYTHING)
def test_whatever_is_logged_is_one_line_that_moves_no_cursor(message: str, value: object) -> None:
    with written(LogFormat.TEXT) as text:
        LOGGER.info("%s", message, extra={"value": value})
        output = text()
    assert output.endswith("\n")
    assert output[:-1].isprintable()


@pytest.mark.parametrize(
    ("message", "arguments"), [("%d pairs", ("x",)), ("%s", (Unspeakable(),)), (Unspeakable(), ())]
)
def test_what_cannot_be_shown_is_a_line_all_the_same(message: object, arguments: tuple[object, ...]) -> None:
    record = logging.makeLogRecord(
        {"msg": message, "args": arguments, "levelname": "INFO", "x": Unspeakable()}
    )
    found = json.loads(JsonFormat().format(record))
    assert found["level"] == "info"
    assert found["fields"] == {"x": "(cannot be shown)"}


def test_a_field_cannot_stand_in_for_what_the_line_says_itself() -> None:
    found = logged("m", time="never", logger="other", trace_id="forged")
    assert (found["logger"], found["time"][:2]) == ("kagent_apply.test", "20")
    assert "trace_id" not in found
    assert found["fields"]["trace_id"] == "forged"


@pytest.mark.parametrize(
    "value",
    [
        "x\nlevel=error message=forged",
        "x level=error",
        'x" level="error',
        "x\u2028level=error",
        "\x1b[2J",
        "",
    ],
)
def test_a_value_cannot_look_like_another_field(value: str) -> None:
    with written(LogFormat.TEXT) as text:
        LOGGER.info("told", extra={"value": value})
        (line,) = text().splitlines()
    told = line.split(" told ", 1)[1]
    assert re.fullmatch(r'value=("([^"\\]|\\.)*"|[^" =]+)', told), told


def test_text_and_fields_have_a_bound() -> None:
    fields: dict[str, Any] = {f"field{number}": "v" * 100_000 for number in range(100)}
    found = logged("m" * 100_000, **fields)
    assert len(found["message"]) <= 4096
    assert len(found["fields"]) <= 32
    assert len(json.dumps(found)) < 64 * 1024


@pytest.mark.parametrize("seen", range(14, 44, 3))
def test_a_credential_at_the_end_of_what_is_looked_at_is_not_shown(seen: int) -> None:
    # What comes before shrinks when it is masked, so that the end of what is looked at is shown.
    before = f"https://u:{'x' * 80}@h " * 60
    text = f"{before.ljust(2 * 4096 - seen)}https://user:hunter2hunter2hunter2hunter2@host/"
    message = logged(text)["message"]
    assert len(message) < 4096
    assert "hunter" not in message


def test_credentials_are_in_neither_form() -> None:
    for style in (LogFormat.JSON, LogFormat.TEXT):
        with written(style) as text:
            LOGGER.info(
                "from https://u:hunter2@host/",
                extra={"url": "https://u:hunter2@host/", "password": "hunter2"},
            )
            assert "hunter2" not in text()


def test_an_exception_is_its_type_and_its_places_in_our_modules() -> None:
    with written() as text:
        try:
            read_headers([("hunter2", "one thing too many", "x")])  # type: ignore[list-item]
        except ValueError:
            LOGGER.exception("a call failed")
        found = json.loads(text())
    assert "many" not in json.dumps(found)
    assert found["fields"]["exception"] == "ValueError"
    places = found["fields"]["raised_at"].split(" < ")
    assert all(re.fullmatch(r"kagent_apply\.observability\.trace_context:\d+", place) for place in places)


@pytest.mark.parametrize(
    ("message", "arguments", "told"),
    [
        ("failed: %s", (ValueError("hunter2"),), "failed: ValueError"),
        ("%s failed %d times: %r", ("x", 3, ValueError("hunter2")), "x failed 3 times: 'ValueError'"),
        (ValueError("hunter2"), (), "ValueError"),
        ("%(error)s", ({"error": ValueError("hunter2")},), "ValueError"),
        ("100%", (), "100%"),
    ],
)
def test_the_text_of_an_exception_is_in_no_message(
    message: object, arguments: tuple[object, ...], told: str
) -> None:
    assert logged(message, *arguments)["message"] == told


def test_the_text_of_an_exception_is_in_no_field() -> None:
    assert logged("m", error=ValueError("hunter2"))["fields"] == {"error": "ValueError"}


def test_a_thread_that_ends_by_an_error_is_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    def fail() -> None:
        raise ValueError("hunter2")

    with written() as text:
        thread = threading.Thread(target=fail, name="loader")
        thread.start()
        thread.join()
        found = json.loads(text())
    assert (found["level"], found["message"]) == ("error", "a thread ended by an error")
    assert found["fields"]["of_thread"] == "loader"
    assert "hunter2" not in str(found)
    assert capsys.readouterr().err == ""


def test_a_stream_that_takes_nothing_stops_nobody(capsys: pytest.CaptureFixture[str]) -> None:
    class Full(io.StringIO):
        def write(self, text: str) -> int:
            raise OSError(28, "No space left on device")

    with written(stream=Full()):
        LOGGER.info("lost")
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("level", "told"),
    [("debug", {"debug", "info", "error"}), ("info", {"info", "error"}), ("error", {"error"})],
)
def test_the_level_is_that_of_our_own_lines(level: str, told: set[str]) -> None:
    with written(level=level) as text:
        for name in ("debug", "info", "error"):
            LOGGER.log(getattr(logging, name.upper()), name)
            logging.getLogger("sqlalchemy.test").log(logging.INFO, "of a library")
        assert {json.loads(line)["message"] for line in text().splitlines()} == told


def test_a_library_that_repeats_itself_is_heard_once() -> None:
    with written() as text:
        for attempt in range(5):
            logging.getLogger("opentelemetry.test").error("cannot export, attempt %s", attempt)
            LOGGER.error("the same of ours")
        messages = [json.loads(line)["message"] for line in text().splitlines()]
    assert messages.count("the same of ours") == 5
    assert [message for message in messages if "export" in message] == ["cannot export, attempt 0"]


@pytest.mark.parametrize(
    ("style", "terminal", "coloured", "json_lines"),
    [
        (LogFormat.AUTO, True, True, False),
        (LogFormat.AUTO, False, False, True),
        (LogFormat.TEXT, False, False, False),
        (LogFormat.TEXT, True, True, False),
        (LogFormat.JSON, True, False, True),
    ],
)
def test_colour_is_for_terminals(style: LogFormat, terminal: bool, coloured: bool, json_lines: bool) -> None:
    with written(style, stream=Terminal() if terminal else io.StringIO()) as text:
        LOGGER.warning("told")
        assert ("\x1b[33m" in text()) is coloured
        assert text().startswith("{") is json_lines


def test_afterwards_nothing_is_left_of_it() -> None:
    root = logging.getLogger()
    before = root.level, list(root.handlers), logging.getLogger("kagent_apply").level
    with written():
        assert list(root.handlers) != before[1]
    assert (root.level, list(root.handlers), logging.getLogger("kagent_apply").level) == before


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


def shown_to_people(level: int, message: str, **fields: object) -> str:
    with written(LogFormat.AUTO, stream=Terminal()) as text:
        LOGGER.log(level, message, extra=fields)
        return re.sub(r"^\d\d:\d\d:\d\d  ", "", str(text()))


_PAIR = {"namespace": "agent-team", "harness": "python-runtime", "agent_template": "incident-coordinator"}


@pytest.mark.usefixtures("narrow")
@pytest.mark.parametrize(
    ("level", "message", "fields", "shown"),
    [
        (logging.INFO, "told", {}, "told\n"),
        (logging.INFO, "told", {"pairs": 3}, "told pairs=3\n"),
        (logging.WARNING, "told", {}, "\x1b[33mwarning: \x1b[0mtold\n"),
        (logging.INFO, "told", _PAIR, "told pair=agent-team/python-runtime/incident-coordinator\n"),
        (logging.INFO, "told", {"commit": "ab" * 20}, "told commit=abababababab\n"),
        (logging.INFO, "told", {"revision": f"sha256:{'ab' * 32}"}, "told revision=abababababab\n"),
        (logging.INFO, "told", {"a": "x" * 58, "b": 1, "c": 2}, f"told a={'x' * 58} b=1\n          c=2\n"),
        (logging.INFO, f"{'x' * 64} and more", {}, f"{'x' * 64} and\n          more\n"),
        (logging.INFO, "told", {"a": "x" * 99, "b": 1}, f"told\n          a={'x' * 99}\n          b=1\n"),
    ],
)
def test_people_at_a_narrow_terminal_get_short_lines(
    level: int, message: str, fields: dict[str, object], shown: str
) -> None:
    assert shown_to_people(level, message, **fields) == shown


@pytest.mark.usefixtures("narrow")
@given(st.text(), st.text(), _ANYTHING)
def test_nothing_moves_the_cursor_of_a_terminal(message: str, name: str, value: object) -> None:
    shown = shown_to_people(logging.INFO, message, **{f"x{name}": value})
    assert shown.isprintable() or all(letter.isprintable() or letter == "\n" for letter in shown)
