"""Whether plain data has the shape of a message in protojson, spelled in the one way that we commit.

protojson's own readers take `snake_case` names, numbers for enums, texts for numbers, and null for what is
not set. A file that is reviewed, compared and digested has one spelling.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, cast

from google.protobuf.timestamp_pb2 import Timestamp

from kagent_render.api.identity import meant
from kagent_render.target.template_fault import TemplateFault, is_showable
from kagent_render.target.template_rules import FREE, count_faults

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor

    from kagent_render.diagnostics.diagnostic import FieldPath
    from kagent_render.target.releases import Release

_WORD_BREAK: Final = re.compile("_([a-z])")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_DECIMAL: Final = re.compile(r"0|-?[1-9][0-9]{0,18}")
_TIME: Final = "google.protobuf.Timestamp"


def shape_faults(
    value: object, message: Descriptor, release: Release, path: FieldPath = ()
) -> Iterator[TemplateFault]:
    """Every field that `message` has not in a release, and every value that its field does not take."""
    if message.full_name == _TIME:
        yield from _time_faults(value, path)
    elif not isinstance(value, Mapping):
        yield _wrong(value, path, "a mapping")
    else:
        fields = {field.json_name: field for field in message.fields}
        for key, inner in value.items():
            known = fields.get(key) if isinstance(key, str) else None
            if known is None or f"{message.name}.{key}" in release.refused:
                yield _unknown(key, message, release, path)
            else:
                yield from _field_faults(inner, known, release, (*path, key))


def _unknown(key: object, message: Descriptor, release: Release, path: FieldPath) -> TemplateFault:
    """A field that is none, with the name that it has here where one is known."""
    if not isinstance(key, str) or not is_showable(key):
        return TemplateFault(path, f"a key is the name of no field of `{message.name}`", "remove it")
    at = (*path, key)
    name = _WORD_BREAK.sub(lambda letter: letter[1].upper(), key)
    if former := release.refused.get(f"{message.name}.{name}"):
        return TemplateFault(at, f"`{key}` is no field of `{message.name}`: {former[0]}", former[1])
    current = [
        field.json_name
        for field in message.fields
        if f"{message.name}.{field.json_name}" not in release.refused
    ]
    if name in current:
        return TemplateFault(at, f"`{key}` is another spelling of `{name}`", f"write `{name}`")
    near = meant(key, current)
    hint = f"write `{near}`" if near else "remove the field"
    return TemplateFault(at, f"`{key}` is no field of `{message.name}`", hint)


def _field_faults(
    value: object, field: FieldDescriptor, release: Release, path: FieldPath
) -> Iterator[TemplateFault]:
    if field.message_type and field.message_type.GetOptions().map_entry:
        yield from _map_faults(value, path)
    elif not field.is_repeated:
        yield from _value_faults(value, field, release, path)
    elif not isinstance(value, list | tuple):
        yield _wrong(value, path, "a list")
    elif faults := list(_excess(value, field, release, path)):
        yield from faults
    else:
        for index, inner in enumerate(value):
            yield from _value_faults(inner, field, release, (*path, index))


def _excess(
    value: Sequence[object], field: FieldDescriptor, release: Release, path: FieldPath
) -> Iterator[TemplateFault]:
    """Of a list too long for a look at its items: nobody reads a fault for each of a million."""
    message = cast("Descriptor", field.containing_type)
    rule = release.rules.get(f"{message.name}.{field.json_name}", FREE)
    if value:
        yield from count_faults(len(value), rule, path)


def _map_faults(value: object, path: FieldPath) -> Iterator[TemplateFault]:
    """Of a map of texts, which all maps of this generation are."""
    if not isinstance(value, Mapping):
        yield _wrong(value, path, "a mapping")
    elif not all(_is_text(text) for entry in value.items() for text in entry):
        yield TemplateFault(path, "keys and values must be texts", "quote them")


def _value_faults(
    value: object, field: FieldDescriptor, release: Release, path: FieldPath
) -> Iterator[TemplateFault]:
    if field.message_type:
        yield from shape_faults(value, field.message_type, release, path)
    elif field.enum_type:
        yield from _enum_faults(value, field.enum_type, path)
    elif not _FITS[field.type](value):
        yield _wrong(value, path, _WORDS[field.type])


def _enum_faults(value: object, enum: EnumDescriptor, path: FieldPath) -> Iterator[TemplateFault]:
    names = [known.name for known in enum.values if known.number]
    if value not in names or not isinstance(value, str):
        hint = f"write `{'`, `'.join(names[:-1])}` or `{names[-1]}`"
        yield TemplateFault(path, f"the value must be a name that `{enum.name}` has", hint)


def _time_faults(value: object, path: FieldPath) -> Iterator[TemplateFault]:
    if not isinstance(value, str) or not _is_time(value):
        yield _wrong(value, path, "a time such as `2026-09-01T12:00:00Z`")


def _is_time(text: str) -> bool:
    """Whether a text is a time as protojson writes it, in UTC."""
    time = Timestamp()
    try:
        time.FromJsonString(text)
    except (ValueError, OverflowError):
        return False
    return time.ToJsonString() == text


def _wrong(value: object, path: FieldPath, expected: str) -> TemplateFault:
    if value is None:
        return TemplateFault(path, "null is no value", f"write {expected}, or leave the field out")
    return TemplateFault(path, f"the value must be {expected}", f"write {expected}")


def _is_text(value: Any) -> bool:
    """Whether a value is text that UTF-8 can hold, which a lone surrogate is not."""
    return isinstance(value, str) and (value.isascii() or not _SURROGATE.search(value))


def _is_whole(bits: int, value: Any, *, text: bool) -> bool:
    if text and isinstance(value, str) and _DECIMAL.fullmatch(value):
        value = int(value)
    return type(value) is int and -(1 << bits - 1) <= value < 1 << bits - 1


_FITS: Final = {
    3: lambda value: _is_whole(64, value, text=True),
    5: lambda value: _is_whole(32, value, text=False),
    8: lambda value: isinstance(value, bool),
    9: _is_text,
}
"""By the number of a field's type (google.protobuf.FieldDescriptorProto.Type)."""

_WORDS: Final = {3: "a whole number", 5: "a whole number", 8: "`true` or `false`", 9: "text"}
