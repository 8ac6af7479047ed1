"""Where a live ActorTemplate differs from the committed one, whatever the server filled in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from google.protobuf.unknown_fields import UnknownFieldSet

from kagent_render.diagnostics.diagnostic import field_text
from kagent_render.target.messages import ateapi_pb2

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from google.protobuf.message import Message

    from kagent_render.diagnostics.diagnostic import FieldPath

_THE_SERVERS_OWN: Final = frozenset({"ActorTemplate.metadata", "ActorTemplate.status"})

_FILLED_IN: Final[Mapping[str, frozenset[Any]]] = {
    "ContainerWakeupProbe.timeoutSeconds": frozenset({30}),
    "HTTPGetAction.path": frozenset({"/", "/readyz"}),
    "OnResumeConfig.fromData": frozenset({ateapi_pb2.RESUME_SOURCE_COLD_BOOT}),
    "SnapshotConfig.onCommit": frozenset({ateapi_pb2.SNAPSHOT_CONTENT_SCOPE_FULL}),
    "SnapshotConfig.onPause": frozenset({ateapi_pb2.SNAPSHOT_CONTENT_SCOPE_FULL}),
}
"""What servers put where a template says nothing; releases differ (facts 10.1, 10.2)."""

_FILLED_MESSAGES: Final = frozenset({"SnapshotConfig.onResume"})
"""Messages that servers add where a template has none, with what they fill in."""


def first_difference(committed: Message, live: Message) -> str | None:
    """The path of the first field that is not as committed, `containers[0].image`; None where all are.

    A field of the live one that is not known here is a difference, since nobody knows what it does.
    """
    found = next(_differences(committed, live, ()), None)
    return None if found is None else field_text(found)


def _differences(committed: Message, live: Message, path: FieldPath) -> Iterator[FieldPath]:
    for field in committed.DESCRIPTOR.fields:
        key = f"{committed.DESCRIPTOR.name}.{field.json_name}"
        if key not in _THE_SERVERS_OWN:
            yield from _field_differences(committed, live, field, key, (*path, field.json_name))
    unknown = UnknownFieldSet(live)
    for index in range(len(unknown)):
        yield (*path, f"field {unknown[index].field_number}")


def _field_differences(
    committed: Message, live: Message, field: Any, key: str, path: FieldPath
) -> Iterator[FieldPath]:
    ours, theirs = getattr(committed, field.name), getattr(live, field.name)
    if field.message_type and field.message_type.GetOptions().map_entry:
        if dict(ours) != dict(theirs):
            yield path
    elif field.is_repeated:
        yield from _item_differences(ours, theirs, is_message=field.message_type is not None, path=path)
    elif not field.message_type:
        if ours != theirs and (ours or theirs not in _FILLED_IN.get(key, ())):
            yield path
    elif committed.HasField(field.name) != live.HasField(field.name) and key not in _FILLED_MESSAGES:
        yield path
    else:
        yield from _differences(ours, theirs, path)


def _item_differences(ours: Any, theirs: Any, *, is_message: bool, path: FieldPath) -> Iterator[FieldPath]:
    """Of two lists, whose order counts; of two lengths, only that they differ."""
    if len(ours) != len(theirs):
        yield path
        return
    for index, (one, other) in enumerate(zip(ours, theirs, strict=True)):
        if is_message:
            yield from _differences(one, other, (*path, index))
        elif one != other:
            yield (*path, index)
