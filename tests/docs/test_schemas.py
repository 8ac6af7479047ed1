"""`docs/schemas.md` does what it shows, and its examples are right by the schemas that it is about."""

from __future__ import annotations

import json
import re
from pathlib import Path

import jsonschema
import yaml

from kagent_render.api.published import WHOLE, published
from tests.docs.console import agrees, commands, execute
from tests.docs.markdown import blocks, page
from tests.parts import REPOSITORY

_PAGE = page("docs/schemas.md")
_BLOCKS = {block.path: block.text for block in blocks(_PAGE)}


def test_every_command_shows_what_it_prints(tmp_path: Path) -> None:
    for command, output in commands(_PAGE, "schemas"):
        status, real = execute(command, tmp_path)
        assert status == 0
        assert agrees(output, real), f"{command}\n{real}"


def test_the_line_in_a_manifest_leads_to_the_schema(tmp_path: Path) -> None:
    text = _BLOCKS["agents/assistant.yaml"]
    execute("kagent-render schema --write .kagent/schemas", tmp_path)
    named = re.findall(r"^# yaml-language-server: \$schema=(\S+)$", text, re.MULTILINE)
    schema = json.loads((tmp_path / Path(named[0]).relative_to("..")).read_text())
    jsonschema.Draft7Validator(schema).validate(yaml.safe_load(text))


def test_the_setting_of_the_editor_names_the_whole_schema() -> None:
    setting = json.loads(_BLOCKS[".vscode/settings.json"])["yaml.schemas"]
    assert list(setting) == [f".kagent/schemas/{WHOLE}"]


def test_a_file_is_where_kubeconform_looks_for_it() -> None:
    template = re.findall(r"'\.kagent/schemas/(.*)' agents", _PAGE)[0]
    for entry in published():
        group, _, version = entry.api_version.partition("/")
        named = template.replace("{{.Group}}", group).replace("{{.ResourceKind}}", entry.kind.lower())
        assert named.replace("{{.ResourceAPIVersion}}", version) == entry.path


def test_the_application_s_settings_are_yaml() -> None:
    assert yaml.safe_load(_BLOCKS["application.yaml"])["spec"]["ignoreDifferences"][0]["jsonPointers"] == [
        "/spec"
    ]


def test_the_annotations_that_the_page_names_are_on_the_definitions() -> None:
    named = set(re.findall(r"`([a-z.]+/[a-z-]+): ([A-Za-z=,]+)`", _PAGE))
    listed = sorted((REPOSITORY / "kustomize/crds").glob("*.*_*.yaml"))
    assert len(listed) == 3
    for path in listed:
        annotations = yaml.safe_load(path.read_text())["metadata"]["annotations"]
        assert set(annotations.items()) == named
