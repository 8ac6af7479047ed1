"""`kagent-apply serve` over the small twins of its parts; operations wait until a file is there.

The arguments are that file, one to which each refresh adds a line, and those of the program.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import kagent_apply.cli.server.assembly
from kagent_apply.cli.main import main
from kagent_apply.cli.server.serving import Assembly
from kagent_apply.settings.model import Settings
from tests.apply.service.parts import World, done


def begin(go: Path, refreshed: Path) -> None:
    """Put the twins in the place of the parts, and run the program."""
    world = World()

    def act(*asked: Any) -> Any:
        refreshed.write_text("asked\n")
        while not go.exists():
            time.sleep(0.01)
        return done(*asked)

    def refresh() -> None:
        with refreshed.open("a") as file:
            file.write("refreshed\n")

    @contextmanager
    def assemble(settings: Settings, folder: Path) -> Iterator[Assembly]:
        yield Assembly(world.parts(), refresh=refresh)
        refreshed.write_text("closed\n")

    world.operations.act = act
    kagent_apply.cli.server.assembly.assemble = assemble
    main()


if __name__ == "__main__":
    places = [Path(argument) for argument in sys.argv[1:3]]
    del sys.argv[1:3]
    begin(places[0], places[1])
