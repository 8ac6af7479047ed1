"""What Argo CD's Lua and Flux's CEL say of an ActorTemplate in each phase of Substrate's."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import pytest
import yaml

from tests.parts import REPOSITORY, go_program

pytestmark = pytest.mark.oracle

_SETTINGS = yaml.safe_load((REPOSITORY / "kustomize/argocd-health/health.yaml").read_text())
SCRIPT = _SETTINGS["data"]["resource.customizations.health.ate.dev_ActorTemplate"]
_CHECKS = yaml.safe_load((REPOSITORY / "examples/flux/agents.yaml").read_text())["spec"]["healthCheckExprs"]
(CHECK,) = [check for check in _CHECKS if check["kind"] == "ActorTemplate"]


def ask(*questions: dict[str, Any]) -> list[dict[str, Any]]:
    """The oracle's answers, in order."""
    done = subprocess.run(
        [str(go_program("health"))],
        input="".join(json.dumps(question) + "\n" for question in questions),
        capture_output=True,
        text=True,
        check=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def template(**status: object) -> dict[str, Any]:
    """An ActorTemplate with a status, or with none."""
    return {"kind": "ActorTemplate", "metadata": {"generation": 1}, **({"status": status} if status else {})}


_FAILED = {"type": "GoldenActor", "status": "False", "message": "the image cannot be pulled"}

LUA = {
    "without a status": (template(), "Progressing", "Waiting"),
    "without a phase": (template(goldenActorID="x"), "Progressing", "Waiting"),
    "before the first step": (template(phase=""), "Progressing", "Waiting"),
    "resuming": (template(phase="ResumeGoldenActor"), "Progressing", "Waiting"),
    "waiting": (template(phase="WaitGoldenActor"), "Progressing", "Waiting"),
    "ready": (template(phase="Ready"), "Healthy", "is taken"),
    "failed": (template(phase="Failed"), "Degraded", "could not"),
    "failed, and says why": (template(phase="Failed", conditions=[_FAILED]), "Degraded", "cannot be pulled"),
    "failed, with conditions that say nothing": (
        template(phase="Failed", conditions=[{"status": "False"}]),
        "Degraded",
        "could not",
    ),
}


@pytest.mark.parametrize(("value", "status", "message"), LUA.values(), ids=LUA)
def test_argo_cd_sees_health(value: dict[str, Any], status: str, message: str) -> None:
    (answer,) = ask({"lua": SCRIPT, "object": value})
    assert answer["status"] == status
    assert message in answer["message"]


CEL = {
    "ready": (template(phase="Ready"), {"current": True, "failed": False}),
    "failed": (template(phase="Failed"), {"current": False, "failed": True}),
    "waiting": (template(phase="WaitGoldenActor"), {"current": False, "failed": False}),
    "without a phase": (template(goldenActorID="x"), {"current": False, "failed": False}),
}


@pytest.mark.parametrize(("value", "expected"), CEL.values(), ids=CEL)
def test_flux_sees_health(value: dict[str, Any], expected: dict[str, bool]) -> None:
    answers = ask(*({"cel": CHECK[name], "object": value} for name in expected))
    assert [answer.get("value") for answer in answers] == list(expected.values()), answers


def test_without_a_status_flux_knows_nothing_and_waits() -> None:
    (answer,) = ask({"cel": CHECK["current"], "object": template()})
    assert "no such attribute" in answer["problem"]
