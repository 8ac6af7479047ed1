import pytest

from kagent_render.graph.nearest import nearest_name

MANY = tuple(f"agent-{i:06}" for i in range(100_000))


@pytest.mark.parametrize(
    ("name", "names", "expected"),
    [
        pytest.param("pyhton", ("claude", "python"), "python", id="letters swapped"),
        pytest.param("ython", ("claude", "python"), "python", id="first letter lost"),
        pytest.param("xyz", ("claude", "python"), None, id="nothing alike"),
        pytest.param("x", (), None, id="no names"),
        pytest.param("agent-050000x", MANY, "agent-050000", id="among many"),
        pytest.param("a" * 254, ("a" * 253,), None, id="longer than any name"),
        pytest.param("a" * 253, ("a" * 1_000_000,), None, id="a name longer than any"),
    ],
)
def test_the_name_that_was_meant(name: str, names: tuple[str, ...], expected: str | None) -> None:
    assert nearest_name(name, names) == expected
