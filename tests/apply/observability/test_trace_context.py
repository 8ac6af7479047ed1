"""Trace headers as W3C has them: what is read, what is not, and what is sent on."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kagent_apply.observability.trace_context import (
    TraceContext,
    carried,
    current,
    headers,
    inside,
    outgoing_headers,
    read_headers,
)

_TRACE, _SPAN = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
_PARENT = f"00-{_TRACE}-{_SPAN}-01"


@pytest.mark.parametrize(
    ("given_headers", "expected"),
    [
        ([("traceparent", _PARENT)], TraceContext(_TRACE, _SPAN, sampled=True)),
        ([("traceparent", _PARENT[:-2] + "00")], TraceContext(_TRACE, _SPAN, sampled=False)),
        ([("traceparent", _PARENT[:-2] + "fe")], TraceContext(_TRACE, _SPAN, sampled=False)),
        ([("traceparent", f"cc-{_PARENT[3:]}-later")], TraceContext(_TRACE, _SPAN, sampled=True)),
        (
            [("traceparent", _PARENT), ("tracestate", "a=1"), ("tracestate", "b=2")],
            TraceContext(_TRACE, _SPAN, sampled=True, state="a=1,b=2"),
        ),
        ([("traceparent", _PARENT), ("tracestate", "x" * 513)], TraceContext(_TRACE, _SPAN, sampled=True)),
        ([("traceparent", _PARENT), ("tracestate", "a=\n1")], TraceContext(_TRACE, _SPAN, sampled=True)),
        ([], None),
        ([("tracestate", "a=1")], None),
        ([("traceparent", _PARENT), ("traceparent", _PARENT)], None),
        ([("traceparent", _PARENT.encode())], None),
        ([("traceparent", f"{_PARENT}-later")], None),
        ([("traceparent", f"ff-{_PARENT[3:]}")], None),
        ([("traceparent", _PARENT.upper())], None),
        ([("traceparent", f"{_PARENT}\n")], None),
        ([("traceparent", f"00-{'0' * 32}-{_SPAN}-01")], None),
        ([("traceparent", f"00-{_TRACE}-{'0' * 16}-01")], None),
        ([("traceparent", "")], None),
    ],
)
def test_what_a_caller_sends(
    given_headers: list[tuple[str, str | bytes]], expected: TraceContext | None
) -> None:
    assert read_headers(given_headers) == expected


@given(
    st.integers(1, (1 << 128) - 1),
    st.integers(1, (1 << 64) - 1),
    st.booleans(),
    st.from_regex(re.compile("([a-z]{1,8}=[a-z0-9]{1,8}(,[a-z]{1,8}=[a-z0-9]{1,8}){0,3})?"), fullmatch=True),
)
def test_what_is_sent_on_is_what_was_read(trace: int, span: int, sampled: bool, state: str) -> None:
    context = TraceContext(f"{trace:032x}", f"{span:016x}", sampled, state)
    assert read_headers(headers(context)) == context


@given(st.lists(st.tuples(st.sampled_from(["traceparent", "tracestate"]), st.text() | st.binary())))
def test_whatever_is_sent_is_read_without_an_error(given_headers: list[tuple[str, str | bytes]]) -> None:
    context = read_headers(given_headers)
    assert context is None or read_headers(headers(context)) == context


def test_a_call_to_others_carries_the_span_that_its_caller_is_inside_of() -> None:
    assert outgoing_headers() == ()
    with inside(TraceContext(_TRACE, _SPAN, sampled=True)):
        assert outgoing_headers() == (("traceparent", _PARENT),)


def test_a_block_is_left_as_it_was_entered() -> None:
    outer, inner = TraceContext(_TRACE, _SPAN, sampled=True), TraceContext(_TRACE, "1" * 16, sampled=True)
    with inside(outer):
        with inside(inner):
            assert current() == inner
        assert current() == outer
    assert current() is None


def test_a_thread_has_the_span_that_it_is_given() -> None:
    seen: list[TraceContext | None] = []
    context = TraceContext(_TRACE, _SPAN, sampled=True)
    with ThreadPoolExecutor(1) as pool, inside(context):
        pool.submit(carried(lambda: seen.append(current()))).result()
        pool.submit(lambda: seen.append(current())).result()
    assert seen == [context, None]
