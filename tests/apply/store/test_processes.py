"""One process has the file: another is refused, and one that was killed holds nothing and lost nothing."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from kagent_apply.instances.requests import InstanceName
from kagent_apply.store.failures import StoreUnusableError
from kagent_apply.store.opening import open_store
from tests.parts import REPOSITORY

pytestmark = pytest.mark.process

PROGRAM = """
import sys
from kagent_apply.store.opening import open_store
from tests.apply.store.values import reserved
store = open_store(sys.argv[1])
while True:
    print(reserved(store).id, flush=True)
"""


@contextmanager
def writing(url: str) -> Iterator[subprocess.Popen[str]]:
    """A process that reserves one instance after the other, and tells of each that is stored."""
    command = [sys.executable, "-c", PROGRAM, url]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=REPOSITORY) as process:
        try:
            yield process
        finally:
            process.kill()


def test_a_file_has_one_process_and_a_killed_one_has_kept_what_it_promised(tmp_path: Path) -> None:
    url, promised = f"sqlite:///{tmp_path}/store.db", []
    for _ in range(2):
        with writing(url) as process:
            assert process.stdout is not None
            promised += [process.stdout.readline().strip() for _ in range(20)]
            with pytest.raises(StoreUnusableError, match="another process has the store open"):
                open_store(url)
            process.kill()
            promised += [line.strip() for line in process.stdout if line.endswith("\n")]
        with closing(open_store(url)) as store:
            for found in promised:
                assert store.instance(InstanceName("payments", found)) is not None
            assert len(store.unattended(10_000)) >= len(promised)
