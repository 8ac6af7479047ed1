"""What `docs/output.md` says about the output folder is what the program writes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from kagent_render.diagnostics.diagnostic import PairRef
from kagent_render.emit.plan import PairOutput, plan_output
from tests.docs.markdown import blocks, page, sections
from tests.parts import REPOSITORY
from tests.running import copy_example, run, tree
from tests.source.git_repositories import git

_PAGE = page("docs/output.md")
_PLUGINS = REPOSITORY / "examples" / "plugins"
_LOCK = "rendered/agent-team/python-runtime/incident-researcher/revision.lock.yaml"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = copy_example(tmp_path / "repository")
    git(root, "init", "--quiet")
    git(root, "add", ".")
    git(root, "commit", "--quiet", "--message", "start")
    return root


@pytest.mark.parametrize("carried", [False, True])
def test_the_attributes_are_those_of_the_page(carried: bool) -> None:
    listed = re.findall(r"^\| `([^`]+)` \|", sections(_PAGE, 2)[".gitattributes"], re.MULTILINE)
    output = PairOutput(PairRef("team", "runtime", "agent"), b"", {}, carried=carried)
    written = plan_output([output]).attributes[".gitattributes"].decode()
    assert written.splitlines()[1:] == (listed if carried else listed[:-1])


def test_the_kustomization_of_a_carried_pair_is_that_of_the_page() -> None:
    (shown,) = (block.text for block in blocks(_PAGE, "yaml") if "configMapGenerator" in block.text)
    pair, manifest = PairRef("team", "py", "planner"), {"planner-py-0123456789ab": b""}
    files = plan_output([PairOutput(pair, b"", manifest, carried=True)]).files
    assert files["team/py/planner/kustomization.yaml"].decode() == shown


def test_every_file_of_the_examples_has_a_place_on_the_page(repository: Path) -> None:
    shown = [line.split()[0] for line in blocks(_PAGE)[0].text.splitlines()[1:]]
    outputs = [repository / "rendered", _PLUGINS / "rendered"]
    patterns = [re.escape(path) for path in shown if not path.endswith("/")]
    place = re.compile("|".join(re.sub(r"<[a-z]+>", r"[^/]+", pattern) for pattern in patterns))
    assert [path for output in outputs for path in tree(output) if not place.fullmatch(path)] == []


def test_an_actor_template_in_use_stays_beyond_the_retained_revisions(repository: Path) -> None:
    shown = {block.path: block.text for block in blocks(page("docs/manifests.md"), "yaml")}
    in_use = shown[".kagent/in-use/agent-team.yaml"]
    before = yaml.safe_load((repository / _LOCK).read_text())["spec"]
    (name,) = (boundary["actorTemplate"] for boundary in before["boundaries"])
    (example,) = yaml.safe_load(in_use)["spec"]["actorTemplates"]
    template = repository / "agents" / "specialists.yaml"
    template.write_text(template.read_text().replace("Investigate the available", "Investigate all"))
    (repository / ".kagent" / "in-use").mkdir()
    (repository / ".kagent" / "in-use" / "agent-team.yaml").write_text(in_use.replace(example, name))
    assert run("render", "--offline", cwd=repository).status == 0
    after = yaml.safe_load((repository / _LOCK).read_text())["spec"]
    assert after["retained"] == [{"revision": before["revision"], "actorTemplates": [name]}]
    assert (repository / _LOCK).with_name("actortemplates").joinpath(f"{name}.yaml").exists()
