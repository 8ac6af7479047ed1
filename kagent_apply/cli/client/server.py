"""A server as the commands ask it: a request in, its reply or one message out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeVar

from kagent_apply.cli.client.unanswered import unanswered
from kagent_apply.cli.failure import EnvironmentFailure, RefusedFailure
from kagent_render.diagnostics.text import printable

if TYPE_CHECKING:
    from google.protobuf.message import Message

    ReplyT = TypeVar("ReplyT", bound=Message)

_SERVICES: Final = {
    "kagent.api.v1alpha1": "AgentInstanceService",
    "kagent.gitops.v1alpha1": "RevisionService",
}
"""The service of each package's requests."""

_DETAILS: Final = "grpc-status-details-bin"


@dataclass(frozen=True, slots=True)
class Answer:
    """What a server said in place of a reply; `told` says whether it was one of ours that did."""

    code: str
    message: str
    hint: str
    told: bool

    @property
    def is_lasting(self) -> bool:
        """Whether there is no server to reach, however often it is asked."""
        return not self.told and unanswered(self.message).lasting


class AnswerError(Exception):
    """A call that has no reply."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer.message)
        self.answer = answer


@dataclass(frozen=True, slots=True)
class Server:
    """A channel to a server, and what goes along with each call."""

    channel: Any
    address: str
    metadata: tuple[tuple[str, str], ...] = ()

    def ask(self, request: Message, reply: type[ReplyT], timeout: float) -> ReplyT:
        """The reply to a request; raises RefusedFailure, and EnvironmentFailure where there is no server."""
        try:
            return self.call(request, reply, timeout)
        except AnswerError as error:
            raise failure(error.answer, self.address) from None

    def call(self, request: Message, reply: type[ReplyT], timeout: float) -> ReplyT:
        """The same, and AnswerError where there is no reply."""
        import grpc  # type: ignore[import-untyped, unused-ignore]

        descriptor = request.DESCRIPTOR
        package = descriptor.file.package
        path = f"/{package}.{_SERVICES[package]}/{descriptor.name.removesuffix('Request')}"
        call = self.channel.unary_unary(
            path,
            request_serializer=type(request).SerializeToString,
            response_deserializer=reply.FromString,
        )
        try:
            found: ReplyT = call(request, timeout=timeout, metadata=self.metadata)
        except grpc.RpcError as error:
            raise AnswerError(_answer(error)) from None
        return found


def failure(answer: Answer, address: str) -> EnvironmentFailure:
    """How a command ends that has no reply."""
    if answer.code == "UNAVAILABLE" and not answer.told:
        found = unanswered(answer.message)
        cause = f": {found.cause}" if found.cause else ""
        return EnvironmentFailure(f"`{printable(address)}` does not answer{cause}", found.hint)
    if answer.code == "DEADLINE_EXCEEDED" and not answer.told:
        return RefusedFailure(
            "the time is over, and the server goes on", "ask again, or give a longer `--timeout`"
        )
    return RefusedFailure(f"{printable(answer.message)} ({answer.code})", printable(answer.hint) or None)


def _answer(error: Any) -> Answer:
    code, text = error.code().name, error.details() or "the server says nothing more"
    hint = _hint(error.trailing_metadata() or ())
    if hint is None:
        return Answer(code, text, "", told=False)
    return Answer(code, text.removesuffix(f"; {hint}") if hint else text, hint, told=True)


def _hint(metadata: Any) -> str | None:
    """The hint among the details of a status; None where none of them is ours."""
    from google.protobuf.message import DecodeError
    from google.rpc import error_details_pb2, status_pb2

    info = error_details_pb2.ErrorInfo()
    try:
        for key, value in metadata:
            if key == _DETAILS:
                for detail in status_pb2.Status.FromString(value).details:
                    if detail.Unpack(info):
                        return str(info.metadata.get("hint", ""))
    except DecodeError:
        return None
    return None
