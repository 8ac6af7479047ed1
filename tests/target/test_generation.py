"""What is committed of messages is what protoc makes of `proto/`."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from tests.docs.markdown import page
from tests.parts import REPOSITORY
from tests.target.generation import ALL, generate


@pytest.mark.parametrize("made", ALL)
def test_the_messages_are_what_protoc_writes_now(tmp_path: Path, made: str) -> None:
    written = generate(ALL[made], tmp_path)
    committed = {path.name: path.read_bytes() for path in ALL[made].folder.glob("*_pb2*.py*")}
    assert committed.keys() == written.keys()
    assert {name for name, data in written.items() if committed[name] != data} == set(), "run `make proto`"


def test_every_file_of_messages_is_made_into_modules() -> None:
    sources = {path.name for path in (REPOSITORY / "proto").rglob("*.proto")}
    assert sources == {Path(file).name for messages in ALL.values() for file in messages.files}


@pytest.mark.parametrize("made", ALL)
def test_the_oldest_protobuf_that_is_allowed_runs_the_messages(made: str) -> None:
    allowed = tomllib.loads(page("pyproject.toml"))["project"]["dependencies"]
    (oldest,) = (match[1] for line in allowed if (match := re.match(r"protobuf>=([0-9.]+)", line)))
    for path in ALL[made].folder.glob("*_pb2.py"):
        (made_for,) = re.findall(r"^# Protobuf Python Version: ([0-9.]+)$", path.read_text(), re.MULTILINE)
        assert made_for == oldest, path.relative_to(REPOSITORY)
