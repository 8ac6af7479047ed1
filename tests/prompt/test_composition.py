"""The composition of an AgentTemplate's system prompt out of its text and its ConfigMaps."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import pytest

from kagent_render.api.hub import (
    AgentBinding,
    AgentTemplate,
    ConfigMap,
    ConfigMapKeyRef,
    Isolation,
    McpBinding,
    PromptSource,
)
from kagent_render.diagnostics.diagnostic import Diagnostic, FieldPath
from kagent_render.diagnostics.reasons import Reason
from kagent_render.prompt.composition import Prompt, compose_prompt, tool_names
from kagent_render.source.document import Document

TOOLS = (
    McpBinding("RemoteMCPServer", "k8s", ("get", "list")),
    AgentBinding("logs", "Reads logs.", "log-reader", Isolation.SHARED),
    McpBinding("RemoteMCPServer", "prom", ("query", "get")),
)


class Nowhere:
    """A locator that finds every field at one place."""

    def locate(self, field: FieldPath) -> tuple[int, int]:
        return 7, 3

    def locate_literal(self, field: FieldPath) -> tuple[int, int] | None:
        return None


def document(kind: str, name: str) -> Document:
    value: dict[str, Any] = {
        "apiVersion": "kagent.dev/v1alpha3",
        "kind": kind,
        "metadata": {"namespace": "team", "name": name},
    }
    return Document("agent.yaml", value, Nowhere())


def agent(
    prompt: str | ConfigMapKeyRef, *sources: PromptSource, templated: bool = True, description: str = "Helps."
) -> AgentTemplate:
    source = document("AgentTemplate", "helper")
    return AgentTemplate(
        ref=source.ref,
        spec={},
        document=source,
        labels={},
        description=description,
        model_config="model",
        system_prompt=prompt,
        prompt_sources=sources if templated else None,
        tools=TOOLS,
        skills=(),
        plugins=(),
        harnesses=None,
    )


def config_map(name: str, data: Mapping[str, str], binary: frozenset[str] = frozenset()) -> ConfigMap:
    source = document("ConfigMap", name)
    return ConfigMap(ref=source.ref, spec={}, document=source, data=data, binary=binary)


MAPS = {
    "prompts": config_map("prompts", {"safety": "Never {{.X}}.", "style": "Be brief."}, frozenset({"logo"})),
    "more": config_map("more", {"safety": "Also.", "tone": "Kind.", "own": "Dear {{.AgentTemplateName}}"}),
    "alone": config_map("alone", {"a": "A"}),
}


def composed(template: AgentTemplate) -> Prompt:
    prompt = compose_prompt(template, MAPS.get)
    assert isinstance(prompt, Prompt), prompt
    return prompt


def faults(template: AgentTemplate) -> list[tuple[Reason, str | None, str]]:
    found = compose_prompt(template, MAPS.get)
    assert not isinstance(found, Prompt)
    return [(fault.reason, fault.field, fault.message) for fault in found]


def only_fault(template: AgentTemplate) -> Diagnostic:
    found = compose_prompt(template, MAPS.get)
    assert not isinstance(found, Prompt)
    assert len(found) == 1
    return found[0]


def test_without_a_prompt_template_the_text_passes_through_with_its_braces() -> None:
    text = "{{ not a template }} {{"
    assert composed(agent(text, templated=False)) == Prompt(text, templated=False, used=())


def test_an_empty_prompt_template_counts() -> None:
    assert composed(agent("{{.AgentTemplateName}}")) == Prompt("helper", templated=True, used=())


def test_the_data_is_that_of_the_template_itself() -> None:
    text = "{{.AgentTemplateName}} {{.AgentTemplateNamespace}} {{.Description}} {{.ToolNames}}"
    assert composed(agent(text)).text == "helper team Helps. [get list query get]"


def test_tool_names_are_those_of_mcp_bindings_in_document_order() -> None:
    assert tool_names(agent("")) == ("get", "list", "query", "get")
    bare = dataclasses.replace(agent("{{range .ToolNames}}{{else}}none{{end}}"), tools=TOOLS[1:2])
    assert tool_names(bare) == ()
    assert composed(bare).text == "none"


def test_an_include_reads_a_source_by_the_name_of_its_config_map() -> None:
    prompt = composed(agent('{{include "prompts/safety"}}', PromptSource("prompts")))
    assert prompt == Prompt("Never {{.X}}.", templated=True, used=(("prompts", "safety"),))


def test_an_alias_replaces_the_name() -> None:
    source = PromptSource("prompts", "p")
    assert composed(agent('{{include "p/style"}}', source)).used == (("prompts", "style"),)
    fault = only_fault(agent('{{include "prompts/style"}}', source))
    assert fault.reason is Reason.PROMPT_RENDER_FAILED
    assert "`p/style`" in fault.message


def test_only_what_was_included_is_used() -> None:
    text = '{{if false}}{{include "prompts/safety"}}{{end}}{{$unused := include "more/tone"}}'
    prompt = composed(agent(text, PromptSource("prompts"), PromptSource("more")))
    assert prompt.used == (("more", "tone"),)


def test_a_prompt_out_of_a_config_map_is_rendered_and_used() -> None:
    own = ConfigMapKeyRef("more", "own")
    assert composed(agent(own)) == Prompt("Dear helper", templated=True, used=(("more", "own"),))
    passed = composed(agent(own, templated=False))
    assert passed == Prompt("Dear {{.AgentTemplateName}}", templated=False, used=(("more", "own"),))


def test_used_keys_are_sorted_and_distinct() -> None:
    maps = {**MAPS, "more": config_map("more", {"own": '{{include "more/own"}}{{include "alone/a"}}'})}
    template = agent(ConfigMapKeyRef("more", "own"), PromptSource("more"), PromptSource("alone"))
    prompt = compose_prompt(template, maps.get)
    assert isinstance(prompt, Prompt)
    assert prompt.used == (("alone", "a"), ("more", "own"))


def test_two_sources_may_share_an_identifier_as_long_as_their_keys_differ() -> None:
    template = agent(
        '{{include "p/a"}}{{include "p/style"}}', PromptSource("alone", "p"), PromptSource("prompts", "p")
    )
    assert composed(template).text == "ABe brief."


DUPLICATE = "duplicate identifier/key across sources: an earlier source already has `p/safety`"


@pytest.mark.parametrize(
    ("sources", "field", "message"),
    [
        (
            (PromptSource("prompts", "p"), PromptSource("more", "p")),
            "spec.promptTemplate.dataSources[1].alias",
            DUPLICATE,
        ),
        (
            (PromptSource("more", "prompts"), PromptSource("alone"), PromptSource("prompts")),
            "spec.promptTemplate.dataSources[2].name",
            DUPLICATE.replace("p/", "prompts/"),
        ),
        (
            (PromptSource("prompts"), PromptSource("prompts")),
            "spec.promptTemplate.dataSources[1].name",
            DUPLICATE.replace("`p/safety`", "`prompts/safety`, `prompts/style`"),
        ),
    ],
    ids=["alias", "name", "twice"],
)
def test_a_path_of_two_sources_is_a_fault_of_the_second(
    sources: tuple[PromptSource, ...], field: str, message: str
) -> None:
    assert faults(agent("x", *sources)) == [(Reason.DUPLICATE_PROMPT_SOURCE, field, message)]


@pytest.mark.parametrize(
    ("template", "reason", "field", "message"),
    [
        (
            agent(ConfigMapKeyRef("gone", "k")),
            Reason.CONFIG_MAP_NOT_FOUND,
            "spec.systemPromptFrom.name",
            "there is no ConfigMap `gone` in namespace `team`",
        ),
        (
            agent(ConfigMapKeyRef("prompts", "stile")),
            Reason.CONFIG_MAP_KEY_NOT_FOUND,
            "spec.systemPromptFrom.key",
            "ConfigMap `prompts` has no key `stile`",
        ),
        (
            agent(ConfigMapKeyRef("prompts", "logo")),
            Reason.CONFIG_MAP_KEY_NOT_FOUND,
            "spec.systemPromptFrom.key",
            "key `logo` of ConfigMap `prompts` is binary data, which is no text",
        ),
        (
            agent("x", PromptSource("alone"), PromptSource("gone", "g")),
            Reason.CONFIG_MAP_NOT_FOUND,
            "spec.promptTemplate.dataSources[1].name",
            "there is no ConfigMap `gone` in namespace `team`",
        ),
        (
            agent("a\n{{upper .Description}}"),
            Reason.PROMPT_TEMPLATE_INVALID,
            "spec.systemPrompt",
            "line 2, column 3 of the template: there is no function `upper`",
        ),
        (
            agent("a\n\n {{.SkillNames}}"),
            Reason.PROMPT_RENDER_FAILED,
            "spec.systemPrompt",
            "line 3, column 4 of the template: there is no field `.SkillNames`; the fields are"
            " `.AgentTemplateName`, `.AgentTemplateNamespace`, `.Description`, `.ToolNames`",
        ),
        (
            agent('{{include "alone/b"}}', PromptSource("alone")),
            Reason.PROMPT_RENDER_FAILED,
            "spec.systemPrompt",
            "line 1, column 3 of the template: `include` finds no `alone/b`; available are `alone/a`",
        ),
        (
            agent(ConfigMapKeyRef("prompts", "safety")),
            Reason.PROMPT_RENDER_FAILED,
            "spec.systemPromptFrom.key",
            "line 1, column 9 of key `safety` of ConfigMap `prompts`: there is no field `.X`; the fields are"
            " `.AgentTemplateName`, `.AgentTemplateNamespace`, `.Description`, `.ToolNames`",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_fault_names_its_field(template: AgentTemplate, reason: Reason, field: str, message: str) -> None:
    assert faults(template) == [(reason, field, message)]


def test_every_missing_config_map_is_told_at_once_and_nothing_is_rendered() -> None:
    template = agent(ConfigMapKeyRef("gone", "k"), PromptSource("lost"), PromptSource("alone"))
    assert [(reason, field) for reason, field, _ in faults(template)] == [
        (Reason.CONFIG_MAP_NOT_FOUND, "spec.systemPromptFrom.name"),
        (Reason.CONFIG_MAP_NOT_FOUND, "spec.promptTemplate.dataSources[0].name"),
    ]
    broken = agent("{{if}}", PromptSource("lost"))
    assert [reason for reason, _, _ in faults(broken)] == [Reason.CONFIG_MAP_NOT_FOUND]


def test_a_fault_stands_at_the_template_and_says_what_to_do() -> None:
    fault = only_fault(agent(ConfigMapKeyRef("prompts", "stile")))
    assert fault.hint == "did you mean `style`?"
    assert str(fault.object) == "AgentTemplate/helper"
    assert str(fault.source) == "agent.yaml:7:3"
    assert only_fault(agent(ConfigMapKeyRef("alone", "zzz"))).hint == "add `zzz` to ConfigMap `alone`"
    assert (
        only_fault(agent(ConfigMapKeyRef("prompts", "logo"))).hint
        == "move `logo` from `binaryData` to `data`"
    )


def test_sources_are_not_read_where_there_is_no_prompt_template() -> None:
    asked: list[str] = []

    def lookup(name: str) -> ConfigMap | None:
        asked.append(name)
        return None

    assert isinstance(compose_prompt(agent("x", PromptSource("gone"), templated=False), lookup), Prompt)
    assert asked == []
