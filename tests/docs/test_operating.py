"""`docs/operating.md` shows what the base holds, what a probe answers and what a log line has."""

from __future__ import annotations

import io
import json
import logging
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from kagent_apply.instances.requests import InstanceName
from kagent_apply.instances.states import Operation
from kagent_apply.observability import pair_metrics, probe_pages, probe_server, readiness
from kagent_apply.observability.log_setup import LEVELS, LogFormat, logging_to
from kagent_apply.observability.readiness import Check, Checks
from kagent_apply.observability.reports import Reports
from kagent_apply.observability.trace_context import TraceContext, inside
from tests.apply.observability.pairs import Index, pair
from tests.apply.observability.scraping import new_metrics
from tests.bases.folders import build
from tests.docs.markdown import blocks, page, sections
from tests.parts import REPOSITORY

_PAGE = page("docs/operating.md")
_SECTIONS = sections(_PAGE, 2)
_BASE = REPOSITORY / "kustomize/apply"


def _json(heading: str) -> Any:
    (block,) = blocks(_SECTIONS[heading], "json")
    return json.loads(block.text)


def test_every_file_of_the_base_is_listed() -> None:
    listed = re.findall(r"^\| \[(\S+)\]", _SECTIONS["Installing"], re.MULTILINE)
    kustomization = yaml.safe_load((_BASE / "kustomization.yaml").read_text())
    assert sorted(listed) == sorted([*kustomization["resources"], "settings.yaml"])


def test_every_secret_is_listed_with_the_keys_that_are_read() -> None:
    rows = re.findall(r"^\| `(kagent-apply-\S+)` \| (.*?) \|", _SECTIONS["Installing"], re.MULTILINE)
    listed = {name: set(re.findall(r"`(\S+?)`", keys)) for name, keys in rows}
    (pod,) = [yaml.safe_load((_BASE / "deployment.yaml").read_text())["spec"]["template"]["spec"]]
    (container,) = pod["containers"]
    mounts = {mount["name"]: mount["mountPath"] for mount in container["volumeMounts"]}
    settings = yaml.safe_load((_BASE / "settings.yaml").read_text())
    paths = [*map(str, settings.values()), *(entry.get("value", "") for entry in container["env"])]
    read = {
        volume["secret"]["secretName"]: {
            Path(path).name for path in paths if str(Path(path).parent) == mounts[volume["name"]]
        }
        for volume in pod["volumes"]
        if "secret" in volume
    }
    (store,) = [entry["valueFrom"]["secretKeyRef"] for entry in container["env"] if "valueFrom" in entry]
    assert listed == {**read, store["name"]: {store["key"]}}


@pytest.mark.server
def test_the_kustomization_of_the_page_builds(tmp_path: Path) -> None:
    (block,) = blocks(_SECTIONS["Installing"], "yaml")
    climb = Path(*[".."] * (len(tmp_path.resolve().parts) - 1))
    base = (climb / _BASE.resolve().relative_to("/")).as_posix()
    text = re.sub(r"^- https://.*kustomize/apply.*$", f"- {base}", block.text, flags=re.MULTILINE)
    (tmp_path / "kustomization.yaml").write_text(text.replace("DIGEST", "1" * 64))
    (tmp_path / "settings.yaml").write_text("ref: production\n")
    objects = {item["kind"]: item for item in build(tmp_path)}
    (container,) = objects["Deployment"]["spec"]["template"]["spec"]["containers"]
    assert container["image"] == f"registry.example.com/agents/kagent-apply@sha256:{'1' * 64}"
    assert objects["ConfigMap"]["data"] == {"settings.yaml": "ref: production\n"}
    volumes = objects["Deployment"]["spec"]["template"]["spec"]["volumes"]
    assert {"name": "settings", "configMap": {"name": objects["ConfigMap"]["metadata"]["name"]}} in volumes


def test_the_answer_of_readyz_is_the_one_that_is_shown() -> None:
    shown = _json("Probes")
    ((name, problem),) = shown["pairs"].items()
    namespace, harness, template = name.split("/")
    broken = pair(template, problem=problem)
    assert (namespace, harness) == ("agent-team", "python-runtime")
    index = Index([broken])
    checks = Checks([Check("substrate", lambda: shown["problems"]["substrate"], required=False)])
    found = probe_pages.probe_pages(new_metrics().registry, checks, index)["/readyz"]("")
    answer = json.loads(found.body)
    assert answer | {"pairs": None} == shown | {"pairs": None}
    assert list(answer["pairs"].values()) == [problem]


def test_the_log_line_is_the_one_that_is_written() -> None:
    (block,) = blocks(_SECTIONS["Logs"], "json")
    shown = json.loads(block.text)
    fields = shown["fields"]
    stream = io.StringIO()
    context = TraceContext(shown["trace_id"], shown["span_id"], sampled=True)
    with logging_to(stream, "info", LogFormat.JSON), inside(context):
        Reports(new_metrics()).operation(
            Operation[fields["operation"]],
            InstanceName(fields["namespace"], fields["instance"]),
            "whole",
            fields["seconds"],
            fields["outcome"],
            problem=fields["problem"],
        )
    written = stream.getvalue()
    assert re.sub('"time":"[^"]*"', "", written) == re.sub('"time":"[^"]*"', "", block.text)
    assert re.sub(r"\d", "0", json.loads(written)["time"]) == re.sub(r"\d", "0", shown["time"])


def test_every_part_of_a_log_line_and_every_level_is_listed() -> None:
    rows = re.findall(r"^\| (`.*?) \| (.*) \|$", _SECTIONS["Logs"], re.MULTILINE)
    listed = {name for cell, _ in rows for name in re.findall(r"`(\w+)`", cell)}
    assert listed == set(_json("Logs"))
    levels = dict(rows)["`level`"]
    names = [logging.getLevelName(level).lower() for level in (10, 20, 30, 40, 50)]
    assert re.findall(r"`(\w+)`", levels) == names
    assert all(f"`{level}`" in _SECTIONS["Logs"] for level in LEVELS)


@pytest.mark.parametrize(
    ("heading", "told"),
    [
        ("Probes", f"at most {probe_server.MOST_CONNECTIONS}\nconnections"),
        ("Probes", f"{probe_server.LONGEST_CONNECTION:g} seconds for each"),
        ("Probes", f"checks together have {readiness.ANSWER_WITHIN:g} seconds"),
        ("Probes", f"at most {probe_pages.MOST_PAIRS} pairs"),
        ("Metrics", f"of at most {pair_metrics.MOST_PAIRS}"),
    ],
)
def test_the_numbers_are_those_of_the_program(heading: str, told: str) -> None:
    assert told.replace("\n", " ") in _SECTIONS[heading].replace("\n", " ")


def test_the_seconds_of_the_end_are_those_of_the_base() -> None:
    pod = yaml.safe_load((_BASE / "deployment.yaml").read_text())["spec"]["template"]["spec"]
    drain = yaml.safe_load((_BASE / "settings.yaml").read_text())["drain"]
    pause = pod["containers"][0]["lifecycle"]["preStop"]["sleep"]["seconds"]
    told = _SECTIONS["Ending and rolling out"]
    assert f"waits {pause} seconds" in told
    assert f"`drain` seconds, {drain}," in told
    assert f"`terminationGracePeriodSeconds` is {pod['terminationGracePeriodSeconds']}" in told


def test_every_metric_of_an_alert_is_in_the_table() -> None:
    metrics = set(re.findall(r"^\| `(kagent_apply_\w+)`", _SECTIONS["Metrics"], re.MULTILINE))
    rows = [line for line in _SECTIONS["Metrics"].splitlines() if re.match(r"\| `[^`]*[({]", line)]
    assert len(rows) >= 5
    assert {name for row in rows for name in re.findall(r"kagent_apply_\w+", row)} <= metrics
