"""Boundaries of a `codex` Harness, compiled with the shipped record or with one that proves all."""

from __future__ import annotations

import json
import tomllib
from typing import Any

from kagent_render.compile.adapters.adapter import CONFIG_VARIABLE, FILES_VARIABLE
from kagent_render.compile.boundary import CompiledBoundary, compile_boundary
from kagent_render.compile.capabilities.catalog import load_catalog
from kagent_render.compile.capabilities.record import choose_record
from kagent_render.diagnostics.diagnostic import Diagnostic
from tests.compile.boundaries import POLICY, Packages, bundle, documents_of, record
from tests.manifests import model

OPENAI = "{model: m, apiKeySecret: llm, apiKeySecretKey: token, openAI: {apiFormat: responses}}"


def codex(
    *texts: str, llm: str = OPENAI, path: str = "", packages: Packages | None = None, proven: bool = True
) -> tuple[CompiledBoundary, list[Diagnostic]]:
    """One boundary of `lead` on Codex; `proven` is a record that denies nothing."""
    known = model(llm).replace("name: model", "name: gpt")
    manifests = [text.replace("modelConfig: {name: model}", "modelConfig: {name: gpt}") for text in texts]
    found = bundle(known, *manifests, path=path, packages=packages, variant="codex")
    shipped = choose_record(load_catalog(), "codex", "")
    assert shipped is not None
    return compile_boundary(found, record() if proven else shipped, POLICY)


def config_of(boundary: CompiledBoundary) -> Any:
    """KAGENT_CONFIG_JSON."""
    return documents_of(boundary)[CONFIG_VARIABLE]


def file_of(boundary: CompiledBoundary, path: str) -> Any:
    """One file of CODEX_HOME, parsed."""
    text = documents_of(boundary)[FILES_VARIABLE][path]
    return tomllib.loads(text) if path.endswith(".toml") else json.loads(text)
