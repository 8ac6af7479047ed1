"""An API server stores every valid manifest of the examples, the golden repositories and the pages."""

from __future__ import annotations

from typing import Any

import pytest

from kagent_render.source.document import Document
from tests.api_server import ApiServer
from tests.committed import valid_manifests

pytestmark = pytest.mark.server

_KINDS = ("AgentPlugin", "AgentTemplate", "Harness", "ModelConfig", "RemoteMCPServer")


_OBJECTS = [document for document in valid_manifests() if document.ref.kind in _KINDS]


def _name(document: Document) -> str:
    return f"{document.path} {document.ref.kind}/{document.ref.name}"


def test_there_are_objects_of_every_kind() -> None:
    assert {document.ref.kind for document in _OBJECTS} == set(_KINDS)
    assert len(_OBJECTS) > 50


def test_every_object_is_stored(servers: dict[str, ApiServer]) -> None:
    refused: dict[str, Any] = {}
    for document in _OBJECTS:
        version = document.ref.api_version.rpartition("/")[2]
        answer = servers[version].create(document.value)
        if answer.refused:
            refused[_name(document)] = answer.message
    assert refused == {}
