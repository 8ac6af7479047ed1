"""ActorTemplates of Substrate's newest generation: made from what is committed, never changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kagent_apply.substrate.actor_messages import misfit
from kagent_apply.substrate.calls import Call, change, read
from kagent_apply.substrate.newest_messages import GENERATION, object_ref
from kagent_apply.substrate.port import ActorName, ComputeRefusedError
from kagent_apply.substrate.server_text import is_name, shown
from kagent_apply.substrate.statuses import UNCLEAR, fault_of, unseen
from kagent_apply.substrate.transport import StatusError
from kagent_render.target.messages import ateapi_pb2

if TYPE_CHECKING:
    from collections.abc import Callable

    from kagent_apply.substrate.deadline import Deadline
    from kagent_apply.substrate.known_template import KnownTemplate
    from kagent_apply.substrate.transport import Transport

_DIFFERS: Final = (
    "see who made it; once nothing runs on it, delete it with `kubectl ate delete actor-template`,"
    " and it is made again from what is committed"
)
_FAILED: Final = "see the logs of its golden Actor; then render the agent with an image that starts"

_PAGE: Final = 500
_MOST_PAGES: Final = 1_000
"""ActorTemplates that are asked for at once, and how often."""

_MOST: Final = 200_000
"""ActorTemplates of one atespace, however few pages they come in."""


def make_template(
    transport: Transport, known: KnownTemplate, deadline: Deadline, before: Callable[[], None]
) -> bool:
    """See that an ActorTemplate is there as it is committed; whether it is ready to be used.

    `before` is called before one is made.
    Raises ComputeUnavailableError, and ComputeRefusedError also where the one that is there differs.
    """
    template = known.committed
    name = ActorName(template.metadata.atespace, template.metadata.name)
    request = ateapi_pb2.CreateActorTemplateRequest(actor_template=template)
    create = Call("CreateActorTemplate", _subject(name), request, ateapi_pb2.ActorTemplate)
    while (live := _look(transport, name, deadline)) is None:
        before()
        made = change(transport, create, deadline)
        if not isinstance(made, StatusError):
            return _is_ready(known, _checked(made, name), name)
        if made.code not in UNCLEAR and made.code != "ALREADY_EXISTS":
            raise fault_of(create.method, create.subject, made, _values(template))
        if not deadline.pause():
            raise unseen(create.method, create.subject, made, _values(template))
    return _is_ready(known, live, name)


def delete_template(transport: Transport, name: ActorName, deadline: Deadline) -> None:
    """Delete the ActorTemplate that has the name now, and none that comes after it; gone is fine."""
    uid = ""
    while (live := _look(transport, name, deadline)) is not None and uid in {"", live.metadata.uid}:
        uid = live.metadata.uid
        options = ateapi_pb2.DeleteOptions(uid=uid)
        request = ateapi_pb2.DeleteActorTemplateRequest(actor_template=object_ref(name), options=options)
        call = Call("DeleteActorTemplate", _subject(name), request, ateapi_pb2.ActorTemplate)
        reply = change(transport, call, deadline)
        if not isinstance(reply, StatusError) or reply.code == "NOT_FOUND":
            return
        if reply.code not in UNCLEAR or not deadline.pause():
            raise fault_of(call.method, call.subject, reply)


def list_templates(transport: Transport, atespace: str, deadline: Deadline) -> tuple[str, ...]:
    """The names of an atespace's ActorTemplates, page by page; raises as reading one does.

    Without all pages there is no answer: a server that gives ever more is refused.
    """
    subject, names, token = f"the ActorTemplates of `{atespace}`", list[str](), ""
    for _ in range(_MOST_PAGES):
        request = ateapi_pb2.ListActorTemplatesRequest(atespace=atespace, page_size=_PAGE, page_token=token)
        call = Call("ListActorTemplates", subject, request, ateapi_pb2.ListActorTemplatesResponse)
        page = read(transport, call, deadline)
        if page is None:
            return ()
        names += [_listed(template, atespace, subject) for template in page.actor_templates]
        token = page.next_page_token
        if not token:
            return tuple(names)
        if len(names) > _MOST:
            break
    raise misfit(subject, GENERATION)


def _listed(template: ateapi_pb2.ActorTemplate, atespace: str, subject: str) -> str:
    """The name of one that is of the atespace that was asked about."""
    name = template.metadata.name
    if template.metadata.atespace != atespace or not is_name(name):
        raise misfit(subject, GENERATION)
    return name


def _is_ready(known: KnownTemplate, live: ateapi_pb2.ActorTemplate, name: ActorName) -> bool:
    if field := known.difference(live):
        told = f"{_subject(name)} differs from the one that is committed, at `{field}`"
        raise ComputeRefusedError(told, _DIFFERS)
    golden = live.status.golden_snapshot_status
    if golden.error_message:
        text = shown(golden.error_message, _values(known.committed))
        raise ComputeRefusedError(f"{_subject(name)} cannot be used" + (f": {text}" if text else ""), _FAILED)
    return bool(golden.golden_tag.name)


def _look(transport: Transport, name: ActorName, deadline: Deadline) -> ateapi_pb2.ActorTemplate | None:
    request = ateapi_pb2.GetActorTemplateRequest(actor_template=object_ref(name))
    live = read(
        transport, Call("GetActorTemplate", _subject(name), request, ateapi_pb2.ActorTemplate), deadline
    )
    return None if live is None else _checked(live, name)


def _checked(live: ateapi_pb2.ActorTemplate, name: ActorName) -> ateapi_pb2.ActorTemplate:
    """The ActorTemplate of a reply that is the one that was asked about."""
    metadata = live.metadata
    if (metadata.atespace, metadata.name) != (name.atespace, name.name) or not is_name(metadata.uid):
        raise misfit(_subject(name), GENERATION)
    return live


def _subject(name: ActorName) -> str:
    return f"the ActorTemplate `{name.atespace}/{name.name}`"


def _values(template: ateapi_pb2.ActorTemplate) -> list[str]:
    """The values of variables, which a server may quote."""
    return [variable.value for container in template.containers for variable in container.env]
