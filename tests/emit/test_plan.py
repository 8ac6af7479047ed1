"""Which files an output folder should hold."""

from __future__ import annotations

import dataclasses

import pytest
import yaml

from kagent_render.diagnostics.diagnostic import PairRef
from kagent_render.emit.plan import HEADER, plan_output
from tests.emit.outputs import BEFORE, broken_promises, carried_output, pair_output, plan_of


def resources(text: bytes) -> list[str]:
    listed: list[str] = yaml.safe_load(text)["resources"]
    return listed


def test_a_plan_holds_each_pairs_files_and_the_kustomizations_above_them() -> None:
    plan = plan_of(("team", "py", "planner", "v1"))
    manifests = sorted(plan.manifests)
    assert list(plan.files) == [
        ".gitattributes",
        "kustomization.yaml",
        "team/kustomization.yaml",
        *manifests,
        "team/py/planner/kustomization.yaml",
        "team/py/planner/revision.lock.yaml",
    ]
    assert len(manifests) == 2


def test_kustomizations_list_folders_down_to_the_manifests() -> None:
    files = BEFORE.files
    assert resources(files["kustomization.yaml"]) == ["a", "b"]
    assert resources(files["a/kustomization.yaml"]) == ["py/one", "py/two"]
    listed = resources(files["a/py/one/kustomization.yaml"])
    assert [f"a/py/one/{path}" for path in listed] == [
        path for path in BEFORE.manifests if "a/py/one" in path
    ]


def test_a_kustomization_is_one_line_per_entry_below_a_fixed_head() -> None:
    assert BEFORE.files["a/kustomization.yaml"].decode() == (
        f"{HEADER}apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n"
        "resources:\n- py/one\n- py/two\n"
    )


def test_retained_manifests_are_planned_and_listed() -> None:
    plan = plan_output([pair_output("a", "py", "one", "v2", retained="v1")])
    assert len(plan.manifests) == 4
    assert len(resources(plan.files["a/py/one/kustomization.yaml"])) == 4
    assert broken_promises(plan.files) == []


def test_a_carried_pair_has_a_generator_of_one_config_map() -> None:
    plan = plan_output([carried_output("a", "py", "one", "v1")])
    first, second = sorted(plan.manifests)
    assert plan.files["a/py/one/kustomization.yaml"].decode() == (
        f"{HEADER}apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n"
        "configMapGenerator:\n"
        "- name: one-py-a3531d9f98b3\n"
        "  namespace: a\n"
        "  options:\n"
        "    disableNameSuffixHash: true\n"
        "    labels:\n"
        "      app.kubernetes.io/managed-by: kagent\n"
        "      kagent.dev/agent-template: one\n"
        "      kagent.dev/harness: py\n"
        "      render.kagent.dev/carries: actortemplates\n"
        "    annotations:\n"
        "      argocd.argoproj.io/sync-options: ServerSideApply=true\n"
        "      render.kagent.dev/pair: a/py/one\n"
        "  files:\n"
        f"  - {first.removeprefix('a/py/one/')}\n"
        f"  - {second.removeprefix('a/py/one/')}\n"
        "  - revision.lock.yaml\n"
    )
    assert broken_promises(plan.files) == []


def test_only_the_files_of_data_change_with_the_revision() -> None:
    plans = [plan_output([carried_output("a", "py", "one", *of)]) for of in (("v1",), ("v2", "v1"))]
    first, second = (plan.files["a/py/one/kustomization.yaml"].partition(b"  files:\n") for plan in plans)
    assert first[0] == second[0]
    assert set(first[2].splitlines()) < set(second[2].splitlines())


@pytest.mark.parametrize("carried", [False, True])
def test_manifests_of_another_generation_stay_and_reach_no_cluster(carried: bool) -> None:
    make = carried_output if carried else pair_output
    output = make("a", "py", "one", "v2", "v1")
    plan = plan_output([dataclasses.replace(output, foreign=frozenset(output.retained))])
    assert len(plan.manifests) == 4
    text = plan.files["a/py/one/kustomization.yaml"].decode()
    assert not any(name in text for name in output.retained)
    names = {found.name for found in plan.applied}
    keys = {key for found in plan.applied for key in yaml.safe_load(found.text).get("data", ())}
    assert plan.applied
    assert names.isdisjoint(output.retained)
    assert keys.isdisjoint(f"{name}.yaml" for name in output.retained)


def test_a_pair_with_nothing_to_carry_yields_nothing() -> None:
    output = carried_output("a", "py", "one", "v2", "v1")
    gone = dataclasses.replace(output, lock=None, manifests={}, foreign=frozenset(output.retained))
    plan = plan_output([gone])
    assert resources(plan.files["a/py/one/kustomization.yaml"]) == []
    assert plan.applied == ()
    assert len(plan.manifests) == 2


def test_a_kept_pair_stays_listed_and_has_no_planned_files() -> None:
    kept = PairRef("a", "py", "old")
    plan = plan_of(("a", "py", "one", "v1"), kept=(kept,))
    assert resources(plan.files["a/kustomization.yaml"]) == ["py/old", "py/one"]
    assert not any(path.startswith("a/py/old/") for path in plan.files)


def test_without_pairs_nothing_should_exist() -> None:
    assert plan_output([]).files == {}


def test_the_order_of_pairs_changes_no_byte() -> None:
    pairs = [pair_output("a", "py", name, "v1") for name in ("one", "two", "three")]
    assert plan_output(pairs).files == plan_output(reversed(pairs)).files


def test_a_name_that_is_no_path_is_refused() -> None:
    output = pair_output("a", "py", "one", "v1")
    for name in ("../x", "key=value", "a\nb", ""):
        with pytest.raises(ValueError, match="is not the name of an object"):
            plan_output([dataclasses.replace(output, manifests={name: b""}, carried=True)])
    with pytest.raises(ValueError, match="has no folder"):
        plan_output([dataclasses.replace(output, pair=PairRef("a", "..", "one"))])


def test_what_is_applied_is_what_kustomizations_list() -> None:
    retaining = pair_output("a", "py", "one", "v2", retained="v1")
    plan = plan_output([carried_output("a", "py", "two", "v1"), retaining])
    manifests = [path for path in plan.manifests if path.startswith("a/py/one/")]
    assert [found.path for found in plan.applied] == [*sorted(manifests), "a/py/two/kustomization.yaml"]
    assert [found.kind for found in plan.applied] == ["ActorTemplate"] * 4 + ["ConfigMap"]
    for found in plan.applied[:4]:
        assert found.text == plan.manifests[found.path]
    carried = yaml.safe_load(plan.applied[4].text)
    assert carried["metadata"]["name"] == plan.applied[4].name
    assert carried["data"]["revision.lock.yaml"].encode() == plan.locks["a/py/two/revision.lock.yaml"]
