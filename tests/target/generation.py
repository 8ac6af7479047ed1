"""`python -m tests.target.generation` has protoc write kagent_render/target/messages again: `make proto`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.parts import REPOSITORY

MESSAGES = REPOSITORY / "kagent_render/target/messages"
SOURCES = ("ateapi", "ateapi_june")
"""Folders of `proto/`, each with one file of its name: by a file's name protobuf knows its descriptors."""


def generate(folder: Path) -> None:
    """Write the modules and their types into a folder."""
    places = [argument for name in SOURCES for argument in ("--proto_path", str(REPOSITORY / "proto" / name))]
    outputs = [f"--python_out={folder}", f"--pyi_out={folder}"]
    files = [f"{name}.proto" for name in SOURCES]
    subprocess.run([sys.executable, "-m", "grpc_tools.protoc", *places, *outputs, *files], check=True)


if __name__ == "__main__":
    generate(MESSAGES)
