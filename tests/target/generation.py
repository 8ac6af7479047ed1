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

ALL = {"substrate": SUBSTRATE, "kagent": KAGENT}


def generate(messages: Messages, folder: Path) -> dict[str, bytes]:
    """The modules and their types, by name; protoc writes them into a folder first."""
    places = [f"--proto_path={REPOSITORY / root}" for root in messages.roots]
    outputs = [f"--python_out={folder}", f"--pyi_out={folder}"]
    command = [sys.executable, "-m", "grpc_tools.protoc", *places, *outputs, *messages.files]
    subprocess.run(command, check=True)
    return {path.name: _imported(messages, path) for path in (folder / messages.written).glob("*_pb2.py*")}


def _imported(messages: Messages, path: Path) -> bytes:
    """A module that finds its neighbours in our package: protoc lets no one choose where it imports from."""
    from_there = re.escape(messages.written.replace("/", "."))
    if not from_there:
        return path.read_bytes()
    text = re.sub(
        f"^from {from_there} import ", f"from {messages.package} import ", path.read_text(), flags=re.M
    )
    return text.encode()


def main() -> None:
    """Write what is committed."""
    for messages in ALL.values():
        with tempfile.TemporaryDirectory() as folder:
            for name, data in generate(messages, Path(folder)).items():
                (messages.folder / name).write_bytes(data)


if __name__ == "__main__":
    main()
