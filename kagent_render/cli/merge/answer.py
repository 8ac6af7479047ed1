"""What rendering gives to a merge of one file: its content, or why there is none."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Answer:
    """What a file is in the merge, and whether everything else that its owner needs is there, too.

    `stops`: other files are in conflict, so that Git will stop before it runs the hook.
    """

    content: bytes
    complete: bool
    stops: bool = False


class Unmergeable(Exception):  # noqa: N818  (a finding, not a failure)
    """Why a file cannot be rendered from the merged manifests, in one sentence."""
