"""An API server stores every valid manifest of the examples, the golden repositories and the pages."""

from __future__ import annotations

from typing import Any

import pytest

from kagent_render.source.document import Document
from tests.api_server import ApiServer
from tests.cluster.definitions import NOT_OURS, upstream
from tests.committed import valid_manifests

pytestmark = pytest.mark.server

_KINDS = ("AgentPlugin", "AgentTemplate", "Harness", "ModelConfig", "RemoteMCPServer")


_OBJECTS = [document for document in valid_manifests() if document.ref.kind in _KINDS]


def _name(document: Document) -> str:
    return f"{document.path} {document.ref.kind}/{document.ref.name}"


def test_there_are_objects_of_every_kind() -> None:
    assert {document.ref.kind for document in _OBJECTS} == set(_KINDS)
    assert len(_OBJECTS) > 50


@pytest.fixture
def complete(servers: dict[str, ApiServer]) -> dict[str, ApiServer]:
    """The servers with upstream's definitions of the other kinds, too."""
    for running in {id(server): server for server in servers.values()}.values():
        for name in NOT_OURS:
            running.define(upstream(name))
    return servers


def test_every_object_is_stored(complete: dict[str, ApiServer]) -> None:
    refused: dict[str, Any] = {}
    for document in _OBJECTS:
        version = document.ref.api_version.rpartition("/")[2]
        answer = complete[version].create(document.value)
        if answer.refused:
            refused[_name(document)] = answer.message
    assert refused == {}
