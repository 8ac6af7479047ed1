"""Messages made of their descriptors survive protojson; documents made of anything are read or told of."""

from __future__ import annotations

from typing import Any

from google.protobuf.json_format import MessageToDict, ParseDict
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from hypothesis import given
from hypothesis import strategies as st

from kagent_render.target.former_names import FORMER_NAMES
from kagent_render.target.messages import ateapi_june_pb2, ateapi_pb2
from kagent_render.target.protojson import shape_faults
from kagent_render.target.releases import RELEASED
from kagent_render.target.template_reading import read_rules, read_template
from tests.target.templates import RULES, TEMPLATE, changed

KINDS = [
    message
    for file in (ateapi_pb2.DESCRIPTOR, ateapi_june_pb2.DESCRIPTOR)
    for message in file.message_types_by_name.values()
]
TEXTS = st.text(max_size=5)
NUMBERS = {3: st.integers(-(1 << 63), (1 << 63) - 1), 5: st.integers(-(1 << 31), (1 << 31) - 1)}
VALUES: dict[int, st.SearchStrategy[Any]] = {
    **NUMBERS,
    8: st.booleans(),
    9: TEXTS,
    12: st.binary(max_size=5),
}


def value(field: Any, *, current: bool) -> st.SearchStrategy[Any]:
    if field.message_type:
        return messages(field.message_type, current=current)
    if field.enum_type:
        return st.sampled_from([known.number for known in field.enum_type.values][int(current) :])
    return VALUES[field.type]


@st.composite
def messages(draw: st.DrawFn, kind: Any, *, current: bool = False) -> Message:
    """A message with any of its fields; with `current`, none that only an earlier release has."""
    message = GetMessageClass(kind)()
    if kind.full_name == "google.protobuf.Timestamp":
        return GetMessageClass(kind)(seconds=draw(st.integers(0, 4_000_000_000)), nanos=draw(st.just(500)))
    fields = [field for field in kind.fields if not (current and field.GetOptions().deprecated)]
    for field in draw(st.sets(st.sampled_from(fields), max_size=4)) if fields else ():
        if field.message_type and field.message_type.GetOptions().map_entry:
            getattr(message, field.name).update(draw(st.dictionaries(TEXTS, TEXTS, max_size=2)))
        elif field.is_repeated:
            getattr(message, field.name).extend(draw(st.lists(value(field, current=current), max_size=2)))
        elif field.message_type:
            getattr(message, field.name).CopyFrom(draw(value(field, current=current)))
        else:
            setattr(message, field.name, draw(value(field, current=current)))
    return message


@given(st.sampled_from(KINDS).flatmap(messages))
def test_a_message_survives_protojson_and_the_wire(message: Message) -> None:
    assert ParseDict(MessageToDict(message), type(message)()) == message
    assert type(message).FromString(message.SerializeToString()) == message


@given(messages(ateapi_pb2.ActorTemplate.DESCRIPTOR, current=True))
def test_the_protojson_of_a_template_has_the_shape_of_one(message: Message) -> None:
    assert list(shape_faults(MessageToDict(message), message.DESCRIPTOR, RELEASED)) == []  # type: ignore[arg-type]


NAMES = sorted(
    {field.json_name for kind in KINDS for field in kind.fields}
    | {field.name for kind in KINDS for field in kind.fields}
    | {name.rpartition(".")[2] for name in FORMER_NAMES}
)
LEAVES = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), TEXTS, st.just("10.0.0.1"))
ANYTHING = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(NAMES) | TEXTS | st.integers(), inner, max_size=4)
    ),
    max_leaves=20,
)


def places(document: Any, path: tuple[str, ...] = ()) -> list[str]:
    """Every path of a document."""
    inner = document.items() if isinstance(document, dict) else enumerate(document)
    found = []
    for step, below in inner:
        at = (*path, str(step))
        # A label's key may have dots, which paths of these tests are split at.
        if "." not in str(step):
            found.append(".".join(at))
            found += places(below, at) if isinstance(below, dict | list) else []
    return found


@given(st.sampled_from(places(TEMPLATE)), ANYTHING)
def test_whatever_stands_in_a_template_is_read_or_told_of(path: str, content: Any) -> None:
    read = read_template(changed(TEMPLATE, path, content))
    assert isinstance(read, ateapi_pb2.ActorTemplate) or read


@given(st.sampled_from(places(RULES)), ANYTHING)
def test_whatever_stands_in_rules_is_read_or_told_of(path: str, content: Any) -> None:
    read = read_rules(changed(RULES, path, content))
    assert isinstance(read, ateapi_pb2.EgressPolicyTemplate) or read


SECRET = "Zq7-vX9"
LOOKS = ["{}", "s3://{}@a", "/{}", "{}=x", "<b>{}</b>", "a\n{}", "{}.DEV"]


@given(st.sampled_from(places(TEMPLATE)), st.sampled_from(LOOKS), st.booleans())
def test_no_fault_shows_a_value(path: str, look: str, within: bool) -> None:
    content = look.format(SECRET)
    read = read_template(changed(TEMPLATE, path, {"metadata": content} if within else content))
    told = [f"{fault.path} {fault.message} {fault.hint}" for fault in read] if isinstance(read, list) else []
    assert SECRET not in " ".join(told)
