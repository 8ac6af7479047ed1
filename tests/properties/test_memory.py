"""What an edit must change it changes, whatever earlier runs on the same machine have remembered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.properties.everything import RELATED, RELATED_SETTINGS, edited, objects
from tests.properties.repositories import CONFIG, check, one_file_each, render, write

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from tests.properties.manifests import Manifest

pytestmark = pytest.mark.process


def assert_shows(
    root: Path, manifests: list[Manifest], config: Mapping[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """That the edited root is stale, and is then written as on a machine that never saw the old one."""
    before = render(write(root / "warm", one_file_each(objects())))
    write(root / "warm", one_file_each(manifests), config)
    assert check(root / "warm").status == 1
    warm = render(root / "warm")
    assert warm != before
    monkeypatch.setenv("XDG_CACHE_HOME", str(root / "empty"))
    assert warm == render(write(root / "cold", one_file_each(manifests), config))


@pytest.mark.parametrize("edit", RELATED.values(), ids=RELATED)
def test_a_related_edit_shows(
    tmp_path: Path, edit: Callable[[list[Manifest]], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert_shows(tmp_path, edited(edit), CONFIG, monkeypatch)


@pytest.mark.parametrize("setting", RELATED_SETTINGS.values(), ids=RELATED_SETTINGS)
def test_a_related_setting_shows(
    tmp_path: Path, setting: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    config = {**CONFIG, "spec": {**CONFIG["spec"], **setting}}
    assert_shows(tmp_path, objects(), config, monkeypatch)


def test_an_edit_that_is_taken_back_gives_the_bytes_that_were(tmp_path: Path) -> None:
    before = render(write(tmp_path, one_file_each(objects())))
    for edit in RELATED.values():
        render(write(tmp_path, one_file_each(edited(edit))))
    assert render(write(tmp_path, one_file_each(objects()))) == before
