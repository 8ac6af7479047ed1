"""Which files hold a root's capability records, and folders of which nobody knows whether they hold some."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from kagent_render.preparation.record_files import record_files
from kagent_render.source.config_reading import read_config
from kagent_render.source.reader import Listing, MemoryFiles, ReadError
from tests.manifests import told

_CONFIG = b"""\
apiVersion: render.kagent.dev/v1alpha1
kind: RenderConfig
spec: {target: ate.dev/v1alpha1, capabilities: ["records/**/*.yaml"]}
"""


@dataclass(frozen=True)
class Unreadable(MemoryFiles):
    """Files in memory, and a folder beside them that cannot be read."""

    folder: str = field(default="")

    def files(self, folder: str = "", *, hidden: bool = False, without: Collection[str] = ()) -> Listing:
        listing = super().files(folder, hidden=hidden, without=without)
        return Listing(listing.paths, (ReadError(self.folder, "cannot be read: permission denied"),))


def test_a_folder_that_cannot_be_read_is_told_since_it_may_hold_a_record() -> None:
    contents = {"kagent-render.yaml": _CONFIG, "records/ours.yaml": b""}
    reader = Unreadable(contents, folder="records/theirs")
    config, faults = read_config(reader)
    assert config is not None, faults
    paths, faults = record_files(reader, config)
    assert paths == ["records/ours.yaml"]
    assert told(faults) == [("ConfigInvalid", None)]
    assert "`records/theirs`" in faults[0].message
