"""`graph` draws what there is, prepared or not, and says what an object reaches."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from kagent_render.cli.graph import FORMATS
from tests.cli.platform import AGENT_FILES
from tests.cli.team import PAIR, edit
from tests.parts import REPOSITORY
from tests.running import Run, run
from tests.source.git_repositories import git


@pytest.fixture(scope="module")
def both(rendered_team: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A root with pairs and PlatformAgents, which nothing here changes."""
    folder = shutil.copytree(rendered_team, tmp_path_factory.mktemp("graph") / "both")
    for name, text in AGENT_FILES.items():
        (folder / name).write_text(text)
    edit(folder / "kagent-render.yaml", "spec:\n", 'spec:\n  kubeVersion: "1.35"\n')
    return folder


def graph(folder: Path, *args: str) -> Run:
    return run("graph", "--offline", *args, cwd=folder)


def names(done: Run) -> list[str]:
    """The pairs and PlatformAgents that text output has a heading for."""
    return [line.split()[0] for line in done.out.splitlines() if line.count("/") and line[0].isalpha()]


TREE = """\
team/runtime/lead  ✓
│  Harness          runtime (python)
│  Image            registry.example.com/runtime@sha256:000000000000
│  ActorTemplate    lead-runtime-
│    egress         http://kagent-controller.kagent:8083
│                   http://kagent-controller.kagent:8084
│                   https://bedrock-runtime.eu-central-1.amazonaws.com:443
│                   https://kagent-apply.kagent:8085
│                   https://search.example.com:443
│  ModelConfig      aws (some-model, Bedrock)
│    Secret         aws [AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY]
│  RemoteMCPServer  search (find, open)
│  ConfigMap        texts [rules]
├─ helper  Shared     helper, in its parent's runtime
│     ModelConfig      aws (some-model, Bedrock)
│       Secret         aws [AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY]
└─ critic  Dedicated  critic, a runtime of its own
      ActorTemplate    lead-runtime-critic-
"""


def test_a_tree_shows_its_runtimes_and_what_each_agent_uses(both: Path) -> None:
    done = graph(both, PAIR)
    assert done.status == 0
    shown = [
        line.rstrip("0123456789abcdef") if "-runtime-" in line else line for line in done.out.splitlines()
    ]
    wanted = [line.rstrip("0123456789abcdef") if "-runtime-" in line else line for line in TREE.splitlines()]
    assert shown[: len(wanted)] == wanted


def test_a_brief_tree_shows_agents_alone(both: Path) -> None:
    assert graph(both, PAIR, "--brief").out == (
        "team/runtime/lead  ✓\n"
        "├─ helper  Shared     helper, in its parent's runtime\n"
        "└─ critic  Dedicated  critic, a runtime of its own\n"
    )


ALL = ["team/runtime/critic", "team/runtime/helper", PAIR, "lab/keeper", "ops/platform-agent"]
SUBJECTS = [
    ((), ALL),
    ((PAIR,), [PAIR]),
    (("ops/platform-agent", PAIR), [PAIR, "ops/platform-agent"]),
    ((".",), ALL),
    ((PAIR, "."), [PAIR]),
    ((".", PAIR, "rendered"), [PAIR]),
]


@pytest.mark.parametrize(("args", "expected"), SUBJECTS)
def test_folders_and_names_choose_what_is_drawn(
    both: Path, args: tuple[str, ...], expected: list[str]
) -> None:
    assert names(graph(both, "--brief", *args)) == expected


REFUSED = [
    (("team/runtime/laed",), "did you mean `team/runtime/lead`?"),
    (("none",), "write a pair as `namespace/harness/template`"),
    (("\x1b[31m",), "neither a pair"),
    (("--impact", "ModelConfig/asw"), "did you mean `ModelConfig/aws`?"),
    (("--impact", "\x1b]0;x"), "no manifest has or uses"),
    (("--impact", "../../etc/passwd"), "no manifest has or uses"),
]


@pytest.mark.parametrize(("args", "said"), REFUSED, ids=[ascii(args) for args, _ in REFUSED])
def test_a_name_that_nothing_has_is_refused_with_the_nearest(
    both: Path, args: tuple[str, ...], said: str
) -> None:
    done = graph(both, *args)
    assert (done.status, done.out) == (2, "")
    assert said in done.err
    assert "\x1b" not in done.err


QUESTIONS = [
    ("ModelConfig/aws", ["team/runtime/critic", "team/runtime/helper", PAIR]),
    ("RemoteMCPServer/search", [PAIR]),
    ("ConfigMap/texts/rules", [PAIR]),
    ("inputs.yaml", ["team/runtime/critic", "team/runtime/helper", PAIR]),
    ("./helper.yaml", ["team/runtime/helper", PAIR]),
    ("Secret/slack", ["ops/platform-agent"]),
    ("registry.example.com/plugins/stockout", ["ops/platform-agent"]),
    ("kagent-render.yaml", ALL),
]


@pytest.mark.parametrize(("query", "expected"), QUESTIONS, ids=[query for query, _ in QUESTIONS])
def test_impact_names_what_an_object_reaches(both: Path, query: str, expected: list[str]) -> None:
    done = graph(both, "--impact", query)
    assert done.status == 0
    assert names(done) == expected


def test_a_key_that_nobody_reads_reaches_nothing(both: Path) -> None:
    done = graph(both, "--impact", "Secret/aws/AWS_SESSION_TOKEN")
    assert done.status == 2
    done = graph(both, "--impact", "AgentTemplate/critic", "ops/platform-agent")
    assert (done.status, done.out, done.err) == (0, "", "AgentTemplate/critic reaches nothing\n")


def test_a_way_shows_each_object_and_the_binding(both: Path) -> None:
    out = graph(both, "--impact", "Secret/aws/AWS_ACCESS_KEY_ID", PAIR).out
    chain = "Secret/aws/AWS_ACCESS_KEY_ID → ModelConfig/aws → AgentTemplate"
    assert f"├─ {chain}/lead\n" in out
    assert f"├─ {chain}/helper, bound as helper\n" in out


def test_json_has_every_agent_with_all_that_it_uses(both: Path) -> None:
    document = graph(both, "-o", "json").json
    assert list(document) == ["pairs", "platformAgents", "diagnostics", "changed"]
    lead = next(pair for pair in document["pairs"] if pair["template"] == "lead")
    assert [(agent["path"], agent["isolation"], agent["runtime"]) for agent in lead["agents"]] == [
        ("", "Dedicated", ""),
        ("helper", "Shared", ""),
        ("critic", "Dedicated", "critic"),
    ]
    assert lead["agents"][0]["uses"][-1] == {
        "kind": "ConfigMap",
        "name": "texts",
        "keys": ["rules"],
        "details": [],
        "through": None,
        "source": "inputs.yaml",
    }
    assert [runtime["path"] for runtime in lead["runtimes"]] == ["", "critic"]
    plugins = {plugin["name"]: plugin for agent in document["platformAgents"] for plugin in agent["plugins"]}
    assert [use["kind"] for use in plugins["stockout"]["uses"]] == ["Image", "Secret"]


def test_json_of_an_impact_has_every_way(both: Path) -> None:
    document = graph(both, "-o", "json", "--impact", "RemoteMCPServer/search").json
    assert document["of"] == ["team/RemoteMCPServer/search"]
    ways = [{"through": ["RemoteMCPServer/search", "AgentTemplate/lead"], "agent": ""}]
    assert document["reaches"] == [{"name": PAIR, "kind": "Pair", "ways": ways}]


CYCLE = "  tools:\n  - agent: {name: back, description: d, templateRef: {name: lead}}\n"
BROKEN: list[tuple[str, str, str, str, list[str]]] = [
    ("a missing model", "lead.yaml", "name: aws", "name: none", ["lead", "helper", "critic"]),
    ("a missing template", "lead.yaml", "Ref: {name: helper}", "Ref: {name: x}", ["lead", "critic"]),
    ("a cycle", "helper.yaml", "  harnesses:", f"{CYCLE}  harnesses:", ["lead", "helper", "critic"]),
    ("an invalid root", "lead.yaml", "description: Leads.", "descripton: x", []),
    ("a refused label", "critic.yaml", "runtime: python", "runtime: other", ["lead", "helper", "critic"]),
]  # fmt: skip


@pytest.mark.parametrize(("_", "file", "old", "new", "agents"), BROKEN, ids=[case[0] for case in BROKEN])
def test_a_pair_that_cannot_be_prepared_is_drawn_as_far_as_it_is_known(
    team: Path, _: str, file: str, old: str, new: str, agents: list[str]
) -> None:
    edit(team / file, old, new)
    done = graph(team, "-o", "json", PAIR)
    assert done.status == 1
    assert done.faults
    [pair] = done.json["pairs"]
    assert pair["problem"]
    assert [agent["name"] for agent in pair["agents"]] == agents
    text = graph(team, PAIR)
    assert text.status == 1
    assert text.out.startswith(f"{PAIR}  ✗ {pair['problem']}\n")


def test_a_reference_to_nothing_is_an_impact_all_the_same(team: Path) -> None:
    edit(team / "lead.yaml", "name: aws", "name: none")
    done = graph(team, "--impact", "ModelConfig/none")
    assert names(done) == [PAIR]


def test_a_plugin_of_an_agent_that_fails_is_drawn(platform: Path) -> None:
    edit(platform / "lab.yaml", "location: europe-west1, ", "")
    document = graph(platform, "-o", "json", "lab/keeper").json
    assert [plugin["name"] for plugin in document["platformAgents"][0]["plugins"]] == ["probe"]
    assert document["platformAgents"][0]["problem"]


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_is_the_same_again_and_writes_nothing(both: Path, form: str) -> None:
    before = sorted(path.as_posix() for path in both.rglob("*"))
    first, second = graph(both, "-o", form), graph(both, "-o", form)
    assert first.status == 0
    assert first.out == second.out
    assert str(both) not in first.out
    assert sorted(path.as_posix() for path in both.rglob("*")) == before


def test_an_svg_is_well_formed_and_has_every_pair(both: Path) -> None:
    root = ET.fromstring(graph(both, "-o", "svg").out)
    headings = [found.text for found in root.findall("{http://www.w3.org/2000/svg}text")]
    assert headings == ALL


def test_several_roots_are_told_apart(both: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        shutil.copytree(both, tmp_path / name)
    done = run("graph", "--offline", "--brief", "one", "two", "one", cwd=tmp_path)
    assert [line for line in done.out.splitlines() if line.startswith("#")] == ["# one", "# two"]
    page = run("graph", "--offline", "-o", "html", cwd=tmp_path).out
    assert "<h2>one</h2>" in page
    identities = [part.partition('"')[0] for part in page.split(' id="')[1:]]
    assert len(identities) == len(set(identities))


def test_a_revision_is_drawn_as_it_was(committed: Path) -> None:
    (committed / "lead.yaml").unlink()
    assert names(run("graph", "--brief", "--rev", "HEAD", cwd=committed)) == ALL[:3]
    assert names(run("graph", "--brief", cwd=committed)) == ALL[:2]
    git(committed, "add", "--all")
    assert names(run("graph", "--brief", "--staged", cwd=committed)) == ALL[:2]


def test_a_root_without_configuration_is_told(tmp_path: Path) -> None:
    done = run("graph", cwd=tmp_path)
    assert done.status == 2
    assert "ConfigInvalid" in done.err


def test_only_a_question_loads_the_library_of_graphs(both: Path) -> None:
    command = [sys.executable, "-X", "importtime", "-m", "kagent_render", "graph", "--brief", "--offline"]
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    done = subprocess.run(command, cwd=both, env=environment, capture_output=True, text=True, check=True)
    assert "kagent_render.preparation.survey" in done.stderr
    assert "networkx" not in done.stderr
