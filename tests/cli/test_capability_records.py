"""Capability records of a repository: which pairs they decide, and what is wrong with one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cli.team import CONFIG, FILES, ONES, ZEROS, edit, lock_spec
from tests.running import Run, run

LEAD, HELPER, CRITIC = "lead", "helper", "critic"
DIGEST = f"sha256:{ZEROS}"
TRANSCRIPT = f"sha256:{ONES}"
CAPABILITIES = {
    "nativeAgentTools": "true",
    "maxNativeAgentDepth": "1",
    "dedicatedAgentTools": "true",
    "mcpInjection": "true",
    "inputModalities": "[text]",
    "outputModalities": "[text]",
    "childTools": "[own, fewer]",
    "privateDedicatedTools": "true",
    "mcpTransports": "[streamable-http]",
    "modelProviders": "[Bedrock]",
    "modelOptions": "true",
}


def write_record(root: Path, name: str = "ours", *, file: str = "ours.yaml", **values: str) -> None:
    """A record of the Harness's image in which everything that the root needs is proven but `values`."""
    known = {**CAPABILITIES, **values}
    lines = "".join(f"    {key}: {{value: {value}, evidence: seen}}\n" for key, value in known.items())
    path = root / ".kagent/capabilities" / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        "apiVersion: render.kagent.dev/v1alpha1\nkind: CapabilityRecord\n"
        f"metadata: {{name: {name}}}\nspec:\n  version: '1'\n  adapter: python\n"
        f"  runtime: {{name: our runtime, version: 1.2.3}}\n  images: ['{DIGEST}']\n"
        f"  transcript: '{TRANSCRIPT}'\n  capabilities:\n{lines}"
    )


@pytest.fixture
def ours(team: Path) -> Path:
    """A root with a record of its own, rendered with it."""
    (team / "kagent-render.yaml").write_text(f"{CONFIG}  capabilities: [.kagent/capabilities/*.yaml]\n")
    write_record(team)
    done = run("render", "--strict", cwd=team)
    assert done.status == 0, done.err
    return team


def incompatible(done: Run) -> dict[str, str]:
    """The pairs that are not compatible, by template, with the reason."""
    return {
        pair["template"]: condition["reason"]
        for pair in done.json["pairs"]
        for condition in pair["conditions"]
        if condition["type"] == "Compatible" and condition["status"] == "False"
    }


def check(root: Path) -> Run:
    return run("check", "-o", "json", cwd=root)


def test_a_record_that_names_the_image_decides_and_is_named_in_the_lock(ours: Path) -> None:
    assert check(ours).status == 0
    assert lock_spec(ours)["capabilities"]["record"] == "ours"


@pytest.mark.parametrize(
    ("capability", "fields"),
    [
        ("nativeAgentTools", {"spec.tools[1].agent"}),
        ("dedicatedAgentTools", {"spec.tools[2].agent"}),
        ("mcpInjection", {"spec.tools[0].mcp", "spec.tools[2].agent"}),
        ("childTools", {"spec.tools[1].agent"}),
    ],
)
def test_an_edit_of_a_record_flips_exactly_the_pairs_that_need_the_capability(
    ours: Path, capability: str, fields: set[str]
) -> None:
    write_record(ours, **{capability: "false"})
    done = check(ours)
    assert done.status == 1
    assert incompatible(done) == {LEAD: "CapabilityUnsupported"}
    refused = [fault for fault in done.faults if fault["reason"] == "CapabilityUnsupported"]
    assert {fault["field"] for fault in refused} == fields
    assert all(f"`{capability}" in fault["message"] for fault in refused)
    assert all("capability record `ours`" in fault["message"] for fault in refused)


def test_an_edit_that_no_pair_needs_makes_every_lock_stale_and_is_named(ours: Path) -> None:
    write_record(ours, streaming="true")
    done = check(ours)
    assert incompatible(done) == {}
    stale = [fault for fault in done.faults if fault["reason"] == "LockStale"]
    (fault,) = stale
    assert "3 locks are stale: the capability record `ours` changed" in fault["message"]
    assert (fault["source"]["path"], fault["field"]) == (".kagent/capabilities/ours.yaml", "spec")


def test_another_record_than_the_locked_one_is_named_with_both(ours: Path) -> None:
    write_record(ours, name="theirs")
    message = "the capability record is `theirs`, the lock has `ours`"
    assert all(message in fault["message"] for fault in check(ours).faults)


NAMESAKE = (
    "apiVersion: render.kagent.dev/v1alpha1\nkind: CapabilityRecord\nmetadata: {{name: our-adk}}\n"
    f"spec:\n  sameAs: kagent-adk-0.10.4\n  images: ['{DIGEST}']\n{{}}"
)


def test_a_namesake_may_prove_more_than_the_record_that_it_takes_over(ours: Path) -> None:
    own = "  capabilities: {nativeAgentTools: {value: true, evidence: our run}}\n"
    record = ours / ".kagent/capabilities/ours.yaml"
    record.write_text(NAMESAKE.format(own))
    (fault,) = check(ours).faults
    assert fault["field"] == "spec.transcript"
    record.write_text(NAMESAKE.format(f"{own}  transcript: '{TRANSCRIPT}'\n"))
    fields = {fault["field"] for fault in check(ours).faults if "`our-adk`" in fault["message"]}
    assert "spec.tools[2].agent" in fields
    messages = [fault["message"] for fault in check(ours).faults]
    assert not any("`nativeAgentTools`" in message for message in messages)


def unused(done: Run) -> list[dict[str, Any]]:
    """What is said of records that decide nothing."""
    return [found for found in done.json["diagnostics"] if found["reason"] == "CapabilityRecordUnused"]


UNUSED = {
    "of no image that runs": (DIGEST, f"sha256:{ONES}"),
    "of another adapter": ("adapter: python", "adapter: codex"),
}


@pytest.mark.parametrize(("old", "new"), UNUSED.values(), ids=UNUSED)
def test_a_record_that_decides_nothing_is_told(ours: Path, old: str, new: str) -> None:
    edit(ours / ".kagent/capabilities/ours.yaml", old, new)
    (told,) = unused(check(ours))
    assert (told["severity"], told["field"]) == ("warning", "spec.images")
    assert told["source"]["path"] == ".kagent/capabilities/ours.yaml"


def test_a_record_among_the_manifests_that_nothing_names_is_told(team: Path) -> None:
    write_record(team)
    (team / ".kagent/capabilities/ours.yaml").rename(team / "ours.yaml")
    (told,) = unused(check(team))
    assert told["source"]["path"] == "ours.yaml"
    assert "`ours.yaml`" in told["hint"]


def test_images_that_hold_a_shipped_runtime_take_its_values(ours: Path) -> None:
    (ours / ".kagent/capabilities/ours.yaml").write_text(
        "apiVersion: render.kagent.dev/v1alpha1\nkind: CapabilityRecord\nmetadata: {name: our-adk}\n"
        f"spec: {{sameAs: kagent-adk-0.10.4, images: ['{DIGEST}']}}\n"
    )
    done = check(ours)
    assert incompatible(done) == {LEAD: "CapabilityUnsupported"}
    assert any("`our-adk` denies to kagent-adk 0.10.4" in fault["message"] for fault in done.faults)


def test_a_runtime_without_native_agents_still_takes_a_template_with_mcp_tools_alone(ours: Path) -> None:
    write_record(ours, nativeAgentTools="false", maxNativeAgentDepth="0", dedicatedAgentTools="false")
    lead = (ours / "lead.yaml").read_text()
    alone = lead.replace("name: lead", "name: searcher").split("  - agent:")[0] + "  harnesses:\n"
    (ours / "searcher.yaml").write_text(f"{alone}    include:\n    - name: runtime\n")
    done = run("render", "--keep-going", "--strict", "-o", "json", cwd=ours)
    assert incompatible(done) == {LEAD: "CapabilityUnsupported"}
    assert {fault["field"] for fault in done.faults} == {"spec.tools[1].agent", "spec.tools[2].agent"}
    assert (ours / "rendered/team/runtime/searcher/revision.lock.yaml").exists()


def test_an_image_that_no_record_names_takes_the_default(ours: Path) -> None:
    edit(ours / "harness.yaml", ZEROS, ONES)
    assert run("render", cwd=ours).status == 0
    assert lock_spec(ours)["capabilities"]["record"] == "python-reference"


WRONG: dict[str, tuple[str, str, str]] = {
    # what is replaced, by what, the field
    "another kind": ("kind: CapabilityRecord", "kind: Capability", "kind"),
    "an unknown field": ("  version: '1'", "  version: '1'\n  claims: all", "spec.claims"),
    "an unknown adapter": ("adapter: python", "adapter: java", "spec.adapter"),
    "an unknown capability": ("mcpInjection:", "flying:", "spec.capabilities.flying"),
    "a bare value": (
        "mcpInjection: {value: true, evidence: seen}",
        "mcpInjection: true",
        "spec.capabilities.mcpInjection",
    ),
    "no evidence": (
        "mcpInjection: {value: true, evidence: seen}",
        "mcpInjection: {value: true}",
        "spec.capabilities.mcpInjection.evidence",
    ),
    "a value of another kind": (
        "mcpInjection: {value: true",
        "mcpInjection: {value: [a]",
        "spec.capabilities.mcpInjection.value",
    ),
    "a negative depth": (
        "maxNativeAgentDepth: {value: 1",
        "maxNativeAgentDepth: {value: -1",
        "spec.capabilities.maxNativeAgentDepth.value",
    ),
    "a depth that no computer counts": (
        "maxNativeAgentDepth: {value: 1",
        "maxNativeAgentDepth: {value: 1e300",
        "spec.capabilities.maxNativeAgentDepth.value",
    ),
    "evidence that is blank": (
        "mcpInjection: {value: true, evidence: seen}",
        "mcpInjection: {value: true, evidence: ' '}",
        "spec.capabilities.mcpInjection.evidence",
    ),
    "evidence that is no text": (
        "mcpInjection: {value: true, evidence: seen}",
        "mcpInjection: {value: unproven, evidence: [seen]}",
        "spec.capabilities.mcpInjection.evidence",
    ),
    "a member that is no text": (
        "inputModalities: {value: [text]", "inputModalities: {value: [text, null]",
        "spec.capabilities.inputModalities.value[1]",
    ),
    "a member with a control character": (
        "inputModalities: {value: [text]", r'inputModalities: {value: ["te\e[2Jxt"]',
        "spec.capabilities.inputModalities.value[0]",
    ),
    "a provider that there is not": ("[Bedrock]", "[bedrock]", "spec.capabilities.modelProviders.value[0]"),
    "a transport that there is not": (
        "[streamable-http]", "[stdio]", "spec.capabilities.mcpTransports.value[0]",
    ),
    "an option of no provider": (
        "modelOptions: {value: true", "modelOptions: {value: [temperature]",
        "spec.capabilities.modelOptions.value[0]",
    ),
    "a name with capitals": ("{name: ours}", "{name: Ours}", "metadata.name"),
    "no version": ("  version: '1'\n", "", "spec.version"),
    "a runtime's name with a control character": (
        "name: our runtime", r'name: "our\e[2J"', "spec.runtime.name",
    ),
    "no transcript": (f"  transcript: '{TRANSCRIPT}'\n", "", "spec.transcript"),
    "a transcript that is no digest": (TRANSCRIPT, "yesterday", "spec.transcript"),
    "no images": (f"images: ['{DIGEST}']", "images: []", "spec.images"),
    "an image that is no digest": (DIGEST, "latest", "spec.images[0]"),
    "a default": ("  version: '1'", "  version: '1'\n  default: true", "spec.default"),
    "the name of a shipped record": ("{name: ours}", "{name: python-reference}", "metadata.name"),
    "values beside those of a shipped record": (
        "  version: '1'", "  sameAs: python-reference\n  version: '1'", "spec.version",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("old", "new", "field"), WRONG.values(), ids=WRONG)
def test_what_is_no_record_is_told_at_its_field_and_blocks_every_pair(
    ours: Path, old: str, new: str, field: str
) -> None:
    edit(ours / ".kagent/capabilities/ours.yaml", old, new)
    done = check(ours)
    assert done.status == 2
    (fault,) = done.faults
    assert (fault["reason"], fault["field"]) == ("ConfigInvalid", field)
    assert fault["source"]["path"] == ".kagent/capabilities/ours.yaml"
    assert fault["hint"]
    assert {condition["reason"] for pair in done.json["pairs"] for condition in pair["conditions"]} == {
        "Blocked"
    }


def test_a_shipped_record_that_there_is_not_is_told_with_those_that_there_are(ours: Path) -> None:
    (ours / ".kagent/capabilities/ours.yaml").write_text(
        "apiVersion: render.kagent.dev/v1alpha1\nkind: CapabilityRecord\nmetadata: {name: our-adk}\n"
        f"spec: {{sameAs: python-9, images: ['{DIGEST}']}}\n"
    )
    (fault,) = check(ours).faults
    assert fault["field"] == "spec.sameAs"
    assert "`python-reference`" in fault["hint"]


def test_two_records_of_one_image_are_refused(ours: Path) -> None:
    write_record(ours, name="theirs", file="theirs.yaml")
    (fault,) = check(ours).faults
    assert (fault["reason"], fault["field"]) == ("ConfigInvalid", "spec.images")
    assert "`ours`" in fault["message"]


@pytest.mark.parametrize("text", ["", "- a\n", "a: b\n---\nc: d\n", "a: [\n"])
def test_a_file_that_holds_no_record_is_told(ours: Path, text: str) -> None:
    (ours / ".kagent/capabilities/ours.yaml").write_text(text)
    (fault,) = check(ours).faults
    assert fault["reason"] == "ConfigInvalid"
    assert fault["source"]["path"] == ".kagent/capabilities/ours.yaml"


def test_a_pattern_that_names_no_file_is_told_at_its_place(ours: Path) -> None:
    edit(ours / "kagent-render.yaml", "capabilities/*.yaml", "abilities/*.yaml")
    (fault,) = check(ours).faults
    assert (fault["reason"], fault["field"]) == ("ConfigInvalid", "spec.capabilities[0]")


@pytest.mark.parametrize(
    "pattern",
    [
        "./.kagent/capabilities/*.yaml",
        "././.kagent/capabilities/*.yaml",
        ".kagent//capabilities/*.yaml",
        ".kagent/./capabilities/ours.yaml",
        ".kagent/**",
        ".kagent/*/*.yaml",
    ],
)
def test_a_pattern_finds_the_record_however_its_path_is_written(ours: Path, pattern: str) -> None:
    edit(ours / "kagent-render.yaml", "[.kagent/capabilities/*.yaml]", f"['{pattern}']")
    done = check(ours)
    assert done.status == 0, done.out


def test_an_exclusion_leaves_a_record_out(ours: Path) -> None:
    write_record(ours, name="draft", file="draft.yaml")
    edit(ours / "kagent-render.yaml", "[.kagent", "['!.kagent/capabilities/draft.yaml', .kagent")
    assert check(ours).status == 0


def test_exclusions_alone_are_told_since_they_name_no_record(ours: Path) -> None:
    edit(ours / "kagent-render.yaml", "[.kagent/capabilities/*.yaml]", "['!draft.yaml']")
    (fault,) = check(ours).faults
    assert (fault["reason"], fault["field"]) == ("ConfigInvalid", "spec.capabilities")


def test_a_pattern_with_a_character_that_no_path_has_is_refused(ours: Path) -> None:
    edit(ours / "kagent-render.yaml", "[.kagent/capabilities/*.yaml]", r'[".kagent\0/*.yaml"]')
    (fault,) = check(ours).faults
    assert (fault["reason"], fault["field"]) == ("ConfigInvalid", "spec.capabilities[0]")


def test_manifests_on_standard_input_are_held_against_the_same_record(ours: Path) -> None:
    (ours / ".kagent/capabilities/ours.yaml").rename(ours / "ours.yaml")
    edit(ours / "kagent-render.yaml", "[.kagent/capabilities/*.yaml]", "['*.yaml', '![!o]*']")
    texts = [(ours / name).read_bytes() for name in FILES if name != "kagent-render.yaml"]
    done = run("check", "-f", "-", "-o", "json", cwd=ours, stdin=b"---\n".join(texts))
    assert done.status == 0, done.out


def test_records_in_the_output_or_in_another_root_are_not_the_root_s_own(ours: Path) -> None:
    record = (ours / ".kagent/capabilities/ours.yaml").read_text()
    for folder in ("rendered/records", "nested/records", "nested/deep/records"):
        (ours / folder).mkdir(parents=True)
        (ours / folder / "ours.yaml").write_text(record.replace("name: ours", "name: theirs"))
    (ours / "nested/kagent-render.yaml").write_text(CONFIG)
    edit(ours / "kagent-render.yaml", "[.kagent", "['**/records/*.yaml', .kagent")
    (fault,) = (fault for fault in check(ours).faults if fault["reason"] == "ConfigInvalid")
    assert fault["field"] == "spec.capabilities[0]"
    assert "`**/records/*.yaml`" in fault["message"]


def test_a_template_of_two_harnesses_is_told_what_each_of_their_records_denies(ours: Path) -> None:
    harness = (ours / "harness.yaml").read_text()
    (ours / "other.yaml").write_text(harness.replace("name: runtime}", "name: other}").replace(ZEROS, ONES))
    for name in (LEAD, HELPER, CRITIC):
        edit(ours / f"{name}.yaml", "    - name: runtime\n", "    - name: runtime\n    - name: other\n")
    write_record(ours, nativeAgentTools="false")
    write_record(ours, name="theirs", file="theirs.yaml", nativeAgentTools="false")
    edit(ours / ".kagent/capabilities/theirs.yaml", f"images: ['{DIGEST}']", f"images: ['sha256:{ONES}']")
    refused = [fault for fault in check(ours).faults if fault["reason"] == "CapabilityUnsupported"]
    assert {fault["field"] for fault in refused} == {"spec.tools[1].agent"}
    assert [(fault["pair"]["harness"], "`ours`" in fault["message"]) for fault in refused] == [
        ("other", False),
        ("runtime", True),
    ]
