"""Whether a message keeps the limits of its fields (facts 10.2, 10.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from kagent_render.api.names import is_label_key, is_label_value
from kagent_render.target.template_agreement import agreement_faults
from kagent_render.target.template_fault import TemplateFault
from kagent_render.target.template_rules import FREE, Rule, count_faults

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from google.protobuf.descriptor import Descriptor, FieldDescriptor
    from google.protobuf.message import Message

    from kagent_render.diagnostics.diagnostic import FieldPath
    from kagent_render.target.releases import Release


def limit_faults(message: Message, release: Release, path: FieldPath = ()) -> Iterator[TemplateFault]:
    """Every field of the message, and of those in it, that is missing, too much or written otherwise."""
    for field in cast("Descriptor", message.DESCRIPTOR).fields:
        yield from _field_faults(message, field, release, (*path, field.json_name))
    yield from agreement_faults(message, path)


def _field_faults(
    message: Message, field: FieldDescriptor, release: Release, path: FieldPath
) -> Iterator[TemplateFault]:
    rule = release.rules.get(f"{message.DESCRIPTOR.name}.{field.json_name}", FREE)
    value = getattr(message, field.name)
    if field.is_repeated:
        yield from _list_faults(value, field, rule, release, path)
    elif not (message.HasField(field.name) if field.has_presence else value):
        if rule.needed:
            yield TemplateFault(path, f"`{field.json_name}` is required", f"set `{field.json_name}`")
    elif field.message_type:
        yield from _inner_faults(value, release, path)
    else:
        yield from _value_faults(value, rule, path)


def _inner_faults(value: Message, release: Release, path: FieldPath) -> Iterator[TemplateFault]:
    # A template's status, and times, are the server's own.
    if value.DESCRIPTOR.name not in ("ActorTemplateStatus", "Timestamp"):
        yield from limit_faults(value, release, path)


def _list_faults(
    value: Any, field: FieldDescriptor, rule: Rule, release: Release, path: FieldPath
) -> Iterator[TemplateFault]:
    if wrong := list(count_faults(len(value), rule, path)):
        yield from wrong
    elif field.message_type and field.message_type.GetOptions().map_entry:
        yield from _label_faults(value, path)
    else:
        for index, item in enumerate(value):
            at = (*path, index)
            yield from (
                limit_faults(item, release, at) if field.message_type else _value_faults(item, rule, at)
            )
        if rule.unique is not None:
            yield from _repeated(value, rule.unique, path)


def _label_faults(labels: dict[str, str], path: FieldPath) -> Iterator[TemplateFault]:
    if not all(is_label_key(key) and is_label_value(value) for key, value in labels.items()):
        yield TemplateFault(path, "a key or a value is not that of a label", "write labels of a WorkerPool")


def _value_faults(value: Any, rule: Rule, path: FieldPath) -> Iterator[TemplateFault]:
    if rule.characters is not None and len(value) > rule.characters:
        yield TemplateFault(
            path, f"the text has {len(value)} characters, and {rule.characters} are allowed", "shorten it"
        )
    elif rule.form and not rule.form.holds(value):
        yield TemplateFault(path, f"the value must be {rule.form.words}", "correct the value")
    elif rule.between and not rule.between[0] <= value <= rule.between[1]:
        least, most = rule.between
        yield TemplateFault(path, f"the number must be from {least} to {most}", "correct the number")


def _repeated(value: Iterable[Any], name: str, path: FieldPath) -> Iterator[TemplateFault]:
    """Items that say again what an earlier one said; of headers whatever their case."""
    seen = set()
    for index, item in enumerate(value):
        key = getattr(item, _SNAKE.get(name, name)) if name else item
        key = key.lower() if name == "header" else key
        if key and key in seen:
            at = (*path, index, name) if name else (*path, index)
            yield TemplateFault(at, "an earlier entry has the same value", "remove one of the two")
        seen.add(key)


_SNAKE: Final = {"mountPath": "mount_path"}
