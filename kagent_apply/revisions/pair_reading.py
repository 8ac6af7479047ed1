"""A pair's committed files as the revision that they prepared, once everything about them was verified."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kagent_apply.instances.prepared import PreparedMember, PreparedRevision
from kagent_apply.revisions.manifest_reading import manifest_problem
from kagent_render.artifacts.failure import printable
from kagent_render.emit.layout import LOCK
from kagent_render.revision.lock_file import LockProblem
from kagent_render.revision.lock_reading import read_lock
from kagent_render.source.config import TARGETS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from kagent_apply.instances.requests import AgentName
    from kagent_render.revision.lock import Lock, LockedBoundary

MOST_MEMBERS: Final = 64
"""A tree has no more nodes, so that there are no more boundaries (DESIGN 6)."""

MOST_LABELS: Final = 256
"""Labels of an AgentTemplate: each is stored with every instance, so that it can be listed by it."""

_CREDENTIALS: Final = "ate-secret://k8s.io/default/"


class UnusableError(Exception):
    """Files of a pair that cannot be relied on: one sentence that names the file."""


@dataclass(frozen=True, slots=True)
class CommittedRevision:
    """A revision with the bytes of its lock, from which it can be verified again."""

    revision: PreparedRevision
    lock: bytes

    @property
    def size(self) -> int:
        """The bytes of its lock and manifests."""
        return len(self.lock) + sum(len(member.manifest) for member in self.revision.members)


def read_pair(agent: AgentName, lock: bytes, manifest: Callable[[str], bytes | None]) -> CommittedRevision:
    """The revision of a lock and of the manifests that it names, by their paths beside it.

    Raises UnusableError at the first thing that is not as it has to be, whatever its digests say.
    """
    read = read_lock(lock, LOCK)
    if isinstance(read, LockProblem):
        raise UnusableError(f"`{LOCK}`: {read.diagnostic.message}")
    if problem := _lock_problem(read, agent):
        raise UnusableError(f"`{LOCK}`: {problem}")
    boundaries = sorted(read.boundaries, key=lambda boundary: boundary.path)
    egress = {entry.boundary: entry.rules for entry in read.egress}
    members = tuple(
        _member(boundary, manifest(boundary.manifest), read.target, agent, egress.get(boundary.path))
        for boundary in boundaries
    )
    labels = next(template.labels for template in read.templates if not template.path)
    return CommittedRevision(PreparedRevision(agent, read.revision, read.target, dict(labels), members), lock)


def _lock_problem(lock: Lock, agent: AgentName) -> str | None:
    if (lock.pair.namespace, lock.pair.harness, lock.pair.template) != (
        agent.namespace,
        agent.harness,
        agent.agent_template,
    ):
        return f"the lock is that of `{printable(str(lock.pair))}`"
    if lock.target not in TARGETS:
        return f"the target `{printable(lock.target)}` needs a newer kagent-apply"
    paths = [boundary.path for boundary in lock.boundaries]
    if "" not in paths or len(set(paths)) < len(paths) or len(paths) > MOST_MEMBERS:
        return f"the boundaries are not the root and at most {MOST_MEMBERS - 1} others, each once"
    if any(len(template.labels) > MOST_LABELS for template in lock.templates):
        return f"an AgentTemplate has more than {MOST_LABELS} labels"
    return None


def _member(
    boundary: LockedBoundary,
    content: bytes | None,
    target: str,
    agent: AgentName,
    rules: tuple[Mapping[str, Any], ...] | None,
) -> PreparedMember:
    if content is None:
        raise UnusableError(f"`{boundary.manifest}` is missing")
    if problem := manifest_problem(content, target, agent, boundary):
        raise UnusableError(f"`{boundary.manifest}` {problem}")
    if problem := _egress_problem(rules, target, agent):
        raise UnusableError(f"`{LOCK}`: the egress of the boundary `{boundary.path}` {problem}")
    return PreparedMember(boundary.path, boundary.actor_template, boundary.spec_digest, content, rules)


def _egress_problem(rules: tuple[Mapping[str, Any], ...] | None, target: str, agent: AgentName) -> str | None:
    """A policy that no actor could have, or that hands out the credentials of another namespace."""
    from kagent_render.target.generations import generation_of

    if (rules is not None) != generation_of(target).INJECTS_CREDENTIALS:
        return f"has rules that `{target}` does not have" if rules is not None else "has no rules"
    if rules is None:
        return None
    from kagent_render.target.template_reading import read_rules

    read = read_rules(list(rules))
    if isinstance(read, list):
        return f"is no policy: `{read[0].path}`: {read[0].message}"
    if not all(_is_own(uri, agent) for uri in _credential_uris(rules)):
        return "names a credential of another namespace"
    return None


def _is_own(uri: str, agent: AgentName) -> bool:
    """Whether a credential is a key of a Secret in the agent's namespace (facts 4.4)."""
    own = f"{_CREDENTIALS}{agent.namespace}/"
    names = uri.removeprefix(own).split("/")
    return uri.startswith(own) and len(names) == 2 and not {"", ".", ".."}.intersection(names)


def _credential_uris(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for name, inner in value.items():
            if name == "credentialUri":
                yield str(inner)
            else:
                yield from _credential_uris(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _credential_uris(inner)
