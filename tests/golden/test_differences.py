"""Another target changes what it must and nothing else, in each pair of each golden directory."""

from __future__ import annotations

from typing import Any

import pytest

from kagent_render.compile.policy import Policy
from kagent_render.target import ateapi_v0_4
from tests.golden.both_targets import AUTHORED, NEW, OLD, folder, golden_lock, golden_manifests, pairs
from tests.golden.differences import MANIFEST, at, environment, is_below, leaves, without
from tests.running import tree

PAIRS = [(name, pair) for name in AUTHORED for pair in pairs(name)]
each_pair = pytest.mark.parametrize(("name", "pair"), PAIRS, ids=[pair for _, pair in PAIRS])


def boundaries(name: str, pair: str) -> list[tuple[Any, Any]]:
    """The manifests of each boundary for both targets."""
    old, new = (golden_manifests(name, target, pair) for target in (OLD, NEW))
    assert list(old) == list(new)
    return [(old[path], new[path]) for path in old]


@each_pair
def test_a_lock_differs_in_what_is_listed_alone(name: str, pair: str) -> None:
    old, new = (golden_lock(name, target, pair) for target in (OLD, NEW))
    assert without(old) == without(new)
    assert (old["spec"]["target"], new["spec"]["target"]) == (OLD, NEW)
    assert old["spec"]["revision"] != new["spec"]["revision"]


@each_pair
def test_what_is_added_to_a_lock_is_made_of_what_it_had(name: str, pair: str) -> None:
    old, new = (golden_lock(name, target, pair)["spec"] for target in (OLD, NEW))
    assert all("bindings" not in found for found in old["credentials"])
    assert all("rules" not in found for found in old["egress"])
    for egress in new["egress"]:
        rules = [(scheme, rule) for found in egress["rules"] for scheme, rule in found.items()]
        made = [f"{scheme}://{rule['hostnames'][0]}:{rule['ports']['numbers'][0]}" for scheme, rule in rules]
        assert made == egress["origins"]
        own = [found for found in new["credentials"] if found["boundary"] == egress["boundary"]]
        bound = {
            (header["hostname"], header["header"], f"{new_uri(name, pair, found)}")
            for found in own
            for header in found["bindings"]
        }
        replaced = {
            (rule["hostnames"][0], header["header"], header["credentialUri"])
            for _, rule in rules
            for header in rule.get("effects", {}).get("replaceHeaders", ())
        }
        assert bound == replaced


def new_uri(name: str, pair: str, credential: Any) -> str:
    """How a policy names the Secret of a credential."""
    namespace = golden_lock(name, NEW, pair)["metadata"]["namespace"]
    return f"ate-secret://k8s.io/default/{namespace}/{credential['name']}/{credential['key']}"


@each_pair
def test_every_field_of_both_manifests_is_listed_once_and_what_moved_is_the_same(
    name: str, pair: str
) -> None:
    for old, new in boundaries(name, pair):
        for value, fields in ((old, [row.old for row in MANIFEST]), (new, [row.new for row in MANIFEST])):
            for path in leaves(value):
                known = [field for field in fields if field and is_below(path, field)]
                assert len(known) == (0 if ".env" in f".{path}" else 1), path
        for row in MANIFEST:
            if row.moved:
                assert at(old, row.old) == at(new, row.new), row.what


@each_pair
def test_every_variable_is_the_same_but_for_credentials_and_what_the_target_gives(
    name: str, pair: str
) -> None:
    given = {variable.name: variable.value for variable in ateapi_v0_4.variables(Policy(NEW))}
    for old, new in boundaries(name, pair):
        before = environment(old["spec"]["containers"][0])
        after = environment(new["containers"][0])
        assert [found for found in after if found in before] == list(before)
        assert {found: after[found] for found in after if found not in before} == given
        for variable, value in before.items():
            expected = value if isinstance(value, str) else ateapi_v0_4.PLACEHOLDER
            assert after[variable] == expected, variable


def test_variables_of_every_sort_are_among_the_pairs() -> None:
    manifests = [old for name, pair in PAIRS for old, _ in boundaries(name, pair)]
    values = [value for found in manifests for value in environment(found["spec"]["containers"][0]).items()]
    names = {variable for variable, _ in values}
    assert names >= {"KAGENT_CONFIG_JSON", "KAGENT_AGENT_CARD_JSON", "KAGENT_TOOLS_URL", "LOG_LEVEL"}
    assert any(variable.startswith("KAGENT_CREDENTIAL_") for variable in names)
    assert any("ANTHROPIC" in variable for variable in names)


@pytest.mark.parametrize("name", AUTHORED)
def test_a_dedicated_boundary_is_named_in_the_first_line_of_its_file(name: str) -> None:
    for pair in pairs(name):
        for found in golden_lock(name, NEW, pair)["spec"]["boundaries"]:
            text = (folder(name, NEW) / pair / found["manifest"]).read_text()
            head = f"# binding path: {found['path']}\n" if found["path"] else "metadata:\n"
            assert text.startswith(head)


@pytest.mark.parametrize("name", AUTHORED)
def test_both_targets_write_the_same_files_but_for_the_names_of_actor_templates(name: str) -> None:
    written = [
        {path for path in tree(folder(name, target)) if "/actortemplates/" not in path}
        for target in (OLD, NEW)
    ]
    assert written[0] == written[1]
