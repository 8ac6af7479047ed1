"""The program as it is for a target whose manifests no GitOps tool can apply: a ConfigMap carries each pair.

What the manifests hold is another matter, and for these tests it is what `ate.dev/v1alpha1` writes.

    with carrying():                       # in this process
        run("render", cwd=root)
    python -m tests.carried render         # as a program of its own
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from functools import partial
from unittest.mock import patch

from kagent_render.emit.plan import PairOutput

PREPARATION = "kagent_render.preparation"


@contextlib.contextmanager
def carrying() -> Iterator[None]:
    """Every pair is carried as long as this lasts."""
    with (
        patch(f"{PREPARATION}.output.PairOutput", partial(PairOutput, carried=True)),
        patch(f"{PREPARATION}.carrying.CARRIED_TARGETS", frozenset({"ate.dev/v1alpha1"})),
        patch(f"{PREPARATION}.carrying.is_object", lambda _: False),
        patch(f"{PREPARATION}.pruning.is_object", lambda _: False),
        patch("kagent_render.cli.commit.leftovers.is_object", lambda _: False),
    ):
        yield


if __name__ == "__main__":
    from kagent_render.cli.main import program

    with carrying():
        program(prog_name="kagent-render")
