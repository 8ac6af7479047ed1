"""Which manifest of an index is the one for a platform."""

from __future__ import annotations

import pytest

from kagent_render.artifacts.oci.choice import choose
from kagent_render.artifacts.oci.descriptor import Descriptor
from kagent_render.artifacts.oci.failure import OciFault
from kagent_render.artifacts.oci.platform import parse_platform
from kagent_render.diagnostics.reasons import Reason


def index(*platforms: str | None) -> list[Descriptor]:
    return [
        Descriptor(str(number), platform=parse_platform(text) if text else None)
        for number, text in enumerate(platforms)
    ]


@pytest.mark.parametrize(
    ("wanted", "platforms", "chosen"),
    [
        ("linux/amd64", ["linux/arm64", "linux/amd64"], 1),
        ("linux/amd64", ["windows/amd64", "linux/amd64", "linux/amd64"], 1),
        ("linux/amd64", ["linux/amd64/v2", "linux/amd64"], 1),
        ("linux/amd64/v2", ["linux/amd64", "linux/amd64/v2"], 1),
        ("linux/amd64", ["linux/amd64/v2", "linux/amd64/v1"], 1),
        ("linux/arm64", ["linux/arm64/v8"], 0),
        ("linux/arm64/v8", ["linux/arm64"], 0),
        ("linux/arm", ["linux/arm/v6", "linux/arm/v7"], 1),
        ("linux/amd64", ["unknown/unknown", "linux/amd64"], 1),
        ("linux/amd64", [None, "linux/amd64"], 1),
        ("linux/amd64", [None, "linux/arm64"], 0),
        ("linux/amd64", ["unknown/unknown", None], 1),
    ],
)
def test_the_first_manifest_of_the_platform_is_taken(
    wanted: str, platforms: list[str | None], chosen: int
) -> None:
    assert choose(index(*platforms), parse_platform(wanted)).digest == str(chosen)


@pytest.mark.parametrize(
    ("platforms", "text"),
    [
        (["linux/arm64", "linux/arm/v7", "linux/arm64"], "are `linux/arm64`, `linux/arm/v7`$"),
        (["linux/amd64/v2"], "are `linux/amd64/v2`$"),
        ([None, None], "are `none`$"),
        (["unknown/unknown"], "no image at all$"),
        ([], "no image at all$"),
        ([f"linux/a{number}" for number in range(12)], "`linux/a7` and 4 more$"),
    ],
)
def test_a_missing_platform_is_told_with_those_that_there_are(platforms: list[str], text: str) -> None:
    with pytest.raises(OciFault, match=text) as fault:
        choose(index(*platforms), parse_platform("linux/amd64"))
    assert fault.value.reason is Reason.ARTIFACT_NOT_FOUND
