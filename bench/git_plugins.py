"""Plugins by commit from a Git server: our fetcher, and the Git program beside it.

As a program, it fetches the plugins that a file lists as JSON, in the process that a user would start.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.processes import PROGRAM, PYTHON, run
from bench.repositories import CONFIG, HARNESS
from bench.workspace import IDENTITY
from kagent_render.artifacts.skills.plugin_manifest import SCHEMA

JOBS = 8
FILES = 10
BUDGET = 1.0
WHOLE_BUDGET = 1.5
"""Of a whole `render`, which does more than the other side; the budget of the fetching alone is 1.0."""

ZEROS = "0" * 64
AGENT = """\
---
apiVersion: kagent.dev/v1alpha2
kind: AgentTemplate
metadata: {{namespace: team, name: {name}, labels: {{example.com/runtime: python}}}}
spec:
  modelConfig: {{name: default-model}}
  systemPrompt: Help.
  harnesses: {{include: [{{name: python-runtime}}]}}
  plugins:
  - source: {{git: {{url: "{url}", commit: "{at}"}}}}
    skills: [{name}]
"""


@dataclass(frozen=True, slots=True)
class Plugins:
    """Repositories on a running server, each with the commit that is wanted of it."""

    folder: Path
    url: str
    commits: dict[str, str]

    def fetch(self) -> float:
        """Fetch all with ours, in a new process."""
        listed = self.folder / "plugins.json"
        listed.write_text(json.dumps([[f"{self.url}/{name}", at] for name, at in self.commits.items()]))
        return run(PYTHON, "-m", "bench.git_plugins", str(listed)).seconds

    def render(self) -> float:
        """Prepare an agent for each plugin in a new process, with nothing cached."""
        root, cache = self.folder / "agents", self.folder / "cache"
        for folder in (root, cache):
            shutil.rmtree(folder, ignore_errors=True)
        root.mkdir()
        (root / "kagent-render.yaml").write_text(CONFIG.format(zeros=ZEROS))
        agents = (
            AGENT.format(name=name, url=f"{self.url}/{name}", at=at) for name, at in self.commits.items()
        )
        (root / "agents.yaml").write_text(HARNESS.format(namespace="team", zeros=ZEROS) + "".join(agents))
        environment = {"XDG_CACHE_HOME": str(cache)}
        return run(PROGRAM, "render", "-j", str(JOBS), str(root), environment=environment).seconds

    def fetch_with_git(self) -> float:
        """Fetch all with the Git program, as many at a time, into new bare repositories."""
        clones = self.folder / "clones"
        shutil.rmtree(clones, ignore_errors=True)
        clones.mkdir()
        listed = self.folder / "plugins.txt"
        listed.write_text("".join(f"{name} {at}\n" for name, at in self.commits.items()))
        one = f"git init -q --bare {clones}/$1 && git -C {clones}/$1 fetch -q --depth 1 {self.url}/$1 $2"
        return run("sh", "-c", f"xargs -P {JOBS} -n 2 sh -c '{one}' - < {listed}").seconds


@contextmanager
def served_plugins(folder: Path, count: int) -> Iterator[Plugins]:
    """New repositories behind a server in a process of its own."""
    served = folder / "served"
    commits = {f"plugin-{number:02}": "" for number in range(count)}
    for name in commits:
        commits[name] = _write_plugin(served / name, name)
    command = [PYTHON, "-m", "tests.artifacts.git.backend", str(served)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        try:
            yield Plugins(folder, server.stdout.readline().strip(), commits)
        finally:
            server.stdin.close()


def _write_plugin(place: Path, name: str) -> str:
    skill = place / "skills" / name
    skill.mkdir(parents=True)
    (place / "plugin.json").write_text(json.dumps({"$schema": SCHEMA, "name": name}))
    (skill / "SKILL.md").write_text(f"---\nname: {name}\ndescription: Does its part.\n---\nText.\n")
    for number in range(FILES - 2):
        (skill / f"reference-{number}.md").write_text(f"Line {number} of {name}.\n" * 60)
    for command in (
        ["init", "--quiet"],
        ["add", "."],
        [*IDENTITY, "commit", "--quiet", "--message", "one"],
        [*IDENTITY, "commit", "--quiet", "--message", "two", "--allow-empty"],
    ):
        run("git", "-C", str(place), *command)
    head = subprocess.run(
        ["git", "-C", place, "rev-parse", "HEAD"], capture_output=True, check=True, text=True
    )
    return head.stdout.strip()


def main() -> int:
    """Fetch the plugins of the file that is named; 1 where any of them is not complete."""
    from kagent_render.api.hub import ArtifactSource, GitSource
    from kagent_render.artifacts.git import GitFetcher
    from kagent_render.artifacts.package import Package
    from kagent_render.artifacts.resolution import Means, resolve
    from kagent_render.artifacts.store.vendored import VendoredStore
    from kagent_render.source.reader import MemoryFiles

    origins = [GitSource(url, commit) for url, commit in json.loads(Path(sys.argv[1]).read_text())]
    means = Means(VendoredStore(MemoryFiles({}), {}), {GitSource: GitFetcher()}, jobs=JOBS)
    outcomes = resolve([ArtifactSource(origin, "") for origin in origins], means)
    complete = [isinstance(found, Package) and len(found.files) == FILES for found in outcomes.values()]
    return 0 if all(complete) else 1


if __name__ == "__main__":
    raise SystemExit(main())
