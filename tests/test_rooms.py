"""The rooms of both programs: which may use which, and which touch nothing but values (architecture.md)."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.parts import REPOSITORY

PROGRAMS = ("kagent_render", "kagent_apply")

PURE = {
    "api",
    "compile",
    "graph",
    "krm",
    "migration",
    "preparation",
    "prompt",
    "provenance",
    "review",
    "revision",
    "target",
    "apply.instances",
    "apply.network",
}
"""Values in, values and diagnostics out: no file, network, clock or environment."""

MAY_USE = {
    "diagnostics": "",
    "source": "diagnostics",
    "watch": "source",
    "api": "diagnostics source",
    "graph": "api artifacts diagnostics",
    "prompt": "api diagnostics graph",
    "artifacts": "api diagnostics emit revision source",
    "compile": "api artifacts diagnostics graph prompt revision source target",
    "target": "api compile diagnostics revision",
    "revision": "api artifacts compile diagnostics graph source target",
    "emit": "diagnostics revision target",
    "agentplugin": "api artifacts diagnostics emit graph revision source target",
    "preparation": "agentplugin api artifacts compile diagnostics emit graph revision source target",
    "review": "agentplugin api artifacts compile diagnostics graph preparation revision source target",
    "provenance": "agentplugin api artifacts revision",
    "krm": "diagnostics revision source",
    "merging": "diagnostics emit source",
    "migration": "api artifacts compile diagnostics preparation revision source",
    "publication": "diagnostics emit revision source",
    "apply.api": "",
    "apply.auth": "api apply.instances apply.network diagnostics source",
    "apply.batching": "",
    "apply.cluster": "api apply.instances apply.revisions apply.store apply.substrate compile diagnostics"
    " revision source target",
    "apply.embedded": "api apply.batching apply.instances apply.network apply.runtime apply.substrate"
    " revision target",
    "apply.instances": "api",
    "apply.network": "",
    "apply.observability": "api apply.instances apply.revisions diagnostics source",
    "apply.operations": "apply.instances apply.revisions apply.store apply.substrate",
    "apply.revisions": "apply.instances apply.substrate artifacts diagnostics emit revision source target",
    "apply.runtime": "",
    "apply.service": "apply.api apply.auth apply.instances apply.observability apply.operations"
    " apply.revisions apply.store apply.substrate",
    "apply.settings": "apply.instances apply.network",
    "apply.store": "apply.batching apply.instances",
    "apply.substrate": "api apply.instances apply.network diagnostics source target",
}
"""What each room may import, those of kagent_apply with `apply.` before their name.

`cli` may import every room of its program, and nothing but the program's start imports it.
"""

ROOMS = frozenset({"cli", "apply.cli", *MAY_USE})
"""Every room of both programs."""

_ASKING = {"kagent_render.preparation.plugin_images"}
"""Modules of pure rooms that ask the network all the same; no other module there may load them."""

_MESSAGES = {
    "kagent_apply.api.v1alpha1.agent_instances_pb2",
    "kagent_apply.api.v1alpha1.checkpoints_pb2",
    "kagent_apply.api.v1alpha1.common_pb2",
    "kagent_render.target.messages.ateapi_june_pb2",
    "kagent_render.target.messages.ateapi_pb2",
    "kagent_render.target.protojson",
    "kagent_render.target.template_reading",
}
"""Modules that load protobuf; those that load them do so inside of functions, for who asked for `ateapi`."""

_WORLD = {
    "asyncio", "boto3", "click", "concurrent", "datetime", "dulwich", "fcntl", "glob", "http", "locale",
    "multiprocessing", "oras", "os", "pathlib", "platform", "random", "requests", "secrets", "shutil",
    "signal", "socket", "sqlite3", "subprocess", "sys", "tempfile", "threading", "time", "urllib.request",
    "urllib3", "uuid", "watchfiles",
}  # fmt: skip
_CALLS = {"__import__", "breakpoint", "exec", "eval", "input", "open", "print"}


def _name(path: Path) -> str:
    parts = path.relative_to(REPOSITORY).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {_name(path): path for program in PROGRAMS for path in (REPOSITORY / program).rglob("*.py")}


def _room(module: str) -> str:
    program, _, inside = module.partition(".")
    room = inside.partition(".")[0]
    return f"apply.{room}" if program == "kagent_apply" and room else room


@cache
def _tree(module: str) -> ast.Module:
    return ast.parse(MODULES[module].read_text())


def _nodes(node: ast.AST, *, checked: bool) -> Iterator[ast.AST]:
    """Every node below; without `checked`, not those that only a type checker reads."""
    for child in ast.iter_child_nodes(node):
        if checked or not (isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING"):
            yield child
            yield from _nodes(child, checked=checked)


@cache
def _imports(module: str, *, checked: bool = True) -> frozenset[str]:
    found: set[str] = set()
    for node in _nodes(_tree(module), checked=checked):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = {f"{node.module}.{name.name}" for name in node.names}
            found |= {name if name in MODULES else node.module for name in names}
    return frozenset(found)


@cache
def _reached(module: str, *, checked: bool = False) -> frozenset[str]:
    """All modules that one needs, itself included; with `checked`, what only a type checker reads, too."""
    waiting, found = [module], {module}
    while waiting:
        new = {name for name in _imports(waiting.pop(), checked=checked) if name in MODULES} - found
        found |= new
        waiting += new
    return frozenset(found)


@cache
def _worldly(module: str) -> frozenset[str]:
    imports = {name for name in _imports(module, checked=False) if _WORLD & {name, name.split(".")[0]}}
    calls = {
        node.func.id
        for node in ast.walk(_tree(module))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _CALLS
    }
    return frozenset(imports | calls)


@pytest.mark.parametrize("room", sorted(MAY_USE))
def test_a_room_uses_only_those_that_it_may(room: str) -> None:
    allowed = {"", room, *MAY_USE[room].split()}
    wrong = {
        f"{module} imports {name}"
        for module in MODULES
        if _room(module) == room
        for name in _imports(module)
        if name.split(".")[0] in PROGRAMS and _room(name) not in allowed
    }
    assert not wrong


def test_the_renderer_does_without_the_service() -> None:
    wrong = {
        f"{module} imports {name}"
        for module in MODULES
        if module.startswith("kagent_render")
        for name in _imports(module)
        if name.startswith("kagent_apply")
    }
    assert not wrong


@pytest.mark.parametrize("room", sorted(PURE))
def test_a_pure_room_neither_touches_the_world_nor_loads_what_does(room: str) -> None:
    wrong = {
        f"{module} reaches {name}: {', '.join(sorted(worldly))}"
        for module in MODULES
        if _room(module) == room and module not in _ASKING
        for name in _reached(module)
        if (worldly := _worldly(name))
    }
    assert not wrong


def test_protobuf_is_loaded_by_the_messages_and_what_reads_them_alone() -> None:
    loading = {
        module
        for module in MODULES
        if any(name == "google" or name.startswith("google.") for name in _imports(module, checked=False))
    }
    assert {module for module in loading if module.startswith("kagent_render")} == {
        module for module in _MESSAGES if module.startswith("kagent_render")
    }
    assert not {module for module in loading if _room(module) == "apply.instances"}


def test_every_room_is_in_the_table() -> None:
    starts = [path for program in PROGRAMS for path in (REPOSITORY / program).glob("*/__init__.py")]
    assert {_room(_name(path)) for path in starts} == ROOMS


def test_both_programs_are_in_the_wheel_and_checked() -> None:
    tool = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["tool"]
    assert sorted(tool["hatch"]["build"]["targets"]["wheel"]["packages"]) == sorted(PROGRAMS)
    assert set(PROGRAMS) <= set(tool["mypy"]["files"])


def test_modules_import_in_one_direction() -> None:
    circles = {
        f"{module} and {name}"
        for module in MODULES
        for name in _reached(module, checked=True)
        if name != module and module in _reached(name, checked=True)
    }
    assert not circles
