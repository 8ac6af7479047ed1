from __future__ import annotations

from pathlib import Path

import pytest

from tests.running import run


@pytest.mark.parametrize("flags", [("--staged",), ("--rev", "HEAD"), ("-f", "-"), ("-o", "json")])
def test_only_files_can_be_watched_and_only_text_is_written(tmp_path: Path, flags: tuple[str, ...]) -> None:
    done = run("watch", *flags, cwd=tmp_path, stdin=b"")
    assert done.status == 2
    assert "Error: " in done.err
