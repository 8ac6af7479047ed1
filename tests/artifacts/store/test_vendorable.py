"""What a repository can hold so that every clone gives it back."""

from __future__ import annotations

import pytest

from kagent_render.api.hub import ArtifactSource, S3Source
from kagent_render.artifacts.failure import ArtifactFailure
from kagent_render.artifacts.package import Package, PackageFile
from kagent_render.artifacts.store.vendorable import check_vendorable, converting_line
from kagent_render.diagnostics.reasons import Reason

SOURCE = ArtifactSource(S3Source("agent-content", "plugins/a.zip", "v1"))


def refusal(package: Package) -> str:
    with pytest.raises(ArtifactFailure) as caught:
        check_vendorable(SOURCE, package)
    assert caught.value.reason is Reason.ARTIFACT_UNSAFE
    assert caught.value.hint
    assert "`s3://agent-content/plugins/a.zip` version `v1`" in caught.value.message
    return caught.value.message


@pytest.mark.parametrize(
    ("attributes", "line"),
    [
        ("* text=auto\n", 1),
        ("*.md text\n", 1),
        ("*.sh text eol=lf\n", 1),
        ("* !text\n", 1),
        ("*.png filter=lfs diff=lfs merge=lfs -text\n", 1),
        ("*.txt ident\n", 1),
        ("*.txt working-tree-encoding=UTF-16\n", 1),
        ("# text=auto\n\n*.md\ttext\r\n", 3),
        ('"a b" text\n', 1),
        ("", None),
        ("\n \n", None),
        ("# * text=auto\n", None),
        ("* -text\n*.png binary\n", None),
        ("*.sh eol=lf\n*.bat crlf\n", None),
        ("*.min.js linguist-generated -diff\nold export-ignore\n", None),
        ("* -filter -ident -working-tree-encoding\n", None),
        ("[attr]odd text\n", None),
        ("text\n", None),
    ],
)
def test_attributes_are_told_by_whether_git_may_convert(attributes: str, line: int | None) -> None:
    assert converting_line(attributes.encode()) == line


@pytest.mark.parametrize("path", [".gitattributes", "skills/a/.gitattributes", "skills/.GitAttributes"])
def test_content_that_git_would_convert_is_refused_with_the_line(path: str) -> None:
    files = {path: PackageFile(b"# all\n* text=auto\n"), "plugin.json": PackageFile(b"{}")}
    assert f"line 2 of `{path}` in it lets Git convert files" in refusal(Package(files))


@pytest.mark.parametrize("path", ["gitattributes", "a.gitattributes", ".gitattributes/a", ".gitignore"])
def test_other_files_may_say_what_they_like(path: str) -> None:
    check_vendorable(SOURCE, Package({path: PackageFile(b"* text=auto\n")}))


def test_a_package_that_needs_its_surroundings_is_refused() -> None:
    package = Package({"SKILL.md": PackageFile(b"")}, outside=("notes/a.md",))
    assert "`notes/a.md` is a link that leaves the source's path" in refusal(package)


@pytest.mark.parametrize("path", ["../x", "/x", "a/../../x", "a/.git/config", "a\\b", "C:x", "a//b", "a\nb"])
def test_a_name_that_leads_elsewhere_is_refused(path: str) -> None:
    refusal(Package({"SKILL.md": PackageFile(b""), path: PackageFile(b"")}))
