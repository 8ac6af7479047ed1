"""What a person reads about a fault: its place, its line with a caret, the action; and no credential."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest

from kagent_render.cli.options import wants_colour
from tests.faults.repository import COORDINATOR, HARNESS, Edit, Fault, manifest
from tests.faults.test_faults import CASES
from tests.running import Run, run

BLOCKS = {
    "attachment: a template that does not exist": """\
error[TemplateNotFound]: binding `researcher` names AgentTemplate `incident-reseacher`, which does not exist \
in namespace `agent-team`
  --> agents/incident-coordinator.yaml:19:9 in AgentTemplate/incident-coordinator \
at spec.tools[0].agent.templateRef.name
    |
 19 |         name: incident-reseacher
    |         ^^^^
  = while preparing agent-team/python-runtime/incident-coordinator
  hint: change it to `incident-researcher`
""",
    "AgentTemplate: no model": """\
error[InvalidSpec]: `modelConfig` is required
  --> agents/incident-coordinator.yaml:10:1 in AgentTemplate/incident-coordinator at spec.modelConfig
    |
 10 | spec:
    | ^^^^
  hint: set `modelConfig`
""",
    "content: a skill that the plugin has not": """\
error[SkillNotFound]: the plugin has no skill `code-reviews`
  --> agents/incident-coordinator.yaml:35:7 in AgentTemplate/incident-coordinator \
at spec.plugins[0].skills[0]
    |
 35 |     - code-reviews
    |       ^^^^^^^^^^^^
  = while preparing agent-team/python-runtime/incident-coordinator
  hint: select one of the plugin's skills: `code-review`, `commit-messages`
""",
    "documents: a key twice": """\
error[YAMLInvalid]: the key `kind` is already set
  --> agents/extra.yaml:3:1
   |
 3 | kind: Harness
   | ^^^^
  hint: keep one of the two
""",
    "documents: an unknown field": """\
error[ConfigInvalid]: the field `retnetion` is unknown
  --> kagent-render.yaml:13:3 in RenderConfig at spec.retnetion
    |
 13 |   retnetion:
    |   ^^^^^^^^^
  hint: write `retention`
""",
}
"""Whole blocks as they are printed, by the fault of the table that they tell."""

CREDENTIALS = {
    name: fault for name, fault in CASES.items() if any("hunter2" in edit.new for edit in fault.edits)
}


SECRET = """\
---
apiVersion: v1
kind: Secret
metadata: {namespace: agent-team, name: s}
stringData: {key: hunter2}
"""


class Terminal(io.StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


def render(fault: Fault, root: Path, *args: str) -> Run:
    fault.plant(root)
    return run("render", "--offline", *fault.args, *args, cwd=root)


@pytest.mark.parametrize("name", BLOCKS)
def test_a_fault_is_shown_with_its_line_a_caret_and_an_action(name: str, tmp_path: Path) -> None:
    outcome = render(CASES[name], tmp_path / "repository")
    assert outcome.out == ""
    assert BLOCKS[name] in outcome.err
    assert re.search(r"^✗ nothing was written \(1 error(, \d warnings)?\)\n\Z", outcome.err, re.MULTILINE)


def test_the_caret_stands_below_its_field_behind_wide_and_combining_characters(tmp_path: Path) -> None:
    entry = "  - agent: {description: 検索e\N{COMBINING ACUTE ACCENT}, isolation: shared, name: a"
    entry += ", templateRef: {name: b}}"
    fault = Fault("InvalidSpec", None, None, "", (Edit(COORDINATOR, "  tools:\n", f"  tools:\n{entry}\n"),))
    error = render(fault, tmp_path / "repository").err
    shown, carets = error.splitlines()[3:5]
    assert shown.endswith(entry)
    widths = {"検": 2, "索": 2, "\N{COMBINING ACUTE ACCENT}": 0}
    before = shown.split("isolation")[0]
    assert carets.index("^") == sum(widths.get(character, 1) for character in before)
    assert carets.count("^") == len("isolation")


def test_a_terminal_is_not_told_what_a_manifest_would_have_it_do(tmp_path: Path) -> None:
    fault = Fault(
        "UnknownField",
        None,
        None,
        "",
        (Edit(HARNESS, "  python: {}\n", '  python: {}\n  "a\\e]0;x\\a": 1\n'),),
    )
    outcome = render(fault, tmp_path / "repository")
    assert outcome.status == 1
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", outcome.err)


@pytest.mark.parametrize("env", [{}, {"NO_COLOR": "1"}, {"TERM": "xterm-256color"}], ids=str)
def test_there_is_no_colour_without_a_terminal(
    env: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    assert "\033" not in render(CASES["AgentTemplate: no model"], tmp_path / "repository").err


def test_colour_on_demand_changes_nothing_but_escape_sequences(tmp_path: Path) -> None:
    fault = CASES["AgentTemplate: no model"]
    plain = render(fault, tmp_path / "plain", "--color", "never").err
    coloured = render(fault, tmp_path / "coloured", "--color", "always").err
    assert "\033[1;31merror[InvalidSpec]\033[0m" in coloured
    assert re.sub(r"\033\[[0-9;]*m", "", coloured) == plain


@pytest.mark.parametrize(
    ("choice", "variables", "coloured"),
    [
        pytest.param("auto", {}, True, id="a terminal"),
        pytest.param("auto", {"NO_COLOR": "1"}, False, id="NO_COLOR"),
        pytest.param("auto", {"NO_COLOR": ""}, True, id="an empty NO_COLOR"),
        pytest.param("auto", {"TERM": "dumb"}, False, id="a dumb terminal"),
        pytest.param("always", {"NO_COLOR": "1"}, True, id="asked for despite NO_COLOR"),
        pytest.param("never", {}, False, id="refused"),
    ],
)
def test_a_terminal_gets_colour_unless_it_is_refused(
    choice: str, variables: dict[str, str], coloured: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert wants_colour(choice, Terminal()) is coloured


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(manifest("ModelConfig", "spare", "  modle: m\n") + SECRET, id="beside another object"),
        pytest.param(SECRET + manifest("ModelConfig", "spare", "  modle: m\n"), id="before another object"),
        pytest.param(
            "apiVersion: v1\nkind: List\nitems:\n"
            "- {apiVersion: v1, kind: Secret, stringData: {key: hunter2}}\n"
            "- apiVersion: kagent.dev/v1alpha2\n  kind: ModelConfig\n"
            "  metadata: {namespace: agent-team, name: spare}\n  spec: {modle: hunter2}\n",
            id="in a List",
        ),
        pytest.param(SECRET + "kagent.dev: hunter2\nkagent.dev: hunter2\n", id="in a file that is no YAML"),
        pytest.param(SECRET + "# kagent.dev\n\tkey: hunter2\n", id="in a file that cannot be scanned"),
    ],
)
def test_a_line_of_a_file_with_a_secret_is_never_shown(text: str, tmp_path: Path) -> None:
    fault = Fault("UnknownField", None, None, "", (Edit("agents/secret.yaml", "", text),))
    outcome = render(fault, tmp_path / "repository")
    (block,) = [part for part in outcome.err.split("\n\n") if part.startswith("error")]
    assert "--> agents/secret.yaml:" in block
    assert "hint: " in block
    assert " | " not in block
    assert "hunter2" not in outcome.err


@pytest.mark.parametrize("fault", CREDENTIALS.values(), ids=CREDENTIALS.keys())
@pytest.mark.parametrize("output", ["text", "json"])
def test_a_password_in_an_address_is_never_repeated(fault: Fault, output: str, tmp_path: Path) -> None:
    outcome = render(fault, tmp_path / "repository", "-o", output)
    assert fault.reason in outcome.out + outcome.err
    assert "hunter2" not in outcome.out + outcome.err
