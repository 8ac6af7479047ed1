"""The system prompt of an AgentTemplate: its text, its data sources, and what was read to make it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kagent_render.api.hub import AgentTemplate, ConfigMap, ConfigMapKeyRef, McpBinding, PromptSource
from kagent_render.diagnostics.reasons import Reason
from kagent_render.graph.nearest import nearest_name
from kagent_render.prompt.faults import TemplateError, TemplateExecutionError, TemplateSyntaxError

if TYPE_CHECKING:
    from kagent_render.diagnostics.diagnostic import Diagnostic, FieldPath
    from kagent_render.prompt.template import Context

ConfigMapLookup = Callable[[str], ConfigMap | None]
"""Finds a ConfigMap in the template's namespace by name."""

_SOURCES: Final[FieldPath] = ("spec", "promptTemplate", "dataSources")
_CORRECT_SYNTAX: Final = "correct the template, or remove `promptTemplate` where the prompt is plain text"
_CORRECT_VALUES: Final = (
    "use `.AgentTemplateName`, `.AgentTemplateNamespace`, `.Description` and `.ToolNames`, and include keys "
    "of `spec.promptTemplate.dataSources`"
)


@dataclass(frozen=True, slots=True)
class Prompt:
    """A composed system prompt.

    `used` names the (ConfigMap, key) pairs whose text went into it, sorted: a key that no `include` reached
    is none of them.
    """

    text: str
    templated: bool
    used: tuple[tuple[str, str], ...]


def compose_prompt(template: AgentTemplate, config_maps: ConfigMapLookup) -> Prompt | tuple[Diagnostic, ...]:
    """The system prompt of `template`, or all that keeps it from being composed."""
    faults: list[Diagnostic] = []
    text = _own_text(template, config_maps, faults)
    sources = _source_keys(template, config_maps, faults)
    if faults or text is None:
        return tuple(faults)
    own = template.system_prompt
    used = {(own.name, own.key)} if isinstance(own, ConfigMapKeyRef) else set()
    if template.prompt_sources is None:
        return Prompt(text, templated=False, used=tuple(used))
    try:
        text, included = _render(text, template, {path: source.text for path, source in sources.items()})
    except TemplateError as error:
        return (_template_fault(template, error),)
    used |= {(sources[path].config_map, sources[path].key) for path in included}
    return Prompt(text, templated=True, used=tuple(sorted(used)))


def tool_names(template: AgentTemplate) -> tuple[str, ...]:
    """What `.ToolNames` holds: the MCP tools of all bindings in document order, without agents."""
    bindings = (tool for tool in template.tools if isinstance(tool, McpBinding))
    return tuple(name for binding in bindings for name in binding.tools)


@dataclass(frozen=True, slots=True)
class _SourceKey:
    config_map: str
    key: str
    text: str


def _own_text(template: AgentTemplate, config_maps: ConfigMapLookup, faults: list[Diagnostic]) -> str | None:
    own = template.system_prompt
    if isinstance(own, str):
        return own
    config_map = config_maps(own.name)
    if config_map is None:
        faults.append(_missing(template, own.name, ("spec", "systemPromptFrom", "name")))
        return None
    if own.key not in config_map.data:
        faults.append(_missing_key(template, own, config_map))
    return config_map.data.get(own.key)


def _source_keys(
    template: AgentTemplate, config_maps: ConfigMapLookup, faults: list[Diagnostic]
) -> dict[str, _SourceKey]:
    """What `include` can read, by `identifier/key`; the first source of a path keeps it."""
    found: dict[str, _SourceKey] = {}
    for place, source in enumerate(template.prompt_sources or ()):
        config_map = config_maps(source.config_map)
        if config_map is None:
            faults.append(_missing(template, source.config_map, (*_SOURCES, place, "name")))
            continue
        keys = {
            f"{source.identifier}/{key}": _SourceKey(source.config_map, key, text)
            for key, text in config_map.data.items()
        }
        if taken := sorted(keys.keys() & found.keys()):
            faults.append(_duplicate(template, place, source, taken))
        found = {**keys, **found}
    return found


def _render(text: str, template: AgentTemplate, sources: dict[str, str]) -> tuple[str, tuple[str, ...]]:
    # Most prompts are no templates, so the engine is only loaded for those that are.
    from kagent_render.prompt.template import parse

    rendering = parse(text).render_with_uses(_context(template), sources)
    return rendering.text, rendering.included


def _context(template: AgentTemplate) -> Context:
    from kagent_render.prompt.template import Context

    return Context(template.name, template.namespace, template.description, tool_names(template))


def _missing(template: AgentTemplate, name: str, field: FieldPath) -> Diagnostic:
    return template.document.fault(
        Reason.CONFIG_MAP_NOT_FOUND,
        field,
        f"there is no ConfigMap `{name}` in namespace `{template.namespace}`",
        hint=f"commit ConfigMap `{name}` in namespace `{template.namespace}`, or correct the name",
    )


def _missing_key(template: AgentTemplate, own: ConfigMapKeyRef, config_map: ConfigMap) -> Diagnostic:
    if own.key in config_map.binary:
        message = f"key `{own.key}` of ConfigMap `{own.name}` is binary data, which is no text"
        hint = f"move `{own.key}` from `binaryData` to `data`"
    else:
        message = f"ConfigMap `{own.name}` has no key `{own.key}`"
        hint = _key_hint(own, config_map)
    field = ("spec", "systemPromptFrom", "key")
    return template.document.fault(Reason.CONFIG_MAP_KEY_NOT_FOUND, field, message, hint=hint)


def _key_hint(own: ConfigMapKeyRef, config_map: ConfigMap) -> str:
    nearest = nearest_name(own.key, sorted(config_map.data))
    return f"did you mean `{nearest}`?" if nearest else f"add `{own.key}` to ConfigMap `{own.name}`"


def _duplicate(template: AgentTemplate, place: int, source: PromptSource, taken: list[str]) -> Diagnostic:
    paths = ", ".join(f"`{path}`" for path in taken[:3]) + (" and more" if len(taken) > 3 else "")
    return template.document.fault(
        Reason.DUPLICATE_PROMPT_SOURCE,
        (*_SOURCES, place, "alias" if source.alias else "name"),
        f"duplicate identifier/key across sources: an earlier source already has {paths}",
        hint="give this source an `alias` of its own",
    )


def _template_fault(template: AgentTemplate, error: TemplateError) -> Diagnostic:
    own = template.system_prompt
    place = f"line {error.line}, column {error.column}"
    field: FieldPath
    if isinstance(own, ConfigMapKeyRef):
        field = ("spec", "systemPromptFrom", "key")
        where = f"{place} of key `{own.key}` of ConfigMap `{own.name}`"
    else:
        field = ("spec", "systemPrompt")
        where = f"{place} of the template"
    reason, hint = {
        TemplateSyntaxError: (Reason.PROMPT_TEMPLATE_INVALID, _CORRECT_SYNTAX),
        TemplateExecutionError: (Reason.PROMPT_RENDER_FAILED, _CORRECT_VALUES),
    }[type(error)]
    return template.document.fault(reason, field, f"{where}: {error.message}", hint=hint)
