"""Agent Skills: whether a directory is a skill that may be used under a name."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kagent_render.artifacts.failure import printable
from kagent_render.artifacts.skills.finding import Finding
from kagent_render.artifacts.skills.front_matter import FrontMatter, FrontMatterInvalid, front_matter
from kagent_render.artifacts.skills.lfs_pointer import POINTER_HINT, is_lfs_pointer
from kagent_render.artifacts.tree_digest import tree_digest
from kagent_render.diagnostics.reasons import Reason

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kagent_render.artifacts.package import Package

SKILL_FILE: Final = "SKILL.md"
_MEMBERS: Final = frozenset({"name", "description", "license", "compatibility", "metadata", "allowed-tools"})
_NAME_CHARACTERS: Final = 64
_DESCRIPTION_CHARACTERS: Final = 1_024
_COMPATIBILITY_CHARACTERS: Final = 500


@dataclass(frozen=True, slots=True)
class SkillContent:
    """A valid skill: its files rooted at its own directory, and their tree digest."""

    name: str
    package: Package
    digest: str


@dataclass(frozen=True, slots=True)
class SkillReading:
    """What a standalone skill's artifact gave; `content` is None when a finding is an error."""

    content: SkillContent | None
    findings: tuple[Finding, ...]


def read_skill(package: Package, name: str) -> SkillReading:
    """The skill whose SKILL.md is at the root of `package`, declared under `name`."""
    if SKILL_FILE not in package.files:
        return SkillReading(
            None,
            (
                Finding(
                    Reason.SKILL_NOT_FOUND,
                    f"the artifact has no `{SKILL_FILE}` for skill `{printable(name)}`",
                    hint="set `source.path` to the directory that holds `SKILL.md`",
                ),
            ),
        )
    findings = tuple(
        Finding(Reason.SKILL_INVALID, f"skill `{printable(name)}`: {fault}", hint=hint)
        for fault, hint in skill_faults(package, name)
    )
    return SkillReading(None if findings else skill_content(package, name), findings)


def skill_content(package: Package, name: str) -> SkillContent:
    """The skill in `package` under `name`, with its digest."""
    return SkillContent(name, package, tree_digest(package))


def skill_faults(package: Package, name: str) -> Iterator[tuple[str, str | None]]:
    """Every way in which the skill at the root of `package` breaks the Agent Skills rules, with a hint."""
    for path in package.outside:
        yield (
            f"`{printable(path)}` is a link that leaves the plugin or skill",
            "replace it with a regular file",
        )
    pointers = [path for path, file in package.files.items() if is_lfs_pointer(file.data)]
    for path in pointers:
        yield f"`{printable(path)}` is a Git LFS pointer, not its content", POINTER_HINT
    if SKILL_FILE not in pointers:
        yield from document_faults(package.files[SKILL_FILE].data, name)


def document_faults(data: bytes, name: str) -> Iterator[tuple[str, str | None]]:
    """Every way in which a SKILL.md of skill `name` breaks the Agent Skills rules, with a hint."""
    try:
        members = front_matter(data)
    except FrontMatterInvalid as invalid:
        yield f"`{SKILL_FILE}` {invalid}", f"start `{SKILL_FILE}` with `---`, YAML front matter and `---`"
        return
    yield from _member_faults(members)
    yield from _name_faults(members, name)
    yield from _description_faults(members)
    yield from _optional_faults(members)


def _member_faults(members: FrontMatter) -> Iterator[tuple[str, str | None]]:
    unknown = sorted(members.keys() - _MEMBERS)
    if unknown:
        listed = ", ".join(f"`{printable(key)}`" for key in unknown[:5])
        yield (
            f"front matter has members that Agent Skills do not know: {listed}",
            "move them under `metadata`",
        )


def _name_faults(members: FrontMatter, expected: str) -> Iterator[tuple[str, str | None]]:
    name = members.get("name")
    if not isinstance(name, str) or not name.strip():
        yield "front matter has no `name`", f"add `name: {printable(expected)}`"
        return
    name = unicodedata.normalize("NFKC", name.strip())
    hint = "use lower case letters and digits, with single hyphens between them"
    if len(name) > _NAME_CHARACTERS:
        yield "`name` is longer than 64 characters", "give the skill a shorter name"
    if name != name.lower() or not all(char.isalnum() or char == "-" for char in name):
        yield "`name` holds characters other than lower case letters, digits and hyphens", hint
    if name.startswith("-") or name.endswith("-") or "--" in name:
        yield "`name` starts or ends with a hyphen or has two in a row", hint
    if name != unicodedata.normalize("NFKC", expected):
        yield (
            f"`name` is `{printable(name)}` and not the name of its directory or declaration",
            f"make `name` in `{SKILL_FILE}` and `{printable(expected)}` the same",
        )


def _description_faults(members: FrontMatter) -> Iterator[tuple[str, str | None]]:
    description = members.get("description")
    if not isinstance(description, str) or not description.strip():
        yield "front matter has no `description`", "say what the skill does and when to use it"
    elif len(description) > _DESCRIPTION_CHARACTERS:
        yield "`description` is longer than 1,024 characters", "move the details below the front matter"


def _optional_faults(members: FrontMatter) -> Iterator[tuple[str, str | None]]:
    compatibility = members.get("compatibility", "")
    if not isinstance(compatibility, str) or len(compatibility) > _COMPATIBILITY_CHARACTERS:
        yield "`compatibility` is not text of at most 500 characters", "say in one sentence what it needs"
    if not isinstance(members.get("metadata", {}), dict):
        yield "`metadata` is not a mapping", "write it as `key: value` lines, or remove it"
