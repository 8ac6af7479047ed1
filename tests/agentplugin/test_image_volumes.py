import pytest

from kagent_render.agentplugin.image_volumes import agent_image_volumes, decide, split_version
from kagent_render.api.kubeagents import IMAGE_VOLUMES_ANNOTATION
from kagent_render.source.config_rules import kube_version
from tests.agentplugin.agents import agent


@pytest.mark.parametrize(
    ("major", "minor", "supported"),
    [
        ("1", "31", False),
        ("1", "33", False),
        ("1", "34", False),
        ("1", "34+", False),
        ("1", "35", True),
        ("1", "35+", True),
        ("1", "35++", True),
        ("1", "36+", True),
        ("1", "35.2", True),
        ("1", "35.2+", True),
        ("1", "34.9", False),
        ("1+", "35", True),
        ("2", "0", True),
        ("2", "0+", True),
        ("0", "99", False),
        ("1", "+35", True),
        ("1", "-35", False),
        ("1", "035", True),
    ],
)
def test_image_volumes_come_with_1_35(major: str, minor: str, supported: bool) -> None:
    found = decide(None, major, minor)
    assert (found.supported, found.decided_by) == (supported, "kubeVersion")


@pytest.mark.parametrize(
    ("major", "minor"),
    [
        ("", ""),
        ("1", ""),
        ("", "35"),
        ("v1", "35"),
        ("1", "35-gke.1"),
        ("1", "garbled"),
        ("1", " 35"),
        ("1", "3_5"),
        ("1", "٣٥"),
        ("1", "0x23"),
        ("1", ".35"),
        ("1", "35\n"),
        ("1", "9" * 5000),
        ("9" * 20, "0"),
        ("1.0", "35"),
    ],
)
def test_a_version_that_is_no_number_fails_closed(major: str, minor: str) -> None:
    found = decide(None, major, minor)
    assert (found.supported, found.decided_by) == (False, "default")


@pytest.mark.parametrize(
    ("annotation", "supported"),
    [
        ("true", True),
        ("True", True),
        ("TRUE", True),
        (" true\n", True),
        ("false", False),
        ("", False),
        ("1", False),
        ("yes", False),
        ("tru", False),
    ],
)
@pytest.mark.parametrize("minor", ["34", "35", "garbled", ""])
def test_the_annotation_wins_both_ways(annotation: str, supported: bool, minor: str) -> None:
    found = decide(annotation, "1", minor)
    assert (found.supported, found.decided_by) == (supported, "annotation")


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("1.35", ("1", "35")),
        ("v1.35", ("1", "35")),
        ("v1.35.2", ("1", "35.2")),
        ("1.36+", ("1", "36+")),
        ("1.35.1-gke.100", ("1", "35.1-gke.100")),
        ("v1.34.1+k3s1", ("1", "34.1+k3s1")),
        ("10.0", ("10", "0")),
        ("", ("", "")),
        ("1", ("1", "")),
        ("new", ("new", "")),
    ],
)
def test_a_version_is_split_as_an_api_server_gives_it(text: str, parts: tuple[str, str]) -> None:
    assert split_version(text) == parts


@pytest.mark.parametrize("text", ["1.35", "v1.35.2", "1.36+", "1.35.1-gke.100", "1.35.0-alpha.1+abc"])
def test_a_version_of_today_is_read_in_every_form(text: str) -> None:
    assert kube_version(text) is None
    assert agent_image_volumes(agent(), text).supported


@pytest.mark.parametrize("text", ["new", "v1", "1,35", "1.35-gke.1"])
def test_a_version_that_cannot_be_read_fails_nothing_but_image_volumes(text: str) -> None:
    assert kube_version(text) is None
    assert not agent_image_volumes(agent(), text).supported


@pytest.mark.parametrize(
    ("annotation", "version", "expected"),
    [
        (None, None, (False, "default")),
        (None, "1.34", (False, "kubeVersion")),
        (None, "1.35", (True, "kubeVersion")),
        (None, "1.34.9+k3s1", (False, "kubeVersion")),
        (None, "1.35-gke.1", (False, "default")),
        (None, "v1", (False, "default")),
        (None, "new", (False, "default")),
        ("true", None, (True, "annotation")),
        ("false", "1.36", (False, "annotation")),
    ],
)
def test_an_agent_has_image_volumes_by_its_annotation_or_the_version(
    annotation: str | None, version: str | None, expected: tuple[bool, str]
) -> None:
    annotations = {} if annotation is None else {IMAGE_VOLUMES_ANNOTATION: annotation}
    found = agent_image_volumes(agent(annotations=annotations), version)
    assert (found.supported, found.decided_by) == expected
