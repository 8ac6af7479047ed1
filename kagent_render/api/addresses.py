"""The constraints on addresses that manifests hold."""

from __future__ import annotations

import re
from typing import Annotated, Final

from kagent_render.api.schema import Check
from kagent_render.api.user_information import has_user_information

_DIGEST: Final = re.compile(r"@sha256:[0-9A-Fa-f]*$")


def _reference_is_clean(reference: str) -> bool:
    return not has_user_information(_DIGEST.sub("", reference))


NoUserInformation: Final = Check(
    message="the address must not contain user information",
    holds=lambda address: not has_user_information(address),
    hint="remove the part before `@` and refer to a credential instead",
    sensitive=True,
)
NoUserInReference: Final = Check(
    message="the image reference must not contain user information",
    holds=_reference_is_clean,
    hint="remove the part before `@` and configure registry credentials instead",
    sensitive=True,
)
Url = Annotated[str, NoUserInformation]
