"""Repositories with one fault each: the incident example, edited, and what has to be said about it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from tests.running import copy_example

HARNESS = "agents/python-runtime.yaml"
COORDINATOR = "agents/incident-coordinator.yaml"
SPECIALISTS = "agents/specialists.yaml"
MODEL = "agents/default-model.yaml"
EXTRA = "agents/extra.yaml"
CONFIG = "kagent-render.yaml"
STORE = ".kagent/artifacts"
INDEX = f"{STORE}/index.yaml"

TEMPLATES = ("incident-coordinator", "incident-researcher", "incident-reviewer")
RESEARCHER = """\
apiVersion: kagent.dev/v1alpha2
kind: AgentTemplate
metadata:
  namespace: agent-team
  name: incident-researcher
  labels:
    example.com/runtime: python
spec:
  modelConfig:
    name: default-model
  systemPrompt: Investigate the available evidence.
  harnesses:
    include:
    - name: python-runtime
"""


@dataclass(frozen=True)
class Edit:
    """`old`, which a file holds `times` times, becomes `new`; without `old`, `new` is added at the end."""

    file: str
    old: str
    new: str
    times: int = 1

    def apply(self, root: Path) -> None:
        """Change the file, which is created where it is not there."""
        path = root / self.file
        text = path.read_text() if path.exists() else ""
        assert not self.old or text.count(self.old) == self.times, f"{self.file}: {self.old!r}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.replace(self.old, self.new) if self.old else text + self.new)


@dataclass(frozen=True)
class Base:
    """The repository that a fault is planted in, and the templates of its pairs."""

    edits: tuple[Edit, ...] = ()
    templates: tuple[str, ...] = TEMPLATES
    removed: tuple[str, ...] = ()

    def build(self, root: Path) -> None:
        """Make it at `root`, with the example's `rendered` folder beside the manifests."""
        copy_example(root)
        for file in self.removed:
            (root / file).unlink()
        for edit in self.edits:
            edit.apply(root)


EXAMPLE = Base()
_RECORD = f"""\
apiVersion: render.kagent.dev/v1alpha1
kind: CapabilityRecord
metadata: {{name: our-adk}}
spec: {{sameAs: kagent-adk-0.10.4, images: ["sha256:{"0" * 64}"]}}
"""
ALONE = Base(
    (
        Edit(EXTRA, "", RESEARCHER),
        Edit(CONFIG, "", "  capabilities: [.kagent/capabilities/*.yaml]\n"),
        Edit(".kagent/capabilities/our-adk.yaml", "", _RECORD),
    ),
    ("incident-researcher",),
    (COORDINATOR, SPECIALISTS),
)
"""One template whose runtime was shown to do all that it needs: what stands on every one is told once."""

_INCLUDE = "  harnesses:\n    include:\n    - name: python-runtime\n"
_SUBSTRATE = """\
  substrate:
    workerPoolRef:
      name: pool
    snapshotPolicy:
      location: s3://snapshots/team
"""
_ENDPOINT = "endpoint: https://s3.example.com\n"
UPSTREAM = Base(
    (
        *(
            Edit(file, "kagent.dev/v1alpha2", "kagent.dev/v1alpha3", times)
            for file, times in ((HARNESS, 1), (COORDINATOR, 1), (SPECIALISTS, 2), (MODEL, 1))
        ),
        Edit(HARNESS, "  python: {}\n", f"  kagent: {{}}\n{_SUBSTRATE}"),
        Edit(COORDINATOR, _INCLUDE, ""),
        Edit(SPECIALISTS, _INCLUDE, "", 2),
        Edit(COORDINATOR, "          bucket: agent", f"          {_ENDPOINT}          bucket: agent"),
        Edit(INDEX, "      bucket: agent", f"      {_ENDPOINT}      bucket: agent"),
    )
)
"""The same agents as `kagent.dev/v1alpha3` writes them."""


@dataclass(frozen=True)
class Fault:
    """One fault and its one diagnostic.

    `at` is the text that stands at the reported line and column, once in `file`, which is the first edited
    one unless it is given; `failing` are the templates whose pairs fail, all of the base unless given. `says`
    has to be in the message and `hint` in the hint.
    """

    reason: str
    object: str | None
    field: str | None
    at: str
    edits: tuple[Edit, ...]
    base: Base = EXAMPLE
    failing: tuple[str, ...] | None = None
    sound: tuple[str, ...] | None = None
    file: str | None = None
    says: str = ""
    hint: str = ""
    revendored: bool = False
    args: tuple[str, ...] = ()

    def plant(self, root: Path) -> None:
        """Make the repository at `root`."""
        self.base.build(root)
        for edit in self.edits:
            edit.apply(root)
        if self.revendored:
            revendor(root)

    @property
    def place(self) -> str:
        """The file that the fault is in."""
        return self.file or self.edits[0].file

    @property
    def failing_pairs(self) -> set[str]:
        """The templates whose pairs fail."""
        return set(self.base.templates if self.failing is None else self.failing)

    @property
    def sound_pairs(self) -> set[str]:
        """The templates whose pairs do not care."""
        return set(self.base.templates) - self.failing_pairs if self.sound is None else set(self.sound)


def vendored(root: Path) -> Path:
    """The folder that holds the example's one vendored plugin."""
    (folder,) = root.glob(f"{STORE}/sha256-*")
    return folder


def revendor(root: Path) -> None:
    """Pin the vendored plugin as it is now, so that its content counts and not its digest."""
    folder = vendored(root)
    digest = _tree_digest(folder)
    folder.rename(folder.with_name(f"sha256-{digest}"))
    index = root / INDEX
    index.write_text(index.read_text().replace(folder.name.removeprefix("sha256-"), digest))


def _tree_digest(folder: Path) -> str:
    """The hex tree digest of regular files, as DESIGN 8 defines it."""
    content = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    tree = hashlib.sha256()
    for name, path in sorted(content.items(), key=lambda item: item[0].encode()):
        mode, data = "755" if path.stat().st_mode & 0o100 else "644", path.read_bytes()
        header = f"{mode} {name}\0{len(data)}\0".encode()
        tree.update(header + hashlib.sha256(data).hexdigest().encode() + b"\n")
    return tree.hexdigest()


def template(name: str, spec: str = "", *, runtime: str = "python") -> str:
    """A YAML document with one more AgentTemplate of the example's team; `spec` is more of its spec."""
    return f"""\
---
apiVersion: kagent.dev/v1alpha2
kind: AgentTemplate
metadata:
  namespace: agent-team
  name: {name}
  labels:
    example.com/runtime: {runtime}
spec:
  modelConfig:
    name: default-model
  harnesses:
    include:
    - name: python-runtime
{spec}"""


def bindings(*entries: str) -> str:
    """The field `tools` of agent bindings written `name -> template` or `name => template` (Dedicated)."""
    lines = ["  tools:"]
    for entry in entries:
        name, arrow, target = entry.split(" ")
        isolation = "Shared" if arrow == "->" else "Dedicated"
        lines += [
            "  - agent:",
            f"      name: {name}",
            "      description: A part of the work.",
            f"      isolation: {isolation}",
            f"      templateRef: {{name: {target}}}",
        ]
    return "\n".join(lines) + "\n"


def manifest(kind: str, name: str, spec: str, *, version: str = "v1alpha2") -> str:
    """A YAML document with one more object of the example's team; `spec` is its indented spec."""
    return f"""\
---
apiVersion: kagent.dev/{version}
kind: {kind}
metadata:
  namespace: agent-team
  name: {name}
spec:
{spec}"""


def config_map(name: str, data: str) -> str:
    """A YAML document with one more ConfigMap of the example's team; `data` is its indented data."""
    return (
        "---\napiVersion: v1\nkind: ConfigMap\n"
        f"metadata:\n  namespace: agent-team\n  name: {name}\ndata:\n{data}"
    )
