"""A ResourceList as it came and as it goes out again (KRM functions specification, config.kubernetes.io/v1).

Items are kept as nodes of YAML, so that what a function does not touch says afterwards what it said before,
in whatever dialect its reader has. Comments are lost; orchestrators put them back.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from kagent_render.revision import canonical_yaml
from kagent_render.source.failure import YAMLInvalidError
from kagent_render.source.yaml import read_yaml

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

KIND: Final = "ResourceList"
VERSIONS: Final = tuple(f"config.kubernetes.io/{version}" for version in ("v1", "v1beta1", "v1alpha1"))
_WIDEST: Final = 1 << 30
_STRING: Final = "tag:yaml.org,2002:str"


class ResourceListError(Exception):
    """Input that is no ResourceList; the text says why, and holds nothing of the input."""


@dataclass(frozen=True, slots=True, eq=False)
class Item:
    """One object: its plain data, a Secret's values left out, and the node that is written again."""

    value: Any
    node: Node


@dataclass(frozen=True, slots=True, eq=False)
class ResourceList:
    """What an orchestrator sent: the items and the configuration of the function, None without one."""

    version: str = VERSIONS[0]
    items: tuple[Item, ...] = ()
    config: Item | None = None

    def dump(self, items: Iterable[Item], results: Sequence[Mapping[str, Any]]) -> bytes:
        """The answer: these items, the configuration as it was, and results where there are any."""
        entries = [
            (_text("apiVersion"), _text(self.version)),
            (_text("kind"), _text(KIND)),
            (_text("items"), SequenceNode("tag:yaml.org,2002:seq", [item.node for item in items])),
        ]
        if self.config is not None:
            entries.append((_text("functionConfig"), self.config.node))
        if results:
            entries.append((_text("results"), node_of(list(results))))
        return dump(MappingNode("tag:yaml.org,2002:map", entries))


def read_resource_list(data: bytes) -> ResourceList:
    """The one ResourceList of a stream; raises ResourceListError."""
    try:
        # The bounds of this reader are what makes it safe to build nodes from the same bytes.
        documents = [document.value for document in read_yaml(data, strict=False)]
        root = yaml.compose(data.decode("utf-8-sig"), yaml.CSafeLoader)
    except YAMLInvalidError as error:
        raise ResourceListError(f"stdin is not YAML: {error.message} at line {error.line}") from None
    except yaml.YAMLError:
        raise ResourceListError("stdin is not one document of YAML") from None
    value = documents[0] if len(documents) == 1 else None
    if not isinstance(value, dict) or value.get("kind") != KIND or not isinstance(root, MappingNode):
        raise ResourceListError(f"stdin is not one `{KIND}`")
    version, items = value.get("apiVersion"), value.get("items")
    if version not in VERSIONS:
        raise ResourceListError(f"the `{KIND}` is of none of the versions `{'`, `'.join(VERSIONS)}`")
    if items is not None and not isinstance(items, list):
        raise ResourceListError(f"the `{KIND}` has `items` that are not a list")
    nodes = _field(root, "items")
    found = nodes.value if isinstance(nodes, SequenceNode) else []
    config = _field(root, "functionConfig")
    if len(found) != len(items or ()) or (config is None and value.get("functionConfig")):
        raise ResourceListError(f"the `{KIND}` has fields that come from a merge key")
    return ResourceList(
        version,
        tuple(map(Item, items or [], found)),
        Item(value["functionConfig"], config) if config is not None and value["functionConfig"] else None,
    )


def _field(node: Node, name: str) -> Node | None:
    """The value of a mapping's key; the last where it is set twice, as readers of YAML take it."""
    entries = node.value if isinstance(node, MappingNode) else []
    found = [value for key, value in entries if isinstance(key, ScalarNode) and key.value == name]
    return found[-1] if found else None


def without_entries(node: Node, path: Sequence[str], is_dropped: Callable[[str], bool]) -> Node:
    """The node without those entries of the mapping at `path` that are dropped; an emptied one goes, too."""
    if not isinstance(node, MappingNode):
        return node
    entries = []
    for key, value in node.value:
        name = key.value if isinstance(key, ScalarNode) else None
        if path and name == path[0]:
            kept = without_entries(value, path[1:], is_dropped)
            if len(path) > 1 or not isinstance(kept, MappingNode) or kept.value:
                entries.append((key, kept))
        elif path or name is None or not is_dropped(name):
            entries.append((key, value))
    return MappingNode(node.tag, entries, flow_style=node.flow_style)


def node_of(value: Any) -> Node:
    """Plain data as a node whose scalars every reader of YAML reads as the same."""
    node = yaml.compose(canonical_yaml.dump(value), yaml.CSafeLoader)
    assert node is not None
    return node


def item_of(value: Any) -> Item:
    """Plain data as an item."""
    return Item(value, node_of(value))


def dump(node: Node) -> bytes:
    """A node as a YAML document; scalars keep their spelling."""
    _unfold(node)
    text = yaml.serialize(node, Dumper=yaml.CSafeDumper, allow_unicode=True, width=_WIDEST, encoding="utf-8")
    assert isinstance(text, bytes)
    return text


def _unfold(node: Node) -> None:
    """Write folded text as literal blocks: folding it again would break other lines than it joined."""
    pending, seen = [node], set()
    while pending:
        current = pending.pop()
        if id(current) in seen:
            continue
        seen.add(id(current))
        if isinstance(current, ScalarNode):
            if current.style == ">":
                current.style = "|"
        elif isinstance(current, MappingNode):
            pending += [part for entry in current.value for part in entry]
        else:
            pending += current.value


def _text(text: str) -> ScalarNode:
    return ScalarNode(_STRING, text)
