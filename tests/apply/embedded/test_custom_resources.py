"""Revisions of June's target run here as those of the newest do."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
import yaml

from kagent_apply.embedded.custom_resources import from_custom_resource
from kagent_render.target.messages import ateapi_pb2
from kagent_render.target.template_reading import read_template
from tests.apply.embedded.calls import Client, code_of
from tests.parts import REPOSITORY


def _manifest(example: str, stem: str) -> dict[str, Any]:
    rendered = REPOSITORY / "examples" / example / "rendered"
    (path,) = rendered.rglob(f"incident-coordinator/actortemplates/{stem}*.yaml")
    read: dict[str, Any] = yaml.safe_load(Path(path).read_text())
    return read


_ROOT = "incident-coordinator-python-runtime-"
_JUNE = _manifest("incident", f"{_ROOT}6")


def test_it_is_what_the_newest_target_says_but_for_what_june_has_not(echo: Client) -> None:
    got = from_custom_resource(_JUNE)
    wanted = read_template(_manifest("substrate-v0.4", f"{_ROOT}1"))
    assert isinstance(wanted, ateapi_pb2.ActorTemplate)
    echo.atespace(got.metadata.atespace)
    made = echo.template(got)
    names = {entry.name for entry in made.containers[0].env}
    assert [entry for entry in wanted.containers[0].env if entry.name in names] == list(
        made.containers[0].env
    )
    for template in (made, wanted):
        del template.containers[0].env[:]
    del wanted.volumes[1:], wanted.containers[0].volume_mounts[1:]
    for field in ("metadata", "status"):
        made.ClearField(field)
        wanted.ClearField(field)
    assert made == wanted


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("apiVersion",), "v1"),
        (("kind",), "Pod"),
        (("metadata",), None),
        (("metadata", "namespace"), 1),
        (("spec",), []),
        (("spec", "containers"), "x"),
        (("spec", "containers"), [None]),
        (("spec", "sandboxClass"), "other"),
        (("spec", "snapshotsConfig"), {"onCommit": "Full"}),
        (("spec", "snapshotsConfig", "onCommit"), "Some"),
        (("spec", "containers", 0, "readyz"), {"httpGet": {"port": "x"}}),
        (("spec", "containers", 0, "env"), [{"value": "x"}]),
    ],
    ids=str,
)
def test_what_is_no_such_resource_is_refused(path: tuple[Any, ...], value: object) -> None:
    manifest: Any = copy.deepcopy(_JUNE)
    inner = manifest
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    assert code_of(lambda: from_custom_resource(manifest)) == "INVALID_ARGUMENT"
