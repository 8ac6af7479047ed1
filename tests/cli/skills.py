"""A root whose templates use skills, and a bucket in memory that serves them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from kagent_render.api.hub import ArtifactSource, Origin, S3Source
from kagent_render.artifacts.failure import ArtifactFailure
from kagent_render.artifacts.package import Package, PackageFile
from kagent_render.artifacts.port import FetchContext
from kagent_render.artifacts.s3.fetcher import S3Fetcher
from kagent_render.diagnostics.reasons import Reason
from tests.cli.team import MEMBER, write_team

STORE = ".kagent/artifacts"
INDEX = f"{STORE}/index.yaml"
ATTRIBUTES = f"{STORE}/.gitattributes"


def skill(name: str, more: str = "") -> Package:
    """A valid skill with a program and, at the end of its instructions, `more`."""
    text = f"---\nname: {name}\ndescription: Says how.\n---\n\nDo it.\r\n{more}"
    return Package(
        {"SKILL.md": PackageFile(text.encode()), "bin/run": PackageFile(b"#!/bin/sh\n", executable=True)}
    )


def source(name: str) -> ArtifactSource:
    """Where the skill comes from."""
    return ArtifactSource(S3Source("agent-content", f"skills/{name}.zip", "v1"))


def template(name: str, *skills: str) -> str:
    """A template of the team that uses skills."""
    lines = "".join(
        f"  - name: {used}\n"
        "    source:\n"
        f"      bucket: {{s3: {{bucket: agent-content, key: skills/{used}.zip, versionId: v1}}}}\n"
        for used in skills
    )
    return MEMBER.format(name) + (f"  skills:\n{lines}" if lines else "")


def write_root(folder: Path, *, helper: Sequence[str] = ("triage",), critic: Sequence[str] = ()) -> Path:
    """The team with skills for its two members; what is not given anew is as it was."""
    write_team(folder)
    (folder / "helper.yaml").write_text(template("helper", *helper))
    (folder / "critic.yaml").write_text(template("critic", *critic))
    return folder


def serve(patch: pytest.MonkeyPatch, packages: Mapping[str, Package]) -> list[str]:
    """Serve skills by name from now on; gives the names that were asked for."""
    asked: list[str] = []

    def fetch(_: S3Fetcher, origin: Origin, paths: Sequence[str], context: FetchContext) -> Package:
        assert isinstance(origin, S3Source)
        name = origin.key.removeprefix("skills/").removesuffix(".zip")
        asked.append(name)
        if name not in packages:
            raise ArtifactFailure(Reason.ARTIFACT_NOT_FOUND, f"no version of `{name}`", hint="look for it")
        return packages[name]

    patch.setattr(S3Fetcher, "fetch", fetch)
    return asked
