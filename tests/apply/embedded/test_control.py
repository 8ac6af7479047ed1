"""Each call with its statuses, as Substrate's newest generation has them (facts 10.3)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from kagent_apply.embedded.opening import open_echo
from kagent_render.target.messages import ateapi_pb2
from kagent_render.target.template_reading import read_template
from tests.apply.embedded.calls import IMAGE, TEAM, Client, code_of, ref, template
from tests.parts import REPOSITORY

_SERVED = {
    *("CreateAtespace", "GetAtespace", "ListAtespaces", "DeleteAtespace"),
    *("CreateActorTemplate", "GetActorTemplate", "ListActorTemplates", "DeleteActorTemplate"),
    *("CreateActor", "GetActor", "ListActors", "DeleteActor", "ResumeActor", "SuspendActor", "PauseActor"),
    *(f"{verb}ActorEgressPolicy" for verb in ("Create", "Get", "Update", "Delete")),
}
_METHODS = ateapi_pb2.DESCRIPTOR.services_by_name["Control"].methods


def _rule(host: str) -> ateapi_pb2.EgressRule:
    return ateapi_pb2.EgressRule(https=ateapi_pb2.HTTPSRule(hostnames=[host]))


def _policy(**metadata: Any) -> ateapi_pb2.EgressPolicy:
    return ateapi_pb2.EgressPolicy(
        metadata=ateapi_pb2.ResourceMetadata(**metadata), rules=[_rule("api.example.com")]
    )


@pytest.mark.parametrize("method", [method.name for method in _METHODS if method.name not in _SERVED])
def test_what_kagent_does_not_use_is_unimplemented_by_name(echo: Client, method: str) -> None:
    request = getattr(ateapi_pb2, f"{method}Request")()
    assert code_of(lambda: echo.call(method, request)) == "UNIMPLEMENTED"


def test_a_method_that_is_none_is_unimplemented(echo: Client) -> None:
    get = ateapi_pb2.GetActorRequest()
    assert code_of(lambda: echo.control.call("__init__", get, ateapi_pb2.Actor, 1)) == "UNIMPLEMENTED"


_REFUSED: list[tuple[str, Callable[[Client], object], str]] = [
    ("an atespace twice", lambda c: c.atespace(TEAM), "ALREADY_EXISTS"),
    ("an atespace without a name", lambda c: c.atespace(""), "INVALID_ARGUMENT"),
    ("an atespace with a dot", lambda c: c.atespace("a.b"), "INVALID_ARGUMENT"),
    ("an atespace with a slash", lambda c: c.atespace("../a"), "INVALID_ARGUMENT"),
    ("an atespace of 64", lambda c: c.atespace("a" * 64), "INVALID_ARGUMENT"),
    ("a template twice", lambda c: c.template(template()), "ALREADY_EXISTS"),
    ("a template nowhere", lambda c: c.template(template(atespace="other")), "FAILED_PRECONDITION"),
    ("a template with a dot", lambda c: c.template(template("a.b")), "INVALID_ARGUMENT"),
    ("a template with a slash", lambda c: c.template(template("a/b")), "INVALID_ARGUMENT"),
    ("a null in a variable", lambda c: c.template(template("n", A="a\0b")), "INVALID_ARGUMENT"),
    ("a huge variable", lambda c: c.template(template("n", A="a" * 131_072)), "INVALID_ARGUMENT"),
    ("an actor twice", lambda c: c.create("there"), "ALREADY_EXISTS"),
    ("an actor of nothing", lambda c: c.create("new", "other"), "FAILED_PRECONDITION"),
    ("an actor nowhere", lambda c: c.create("new", atespace="other"), "FAILED_PRECONDITION"),
    ("an actor with a dot", lambda c: c.create("a.b"), "INVALID_ARGUMENT"),
    ("an actor with a slash", lambda c: c.create("../../a"), "INVALID_ARGUMENT"),
    ("an actor of none", lambda c: c.create(""), "INVALID_ARGUMENT"),
    ("reading no actor", lambda c: c.get("gone"), "NOT_FOUND"),
    ("resuming no actor", lambda c: c.resume("gone"), "NOT_FOUND"),
    ("suspending no actor", lambda c: c.suspend("gone"), "NOT_FOUND"),
    ("pausing no actor", lambda c: c.pause("gone"), "NOT_FOUND"),
    ("deleting no actor", lambda c: c.delete("gone"), "NOT_FOUND"),
    ("deleting what runs", lambda c: c.delete("runs"), "FAILED_PRECONDITION"),
    ("pausing what is suspended", lambda c: c.pause("there"), "FAILED_PRECONDITION"),
    (
        "deleting another uid",
        lambda c: c.delete("there", options=ateapi_pb2.DeleteOptions(uid="other")),
        "FAILED_PRECONDITION",
    ),
    (
        "deleting another version",
        lambda c: c.delete("there", options=ateapi_pb2.DeleteOptions(version=9)),
        "FAILED_PRECONDITION",
    ),
    ("using what is suspended", lambda c: c.control.endpoint(TEAM, "there", 1), "FAILED_PRECONDITION"),
    ("using nothing", lambda c: c.control.endpoint(TEAM, "gone", 1), "NOT_FOUND"),
    ("a policy of nothing", lambda c: c.policy("Create", actor=ref("gone")), "NOT_FOUND"),
    ("reading no policy", lambda c: c.policy("Get", actor=ref("there")), "NOT_FOUND"),
    ("deleting no policy", lambda c: c.policy("Delete", actor=ref("there")), "NOT_FOUND"),
    (
        "a policy of another name",
        lambda c: c.policy("Create", actor=ref("there"), egress_policy=_policy(name="other")),
        "INVALID_ARGUMENT",
    ),
    (
        "a policy with a rule that is none",
        lambda c: c.policy(
            "Create",
            actor=ref("there"),
            egress_policy=ateapi_pb2.EgressPolicy(rules=[ateapi_pb2.EgressRule()]),
        ),
        "INVALID_ARGUMENT",
    ),
    (
        "updating a policy unseen",
        lambda c: c.policy("Update", actor=ref("runs"), egress_policy=_policy()),
        "INVALID_ARGUMENT",
    ),
    (
        "updating another policy",
        lambda c: c.policy("Update", actor=ref("runs"), egress_policy=_policy(uid="u", version=1)),
        "FAILED_PRECONDITION",
    ),
    ("a policy twice", lambda c: c.policy("Create", actor=ref("runs")), "ALREADY_EXISTS"),
    (
        "an atespace with actors",
        lambda c: c.call("DeleteAtespace", ateapi_pb2.DeleteAtespaceRequest(atespace=ref(TEAM, ""))),
        "FAILED_PRECONDITION",
    ),
    (
        "a template with actors",
        lambda c: c.call(
            "DeleteActorTemplate", ateapi_pb2.DeleteActorTemplateRequest(actor_template=ref("agent"))
        ),
        "FAILED_PRECONDITION",
    ),
    (
        "a page before the first",
        lambda c: c.call("ListActors", ateapi_pb2.ListActorsRequest(page_size=-1)),
        "INVALID_ARGUMENT",
    ),
    (
        "a token that is none",
        lambda c: c.call("ListActors", ateapi_pb2.ListActorsRequest(page_token="é")),
        "INVALID_ARGUMENT",
    ),
]


@pytest.mark.parametrize(
    ("call", "code"), [case[1:] for case in _REFUSED], ids=[case[0] for case in _REFUSED]
)
def test_a_call_is_refused_with_the_status_of_its_reason(
    echo: Client, call: Callable[[Client], object], code: str
) -> None:
    echo.begin()
    for name in ("there", "runs"):
        echo.create(name)
    echo.resume("runs")
    echo.policy("Create", actor=ref("runs"), egress_policy=_policy())
    before = [echo.get(name) for name in ("there", "runs")]
    assert code_of(lambda: call(echo)) == code
    assert [echo.get(name) for name in ("there", "runs")] == before


@pytest.mark.parametrize("asked", [{"source_tag": ref("tag")}, {"actor_template": ref("agent", "other")}])
def test_an_actor_starts_from_a_template_of_its_own_atespace(echo: Client, asked: dict[str, Any]) -> None:
    echo.begin()
    actor = ateapi_pb2.Actor(
        **{
            "metadata": ateapi_pb2.ResourceMetadata(atespace=TEAM, name="a"),
            "actor_template": ref("agent"),
            **asked,
        }
    )
    code = code_of(lambda: echo.call("CreateActor", ateapi_pb2.CreateActorRequest(actor=actor)))
    assert code in ("UNIMPLEMENTED", "INVALID_ARGUMENT")


def test_the_server_writes_its_own_fields_whatever_was_sent(echo: Client) -> None:
    echo.atespace(TEAM)
    sent = template()
    sent.metadata.uid, sent.metadata.version = "mine", 7
    sent.status.golden_snapshot_status.error_message = "mine"
    made = echo.template(sent)
    assert len(made.metadata.uid) == 36
    assert (made.metadata.version, made.metadata.create_time) == (1, made.metadata.update_time)
    assert made.status.golden_snapshot_status.golden_tag == ref(made.metadata.uid, "ate-golden")
    assert not made.status.golden_snapshot_status.error_message
    assert made.containers[0].wakeup_probe.timeout_seconds == 30
    assert (
        echo.call("GetActorTemplate", ateapi_pb2.GetActorTemplateRequest(actor_template=ref("agent"))) == made
    )


def test_an_actor_keeps_its_uid_and_counts_its_changes(echo: Client) -> None:
    echo.begin()
    made = echo.create("a")
    assert made.status.state == ateapi_pb2.ACTOR_STATE_SUSPENDED
    resumed = echo.resume("a")
    again = echo.resume("a")
    assert (resumed.resumed, again.resumed) == (True, False)
    assert resumed.actor == again.actor == echo.get("a")
    suspended = echo.suspend("a")
    assert suspended.status.external_snapshot.content_scope == ateapi_pb2.SNAPSHOT_CONTENT_SCOPE_DATA
    assert echo.suspend("a") == suspended
    uids = {actor.metadata.uid for actor in (made, resumed.actor, suspended)}
    assert len(uids) == 1
    assert [actor.metadata.version for actor in (made, resumed.actor, suspended)] == [1, 2, 3]


def test_an_actor_of_a_name_that_was_free_again_is_another(echo: Client) -> None:
    echo.begin()
    first = echo.create("a")
    echo.delete("a", options=ateapi_pb2.DeleteOptions(uid=first.metadata.uid, version=1))
    assert code_of(lambda: echo.get("a")) == "NOT_FOUND"
    assert echo.create("a").metadata.uid != first.metadata.uid


def test_what_runs_is_deleted_with_any_state_and_its_policy(echo: Client) -> None:
    echo.begin()
    echo.create("a")
    echo.resume("a")
    echo.policy("Create", actor=ref("a"), egress_policy=_policy())
    assert echo.delete("a", any_state=True).status.state == ateapi_pb2.ACTOR_STATE_DELETING
    echo.create("a")
    assert code_of(lambda: echo.policy("Get", actor=ref("a"))) == "NOT_FOUND"


def test_a_policy_is_named_default_and_replaced_by_who_saw_it(echo: Client) -> None:
    echo.begin()
    echo.create("a")
    made = echo.policy("Create", actor=ref("a"), egress_policy=_policy())
    assert (made.metadata.atespace, made.metadata.name) == (TEAM, "default")
    wanted = ateapi_pb2.EgressPolicy(metadata=made.metadata, rules=[_rule("other.example.com")])
    updated = echo.policy("Update", actor=ref("a"), egress_policy=wanted)
    assert (updated.metadata.uid, updated.metadata.version) == (made.metadata.uid, 2)
    assert (
        code_of(lambda: echo.policy("Update", actor=ref("a"), egress_policy=wanted)) == "FAILED_PRECONDITION"
    )
    assert echo.policy("Get", actor=ref("a")).rules == [_rule("other.example.com")]


def test_a_template_gives_its_actors_their_policy(echo: Client) -> None:
    made = template()
    made.default_egress_policy.rules.append(_rule("api.example.com"))
    echo.begin(made).create("a")
    assert echo.policy("Get", actor=ref("a")).rules == [_rule("api.example.com")]


def test_lists_are_in_order_and_in_pages(echo: Client) -> None:
    echo.begin()
    echo.atespace("aaa")
    echo.template(template(atespace="aaa"))
    for name in ("c", "a", "b"):
        echo.create(name)
    echo.create("z", atespace="aaa")
    found, token = [], ""
    while True:
        page = echo.call("ListActors", ateapi_pb2.ListActorsRequest(page_size=2, page_token=token))
        found += [(actor.metadata.atespace, actor.metadata.name) for actor in page.actors]
        if not (token := page.next_page_token):
            break
    assert found == [("aaa", "z"), (TEAM, "a"), (TEAM, "b"), (TEAM, "c")]
    of_one = echo.call("ListActors", ateapi_pb2.ListActorsRequest(atespace="aaa"))
    assert [actor.metadata.name for actor in of_one.actors] == ["z"]
    spaces = echo.call("ListAtespaces", ateapi_pb2.ListAtespacesRequest(page_size=1))
    assert (spaces.atespaces[0].metadata.name, bool(spaces.next_page_token)) == ("aaa", True)
    templates = echo.call("ListActorTemplates", ateapi_pb2.ListActorTemplatesRequest(atespace=TEAM))
    assert len(templates.actor_templates) == 1


def test_an_atespace_goes_with_its_templates(echo: Client) -> None:
    echo.begin()
    echo.call("DeleteAtespace", ateapi_pb2.DeleteAtespaceRequest(atespace=ref(TEAM, "")))
    echo.begin()


def test_everything_is_there_again_when_the_control_is_opened_again(tmp_path: Path) -> None:
    first = Client(open_echo(tmp_path)).begin()
    first.create("a")
    running = first.resume("a").actor
    first.control.close()
    second = Client(open_echo(tmp_path))
    assert second.get("a") == running
    assert not second.resume("a").resumed
    second.control.close()


def test_one_folder_has_one_control(tmp_path: Path) -> None:
    control = open_echo(tmp_path)
    assert code_of(lambda: open_echo(tmp_path, patience=0)) == "UNAVAILABLE"
    control.close()
    open_echo(tmp_path, patience=0).close()


def test_a_folder_that_cannot_be_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert code_of(lambda: open_echo(tmp_path / "file" / "control")) == "UNAVAILABLE"


def test_the_folder_is_the_users_alone(tmp_path: Path) -> None:
    (tmp_path / "control").mkdir(mode=0o755)
    open_echo(tmp_path / "control").close()
    assert (tmp_path / "control").stat().st_mode & 0o777 == 0o700


def _committed() -> list[Path]:
    return sorted((REPOSITORY / "examples" / "substrate-v0.4" / "rendered").rglob("actortemplates/*.yaml"))


@pytest.mark.parametrize("path", _committed(), ids=lambda path: path.stem)
def test_what_the_renderer_wrote_is_taken_as_it_is(echo: Client, path: Path) -> None:
    sent = read_template(yaml.safe_load(path.read_text()))
    assert isinstance(sent, ateapi_pb2.ActorTemplate)
    echo.atespace(sent.metadata.atespace)
    made = echo.template(sent)
    assert made.containers == sent.containers
    echo.create("a", sent.metadata.name)
    assert echo.resume("a").actor.status.state == ateapi_pb2.ACTOR_STATE_RUNNING


def test_several_threads_get_what_each_asked_for(echo: Client) -> None:
    from concurrent.futures import ThreadPoolExecutor

    echo.begin()

    def make(number: int) -> str:
        name = f"a{number % 40}"
        try:
            echo.create(name)
        except Exception as error:
            return str(getattr(error, "code", error))
        return f"made {echo.resume(name).actor.metadata.name == name}"

    with ThreadPoolExecutor(16) as pool:
        told = list(pool.map(make, range(80)))
    assert sorted(told) == ["ALREADY_EXISTS"] * 40 + ["made True"] * 40


def test_echoes_run_any_image(echo: Client) -> None:
    assert echo.control.missing_commands({"containers": [{"image": IMAGE}]}) == ()


def test_nothing_is_left_of_actors_that_are_gone(echo: Client, tmp_path: Path) -> None:
    def churn(first: int, last: int) -> int:
        for number in range(first, last):
            name = f"a{number}"
            uid = echo.create(name).metadata.uid
            echo.resume(name)
            echo.control.folders.make(uid)
            echo.suspend(name)
            echo.delete(name)
        return len(list(Path("/proc/self/fd").iterdir()))

    echo.begin()
    files = churn(0, 10)
    size = (tmp_path / "control" / "control.sqlite").stat().st_size
    assert churn(10, 60) == files
    assert list((tmp_path / "control" / "actors").iterdir()) == []
    assert (tmp_path / "control" / "control.sqlite").stat().st_size == size
    assert not echo.control._lifecycle.locks._locks
