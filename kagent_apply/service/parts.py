"""What the services stand on."""

from __future__ import annotations

import secrets
import uuid
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from kagent_apply.auth.port import Authenticator, Authorizer
    from kagent_apply.instances.share_token import RandomBytes
    from kagent_apply.revisions.port import Revisions
    from kagent_apply.service.port import Admit, Observe, Operations
    from kagent_apply.store.port import Store


def _anyone(_subject: str) -> AbstractContextManager[None]:
    return nullcontext()


def _now() -> datetime:
    return datetime.now(UTC)


def _new_id() -> str:
    return str(uuid.uuid4())


@dataclass(frozen=True, slots=True)
class Parts:
    """The rooms behind the services, and their sources of time, ids and chance."""

    store: Store
    revisions: Revisions
    operations: Operations
    authenticator: Authenticator
    authorizer: Authorizer
    observe: Observe
    admit: Admit = _anyone
    now: Callable[[], datetime] = _now
    new_id: Callable[[], str] = _new_id
    random_bytes: RandomBytes = secrets.token_bytes
