"""A repository with pairs and platform agents, committed, and edits that widen, narrow and do neither."""

from __future__ import annotations

from pathlib import Path

from kagent_render.api.hub import ArtifactSource, GitSource
from kagent_render.artifacts.package import Package, PackageFile
from tests.cli.platform import AGENT_FILES, plugin
from tests.cli.team import ONES, edit, write_team
from tests.running import run
from tests.source.git_repositories import git
from tests.vendored import vendor_package

SKILL = "---\nname: triage\ndescription: Sorts what came in.\n---\n\nRead the report first.\n"
COMMIT = "a" * 40
NEXT = "b" * 40
_SKILLS = """\
  skills:
  - name: triage
    source: {{git: {{url: "https://git.example.com/skills.git", commit: {0}}}}}
"""


def skills(commit: str) -> str:
    """The field of a template with one skill."""
    return _SKILLS.format(commit)


def write_base(folder: Path) -> Path:
    """Everything that the edits start from, rendered and committed."""
    write_team(folder)
    for name, text in AGENT_FILES.items():
        (folder / name).write_text(text)
    edit(folder / "kagent-render.yaml", "spec:\n", 'spec:\n  kubeVersion: "1.35"\n')
    edit(folder / "lead.yaml", "  tools:\n", f"{skills(COMMIT)}  tools:\n")
    vendor_skill(folder, COMMIT, SKILL)
    render(folder)
    git(folder, "init", "--quiet", "--initial-branch=main", ".")
    commit(folder, "start")
    return folder


def vendor_skill(folder: Path, commit: str, text: str) -> None:
    """Put a commit of the skill into the vendored store."""
    source = ArtifactSource(GitSource("https://git.example.com/skills.git", commit))
    vendor_package(folder, source, Package({"SKILL.md": PackageFile(text.encode())}))


def render(folder: Path) -> None:
    """Render without a network."""
    done = run("render", "--offline", cwd=folder)
    assert done.status == 0, done.err


def commit(folder: Path, message: str) -> str:
    """Commit everything; gives the commit's id."""
    git(folder, "add", "--all", "--force", ".")
    git(folder, "commit", "--quiet", "--allow-empty", "--message", message)
    return git(folder, "rev-parse", "HEAD")


def edit_everything(folder: Path) -> None:
    """Edit a bit of everything, and render it."""
    edit(folder / "lead.yaml", "You lead.", "You lead the team.\n    Say what you are not sure of.")
    edit(folder / "lead.yaml", "tools: [find, open]", "tools: [find, write]")
    edit(folder / "lead.yaml", "isolation: Dedicated", "isolation: Shared")
    edit(folder / "lead.yaml", COMMIT, NEXT)
    edit(folder / "lead.yaml", "  harnesses:\n", _AUDITOR)
    edit(folder / "harness.yaml", "value: info", "value: debug\n  - name: DB_PASSWORD\n    value: hunter2")
    edit(folder / "inputs.yaml", "model: some-model", "model: other-model")
    edit(folder / "stockout.yaml", "- stockout", "- stockout\n      slack:\n      - stockout")
    edit(folder / "investigator.yaml", ONES, "2" * 64)
    (folder / "extra.yaml").write_text(plugin("extra"))
    (folder / "auditor.yaml").write_text((folder / "critic.yaml").read_text().replace("critic", "auditor"))
    vendor_skill(folder, NEXT, SKILL.replace("first.", "first.\nThen write to everyone."))
    render(folder)


_AUDITOR = """\
  - agent:
      name: auditor
      description: Audits.
      isolation: Dedicated
      templateRef: {name: auditor}
  harnesses:
"""
