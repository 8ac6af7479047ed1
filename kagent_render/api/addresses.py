"""The constraints on addresses that manifests hold."""

from __future__ import annotations

import dataclasses
import re
from typing import Annotated, Final

from kagent_render.api.schema import Check
from kagent_render.api.user_information import USER_INFORMATION, has_user_information

_DIGEST: Final = re.compile(r"@sha256:[0-9A-Fa-f]*$")
_PINNED: Final = "^[^@]*@sha256:[0-9A-Fa-f]*$"

_WITHOUT_USER_INFORMATION: Final = f"!self.matches(r'{USER_INFORMATION}')"

LONGEST_ADDRESS: Final = 2048
"""How long an address may be, in characters, so that an API server can tell what the rule costs."""


def _reference_is_clean(reference: str) -> bool:
    return not has_user_information(_DIGEST.sub("", reference))


NoUserInformation: Final = Check(
    message="the address must not contain user information",
    holds=lambda address: not has_user_information(address),
    hint="remove the part before `@` and refer to a credential instead",
    sensitive=True,
    cel=_WITHOUT_USER_INFORMATION,
    schema={"not": {"pattern": USER_INFORMATION}},
)
NoUserInReference: Final = Check(
    message="the image reference must not contain user information",
    holds=_reference_is_clean,
    hint="remove the part before `@` and configure registry credentials instead",
    sensitive=True,
    cel=f"self.matches('{_PINNED}') || {_WITHOUT_USER_INFORMATION}",
    schema={"anyOf": [{"pattern": _PINNED}, {"not": {"pattern": USER_INFORMATION}}]},
)
NoUserInPinnedReference: Final = dataclasses.replace(NoUserInReference, cel=None, schema={})
"""The same beside the pattern of an image by digest, which lets no other `@` pass."""

Url = Annotated[str, NoUserInformation]
