import json
from decimal import Decimal
from typing import Any

import pytest

from kagent_render.source.failure import YAMLInvalidError
from kagent_render.source.yaml import read_yaml
from tests.parts import TESTS

CASES: list[dict[str, Any]] = json.loads((TESTS / "vectors" / "kubernetes-yaml.json").read_text())


def by_name(refused: bool) -> list[Any]:
    return [pytest.param(case, id=case["name"]) for case in CASES if ("go_error" in case) is refused]


@pytest.mark.parametrize("case", by_name(refused=False))
def test_a_document_means_what_kubernetes_reads(case: dict[str, Any]) -> None:
    documents = read_yaml(case["yaml"].encode())
    value = documents[0].value if documents else None
    assert json.dumps(value, sort_keys=True) == json.dumps(case["json"], sort_keys=True)


@pytest.mark.parametrize("case", by_name(refused=True))
def test_what_kubernetes_refuses_is_refused_with_a_place(case: dict[str, Any]) -> None:
    with pytest.raises(YAMLInvalidError) as caught:
        read_yaml(case["yaml"].encode())
    lines = case["yaml"].split("\n")
    assert 1 <= caught.value.line <= len(lines)
    assert 1 <= caught.value.column <= len(lines[caught.value.line - 1]) + 1


def test_a_number_of_a_vector_is_a_json_number_not_a_rounding() -> None:
    assert read_yaml(b"12345678901234567890")[0].value == Decimal("12345678901234567890")
