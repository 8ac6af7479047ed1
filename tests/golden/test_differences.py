"""Another target changes what it must and nothing else, in each pair of whole repositories."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from kagent_render.compile.policy import Policy
from kagent_render.target import ateapi_resource, ateapi_v0_4
from tests.golden.both_targets import AUTHORED, folder, pairs, read_lock, read_manifests
from tests.golden.differences import MANIFEST, at, environment, is_below, leaves, without
from tests.golden.test_golden import NEW, OLD, REPOSITORIES, switch
from tests.running import run, tree

Outputs = tuple[Path, Path]
"""The output of one repository for the older and for the newer target."""

PAIRS = [(name, pair) for name in AUTHORED for pair in pairs(folder(name, OLD))]
each_pair = pytest.mark.parametrize(("name", "pair"), PAIRS, ids=[pair for _, pair in PAIRS])


def golden(name: str) -> Outputs:
    return folder(name, OLD), folder(name, NEW)


def boundaries(outputs: Outputs, pair: str) -> list[tuple[Any, Any]]:
    """The manifests of each boundary for both targets."""
    old, new = (read_manifests(output, pair) for output in outputs)
    assert list(old) == list(new)
    return [(old[path], new[path]) for path in old]


def check_lock(outputs: Outputs, pair: str) -> None:
    """A lock differs in what is listed, and in nothing else."""
    old, new = (read_lock(output, pair) for output in outputs)
    assert without(old) == without(new)
    assert (old["spec"]["target"], new["spec"]["target"]) == (OLD, NEW)
    assert old["spec"]["revision"] != new["spec"]["revision"]


def check_policy(outputs: Outputs, pair: str) -> None:
    """What a lock has besides is made of what the older one has: origins and Secrets."""
    old, new = (read_lock(output, pair) for output in outputs)
    assert all("bindings" not in found for found in old["spec"]["credentials"])
    assert all("rules" not in found for found in old["spec"]["egress"])
    prefix = f"ate-secret://k8s.io/default/{new['metadata']['namespace']}"
    for egress in new["spec"]["egress"]:
        rules = [(scheme, rule) for found in egress["rules"] for scheme, rule in found.items()]
        made = [f"{scheme}://{rule['hostnames'][0]}:{rule['ports']['numbers'][0]}" for scheme, rule in rules]
        assert made == egress["origins"]
        bound = {
            (header["hostname"], header["header"], f"{prefix}/{found['name']}/{found['key']}")
            for found in new["spec"]["credentials"]
            if found["boundary"] == egress["boundary"]
            for header in found.get("bindings", ())
        }
        assert bound == {
            (rule["hostnames"][0], header["header"], header["credentialUri"])
            for _, rule in rules
            for header in rule.get("effects", {}).get("replaceHeaders", ())
        }


def check_fields(outputs: Outputs, pair: str) -> None:
    """Every field of both manifests is listed once, and what moved has the same value."""
    for old, new in boundaries(outputs, pair):
        for value, fields in ((old, [row.old for row in MANIFEST]), (new, [row.new for row in MANIFEST])):
            for path in leaves(value):
                known = [field for field in fields if field and is_below(path, field)]
                assert len(known) == (0 if ".env" in path else 1), path
        for row in MANIFEST:
            if row.moved:
                assert at(old, row.old) == at(new, row.new), row.what


def check_environment(outputs: Outputs, pair: str) -> None:
    """Every variable is the same byte for byte, but for credentials and what the target gives."""
    given = {variable.name: variable.value for variable in ateapi_v0_4.variables(Policy(NEW))}
    for old, new in boundaries(outputs, pair):
        before = environment(old["spec"]["containers"][0])
        after = environment(new["containers"][0])
        assert [found for found in after if found in before] == list(before)
        assert {found: after[found] for found in after if found not in before} == given
        for variable, value in before.items():
            expected = value if isinstance(value, str) else ateapi_resource.PLACEHOLDER
            assert after[variable] == expected, variable


CHECKS = [check_lock, check_policy, check_fields, check_environment]


@each_pair
@pytest.mark.parametrize("check", CHECKS)
def test_a_pair_differs_in_what_is_listed_alone(check: Any, name: str, pair: str) -> None:
    check(golden(name), pair)


def test_variables_of_every_sort_are_among_the_pairs() -> None:
    manifests = [old for name, pair in PAIRS for old, _ in boundaries(golden(name), pair)]
    names = {variable for found in manifests for variable in environment(found["spec"]["containers"][0])}
    assert names >= {"KAGENT_CONFIG_JSON", "KAGENT_AGENT_CARD_JSON", "KAGENT_TOOLS_URL", "LOG_LEVEL"}
    assert any(variable.startswith("KAGENT_CREDENTIAL_") for variable in names)
    assert any("ANTHROPIC" in variable for variable in names)


@pytest.mark.parametrize("name", ["ten-trees-claude", "ten-trees-codex"])
def test_the_files_of_a_cli_are_the_same_for_both_targets(name: str, tmp_path: Path) -> None:
    roots = [Path(shutil.copytree(REPOSITORIES / name, tmp_path / target)) for target in (OLD, NEW)]
    switch(roots[1], NEW)
    for root in roots:
        assert run("render", "--offline", cwd=root).status == 0
    outputs = roots[0] / "rendered", roots[1] / "rendered"
    for pair in pairs(outputs[0]):
        for check in CHECKS:
            check(outputs, pair)
        for old, _ in boundaries(outputs, pair):
            assert "KAGENT_FILES_JSON" in environment(old["spec"]["containers"][0])


@pytest.mark.parametrize("name", AUTHORED)
def test_a_dedicated_boundary_is_named_in_the_first_line_of_its_file(name: str) -> None:
    for pair in pairs(folder(name, NEW)):
        for found in read_lock(folder(name, NEW), pair)["spec"]["boundaries"]:
            text = (folder(name, NEW) / pair / found["manifest"]).read_text()
            head = f"# binding path: {found['path']}\n" if found["path"] else "metadata:\n"
            assert text.startswith(head)


@pytest.mark.parametrize("name", AUTHORED)
def test_both_targets_write_the_same_files_but_for_the_names_of_actor_templates(name: str) -> None:
    old, new = ({path for path in tree(output) if "/actortemplates/" not in path} for output in golden(name))
    assert old == new
