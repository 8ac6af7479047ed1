"""A committed ActorTemplate, and the live one that was last found to be like it."""

from __future__ import annotations

from dataclasses import dataclass, field

from kagent_apply.substrate.template_difference import first_difference
from kagent_render.target.messages import ateapi_pb2


@dataclass(slots=True)
class KnownTemplate:
    """Compares what is live with what is committed, field by field only where it is not as before."""

    committed: ateapi_pb2.ActorTemplate
    _alike: bytes = field(default=b"", init=False)  # several threads may set it, each to what is right

    def difference(self, live: ateapi_pb2.ActorTemplate) -> str | None:
        """The path of the first field of a live template that is not as committed; None where all are."""
        form = _form(live)
        if form == self._alike:
            return None
        found = first_difference(self.committed, live)
        if found is None:
            self._alike = form
        return found


def _form(live: ateapi_pb2.ActorTemplate) -> bytes:
    """Everything but what is the server's own, fields that are not known here as well."""
    form = ateapi_pb2.ActorTemplate()
    form.CopyFrom(live)
    form.ClearField("metadata")
    form.ClearField("status")
    return form.SerializeToString(deterministic=True)
