import pytest
from hypothesis import given
from hypothesis import strategies as st

from kagent_render.source.globs import DEFAULT_SOURCES, compile_filter, compile_glob


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("**/*.yaml", "a.yaml", True),
        ("**/*.yaml", "a/b/c.yaml", True),
        ("**/*.yaml", "a.yml", False),
        ("*.yaml", "a.yaml", True),
        ("*.yaml", "a/b.yaml", False),
        ("a/**", "a/b/c", True),
        ("a/**", "a", True),
        ("a/**", "b/a/c", False),
        ("a/**/d", "a/d", True),
        ("a/**/d", "a/b/c/d", True),
        ("a/**/d", "a/b/c", False),
        ("**/b/**/d", "a/b/b/c/d", True),
        ("**", "anything/at/all", True),
        ("**/**/x", "x", True),
        ("a?.yaml", "ab.yaml", True),
        ("a?.yaml", "a/.yaml", False),
        ("[ab].yaml", "b.yaml", True),
        ("[!ab].yaml", "b.yaml", False),
        ("[z-a].yaml", "b.yaml", False),
        ("[.yaml", "[.yaml", True),
        ("./a/", "a", True),
        ("a//./b.yaml", "a/b.yaml", True),
        ("a.yaml", "A.yaml", False),
        ("a+b.yaml", "a+b.yaml", True),
        ("a**b", "axxb", True),
        ("a**b", "a/b", False),
    ],
)
def test_a_pattern_matches_whole_paths(pattern: str, path: str, expected: bool) -> None:
    assert compile_glob(pattern).matches(path) is expected


@pytest.mark.parametrize(
    ("patterns", "path", "expected"),
    [
        (DEFAULT_SOURCES, "a/b.yml", True),
        (["**/*.yaml", "!charts/**"], "charts/a.yaml", False),
        (["!charts/**", "**/*.yaml"], "charts/a.yaml", False),
        (["**/*.yaml", "!charts"], "charts/deep/a.yaml", False),
        (["**/*.yaml", "!charts/"], "charts/deep/a.yaml", False),
        (["**/*.yaml", "!**/templates"], "x/templates/a.yaml", False),
        (["**/*.yaml", "!charts"], "chartsmore/a.yaml", True),
        (["!charts"], "agents/a.yml", True),
        (["!charts"], "charts/a.yml", False),
        (["agents/*.yaml"], "agents/a.yml", False),
        ([], "a.yaml", False),
    ],
)
def test_an_exclusion_always_wins(patterns: list[str], path: str, expected: bool) -> None:
    assert compile_filter(patterns).admits(path) is expected


def test_a_pattern_never_costs_exponential_time() -> None:
    hostile = "/".join(["**", "*a*a*a*a*a*a*a*b"] * 30)
    # An exponential search would not end.
    assert not compile_glob(hostile).matches("/".join(["a" * 40] * 60))


NAMES = st.sampled_from(["a", "b", "ab"])


@given(
    pattern=st.lists(NAMES | st.just("**"), min_size=1, max_size=6),
    parts=st.lists(NAMES, min_size=1, max_size=6),
)
def test_greedy_matching_finds_every_match(pattern: list[str], parts: list[str]) -> None:
    def exhaustive(steps: list[str], rest: list[str]) -> bool:
        if not steps:
            return not rest
        if steps[0] == "**":
            return any(exhaustive(steps[1:], rest[at:]) for at in range(len(rest) + 1))
        return bool(rest) and steps[0] == rest[0] and exhaustive(steps[1:], rest[1:])

    assert compile_glob("/".join(pattern)).matches("/".join(parts)) is exhaustive(pattern, parts)
