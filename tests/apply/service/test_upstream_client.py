"""A client that protoc makes of the `.proto` files alone, by kagent's own names, is understood."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.apply.service.parts import World, instance, uuid
from tests.apply.service.serving import serving
from tests.parts import REPOSITORY

pytestmark = pytest.mark.server

FILES = [f"kagent/api/v1alpha1/{name}.proto" for name in ("agent_instances", "common")]


def test_a_client_of_kagents_own_names_is_understood(tmp_path: Path) -> None:
    outputs = [
        f"--proto_path={REPOSITORY / 'proto'}",
        f"--python_out={tmp_path}",
        f"--grpc_python_out={tmp_path}",
    ]
    subprocess.run([sys.executable, "-m", "grpc_tools.protoc", *outputs, *FILES], check=True)
    world = World()
    world.store.kept = {uuid(1): instance()}
    with serving(world) as (server, _):
        client = [sys.executable, str(Path(__file__).with_name("upstream_client.py"))]
        done = subprocess.run(
            [*client, str(tmp_path), f"127.0.0.1:{server.port}"], capture_output=True, text=True, timeout=60
        )
    assert done.stderr == ""
    assert done.stdout.split() == [
        *("triage", "AGENT_INSTANCE_STATE_READY"),
        *("1", "43", "AGENT_INSTANCE_STATE_DELETED"),
    ]
