"""`python -m tests.apply.whole.control_program FOLDER`: a Control at a free port, until it is killed."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

from kagent_apply.embedded.opening import open_echo
from kagent_apply.embedded.serving import serve_control


def main(folder: Path) -> None:
    """Serve, and say where."""
    _, port = serve_control(open_echo(folder), "127.0.0.1:0")
    print(f"ready on 127.0.0.1:{port}", flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
