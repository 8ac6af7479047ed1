"""Reading and writing config against sigs.k8s.io/yaml itself, over thousands of odd texts and values."""

from __future__ import annotations

import base64
import json
import re
import subprocess
from decimal import Decimal
from typing import Any

import pytest

from kagent_render.agentplugin.config_reading import SUBTREES, read_config
from kagent_render.agentplugin.config_text import config_text
from kagent_render.agentplugin.key_order import natural_order
from kagent_render.source.yaml import read_first_value
from tests.agentplugin.config_values import ValueMaker
from tests.parts import go_program
from tests.source.yaml_texts import TextMaker

pytestmark = pytest.mark.oracle

TEXTS = 3000
VALUES = 3000

# What yaml.v2 reads and we refuse, as test_kubernetes_agreement has it.
REFUSED_BY_US = re.compile(
    r"key is a collection|no space after it|`\?`|part of the tag|`!` tag|byte order mark"
    r"|no infinity|not be null"
)

# Texts whose bytes differ: yaml.v2 escapes all of a text that starts with U+FEFF, and libyaml indents behind
# U+2028 and U+2029 in single quotes. U+0085 becomes a space on yaml.v2's way through JSON, which cannot be
# read at all with the characters behind it here; neither is repeated.
OF_OTHER_BYTES = ["\ufeffab c", "\u2028", "x\u2029"]
CHANGED = ["x\x85y"]
UNWRITABLE = ["x\x7fy", "\x80", "\x9f", "\ufffe", "\uffff"]


def ask(texts: list[str]) -> list[dict[str, Any]]:
    """What a controller makes of each text: its value, and that value written again."""
    questions = "\n".join(
        json.dumps({"yaml": base64.b64encode(text.encode()).decode(), "config": True}) for text in texts
    )
    done = subprocess.run(
        [go_program("kubeyaml")], input=questions, capture_output=True, text=True, check=True
    )
    answers = [json.loads(line, parse_float=Decimal) for line in done.stdout.split("\n") if line]
    for answer in answers:
        if "text" in answer:
            answer["text"] = base64.b64decode(answer["text"]).decode()
    return answers


def numbers(value: Any) -> Any:
    """Go's JSON with numbers as our reader gives them."""
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, dict):
        return {key: numbers(entry) for key, entry in value.items()}
    return [numbers(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("seed", [11, 12])
def test_config_is_read_as_the_operators_library_reads_it(seed: int) -> None:
    maker = TextMaker(seed)
    texts = [maker.text() for _ in range(TEXTS // 3)]
    texts += [f"approvals:\n{re.sub('^', '  ', maker.text(), flags=re.MULTILINE)}" for _ in range(TEXTS // 3)]
    texts += [f"platforms: {{a: 1}}\nb: 1\n---\n{maker.text()}" for _ in range(TEXTS // 3)]
    read = 0
    for text, answer in zip(texts, ask(texts), strict=True):
        config = read_config(text)
        if config.problem:
            assert "json" not in answer or REFUSED_BY_US.search(config.problem), (text, config, answer)
            continue
        assert "json" in answer, (text, config, answer)
        expected = numbers(answer["json"]) or {}
        kept = {name: expected[name] for name in SUBTREES if name in expected}
        assert json.dumps(config.values, sort_keys=True) == json.dumps(kept, sort_keys=True), text
        assert list(config.dropped) == sorted(expected.keys() - kept.keys(), key=str.encode), text
        read += 1
    assert read > TEXTS // 4


@pytest.mark.parametrize("seed", [21, 22])
def test_config_is_written_with_the_bytes_of_the_operators_library(seed: int) -> None:
    maker = ValueMaker(seed)
    values = [value for value in (maker.config() for _ in range(VALUES)) if is_ordered(value)]
    answers = ask([json.dumps(value, ensure_ascii=False) for value in values])
    assert len(values) > 0.99 * VALUES
    for value, answer in zip(values, answers, strict=True):
        assert config_text(value) == answer["text"]


@pytest.mark.parametrize("text", OF_OTHER_BYTES)
def test_other_bytes_mean_the_same(text: str) -> None:
    (answer,) = ask([json.dumps({"k": text})])
    ours = config_text({"k": text})
    assert ours != answer["text"]
    assert read_first_value(ours.encode()) == read_first_value(answer["text"].encode()) == {"k": text}


@pytest.mark.parametrize("text", CHANGED + UNWRITABLE)
def test_what_the_library_loses_we_keep(text: str) -> None:
    (answer,) = ask([json.dumps({"k": text})])
    assert ("text" not in answer) == (text in UNWRITABLE)
    assert read_first_value(answer.get("text", "").encode()) != {"k": text}
    assert read_first_value(config_text({"k": text}).encode()) == {"k": text}


def is_ordered(value: Any) -> bool:
    """Whether yaml.v2's order is one: `08`, `0b` and `1` each come before the next, and so around."""
    if isinstance(value, list):
        return all(map(is_ordered, value))
    if not isinstance(value, dict):
        return True
    keys = natural_order(value)
    pairs = ((one, other) for at, one in enumerate(keys) for other in keys[at + 1 :])
    return all(natural_order(pair) == list(pair) for pair in pairs) and all(map(is_ordered, value.values()))
