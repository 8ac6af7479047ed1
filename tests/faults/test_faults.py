"""One planted fault, one diagnostic at its place, nothing written: every rule that a manifest can break."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.faults import agentplugin, agenttemplate, attachment, compatibility, content, documents, harness
from tests.faults.repository import EXTRA, Edit, Fault, bindings, template
from tests.running import Run, run, tree

SECTIONS = {
    "Harness": harness.CASES,
    "AgentTemplate": agenttemplate.CASES,
    "attachment": attachment.CASES,
    "compatibility": compatibility.CASES,
    "content": content.CASES,
    "documents": documents.CASES,
    "kube-agents": agentplugin.CASES,
}
CASES = {f"{section}: {name}": fault for section, cases in SECTIONS.items() for name, fault in cases.items()}

STAGES = ("Accepted", "ResolvedRefs", "Compatible", "Prepared")
SUCCESS = ("Accepted", "Resolved", "Compatible", "Prepared")

REASONS = {
    None: """YAMLInvalid InvalidSpec UnknownField UnsupportedVersion DuplicateObject CrossNamespaceReference
        SourceNotImmutable ConfigInvalid CredentialLiteral""",
    "Accepted": "HarnessNotFound NotIncluded NotAdmitted",
    "ResolvedRefs": """TemplateNotFound CycleDetected TreeTooLarge DuplicateBindingName ModelConfigNotFound
        MCPServerNotFound ConfigMapNotFound ConfigMapKeyNotFound DuplicatePromptSource PromptTemplateInvalid
        PromptRenderFailed ArtifactFetchFailed ArtifactNotFound ArtifactDigestMismatch ArtifactUnsafe
        ArtifactTooLarge ArtifactUnavailableOffline PluginManifestInvalid PluginSchemaUnsupported
        SkillNotFound SkillInvalid DuplicateSkillName""",
    "Compatible": """SharedDepthExceeded CapabilityUnsupported CapabilityUnproven ProviderUnsupported
        VolumeRequired EnvLimitExceeded EnvValueTooLong ReservedEnvName CredentialUnsupported NameInvalid
        CredentialKeysUnknown FieldIgnored""",
}
"""The conditions of DESIGN 14 with the reasons that make them False."""

CONDITION = {reason: condition for condition, reasons in REASONS.items() for reason in reasons.split()}


@dataclass(frozen=True)
class Seen:
    """One fault as three commands met it, and the files before them and after each."""

    fault: Fault
    root: Path
    checked: Run
    rendered: Run
    kept_going: Run
    files: tuple[dict[str, bytes], ...]

    @property
    def told(self) -> dict[str, Any]:
        """The one error of `render`."""
        (told,) = self.rendered.faults
        return told


@pytest.fixture(scope="module", params=list(CASES.values()), ids=list(CASES))
def seen(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Seen:
    fault: Fault = request.param
    root = tmp_path_factory.mktemp("faults") / "repository"
    fault.plant(root)
    files = [tree(root)]
    checked = call("check", fault, root)
    files.append(tree(root))
    rendered = call("render", fault, root)
    files.append(tree(root))
    kept_going = call("render", fault, root, "--keep-going")
    files.append(tree(root))
    return Seen(fault, root, checked, rendered, kept_going, tuple(files))


def call(command: str, fault: Fault, root: Path, *args: str) -> Run:
    return run(command, "-o", "json", "--offline", *fault.args, *args, cwd=root)


def test_a_fault_is_one_error_with_its_reason_and_condition(seen: Seen) -> None:
    assert [found["reason"] for found in seen.rendered.faults] == [seen.fault.reason]
    assert seen.told["condition"] == CONDITION[seen.fault.reason]


def test_a_fault_ends_with_1_and_one_of_the_configuration_with_2(seen: Seen) -> None:
    assert seen.rendered.status == (2 if seen.fault.reason == "ConfigInvalid" else 1)


def test_a_fault_names_its_object_and_field(seen: Seen) -> None:
    ref = seen.told["object"]
    assert (ref and f"{ref['kind']}/{ref['name']}", seen.told["field"]) == (
        seen.fault.object,
        seen.fault.field,
    )


def test_a_fault_points_at_the_line_and_column_where_it_stands(seen: Seen) -> None:
    source = seen.told["source"]
    assert source["path"] == seen.fault.place
    text = (seen.root / seen.fault.place).read_text()
    assert text.count(seen.fault.at) == 1, "the marker has to be unambiguous"
    lines = text.splitlines(keepends=True)[source["line"] - 1 :]
    assert "".join(lines)[source["column"] - 1 :].startswith(seen.fault.at)


def test_a_fault_says_what_is_wrong_and_what_to_do(seen: Seen) -> None:
    message, hint = seen.told["message"], seen.told["hint"]
    assert message
    assert not message.endswith(".")
    assert seen.fault.says in message
    assert hint
    assert not hint.endswith(".")
    assert seen.fault.hint in hint


def test_a_fault_shows_in_the_conditions_of_the_pairs_that_it_reaches(seen: Seen) -> None:
    fault = seen.fault
    sound = [(stage, "True", reason) for stage, reason in zip(STAGES, SUCCESS, strict=True)]
    assert told_pairs(seen.rendered) == {
        **dict.fromkeys(fault.failing_pairs, conditions(fault)),
        **dict.fromkeys(fault.sound_pairs, sound),
    }


def conditions(fault: Fault) -> list[tuple[str, str, str]]:
    """The conditions of a pair that `fault` keeps from being prepared."""
    failing = CONDITION[fault.reason]
    if failing is None:
        return [(stage, "False", "Blocked") for stage in STAGES]
    at = STAGES.index(failing)
    return [
        *((stage, "True", reason) for stage, reason in zip(STAGES[:at], SUCCESS, strict=False)),
        (failing, "False", fault.reason),
        *((stage, "False", "Blocked") for stage in STAGES[at + 1 :]),
    ]


def told_pairs(run: Run) -> dict[str, list[tuple[str, str, str]]]:
    return {
        pair["template"]: [(c["type"], c["status"], c["reason"]) for c in pair["conditions"]]
        for pair in run.json["pairs"]
    }


def test_check_tells_what_render_tells(seen: Seen) -> None:
    assert seen.told in seen.checked.faults
    assert seen.checked.status == seen.rendered.status


def test_nothing_is_written_where_anything_is_wrong(seen: Seen) -> None:
    before, after_check, after_render, _ = seen.files
    assert before == after_check == after_render
    assert seen.rendered.json["changed"] == []


def test_no_output_folder_is_made_where_anything_is_wrong(seen: Seen) -> None:
    rendered = seen.root / "rendered"
    shutil.move(rendered, seen.root.with_name("aside"))
    try:
        call("render", seen.fault, seen.root)
        assert not rendered.exists()
    finally:
        shutil.move(seen.root.with_name("aside"), rendered)


def test_keep_going_leaves_the_files_of_every_pair_that_fails(seen: Seen) -> None:
    failing = [pair for pair in seen.kept_going.json["pairs"] if pair["revision"] is None]
    folders = tuple(f"rendered/{pair['namespace']}/{pair['harness']}/{pair['template']}/" for pair in failing)
    *_, before, after = seen.files
    assert {path: after.get(path) for path in before if path.startswith(folders)} == {
        path: data for path, data in before.items() if path.startswith(folders)
    }
    assert seen.kept_going.status == seen.rendered.status


@pytest.mark.parametrize(
    "name",
    [
        "AgentTemplate: no namespace",
        "AgentTemplate: no name",
        "documents: a key twice",
        "documents: an unknown field",
        "Harness: v1alpha3: no workload",
        "Harness: v1alpha3: the variant of the other dialect",
    ],
)
def test_keep_going_takes_no_pair_for_gone_that_an_unreadable_object_may_ask_for(
    name: str, tmp_path: Path
) -> None:
    root = tmp_path / "repository"
    CASES[name].plant(root)
    before = tree(root / "rendered")
    assert run("render", "--offline", "--keep-going", cwd=root).status in (1, 2)
    assert tree(root / "rendered").keys() >= before.keys()


def test_keep_going_writes_nothing_that_a_warning_under_strict_refuses(tmp_path: Path) -> None:
    root = tmp_path / "repository"
    fault = CASES["Harness: a literal that is a credential, under --strict"]
    fault.plant(root)
    call("render", fault, root, "--keep-going")
    assert not any(b"ghp_" in data for data in tree(root / "rendered").values())


def test_a_cycle_through_several_templates_is_spelled_out_from_every_root(tmp_path: Path) -> None:
    root = tmp_path / "repository"
    text = "".join(
        template(name, bindings(f"next => {other}"))
        for name, other in (("one", "two"), ("two", "three"), ("three", "one"))
    )
    fault = Fault("CycleDetected", None, None, "", (Edit(EXTRA, "", text),))
    fault.plant(root)
    assert {(found["object"]["name"], found["message"]) for found in call("render", fault, root).faults} == {
        ("three", "agent bindings form the cycle `one -> two -> three -> one`"),
        ("one", "agent bindings form the cycle `two -> three -> one -> two`"),
        ("two", "agent bindings form the cycle `three -> one -> two -> three`"),
    }


def test_every_condition_has_faults_of_its_own() -> None:
    assert {CONDITION[fault.reason] for fault in CASES.values()} == set(REASONS)
