"""Manifests in every style that people write them in, out of plain data and a seed.

A comment that has to stay says `keep` and a number of its own; one that belongs to what is removed, `own`.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

_PLAIN = re.compile(r"[A-Za-z/][A-Za-z0-9./@:_-]*[A-Za-z0-9]|[A-Z][A-Za-zé ,.'-]*[a-z.]")


@dataclass
class Writer:
    """Writes data as one person would who has habits, and moods."""

    dice: random.Random
    step: int = 2
    indentless: bool = True
    kept: int = 0
    owned: int = 0
    loose: float = 0.35
    anchors: dict[str, str] = field(default_factory=dict)

    def chance(self, share: float) -> bool:
        """Whether something that happens so often happens."""
        return self.dice.random() < share

    def comment(self, *, own: bool = False) -> str:
        """A comment with a number of its own."""
        if own:
            self.owned += 1
            return f"# own-{self.owned}- who runs it"
        self.kept += 1
        return (
            f"# keep-{self.kept}- {self.dice.choice(['für später', 'a: b', '- x', '{', 'harnesses:', '…'])}"
        )

    def document(self, value: dict[str, Any]) -> list[str]:
        """One object in block style, parts of it in flow style."""
        return list(self.mapping(value, 0))

    def mapping(self, value: dict[str, Any], indent: int, *, own: bool = False) -> list[str]:
        """The entries of a block mapping."""
        lines: list[str] = []
        pad = " " * indent
        for at, (key, item) in enumerate(value.items()):
            mine = own or key == "harnesses"
            if at and self.chance(self.loose / 3):
                lines.append(self.dice.choice(["", "  ", pad]))
            if self.chance(self.loose) and not (own and not at):
                # What stands right above `harnesses` is its own; with a line between it is not.
                detached = key == "harnesses" and self.chance(0.4)
                lines.append(f"{pad}{self.comment(own=mine and not detached)}")
                lines += [""] if detached else []
            lines += self.entry(key, item, indent, own=mine)
            if key == "harnesses" and self.chance(self.loose):
                lines.append(f"{pad}{' ' * self.step}{self.comment(own=True)}")
        return lines

    def entry(self, key: str, item: Any, indent: int, *, own: bool) -> list[str]:
        """One key with its value."""
        pad, name = " " * indent, self.key(key)
        if isinstance(item, str) and "\n" in item:
            body = [f"{pad}{' ' * self.step}{line}" if line else "" for line in item.split("\n")[:-1]]
            return [f"{pad}{name}: |", *body]
        if not isinstance(item, dict | list) or not item or self.chance(0.2):
            return [f"{pad}{name}:{self.dice.choice([' ', '  '])}{self.flow(item)}{self.tail(own=own)}"]
        if isinstance(item, dict):
            below = self.mapping(item, indent + self.step, own=own)
        else:
            below = self.sequence(item, indent + (0 if self.indentless else self.step), own=own)
        return [f"{pad}{name}:{self.tail(own=own)}", *below]

    def sequence(self, value: list[Any], indent: int, *, own: bool = False) -> list[str]:
        """The items of a block sequence."""
        lines: list[str] = []
        for item in value:
            if isinstance(item, dict) and item and not self.chance(0.2):
                first, *rest = self.mapping(item, indent + 2, own=own)
                while not first.strip() or first.lstrip().startswith("#"):
                    lines.append(first)
                    first, *rest = rest
                lines += [f"{' ' * indent}- {first[indent + 2 :]}", *rest]
            else:
                lines.append(f"{' ' * indent}- {self.flow(item)}{self.tail(own=own)}")
        return lines

    def tail(self, *, own: bool) -> str:
        """What follows a value on its line."""
        if not self.chance(self.loose):
            return self.dice.choice(["", "", " ", "\t"])
        return f"{self.dice.choice([' ', '   ', chr(9)])}{self.comment(own=own)}"

    def key(self, name: str) -> str:
        """A key, seldom quoted."""
        return self.dice.choice([f'"{name}"', f"'{name}'"]) if self.chance(0.05) else name

    def flow(self, value: Any) -> str:
        """A value in flow style on one line."""
        if isinstance(value, dict):
            inner = ", ".join(f"{self.key(key)}: {self.flow(item)}" for key, item in value.items())
            return f"{{{inner}{self.dice.choice([',', '', '']) if value else ''}}}"
        if isinstance(value, list):
            return f"[{', '.join(self.flow(item) for item in value)}]"
        return self.scalar(value) if isinstance(value, str) else json.dumps(value)

    def scalar(self, text: str) -> str:
        """A text in one of three styles."""
        style = self.dice.random()
        if style < 0.15 or "\n" in text or not (style > 0.3 or "'" in text):
            return (
                json.dumps(text, ensure_ascii=False)
                if style < 0.15 or "'" in text or "\n" in text
                else f"'{text}'"
            )
        return text if _PLAIN.fullmatch(text) and ", " not in text else json.dumps(text, ensure_ascii=False)

    def broad(self, value: dict[str, Any]) -> list[str]:
        """One object in flow style over several lines, with comments."""
        return self._broad(value, 0, "", own=False)

    def _broad(self, value: dict[str, Any], indent: int, head: str, *, own: bool) -> list[str]:
        pad = " " * indent
        lines = [f"{pad}{head}{{"]
        for at, (key, item) in enumerate(value.items()):
            comma = "," if at < len(value) - 1 or self.chance(0.3) else ""
            mine = own or key == "harnesses"
            if isinstance(item, dict) and item and key in ("spec", "metadata"):
                lines += self._broad(item, indent + 2, f"{key}: ", own=mine)
                lines[-1] += comma
            else:
                note = f" {self.comment(own=mine)}" if self.chance(self.loose) else ""
                lines.append(f"{pad}  {self.key(key)}: {self.flow(item)}{comma}{note}")
        return [*lines, f"{pad}}}"]


def stream(writer: Writer, objects: Sequence[dict[str, Any]]) -> str:
    """Objects as the documents of one file: block, flow or JSON, with and without markers."""
    lines: list[str] = []
    if writer.chance(0.15):
        lines += ["%YAML 1.1", "---"]
    elif writer.chance(0.4):
        lines.append(writer.dice.choice(["---", "--- # keep-0- the first"]))
    for at, value in enumerate(objects):
        if at:
            lines += writer.dice.choice([["---"], ["---"], ["...", "---"], ["", "---", ""]])
        if writer.chance(writer.loose):
            lines.append(writer.comment())
        kind = writer.dice.random()
        if kind < 0.12:
            lines.append(json.dumps(value, ensure_ascii=writer.chance(0.5)))
        elif kind < 0.2:
            lines += json.dumps(value, indent=2, ensure_ascii=False).splitlines()
        elif kind < 0.32:
            lines += writer.broad(value)
        else:
            lines += writer.document(value)
        if writer.chance(writer.loose):
            lines.append(writer.comment())
    return _ended(writer, lines)


def listed(writer: Writer, objects: Sequence[dict[str, Any]]) -> str:
    """Objects as the items of a List, versions by one anchor at times."""
    items: list[str] = []
    anchored = writer.chance(0.4)
    for at, value in enumerate(objects):
        text = writer.sequence([value], 0 if writer.indentless else writer.step)
        if anchored and value["kind"] != "ConfigMap":
            old = "kagent.dev/v1alpha2"
            first = next((n for n, line in enumerate(text) if old in line and "apiVersion" in line), None)
            if first is not None and text[first].rstrip().endswith(f"apiVersion: {old}"):
                mark = "*version" if "version" in writer.anchors else f"&version {old}"
                writer.anchors["version"] = old
                text[first] = text[first].replace(old, mark)
        items += text
        if at < len(objects) - 1 and writer.chance(writer.loose / 2):
            items.append("")
    return _ended(writer, ["apiVersion: v1", "kind: List", "items:", *items])


def _ended(writer: Writer, lines: list[str]) -> str:
    text = "\n".join(lines) + writer.dice.choice(["", "\n", "\n", "\n\n", "\n...\n"])
    if writer.chance(0.25):
        text = text.replace("\n", "\r\n")
    return ("\ufeff" if writer.chance(0.15) else "") + text
