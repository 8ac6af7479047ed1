"""The help of fields: the text below a field in the source of its model."""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kagent_render.api.schema import Block


def block_help(model: type[Block]) -> str:
    """What a block is: the docstring of its model, on one line."""
    return " ".join((inspect.getdoc(model) or "").split())


def field_help(model: type[Block]) -> Mapping[str, str]:
    """The help of a model's fields by their names in Python, those of its bases included."""
    found: dict[str, str] = {}
    for base in reversed(model.__mro__):
        if base.__module__.startswith(f"{__package__}."):
            found |= _module_help(base.__module__).get(base.__name__, {})
    return found


@functools.cache
def _module_help(name: str) -> Mapping[str, Mapping[str, str]]:
    # Python drops these texts, so that they cost a run nothing; the package's own source still has them.
    try:
        source = inspect.getsource(importlib.import_module(name))
    except OSError:
        source = ""  # installed without sources: the same schema without help
    classes = (node for node in ast.parse(source).body if isinstance(node, ast.ClassDef))
    return {node.name: dict(_class_help(node)) for node in classes}


def _class_help(node: ast.ClassDef) -> Iterator[tuple[str, str]]:
    for field, text in zip(node.body, node.body[1:], strict=False):
        if (
            isinstance(field, ast.AnnAssign)
            and isinstance(field.target, ast.Name)
            and isinstance(text, ast.Expr)
            and isinstance(text.value, ast.Constant)
            and isinstance(text.value.value, str)
        ):
            yield field.target.id, text.value.value
