"""The calls on actor templates, which never change once they are made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kagent_apply.embedded import resources
from kagent_apply.embedded.refusal import ControlError
from kagent_apply.embedded.views import Key
from kagent_render.target.messages import ateapi_pb2
from kagent_render.target.releases import Release
from kagent_render.target.template_limits import limit_faults
from kagent_render.target.template_rules import FREE, RULES, Rule

if TYPE_CHECKING:
    from kagent_apply.embedded.changes import Change
    from kagent_apply.embedded.records import Records

DEFAULT_PROBE_SECONDS: Final = 30
"""How long a container may take to be ready where its template does not say (facts 10.2)."""

GOLDEN_ATESPACE: Final = "ate-golden"
"""Where Substrate keeps the tags that templates are ready by (facts 10.2)."""

_LONGEST_VALUE: Final = 131_071
"""What one argument or variable of a process can have on Linux, and June's resource allows."""

_EITHER: Final = Release(
    "embedded",
    {},
    {
        **RULES,
        "EnvVar.value": Rule(characters=_LONGEST_VALUE),
        "TrustBundleDataSource.names": FREE,
    },
)
"""What templates of every target keep to, so that revisions of each run here."""


@dataclass(frozen=True, slots=True)
class ActorTemplates:
    """What actors are made from. There is no start to wait for: each is ready once it is made."""

    records: Records

    def create(self, request: ateapi_pb2.CreateActorTemplateRequest) -> ateapi_pb2.ActorTemplate:
        """Make one, with the server's defaults written in."""
        made = ateapi_pb2.ActorTemplate()
        made.CopyFrom(request.actor_template)
        _write_defaults(made)
        _check(made)
        resources.begin(made.metadata)
        made.ClearField("status")
        golden = made.status.golden_snapshot_status.golden_tag
        golden.atespace, golden.name = GOLDEN_ATESPACE, made.metadata.uid
        key = template_key(made.metadata.atespace, made.metadata.name)

        def keep(change: Change) -> ateapi_pb2.ActorTemplate:
            resources.check_atespace(change, key.atespace)
            resources.check_new(change, key)
            change.put(key, made.SerializeToString())
            return made

        return self.records.change(keep)

    def get(self, request: ateapi_pb2.GetActorTemplateRequest) -> ateapi_pb2.ActorTemplate:
        """One template."""
        key = _checked(request.actor_template)
        return self.records.read(lambda view: resources.found(view, key, ateapi_pb2.ActorTemplate))

    def list(self, request: ateapi_pb2.ListActorTemplatesRequest) -> ateapi_pb2.ListActorTemplatesResponse:
        """A page of those of one atespace, or of all."""
        page = self.records.read(
            lambda view: resources.page(view, "template", ateapi_pb2.ActorTemplate, request)
        )
        return ateapi_pb2.ListActorTemplatesResponse(actor_templates=page.items, next_page_token=page.token)

    def delete(self, request: ateapi_pb2.DeleteActorTemplateRequest) -> ateapi_pb2.ActorTemplate:
        """Delete one that no actor is of: without it none could run again."""
        key = _checked(request.actor_template)

        def drop(change: Change) -> ateapi_pb2.ActorTemplate:
            there = resources.found(change, key, ateapi_pb2.ActorTemplate)
            resources.check_options(there.metadata, request.options)
            if change.any_referring("actor", key.atespace, key.name):
                raise ControlError("FAILED_PRECONDITION", f"actor template `{key.name}` has actors")
            change.drop(key)
            return there

        return self.records.change(drop)


def template_key(atespace: str, name: str) -> Key:
    """What a template is kept by."""
    return Key("template", atespace, name)


def _checked(ref: ateapi_pb2.ObjectRef) -> Key:
    resources.check_names("actor_template", ref)
    return template_key(ref.atespace, ref.name)


def _write_defaults(template: ateapi_pb2.ActorTemplate) -> None:
    for container in template.containers:
        if container.HasField("wakeup_probe") and not container.wakeup_probe.timeout_seconds:
            container.wakeup_probe.timeout_seconds = DEFAULT_PROBE_SECONDS


def _check(template: ateapi_pb2.ActorTemplate) -> None:
    resources.check_names("actor_template.metadata", template.metadata)
    for fault in limit_faults(template, _EITHER):
        raise ControlError("INVALID_ARGUMENT", f"`actor_template.{fault.path}`: {fault.message}")
    if b"\0" in b"".join(_texts(template)):
        raise ControlError("INVALID_ARGUMENT", "a command, an argument or a variable has a null character")


def _texts(template: ateapi_pb2.ActorTemplate) -> list[bytes]:
    return [
        text.encode()
        for container in template.containers
        for text in (*container.command, *container.args, *(entry.value for entry in container.env))
    ]
