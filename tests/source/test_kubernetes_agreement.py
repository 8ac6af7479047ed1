"""The reader against sigs.k8s.io/yaml itself, over thousands of texts of odd shapes."""

import base64
import json
import re
import subprocess
from decimal import Decimal
from typing import Any

import pytest

from kagent_render.source.composer import Composer
from kagent_render.source.dialect import guard_dialect
from kagent_render.source.events import open_events
from kagent_render.source.failure import YAMLInvalidError
from kagent_render.source.yaml import read_yaml
from tests.parts import go_program
from tests.source.yaml_texts import TextMaker

TEXTS = 4000

# Read by yaml.v2 but refused by us, always with a message: collections as keys at the root, of which it
# reads the first and leaves the rest; `?` and `:` that touch other signs inside brackets; a comma that
# libyaml takes for the end of a tag; byte order marks inside the stream; in lenient reading,
# .inf and null keys in a value that a later key replaces.
REFUSED_BY_US = re.compile(
    r"key is a collection|no space after it|`\?`|part of the tag|`!` tag|byte order mark"
    r"|no infinity|not be null"
)


def ask_kubernetes(texts: list[str], *, lenient: bool) -> list[dict[str, Any]]:
    questions = "\n".join(
        json.dumps({"yaml": base64.b64encode(text.encode()).decode(), "lenient": lenient}) for text in texts
    )
    done = subprocess.run(
        [go_program("kubeyaml")], input=questions, capture_output=True, text=True, check=True
    )
    return [json.loads(line, parse_float=Decimal) for line in done.stdout.split("\n") if line]


def first_document(text: str, *, strict: bool) -> Any:
    """What yaml.v2 looks at: it leaves the rest of the stream unread."""
    try:
        documents = read_yaml(text.encode(), strict=strict)
    except YAMLInvalidError as error:
        source = text.removeprefix("\ufeff")
        try:
            events = guard_dialect(open_events(text.encode()), source)
            first = next(Composer(events, source, strict=strict).documents(), None)
        except Exception:
            raise error from None
        return first.value if first else None
    return documents[0].value if documents else None


def judge(text: str, *, strict: bool) -> tuple[Any, str | None]:
    try:
        return first_document(text, strict=strict), None
    except YAMLInvalidError as error:
        return None, error.message


def integral(value: Any) -> Any:
    """JSON numbers as our reader gives them."""
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, dict):
        return {key: integral(entry) for key, entry in value.items()}
    return [integral(item) for item in value] if isinstance(value, list) else value


@pytest.mark.oracle
@pytest.mark.parametrize("lenient", [False, True], ids=["strict", "lenient"])
@pytest.mark.parametrize("seed", [1, 2])
def test_our_reader_agrees_with_kubernetes(seed: int, lenient: bool) -> None:
    maker = TextMaker(seed)
    texts = [maker.text() for _ in range(TEXTS)]
    read = 0
    for text, answer in zip(texts, ask_kubernetes(texts, lenient=lenient), strict=True):
        value, refusal = judge(text, strict=not lenient)
        if refusal is None:
            assert "error" not in answer, (text, value, answer)
            expected = integral(answer.get("json"))
            assert json.dumps(value, sort_keys=True) == json.dumps(expected, sort_keys=True), text
            read += 1
        else:
            assert "error" in answer or REFUSED_BY_US.search(refusal), (text, refusal, answer)
    assert read > TEXTS // 4
