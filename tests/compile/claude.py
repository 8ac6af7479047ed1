"""Boundaries of a `claude` Harness, compiled with the shipped record or with one that proves all."""

from __future__ import annotations

import json
from typing import Any

from kagent_render.compile.adapters.adapter import CONFIG_VARIABLE, FILES_VARIABLE
from kagent_render.compile.boundary import CompiledBoundary, compile_boundary
from kagent_render.compile.capabilities.catalog import load_catalog
from kagent_render.compile.capabilities.record import choose_record
from kagent_render.diagnostics.diagnostic import Diagnostic
from tests.compile.boundaries import POLICY, Packages, bundle, documents_of, record
from tests.manifests import model

ANTHROPIC = "{provider: Anthropic, model: m, apiKeySecret: llm, apiKeySecretKey: token}"


def claude(
    *texts: str, llm: str = ANTHROPIC, path: str = "", packages: Packages | None = None, proven: bool = True
) -> tuple[CompiledBoundary, list[Diagnostic]]:
    """One boundary of `lead` on Claude Code; `proven` is a record that denies nothing."""
    known = model(llm, "claude")
    manifests = [text.replace("modelConfig: {name: model}", "modelConfig: {name: claude}") for text in texts]
    found = bundle(known, *manifests, path=path, packages=packages, variant="claude")
    shipped = choose_record(load_catalog(), "claude", "")
    assert shipped is not None
    return compile_boundary(found, record() if proven else shipped, POLICY)


def sound(*texts: str, **more: Any) -> CompiledBoundary:
    """A boundary that has no faults."""
    boundary, faults = claude(*texts, **more)
    assert faults == []
    return boundary


def config_of(boundary: CompiledBoundary) -> Any:
    """KAGENT_CONFIG_JSON."""
    return documents_of(boundary)[CONFIG_VARIABLE]


def file_of(boundary: CompiledBoundary, path: str) -> Any:
    """One file of CLAUDE_CONFIG_DIR, parsed."""
    return json.loads(documents_of(boundary)[FILES_VARIABLE][path])
