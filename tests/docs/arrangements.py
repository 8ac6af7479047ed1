"""What the examples of `docs/reasons.md` need that no file on the page can show."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from botocore.exceptions import ClientError

from kagent_render.artifacts.archive.refusal import ArchiveRefused, Refusal
from kagent_render.artifacts.failure import ArtifactFailure
from kagent_render.artifacts.s3.client import Asked
from kagent_render.artifacts.s3.failure import s3_failure, unanswered
from kagent_render.artifacts.source_identity import origin_text
from kagent_render.diagnostics.diagnostic import Diagnostic, PairRef
from kagent_render.diagnostics.reasons import Reason
from kagent_render.emit.plan import PairOutput
from kagent_render.preparation.carrying import carried_size_problem
from kagent_render.source.objects import read_objects
from tests.docs.examples import ORIGIN
from tests.running import run

_SOURCE = origin_text(ORIGIN)
_AGENT = """\
apiVersion: kagent.dev/v1alpha2
kind: AgentTemplate
metadata: {{namespace: agent-team, name: {name}, labels: {{example.com/runtime: python}}}}
spec:
  modelConfig: {{name: default-model}}
  systemPrompt: {prompt}
  harnesses: {{include: [{{name: python-runtime}}]}}
  tools: [{tools}]
---
"""
_BINDING = (
    "{{agent: {{name: a{number}, description: d, isolation: Dedicated, templateRef: {{name: {name}}}}}}}"
)


def _agent(name: str, *, binds: str = "", times: int = 0, prompt: str = "Help.") -> str:
    tools = ", ".join(_BINDING.format(number=number, name=binds) for number in range(times))
    return _AGENT.format(name=name, prompt=prompt, tools=tools)


def _write_large_file(root: Path) -> None:
    with (root / "agents" / "dump.yaml").open("wb") as file:
        file.truncate(300 * 1024 * 1024)


def _write_large_tree(root: Path) -> None:
    text = _agent("fan", binds="assistant", times=50) + _agent("crowd", binds="fan", times=2)
    (root / "agents" / "crowd.yaml").write_text(text)


def _edit_vendored_content(root: Path) -> None:
    (manifest,) = (root / ".kagent" / "artifacts").glob("sha256-*/plugin.json")
    manifest.write_text(manifest.read_text() + "edited\n")


def _render_and_lose_what_is_vendored(root: Path) -> None:
    assert run("render", cwd=root).status == 0
    shutil.rmtree(root / ".kagent")


def _add_variables(root: Path) -> None:
    harness = root / "agents" / "python-runtime.yaml"
    entries = "".join(f"  - {{name: SETTING_{number}, value: yes it is}}\n" for number in range(30))
    harness.write_text(harness.read_text().replace("  workload:", f"  env:\n{entries}  workload:"))


def _write_long_prompt(root: Path) -> None:
    (root / "agents" / "long.yaml").write_text(_agent("long", prompt="Help. " * 23_334))


ARRANGEMENTS: Mapping[Reason, Callable[[Path], None]] = {
    Reason.SOURCE_UNREADABLE: _write_large_file,
    Reason.TREE_TOO_LARGE: _write_large_tree,
    Reason.ARTIFACT_DIGEST_MISMATCH: _edit_vendored_content,
    Reason.ARTIFACT_NOT_READ: _render_and_lose_what_is_vendored,
    Reason.ENV_LIMIT_EXCEEDED: _add_variables,
    Reason.ENV_VALUE_TOO_LONG: _write_long_prompt,
}
"""What is done to the example's folder after its files are written."""


def _missing_version() -> ArtifactFailure:
    error = ClientError(
        {"Error": {"Code": "NoSuchVersion"}, "ResponseMetadata": {"HTTPStatusCode": 404}},  # type: ignore[typeddict-item]
        "GetObject",
    )
    failure = s3_failure(error, Asked(ORIGIN))
    assert failure is not None
    return failure


def _long_revision() -> Diagnostic:
    """A revision of five long prompts, of which each is in the lock and in a manifest."""
    text = b"apiVersion: kagent.dev/v1alpha2\nkind: AgentTemplate\nmetadata: {namespace: team, name: a}\n"
    (document,) = read_objects("agents/a.yaml", text)
    manifests = {str(number): b" " * 131_000 for number in range(5)}
    output = PairOutput(PairRef("team", "h", "a"), b" " * 655_360, manifests, carried=True)
    return next(carried_size_problem(output, document))


FAILURES: Mapping[Reason, Callable[[], ArtifactFailure | Diagnostic]] = {
    Reason.REVISION_TOO_LARGE: _long_revision,
    Reason.ARTIFACT_FETCH_FAILED: lambda: unanswered(ORIGIN),
    Reason.ARTIFACT_NOT_FOUND: _missing_version,
    Reason.ARTIFACT_UNSAFE: lambda: ArchiveRefused(Refusal.LINK_OUT, "skills/triage").of(_SOURCE),
    Reason.ARTIFACT_TOO_LARGE: lambda: ArchiveRefused(Refusal.TOO_LARGE).of(_SOURCE),
}
"""What no example is wrong or large enough for, as the failure that comes of it."""
