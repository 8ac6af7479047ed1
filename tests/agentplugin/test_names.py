import pytest

from kagent_render.agentplugin.names import BUILT_IN, built_in_like, is_valid, normalize, volume_name


@pytest.mark.parametrize("name", ["a", "stockout", "plugin9", "a" * 56])
def test_a_lower_case_letter_then_letters_and_digits_are_a_name(name: str) -> None:
    assert is_valid(name)


@pytest.mark.parametrize(
    "name",
    ["", "a-b", "a_b", "my.plugin", "Stockout", "9lives", "a" * 57, "a\n", " a", "ä", "aä", "a٣", "a/b"],
)
def test_anything_else_is_no_name(name: str) -> None:
    assert not is_valid(name)


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("my-plugin", "myplugin"),
        ("My_Plugin", "myplugin"),
        (" my plugin\n", "my plugin"),
        ("my.plugin", "my.plugin"),
        ("--__", ""),
    ],
)
def test_names_are_compared_without_case_and_separators(name: str, form: str) -> None:
    assert normalize(name) == form


@pytest.mark.parametrize(
    ("name", "built_in"),
    [
        ("hermesotel", "hermes_otel"),
        ("sessionstore", "session_store"),
        ("sessionotelbridge", "session_otel_bridge"),
        ("toolcallaudit", "tool_call_audit"),
        ("incidentcontext", "incident_context"),
        ("bootstraponboarding", "bootstrap_onboarding"),
        ("Session-Store", "session_store"),
        ("legacyslashcommands", None),
        ("agentroster", None),
        ("session.store", None),
    ],
)
def test_six_built_ins_cannot_be_shadowed(name: str, built_in: str | None) -> None:
    assert built_in_like(name) == built_in
    assert len(BUILT_IN) == 6


@pytest.mark.parametrize(
    ("name", "volume"),
    [
        ("myplugin", "plugin-myplugin"),
        ("a" * 56, "plugin-" + "a" * 56),
        # sha256 of 57 and of 200 times `a`
        ("a" * 57, "plugin-" + "a" * 47 + "-f13b2d72"),
        ("a" * 200, "plugin-" + "a" * 47 + "-c2a908d9"),
    ],
)
def test_a_volume_name_has_at_most_63_characters(name: str, volume: str) -> None:
    assert volume_name(name) == volume
    assert len(volume) <= 63
