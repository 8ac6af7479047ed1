"""What is committed of Substrate's messages is what protoc makes of `proto/`."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from tests.docs.markdown import page
from tests.parts import REPOSITORY
from tests.target.generation import MESSAGES, generate


def test_the_messages_are_what_protoc_writes_now(tmp_path: Path) -> None:
    generate(tmp_path)
    written = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    committed = {path.name: path.read_bytes() for path in MESSAGES.glob("*_pb2*.py*")}
    assert committed.keys() == written.keys()
    assert {name for name, data in written.items() if committed[name] != data} == set(), "run `make proto`"


def test_the_oldest_protobuf_that_is_allowed_runs_the_messages() -> None:
    allowed = tomllib.loads(page("pyproject.toml"))["project"]["dependencies"]
    (oldest,) = (match[1] for line in allowed if (match := re.match(r"protobuf>=([0-9.]+)", line)))
    for path in MESSAGES.glob("*_pb2.py"):
        (made_for,) = re.findall(r"^# Protobuf Python Version: ([0-9.]+)$", path.read_text(), re.MULTILINE)
        assert made_for == oldest, path.relative_to(REPOSITORY)
