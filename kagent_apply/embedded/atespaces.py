"""The calls on atespaces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kagent_apply.embedded import resources
from kagent_apply.embedded.refusal import ControlError
from kagent_apply.embedded.views import Key
from kagent_render.target.messages import ateapi_pb2

if TYPE_CHECKING:
    from kagent_apply.embedded.changes import Change
    from kagent_apply.embedded.records import Records


@dataclass(frozen=True, slots=True)
class Atespaces:
    """What actors, their templates and policies are in."""

    records: Records

    def create(self, request: ateapi_pb2.CreateAtespaceRequest) -> ateapi_pb2.Atespace:
        """Make one; its name is global."""
        resources.check_name("atespace.metadata.name", request.atespace.metadata.name)
        if request.atespace.metadata.atespace:
            raise ControlError("INVALID_ARGUMENT", "an atespace is in no other: leave `atespace` empty")
        made = ateapi_pb2.Atespace()
        made.metadata.name = request.atespace.metadata.name
        resources.begin(made.metadata)
        key = _key(made.metadata.name)

        def keep(change: Change) -> ateapi_pb2.Atespace:
            resources.check_new(change, key)
            change.put(key, made.SerializeToString())
            return made

        return self.records.change(keep)

    def get(self, request: ateapi_pb2.GetAtespaceRequest) -> ateapi_pb2.Atespace:
        """One atespace."""
        key = _checked(request.atespace)
        return self.records.read(lambda view: resources.found(view, key, ateapi_pb2.Atespace))

    def list(self, request: ateapi_pb2.ListAtespacesRequest) -> ateapi_pb2.ListAtespacesResponse:
        """A page of all, by name."""
        page = self.records.read(lambda view: resources.page(view, "atespace", ateapi_pb2.Atespace, request))
        return ateapi_pb2.ListAtespacesResponse(atespaces=page.items, next_page_token=page.token)

    def delete(self, request: ateapi_pb2.DeleteAtespaceRequest) -> ateapi_pb2.Atespace:
        """Delete one with its templates, which must have no actors any more (facts 10.3)."""
        key = _checked(request.atespace)

        def drop(change: Change) -> ateapi_pb2.Atespace:
            there = resources.found(change, key, ateapi_pb2.Atespace)
            resources.check_options(there.metadata, request.options)
            if change.any_in("actor", key.name):
                raise ControlError("FAILED_PRECONDITION", f"atespace `{key.name}` has actors")
            change.drop_in("template", key.name)
            change.drop(key)
            return there

        return self.records.change(drop)


def _checked(ref: ateapi_pb2.ObjectRef) -> Key:
    resources.check_name("atespace.name", ref.name)
    return _key(ref.name)


def _key(name: str) -> Key:
    return Key("atespace", "", name)
