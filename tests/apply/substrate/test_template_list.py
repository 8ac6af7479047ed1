"""The names of an atespace's ActorTemplates, whatever comes of a page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from kagent_apply.substrate.newest import NewestCompute
from kagent_apply.substrate.port import ComputeDeniedError, ComputeUnavailableError
from kagent_render.target.messages import ateapi_pb2 as api
from tests.apply.substrate.fake_control import Fault
from tests.apply.substrate.parts import Driven, newest

__all__ = ["newest"]


def _names(driven: Driven, timeout: float = 10) -> list[str]:
    assert isinstance(driven.compute, NewestCompute)
    return list(driven.compute.templates("team", timeout))


def _have(driven: Driven, *names: str, atespace: str = "team") -> None:
    for name in names:
        metadata = api.ResourceMetadata(atespace=atespace, name=name, uid=f"uid-{name}")
        driven.control.templates[atespace, name] = api.ActorTemplate(metadata=metadata)


@pytest.mark.parametrize("count", [0, 1, 2, 3, 5])
def test_every_page_is_read_and_no_other_atespace(newest: Driven, count: int) -> None:
    names = [f"t-{number}" for number in range(count)]
    _have(newest, *names)
    _have(newest, "foreign", atespace="other")
    assert _names(newest) == names


def test_a_page_that_is_lost_is_asked_for_again(newest: Driven) -> None:
    _have(newest, "a", "b", "c")
    newest.control.fail("ListActorTemplates", None, Fault("UNAVAILABLE"), None)
    assert _names(newest) == ["a", "b", "c"]


def test_an_atespace_that_is_not_there_has_none(newest: Driven) -> None:
    newest.control.fail("ListActorTemplates", Fault("NOT_FOUND"))
    assert _names(newest) == []


def test_without_the_last_page_there_is_no_answer(newest: Driven) -> None:
    _have(newest, "a", "b", "c")
    newest.control.fail("ListActorTemplates", None, *[Fault("UNAVAILABLE")] * 100)
    with pytest.raises(ComputeUnavailableError):
        _names(newest, 1)


def _endless(reply: Any) -> None:
    reply.next_page_token = "1"


def _foreign(reply: Any) -> None:
    reply.actor_templates[0].metadata.atespace = "other"


def _nameless(reply: Any) -> None:
    reply.actor_templates[0].metadata.name = "a\nb"


def _crowded(reply: Any) -> None:
    template = reply.actor_templates[0]
    reply.next_page_token = "0"
    reply.actor_templates.extend([template] * 1_000)


@pytest.mark.parametrize("change", [_endless, _foreign, _nameless])
def test_a_server_that_does_not_play_its_part_is_refused(
    newest: Driven, change: Callable[[Any], None]
) -> None:
    _have(newest, "a")
    newest.control.changed["ListActorTemplates"] = change
    with pytest.raises(ComputeDeniedError):
        _names(newest)


def test_ever_more_templates_are_not_all_held(newest: Driven, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kagent_apply.substrate.templates._MOST", 10_000)
    _have(newest, "a")
    newest.control.changed["ListActorTemplates"] = _crowded
    newest.control.take_calls()
    with pytest.raises(ComputeDeniedError):
        _names(newest)
    assert newest.control.take_calls().count("ListActorTemplates") == 10
