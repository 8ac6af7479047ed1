"""What is wrong with a committed resource of `ateapi`: where, why, and what to do."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kagent_render.api.credential_literals import looks_like_credential
from kagent_render.diagnostics.diagnostic import field_text

if TYPE_CHECKING:
    from kagent_render.diagnostics.diagnostic import FieldPath

_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")


@dataclass(frozen=True, slots=True)
class TemplateFault:
    """One fault; `message` is one sentence without a full stop, and neither it nor `hint` quotes a value."""

    field: FieldPath
    message: str
    hint: str

    @property
    def path(self) -> str:
        """The field as Kubernetes writes it: `containers[0].readyz`; empty for the document itself."""
        return field_text(self.field)


def is_showable(key: object) -> bool:
    """Whether a key can be a field's name, so that showing it carries neither markup nor what is secret."""
    return isinstance(key, str) and _NAME.fullmatch(key) is not None and not looks_like_credential("", key)
