"""A file whose sides cannot be merged, with conflict markers that name them."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from kagent_render.diagnostics.text import printable

if TYPE_CHECKING:
    from kagent_render.merging.operation import Contents
    from kagent_render.source.git_program import GitProgram

_LONGEST_LABEL = 120


def conflict_text(git: GitProgram, contents: Contents, ours: str, theirs: str) -> bytes:
    """The file with each place where the sides differ between markers, which are labelled.

    It holds markers even where the sides could be merged line by line: the result would be no side's truth.
    """
    with tempfile.TemporaryDirectory() as folder:
        names = {"ours": contents.ours, "base": contents.base, "theirs": contents.theirs}
        for name, content in names.items():
            Path(folder, name).write_bytes(content)
        labels = [option for label in (ours, "base", theirs) for option in ("-L", _label(label))]
        merged = git.run(
            "merge-file", "--stdout", "--diff3", *labels,
            *(str(Path(folder, name)) for name in names), accept=None,
        )  # fmt: skip
    if 0 < merged.status < 128 and merged.out:
        return merged.out
    parts = (f"<<<<<<< {_label(ours)}", contents.ours), ("=======", contents.theirs)
    text = b"".join(marker.encode() + b"\n" + _ended(content) for marker, content in parts)
    return text + f">>>>>>> {_label(theirs)}\n".encode()


def _label(text: str) -> str:
    return printable(text)[:_LONGEST_LABEL]


def _ended(content: bytes) -> bytes:
    return content if not content or content.endswith(b"\n") else content + b"\n"
