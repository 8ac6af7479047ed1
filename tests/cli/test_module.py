"""The program as a module: what starts it without its script."""

from __future__ import annotations

import subprocess
import sys

import pytest

from kagent_render import __version__
from tests.parts import REPOSITORY


@pytest.mark.parametrize("module", ["kagent_render", "kagent_render.cli.main"])
def test_a_module_is_the_program(module: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", module, "--version"],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == f"kagent-render {__version__}\n"
