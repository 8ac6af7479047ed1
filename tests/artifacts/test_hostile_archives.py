"""Every shape of the catalogue is refused, under its own reason and with a message that is safe to print."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from kagent_render.artifacts.archive.formats import read_archive
from kagent_render.artifacts.archive.layers import read_layers
from kagent_render.artifacts.archive.limits import Limits
from kagent_render.artifacts.archive.refusal import ArchiveRefused, Refusal
from kagent_render.diagnostics.reasons import Reason
from tests.artifacts.hostile import CASES
from tests.artifacts.hostile_layers import LAYERS, AnyLayer


@pytest.mark.parametrize(
    ("archive", "name", "refusal"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_a_hostile_archive_is_refused(archive: bytes, name: str, refusal: Refusal) -> None:
    with pytest.raises(ArchiveRefused) as refused:
        read_archive(archive, name)
    assert refused.value.refusal is refusal
    assert refused.value.message.isprintable()
    assert len(refused.value.message) < 300
    assert refused.value.hint


@pytest.mark.parametrize(
    ("layers", "refusal", "place"), [case[1:] for case in LAYERS], ids=[case[0] for case in LAYERS]
)
def test_hostile_layers_are_refused_and_named(
    layers: Sequence[AnyLayer], refusal: Refusal, place: str
) -> None:
    with pytest.raises(ArchiveRefused) as refused:
        read_layers(layers, Limits())
    assert (refused.value.refusal, place in refused.value.message) == (refusal, True), refused.value.message
    assert refused.value.message.isprintable()


def test_every_refusal_of_the_catalogue_has_a_case() -> None:
    # An archive over 128 MiB is made in `test_archive_limits`, not held for the whole run.
    elsewhere = {Refusal.ARCHIVE_TOO_LARGE, *(case[2] for case in LAYERS)}
    assert {case[3] for case in CASES} | elsewhere == set(Refusal)


@pytest.mark.parametrize("refusal", Refusal)
def test_size_limits_are_too_large_and_all_else_is_unsafe(refusal: Refusal) -> None:
    sizes = {
        Refusal.TOO_MANY_ENTRIES,
        Refusal.TOO_MANY_FRAMES,
        Refusal.TOO_LARGE,
        Refusal.ARCHIVE_TOO_LARGE,
        Refusal.RATIO,
        Refusal.WINDOW,
    }
    expected = Reason.ARTIFACT_TOO_LARGE if refusal in sizes else Reason.ARTIFACT_UNSAFE
    assert refusal.reason is expected
    assert not refusal.text.endswith(".")
