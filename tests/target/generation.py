"""`python -m tests.target.generation` has protoc write every message out of `proto/` again: `make proto`."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from tests.parts import REPOSITORY


@dataclass(frozen=True)
class Messages:
    """What one run of protoc makes: `files` as others import them from `roots`, for a folder of the program.

    `written` is the folder below protoc's output; Python finds the modules where `package` says.
    """

    package: str
    roots: tuple[str, ...]
    files: tuple[str, ...]
    written: str = ""

    @property
    def folder(self) -> Path:
        """Where the modules are committed."""
        return REPOSITORY / self.package.replace(".", "/")


SUBSTRATE = Messages(
    "kagent_render.target.messages",
    ("proto/ateapi", "proto/ateapi_june"),
    ("ateapi.proto", "ateapi_june.proto"),
)
"""One file for each generation, of different names: by a file's name protobuf knows its descriptors."""

_KAGENT = "kagent/api/v1alpha1"
KAGENT = Messages(
    "kagent_apply.api.v1alpha1",
    ("proto",),
    tuple(f"{_KAGENT}/{name}.proto" for name in ("agent_instances", "checkpoints", "common")),
    _KAGENT,
)
"""Files that import each other by the path that clients of kagent know them by."""

_GITOPS = "kagent_gitops/v1alpha1"
GITOPS = Messages("kagent_apply.api.gitops.v1alpha1", ("proto",), (f"{_GITOPS}/revisions.proto",), _GITOPS)
"""Messages of our own, which use some of kagent's."""

ALL = {"substrate": SUBSTRATE, "kagent": KAGENT, "gitops": GITOPS}


def generate(messages: Messages, folder: Path) -> dict[str, bytes]:
    """The modules and their types, by name; protoc writes them into a folder first."""
    places = [f"--proto_path={REPOSITORY / root}" for root in messages.roots]
    outputs = [f"--python_out={folder}", f"--pyi_out={folder}"]
    command = [sys.executable, "-m", "grpc_tools.protoc", *places, *outputs, *messages.files]
    subprocess.run(command, check=True)
    return {path.name: _imported(path) for path in (folder / messages.written).glob("*_pb2.py*")}


def _imported(path: Path) -> bytes:
    """A module that finds others in our packages: protoc lets no one choose where it imports from."""
    text = path.read_text()
    for messages in ALL.values():
        if messages.written:
            written = re.escape(messages.written.replace("/", "."))
            text = re.sub(f"^from {written} import ", f"from {messages.package} import ", text, flags=re.M)
    return text.encode()


def main() -> None:
    """Write what is committed."""
    for messages in ALL.values():
        with tempfile.TemporaryDirectory() as folder:
            for name, data in generate(messages, Path(folder)).items():
                (messages.folder / name).write_bytes(data)


if __name__ == "__main__":
    main()
