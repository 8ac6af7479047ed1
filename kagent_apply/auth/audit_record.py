"""One call as the audit log has it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from datetime import UTC
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from kagent_apply.auth.port import Caller, Verb

_LONGEST: Final = 300
"""Characters of one value: more than any that passed validation has."""


@dataclass(frozen=True, slots=True)
class AuditRecord:
    """Who asked for what, and what came of it.

    `time` is when the call began, `duration` in seconds. `caller` is None where nobody was named, `verb`
    where the call is none that a policy knows; `call` is its method of the API. `target` is the id, or the
    agent, that it was about. `request` is `request_digest` of its `request_id`, `status` the gRPC status by
    name.
    """

    time: datetime
    caller: Caller | None
    call: str
    verb: Verb | None
    namespace: str
    target: str
    status: str
    duration: float
    peer: str
    request: str = ""


def request_digest(request_id: str) -> str:
    """What tells the calls of one `request_id` from others, without telling it."""
    return hashlib.sha256(request_id.encode(errors="surrogatepass")).hexdigest()[:16]


def audit_line(record: AuditRecord) -> bytes:
    """A record as a line of JSON in ASCII, whatever its values hold."""
    caller = record.caller
    return json_line(
        {
            "time": record.time.astimezone(UTC).isoformat(timespec="milliseconds"),
            "subject": caller.subject if caller else "",
            "method": caller.method if caller else "",
            "call": record.call,
            "verb": record.verb.value if record.verb else "",
            "namespace": record.namespace,
            "target": record.target,
            "request": record.request,
            "status": record.status,
            "duration": round(record.duration, 6),
            "peer": record.peer,
        }
    )


def json_line(values: Mapping[str, str | float]) -> bytes:
    """One object on one line; values that are too long end in `...`."""
    bounded = {key: _bounded(value) for key, value in values.items()}
    return json.dumps(bounded, ensure_ascii=True, separators=(",", ":")).encode("ascii") + b"\n"


def _bounded(value: str | float) -> str | float:
    return value[:_LONGEST] + "..." if isinstance(value, str) and len(value) > _LONGEST else value
