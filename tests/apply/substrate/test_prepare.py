"""ActorTemplates are made from what is committed, compared with it, and never changed."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from kagent_apply.substrate.committed import committed_template
from kagent_apply.substrate.port import ComputeDeniedError, ComputeRefusedError, ComputeUnavailableError
from kagent_apply.substrate.template_difference import first_difference
from kagent_render.revision.canonical_yaml import dump
from kagent_render.target.messages import ateapi_pb2 as api
from tests.apply.substrate.fake_control import Fault
from tests.apply.substrate.parts import (
    DOCUMENT,
    EXAMPLE,
    TEMPLATE,
    Driven,
    member,
    newest,
    revision,
)
from tests.target.wire import inner, number, text

__all__ = ["newest"]

KEY = ("team", TEMPLATE)


@pytest.mark.parametrize("fault", ["UNAVAILABLE", "DEADLINE_EXCEEDED", "INTERNAL", "ALREADY_EXISTS"])
@pytest.mark.parametrize("late", [False, True])
def test_a_lost_reply_makes_no_second_template(newest: Driven, fault: str, late: bool) -> None:
    newest.control.fail("CreateActorTemplate", Fault(fault, late=late))
    newest.compute.prepare(revision(), 10)
    assert newest.compute.prepare(revision(), 10)
    created = newest.control.take_calls().count("CreateActorTemplate")
    assert (created, len(newest.control.templates)) == (1 if late else 2, 1)


def test_what_is_created_is_what_is_committed(newest: Driven) -> None:
    newest.compute.prepare(revision(), 1)
    made = newest.control.templates[KEY]
    assert first_difference(committed_template(revision(), member()), made) is None
    assert made.containers[0].env[0].value == "a private greeting"


def test_every_template_of_the_example_is_made_and_found_again(newest: Driven) -> None:
    for path in sorted((EXAMPLE / "actortemplates").iterdir()):
        content = path.read_bytes()
        one = member(actor_template=path.stem)
        one = type(one)("", path.stem, "", content)
        agent = revision(one)
        agent = type(agent)(type(agent.agent)("agent-team", "h", "t"), "", agent.target, {}, (one,))
        assert not newest.compute.prepare(agent, 1)
        assert newest.compute.prepare(agent, 1)
    assert newest.control.take_calls().count("CreateActorTemplate") == len(newest.control.templates) == 2


def test_without_a_golden_snapshot_it_is_not_ready(newest: Driven) -> None:
    newest.control.golden = False
    assert not newest.compute.prepare(revision(), 1)
    assert not newest.compute.prepare(revision(), 1)
    newest.control.golden = True
    assert newest.compute.prepare(revision(), 1)


def test_a_golden_snapshot_that_failed_is_refused_without_values(newest: Driven) -> None:
    newest.compute.prepare(revision(), 1)
    golden = newest.control.templates[KEY].status.golden_snapshot_status
    golden.error_message = 'exec failed:\n env "a private greeting"\x1b[31m'
    with pytest.raises(ComputeRefusedError) as caught:
        newest.compute.prepare(revision(), 1)
    assert (
        caught.value.message
        == f'the ActorTemplate `team/{TEMPLATE}` cannot be used: exec failed: env "…" [31m'
    )


def test_a_refusal_does_not_quote_the_values_of_variables(newest: Driven) -> None:
    told = 'containers[0].env[0].value: Invalid value: "a private greeting": too private'
    newest.control.fail("CreateActorTemplate", Fault("INVALID_ARGUMENT", told))
    with pytest.raises(ComputeRefusedError, match='Invalid value: "…": too private'):
        newest.compute.prepare(revision(), 1)


def _set(path: str, value: Any) -> Callable[[Any], None]:
    """A change of one field of a message; an item of a list is written as its number."""

    def change(message: Any) -> None:
        *steps, last = path.split(".")
        for step in steps:
            message = message[int(step)] if step.isdigit() else getattr(message, step)
        setattr(message, last, value)

    return change


DIFFERENCES: list[tuple[str, Callable[[Any], None]]] = [
    ("workerSelector.matchLabels", lambda live: live.worker_selector.match_labels.update({"other": "pool"})),
    ("workerSelector", lambda live: live.ClearField("worker_selector")),
    ("containers[0].name", _set("containers.0.name", "other")),
    ("containers[0].image", _set("containers.0.image", "other@sha256:1")),
    ("containers[0].command", lambda live: live.containers[0].command.append("sh")),
    ("containers[0].env[0].value", _set("containers.0.env.0.value", "a secret")),
    ("containers[0].env", lambda live: live.containers[0].env.add(name="MORE", value="a secret")),
    ("containers[0].wakeupProbe.timeoutSeconds", _set("containers.0.wakeup_probe.timeout_seconds", 31)),
    ("containers[0].wakeupProbe.httpGet.path", _set("containers.0.wakeup_probe.http_get.path", "/")),
    (
        "containers[0].securityContext",
        lambda live: live.containers[0].security_context.capabilities.add.append("SYS_ADMIN"),
    ),
    ("containers", lambda live: live.containers.add(name="sidecar")),
    ("volumes", lambda live: live.volumes.add(name="data").durable_dir.SetInParent()),
    ("snapshotConfig.onCommit", _set("snapshot_config.on_commit", api.SNAPSHOT_CONTENT_SCOPE_DATA)),
    ("snapshotConfig.onPause", _set("snapshot_config.on_pause", api.SNAPSHOT_CONTENT_SCOPE_DATA)),
    (
        "snapshotConfig.onResume.fromData",
        _set("snapshot_config.on_resume.from_data", api.RESUME_SOURCE_GOLDEN),
    ),
    ("snapshotConfig.storageLocation", _set("snapshot_config.storage_location", "s3://elsewhere")),
    ("sandboxConfig.configName", _set("sandbox_config.config_name", "other")),
    ("resources", lambda live: live.resources.limits.add(name="cpu", quantity="64")),
    (
        "defaultEgressPolicy",
        lambda live: live.default_egress_policy.rules.add().https.hostnames.append("evil.example.com"),
    ),
    ("snapshotConfig.field 5", lambda live: live.snapshot_config.MergeFromString(number(5, 1))),
    ("field 99", lambda live: live.MergeFromString(inner(99, text(1, "x")))),
]


@pytest.mark.parametrize(("field", "change"), DIFFERENCES, ids=[field for field, _ in DIFFERENCES])
def test_one_that_differs_is_refused_by_its_field_and_stays(
    newest: Driven, field: str, change: Callable[[Any], None]
) -> None:
    newest.control.golden = False
    newest.compute.prepare(revision(), 1)
    live = newest.control.templates[KEY]
    change(live)
    before = live.SerializeToString(deterministic=True)
    newest.control.calls.clear()
    with pytest.raises(ComputeRefusedError) as caught:
        newest.compute.prepare(revision(), 1)
    told = f"the ActorTemplate `team/{TEMPLATE}` differs from the one that is committed, at `{field}`"
    assert caught.value.message == told
    assert "secret" not in caught.value.message + caught.value.hint
    assert newest.control.take_calls() == ["GetActorTemplate"]
    assert live.SerializeToString(deterministic=True) == before


def test_a_template_that_came_to_differ_after_many_looks_is_refused(newest: Driven) -> None:
    committed = revision()
    for _ in range(3):
        newest.compute.prepare(committed, 1)
    newest.control.templates[KEY].containers[0].image = "registry.example.com/other"
    for _ in range(2):
        with pytest.raises(ComputeRefusedError, match=r"containers\[0\]\.image"):
            newest.compute.prepare(committed, 1)


FILLED_IN: list[Callable[[Any], None]] = [
    _set("containers.0.wakeup_probe.timeout_seconds", 30),
    _set("snapshot_config.on_pause", api.SNAPSHOT_CONTENT_SCOPE_FULL),
    _set("snapshot_config.on_commit", api.SNAPSHOT_CONTENT_SCOPE_FULL),
    lambda live: live.snapshot_config.on_resume.SetInParent(),
    _set("snapshot_config.on_resume.from_data", api.RESUME_SOURCE_COLD_BOOT),
    _set("metadata.uid", "other"),
    _set("metadata.version", 1 << 40),
    lambda live: live.metadata.update_time.FromSeconds(9),
    _set("status.golden_snapshot_status.golden_tag.name", "golden"),
]


@pytest.mark.parametrize("change", FILLED_IN)
def test_what_a_server_fills_in_is_no_difference(change: Callable[[Any], None]) -> None:
    committed = committed_template(revision(), member())
    live = copy.deepcopy(committed)
    change(live)
    assert first_difference(committed, live) is None


@pytest.mark.parametrize("path", ["/", "/readyz"])
def test_a_path_that_is_filled_in_is_no_difference(path: str) -> None:
    committed = committed_template(revision(), member())
    committed.containers[0].wakeup_probe.http_get.path = ""
    live = copy.deepcopy(committed)
    live.containers[0].wakeup_probe.http_get.path = path
    assert first_difference(committed, live) is None
    live.containers[0].wakeup_probe.http_get.path = "/other"
    assert first_difference(committed, live) == "containers[0].wakeupProbe.httpGet.path"


def test_a_server_that_drops_a_field_is_noticed_at_once(newest: Driven) -> None:
    newest.control.changed["CreateActorTemplate"] = lambda made: made.ClearField("sandbox_config")
    with pytest.raises(ComputeRefusedError, match="at `sandboxConfig`"):
        newest.compute.prepare(revision(), 1)


@pytest.mark.parametrize("wrong", [_set("metadata.name", "other"), _set("metadata.uid", "")])
def test_a_template_of_another_name_is_no_reply(newest: Driven, wrong: Callable[[Any], None]) -> None:
    newest.control.changed["CreateActorTemplate"] = wrong
    with pytest.raises(ComputeDeniedError, match="is no message of Substrate"):
        newest.compute.prepare(revision(), 1)


def _manifest(content: bytes) -> Any:
    return type(member())("", TEMPLATE, "", content)


UNUSABLE: dict[str, tuple[Mapping[str, Any] | bytes, str]] = {
    "no YAML": (b"a: [", "it is no YAML"),
    "empty": (b"", "it is not one document with fields"),
    "two documents": (
        (dump(DOCUMENT) + "---\n" + dump(DOCUMENT)).encode(),
        "it is not one document with fields",
    ),
    "a list": (b"- a\n", "it is not one document with fields"),
    "of a custom resource": (
        {"apiVersion": "ate.dev/v1alpha1", "spec": {"pauseImage": "a"}},
        "`spec`: this is",
    ),
    "with a field of none": ({**DOCUMENT, "hostNetwork": True}, "`hostNetwork`: `hostNetwork` is no field"),
    "of another name": (
        {**DOCUMENT, "metadata": {"atespace": "team", "name": "other"}},
        "it has another name or atespace",
    ),
    "of another atespace": (
        {**DOCUMENT, "metadata": {"atespace": "other", "name": TEMPLATE}},
        "it has another name or atespace",
    ),
}


@pytest.mark.parametrize("wrong", UNUSABLE)
def test_a_manifest_that_cannot_be_used_is_refused_without_a_call(newest: Driven, wrong: str) -> None:
    content, told = UNUSABLE[wrong]
    manifest = content if isinstance(content, bytes) else dump(content).encode()
    with pytest.raises(ComputeRefusedError) as caught:
        newest.compute.prepare(revision(_manifest(manifest)), 1)
    assert caught.value.message.startswith(f"the committed ActorTemplate `{TEMPLATE}` cannot be used: {told}")
    assert not newest.control.calls


def test_fields_go_by_the_release_of_the_target(newest: Driven) -> None:
    snapshots = {"onPause": "SNAPSHOT_CONTENT_SCOPE_FULL", "storageLocation": "s3://snapshots/team"}
    early = member({**DOCUMENT, "snapshotConfig": snapshots})
    newest.compute.prepare(revision(early, target="ateapi/v0.4.0-alpha1"), 1)
    assert newest.control.templates[KEY].snapshot_config.on_pause
    with pytest.raises(ComputeRefusedError, match=r"`snapshotConfig\.onPause`"):
        newest.compute.prepare(revision(early), 1)


def test_what_a_manifest_says_of_the_servers_own_fields_is_not_sent() -> None:
    metadata = {"atespace": "team", "name": TEMPLATE, "uid": "chosen", "version": 9}
    status = {"goldenSnapshotStatus": {"errorMessage": "forged"}}
    sent = committed_template(revision(), member({**DOCUMENT, "metadata": metadata, "status": status}))
    assert sent == committed_template(revision(), member())


def test_a_template_that_is_made_again_during_its_deletion_stays(newest: Driven) -> None:
    newest.compute.prepare(revision(), 1)
    message, delete = newest.control.handlers["DeleteActorTemplate"]

    def another(request: Any) -> Any:
        newest.control.templates[KEY].metadata.uid = "uid-of-another"
        return delete(request)

    newest.control.handlers["DeleteActorTemplate"] = (message, another)
    newest.compute.delete_template("team", TEMPLATE, 10)
    assert newest.control.templates


def test_a_template_without_a_uid_is_not_deleted(newest: Driven) -> None:
    newest.compute.prepare(revision(), 1)
    newest.control.changed["GetActorTemplate"] = _set("metadata.uid", "")
    with pytest.raises(ComputeDeniedError, match="is no message of Substrate"):
        newest.compute.delete_template("team", TEMPLATE, 1)
    assert newest.control.templates


def test_deleting_a_template_that_is_gone_is_fine(newest: Driven) -> None:
    newest.compute.delete_template("team", TEMPLATE, 1)
    assert newest.control.take_calls() == ["GetActorTemplate"]


def test_the_first_template_that_cannot_be_had_keeps_no_other_from_its_answer(newest: Driven) -> None:
    newest.control.fail("GetActorTemplate", None, Fault("INTERNAL", "no"))
    with pytest.raises(ComputeUnavailableError, match="`GetActorTemplate` of the ActorTemplate `team/"):
        newest.compute.prepare(revision(member(), member()), 1)
    assert newest.compute.prepare(revision(), 1)
