"""docs/substrate-api.md: its example does what it says, and it has every former name of a release."""

from __future__ import annotations

import re

from kagent_render.target.former_names import FORMER_NAMES
from tests.docs.markdown import blocks, page, sections

PAGE = page("docs/substrate-api.md")


def test_the_example_tells_what_the_page_says() -> None:
    (block,) = blocks(PAGE, "python")
    code, *told = block.text.split("\n#")
    names: dict[str, object] = {}
    *imports, call = code.strip().splitlines()
    exec("\n".join(imports), names)
    faults = eval(call, names)
    assert [f"{fault.path}: {fault.message}; {fault.hint}" for fault in faults] == [
        line.strip() for line in told
    ]


def test_each_name_of_another_release_is_on_the_page() -> None:
    table = sections(PAGE, 2)["Releases"]
    of_releases = {name for name, (why, _) in FORMER_NAMES.items() if "v0." in why} - {"EgressRule.ipBlocks"}
    missing = {name for name in of_releases if not re.search(rf"\b{name.partition('.')[2]}\b", table)}
    assert not missing
