"""`python -m bench [ROW...]`: each budget as a ratio to a tool that users know, and whether it is kept."""

from __future__ import annotations

import argparse
import os
import platform
import tempfile
from pathlib import Path

from bench.measured import Size
from bench.rows import ROWS
from bench.workspace import MEMORY, temporary_folder


def main(arguments: list[str] | None = None) -> int:
    """Print the rows that are asked for, all unless told; 1 where a budget is not kept."""
    usual = Size()
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("rows", nargs="*", metavar="ROW", help=f"{', '.join(ROWS)}; all unless told")
    parser.add_argument("--templates", type=int, default=usual.templates, help="default: %(default)s")
    parser.add_argument("--factor", type=int, default=usual.factor, help="of `growth`, default: %(default)s")
    parser.add_argument("--rounds", type=int, default=usual.rounds, help="default: %(default)s")
    parser.add_argument("--plugins", type=int, default=usual.plugins, help="of `git`, default: %(default)s")
    asked = parser.parse_args(arguments)
    if unknown := set(asked.rows) - ROWS.keys():
        parser.error(f"no row `{min(unknown)}`")
    return _print(asked.rows or list(ROWS), Size(asked.templates, asked.factor, asked.rounds, asked.plugins))


def _print(names: list[str], size: Size) -> int:
    exceeded = False
    with temporary_folder() as folder:
        kind = "a folder in memory" if MEMORY in folder.parents else "the folder of temporary files"
        print(f"Python {platform.python_version()}, {os.cpu_count()} CPUs, in {kind}, {size.rounds} rounds")
        print(f"{'what':54} {'ratio':>6} {'budget':>6}        (the other side)")
        for name in names:
            with tempfile.TemporaryDirectory(dir=folder) as own:
                for line in ROWS[name](Path(own), size):
                    kept = "kept" if line.ratio <= line.budget else "MISSED"
                    exceeded |= line.ratio > line.budget
                    print(
                        f"{line.what:54} {line.ratio:6.2f} {line.budget:6.2f} {kept:6} ({line.other})",
                        flush=True,
                    )
    return int(exceeded)


if __name__ == "__main__":
    raise SystemExit(main())
