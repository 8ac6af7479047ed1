"""A job of GitHub Actions as the scripts of the action see it: its files, its environment, its `gh`.

`git`, `jq` and `kagent-render` are real. `gh` is not: it writes down what it is asked and answers from files.
`kagent-render diff` writes down what it is asked as well, and can be made to fail.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.parts import REPOSITORY, program
from tests.source.git_repositories import ENVIRONMENT, git

ACTION = REPOSITORY / "action"

_GH = """\
#!/usr/bin/env bash
# Writes down the arguments and the body of each call; lists comments as `gh` does, page after page.
set -euo pipefail
call=$(mktemp "$GH/call.XXXXXX")
printf '%s\\0' "$@" > "$call"
query=
for argument in "$@"; do
  case $argument in
    body=@*) cp "${argument#body=@}" "$call.body" ;;
    .\\[\\]*) query=$argument ;;
  esac
done
mv "$call" "$GH/$(printf '%03d' "$(ls "$GH" | grep -c '^[0-9]*$' || true)")"
if [ -e "$call.body" ]; then mv "$call.body" "$GH/body"; fi
if [[ " $* " == *" $GH_REFUSES "* ]]; then
  echo "gh: Resource not accessible by integration (HTTP 403)" >&2
  exit 1
fi
if [ -n "$query" ]; then for page in "$GH"/../pages/*.json; do jq -r "$query" "$page"; done; fi
"""

_KAGENT_RENDER = """\
#!/usr/bin/env bash
if [ "$1" = diff ]; then
  printf '%s\\0' "$@" >> "$DIFF/calls"
  printf '\\0' >> "$DIFF/calls"
  if [ -e "$DIFF/status" ]; then exit "$(cat "$DIFF/status")"; fi
fi
exec "$PYTHON" -m kagent_render "$@"
"""


@dataclass(frozen=True)
class Job:
    """One job; `folder` holds everything but the checkout."""

    folder: Path
    checkout: Path
    inputs: dict[str, str] = field(default_factory=dict)

    def run(self, script: str, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
        """Run one script of the action as a step does."""
        return subprocess.run(
            [str(ACTION / script), *arguments],
            cwd=self.checkout,
            env={**self._environment, **self.inputs, **env},
            capture_output=True,
            text=True,
        )

    @property
    def _environment(self) -> Mapping[str, str]:
        programs = (self.folder / "bin", Path(program("jq")).parent, os.environ["PATH"])
        return {
            **ENVIRONMENT,
            "PATH": os.pathsep.join(map(str, programs)),
            "PYTHON": sys.executable,
            "PYTHONPATH": str(REPOSITORY),
            "XDG_CACHE_HOME": os.environ["XDG_CACHE_HOME"],
            "RUNNER_TEMP": str(self.folder / "temp"),
            "GITHUB_OUTPUT": str(self.folder / "output"),
            "GITHUB_STEP_SUMMARY": str(self.folder / "summary"),
            "GITHUB_REPOSITORY": "owner/repository",
            "GH": str(self.folder / "gh"),
            "GH_REFUSES": "nothing",
            "DIFF": str(self.folder / "diff"),
        }

    @property
    def summary(self) -> str:
        """What the steps added to the job's summary."""
        return (self.folder / "summary").read_text()

    @property
    def outputs(self) -> dict[str, str]:
        """The outputs of the steps."""
        path = self.folder / "output"
        return dict(line.split("=", 1) for line in path.read_text().splitlines()) if path.exists() else {}

    @property
    def calls(self) -> list[list[str]]:
        """The arguments of each call of `gh`."""
        return [_arguments(path.read_text()) for path in sorted((self.folder / "gh").glob("[0-9]*"))]

    @property
    def diffs(self) -> list[list[str]]:
        """The arguments of each call of `kagent-render diff`."""
        path = self.folder / "diff/calls"
        return [_arguments(call) for call in path.read_text().split("\0\0")[:-1]] if path.exists() else []

    @property
    def body(self) -> str:
        """The comment that was written last."""
        return (self.folder / "gh/body").read_text()

    def comment(self, *pages: list[dict[str, Any]]) -> None:
        """Let the pull request have these comments already."""
        for number, page in enumerate(pages):
            (self.folder / f"pages/{number}.json").write_text(json.dumps(page))

    def fails(self, status: int) -> None:
        """Let every `kagent-render diff` from now on end with a status, and say nothing."""
        (self.folder / "diff/status").write_text(str(status))


def open_job(folder: Path, checkout: Path) -> Job:
    """A job that has not run any step yet."""
    for name in ("bin", "temp", "gh", "pages", "diff"):
        (folder / name).mkdir(parents=True)
    for name, text in (("gh", _GH), ("kagent-render", _KAGENT_RENDER)):
        path = folder / "bin" / name
        path.write_text(text)
        path.chmod(0o755)
    (folder / "summary").touch()
    job = Job(folder, checkout, {**_INPUTS, "HEAD_COMMIT": git(checkout, "rev-parse", "topic")})
    job.comment([])
    return job


_INPUTS = {
    "INPUT_PATH": ".",
    "INPUT_STRICT": "false",
    "INPUT_BASE": "",
    "INPUT_FAIL_ON": "",
    "INPUT_COMMENT": "true",
    "COMMENT_AUTHOR": "github-actions[bot]",
    "PULL_REQUEST": "7",
    "BASE_COMMIT": "HEAD",
}


def _arguments(text: str) -> list[str]:
    return text.removesuffix("\0").split("\0")
