import pytest

from kagent_render.source.reader import MemoryFiles
from kagent_render.source.roots import find_roots

ROOTS = ["apps/one", "apps/one/nested", "apps/two", "apps/.hidden"]
TREE = MemoryFiles(
    {f"{root}/kagent-render.yaml": b"" for root in ROOTS} | {"docs/a.md": b"", "apps/x.yaml": b""}
)


@pytest.mark.parametrize(
    ("folder", "roots"),
    [
        ("apps/one", ["apps/one"]),
        ("apps/one/deep/down", ["apps/one"]),
        ("apps/one/nested", ["apps/one/nested"]),
        ("apps/one/nested/deep", ["apps/one/nested"]),
        ("apps", ["apps/one", "apps/one/nested", "apps/two"]),
        ("", ["apps/one", "apps/one/nested", "apps/two"]),
        ("docs", []),
        ("absent", []),
        ("apps/.hidden", ["apps/.hidden"]),
    ],
)
def test_the_nearest_root_above_counts_and_else_every_root_below(folder: str, roots: list[str]) -> None:
    assert find_roots(TREE, folder) == tuple(roots)


def test_the_readers_own_folder_can_be_a_root() -> None:
    tree = MemoryFiles({"kagent-render.yaml": b"", "a/kagent-render.yaml": b""})
    assert find_roots(tree) == ("",)
    assert find_roots(tree, "b/c") == ("",)
    assert find_roots(tree, "a") == ("a",)
