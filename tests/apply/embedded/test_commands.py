"""Which command stands in for which image."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from kagent_apply.embedded.commands import CommandsInvalidError, images_of, read_commands
from tests.apply.embedded.calls import IMAGE
from tests.parts import REPOSITORY

_DIGEST = IMAGE.rpartition("@")[2]
_OTHER = IMAGE.replace("0" * 64, "1" * 64)


@pytest.mark.parametrize(
    ("entries", "image", "arguments"),
    [
        ({_DIGEST: ["run"]}, IMAGE, ("run",)),
        ({_DIGEST: {"command": ["run", "-x"], "env": None}}, IMAGE, ("run", "-x")),
        ({IMAGE: ["whole"], _DIGEST: ["digest"]}, IMAGE, ("whole",)),
        ({IMAGE: ["whole"]}, f"mirror.example.com/{IMAGE}", None),
        ({_DIGEST: ["digest"]}, f"mirror.example.com/{IMAGE}", ("digest",)),
        ({_DIGEST: ["run"]}, _OTHER, None),
        ({}, IMAGE, None),
    ],
)
def test_a_command_is_found_by_reference_and_by_digest(
    entries: dict[str, Any], image: str, arguments: tuple[str, ...] | None
) -> None:
    found = read_commands(entries).of(image)
    assert (tuple(found.arguments) if found else None) == arguments


@pytest.mark.parametrize(
    "entries",
    [
        [],
        "run",
        {IMAGE: "run"},
        {IMAGE: []},
        {IMAGE: [""]},
        {IMAGE: ["run", 1]},
        {IMAGE: ["run\0"]},
        {IMAGE: {"command": "run"}},
        {IMAGE: {"env": {}}},
        {IMAGE: {"command": ["run"], "enviroment": {}}},
        {IMAGE: {"command": ["run"], "env": ["A=b"]}},
        {IMAGE: {"command": ["run"], "env": {"A": 1}}},
        {IMAGE: {"command": ["run"], "env": {"A=B": "c"}}},
        {IMAGE: {"command": ["run"], "env": {"": "c"}}},
        {IMAGE: {"command": ["run"], "env": {"A": "b\0"}}},
    ],
    ids=str,
)
def test_what_is_no_command_is_refused(entries: object) -> None:
    with pytest.raises(CommandsInvalidError):
        read_commands(entries)


def test_the_missing_are_told_once_each() -> None:
    assert read_commands({_DIGEST: ["run"]}).missing([IMAGE, _OTHER, _OTHER]) == (_OTHER,)


@pytest.mark.parametrize("example", ["incident", "substrate-v0.4"])
def test_images_are_found_in_the_manifests_of_both_targets(example: str) -> None:
    for path in (REPOSITORY / "examples" / example / "rendered").rglob("actortemplates/*.yaml"):
        (image,) = images_of(yaml.safe_load(path.read_text()))
        assert image.startswith("registry.example.com/")


@pytest.mark.parametrize("manifest", [{}, {"spec": None}, {"spec": {}}, {"containers": []}])
def test_a_manifest_without_containers_has_no_image(manifest: dict[str, Any]) -> None:
    assert list(images_of(manifest)) == []
