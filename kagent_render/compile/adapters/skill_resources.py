"""Skills as a runtime fetches them: the pinned source, and the digest that its content must have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kagent_render.api.hub import GitSource, OciSource
from kagent_render.compile.origin import s3_endpoint

if TYPE_CHECKING:
    from kagent_render.api.hub import ArtifactSource
    from kagent_render.compile.bundle import ResolvedSkill
    from kagent_render.compile.policy import Policy


def skill_resource(skill: ResolvedSkill, policy: Policy) -> dict[str, Any]:
    """One skill by itself; `sha256` is the hex tree digest of its directory (DESIGN 8)."""
    return {
        "name": skill.name,
        "source": _source(skill.source, policy),
        "sha256": skill.digest.removeprefix("sha256:"),
    }


def _source(source: ArtifactSource, policy: Policy) -> dict[str, Any]:
    origin = source.origin
    written: dict[str, Any]
    if isinstance(origin, OciSource):
        written = {"oci": origin.reference}
    elif isinstance(origin, GitSource):
        written = {"git": {"url": origin.url, "commit": origin.commit}}
    else:
        object_ = {
            "endpoint": s3_endpoint(origin, policy.s3_endpoint, policy.s3_region),
            "bucket": origin.bucket,
            "key": origin.key,
            "versionId": origin.version_id,
        }
        if region := origin.region or policy.s3_region:
            object_["region"] = region
        written = {"s3": object_}
    if source.path:
        written["path"] = source.path
    return written
