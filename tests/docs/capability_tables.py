"""The tables of `docs/capabilities.md`, out of vocabulary and catalog; run as a module, it writes them."""

from __future__ import annotations

from collections.abc import Iterator

from kagent_render.compile.capabilities.catalog import load_catalog
from kagent_render.compile.capabilities.record import CapabilityRecord, value_text
from kagent_render.compile.capabilities.vocabulary import COUNT, MEANINGS, MEMBERS, VOCABULARY
from tests.docs.markdown import page
from tests.parts import REPOSITORY

PAGE = "docs/capabilities.md"
_KINDS = {COUNT: "a number", MEMBERS: "members"}


def tables() -> dict[str, str]:
    """Each table by the name of its place."""
    return {"vocabulary": "\n".join(_vocabulary()), "records": "\n\n".join(map(_record, load_catalog()))}


def placed(name: str, text: str) -> str:
    """What stands between the marks of one place."""
    return text.partition(f"<!-- {name} -->\n")[2].partition(f"<!-- /{name} -->")[0].strip()


def _vocabulary() -> Iterator[str]:
    yield "| capability | value | what it says |\n|---|---|---|"
    for name, kind in VOCABULARY.items():
        yield f"| `{name}` | {_KINDS.get(kind, 'yes or no')} | {MEANINGS[name]} |"


def _record(record: CapabilityRecord) -> str:
    holds = f", the default of the adapter `{record.adapter}`" if record.default else ""
    head = f"### {record.name}\n\n{record.runtime}{holds}. Version {record.version}.\n"
    rows = [f"| `{name}` | {_value(record, name)} |" for name in VOCABULARY]
    return "\n".join([head, "| capability | value | evidence |\n|---|---|---|", *rows])


def _value(record: CapabilityRecord, name: str) -> str:
    found = record.capability(name)
    evidence = f"`{found.evidence}`" if found.evidence.startswith("tests/") else found.evidence
    return f"{value_text(found)} | {evidence}".rstrip()


def record() -> None:
    """Write every table to its place."""
    text = page(PAGE)
    for name, table in tables().items():
        before, _, rest = text.partition(f"<!-- {name} -->\n")
        text = f"{before}<!-- {name} -->\n{table}\n<!-- /{name} -->{rest.partition(f'<!-- /{name} -->')[2]}"
    (REPOSITORY / PAGE).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    record()
